//! The shell's threads: one reads lines, one searches, the caller's writes.

use std::{
    io::{self, BufRead, Write},
    sync::mpsc,
    thread,
    time::Instant,
};

use super::options::Settings;
use super::shell::{Action, Input, Shell, Work};
use crate::search::{SearchOptions, Searcher};

/// Speaks USI until `quit` or the end of the input. Every line is written whole and flushed.
///
/// # Errors
/// When the output cannot be written, or the system has no thread to give.
pub fn run(
    input: impl BufRead + Send + 'static,
    mut output: impl Write,
    settings: Settings,
) -> io::Result<()> {
    let (inputs, queue) = mpsc::channel();
    let (tasks, work) = mpsc::channel();
    let from_host = inputs.clone();
    // The reader may be blocked in a read when all is over: nobody waits for it.
    thread::Builder::new().name("usi-input".to_owned()).spawn(move || read(input, &from_host))?;
    let searching = thread::Builder::new()
        .name("usi-search".to_owned())
        .spawn(move || search(&work, &inputs))?;
    let mut shell = Shell::new(settings);
    let mut outcome = Ok(());
    'all: while let Ok(input) = queue.recv() {
        for action in shell.handle(Instant::now(), input) {
            let task = match action {
                Action::Say(line) => {
                    outcome = say(&mut output, &line);
                    if outcome.is_err() {
                        break 'all;
                    }
                    continue;
                }
                Action::Quit => break 'all,
                Action::Prepare(options) => Task::Prepare(options),
                Action::NewGame => Task::NewGame,
                Action::Search(work) => Task::Search(work),
            };
            if tasks.send(task).is_err() {
                outcome = Err(io::Error::other("the search thread ended"));
                break 'all;
            }
        }
    }
    // Ends a search that is still under way, then its thread.
    shell.handle(Instant::now(), Input::End);
    drop(tasks);
    // It ended by itself or was told to; if it broke down that has been said.
    let _ = searching.join();
    outcome
}

/// One line is one write.
fn say(output: &mut impl Write, line: &str) -> io::Result<()> {
    output.write_all(format!("{line}\n").as_bytes())?;
    output.flush()
}

enum Task {
    Prepare(SearchOptions),
    NewGame,
    Search(Box<Work>),
}

/// Lines of any encoding, until the input ends or fails.
fn read(mut input: impl BufRead, inputs: &mpsc::Sender<Input>) {
    let mut line = Vec::new();
    loop {
        line.clear();
        let ended = matches!(input.read_until(b'\n', &mut line), Ok(0) | Err(_));
        let next = if ended {
            Input::End
        } else {
            Input::Line(String::from_utf8_lossy(&line).trim().to_owned())
        };
        if inputs.send(next).is_err() || ended {
            return;
        }
    }
}

/// Owns the searcher, which is made at the first need.
fn search(tasks: &mpsc::Receiver<Task>, inputs: &mpsc::Sender<Input>) {
    let mut searcher: Option<Searcher> = None;
    while let Ok(task) = tasks.recv() {
        match task {
            Task::Prepare(options) => {
                let trouble = prepare(&mut searcher, options);
                let _ = inputs.send(Input::Ready(trouble));
            }
            Task::NewGame => {
                if let Some(searcher) = &mut searcher {
                    searcher.new_game();
                }
            }
            Task::Search(work) => {
                let Work { number, options, game, limits, stop } = *work;
                prepare(&mut searcher, options);
                let Some(searcher) = &mut searcher else { return };
                let result = searcher.search(&game, &limits, &stop, |info| {
                    let _ = inputs.send(Input::Info(number, Box::new(info)));
                });
                let _ = inputs.send(Input::Done(number, Box::new(result)));
            }
        }
    }
}

/// Makes the searcher anew if its options have changed; says what went otherwise than asked.
fn prepare(searcher: &mut Option<Searcher>, options: SearchOptions) -> Option<String> {
    if searcher.as_ref().is_some_and(|searcher| searcher.options() == options) {
        return None;
    }
    // The old table goes first, or both would be in memory at once.
    *searcher = None;
    let trouble = match Searcher::new(options) {
        Ok(made) => {
            let (wanted, got) = (options.hash_bytes >> 20, made.hash_bytes() >> 20);
            *searcher = Some(made);
            return (got + 1 < wanted)
                .then(|| format!("the hash table has {got} MiB only, for want of memory"));
        }
        Err(error) => error.to_string(),
    };
    *searcher = Searcher::new(SearchOptions { threads: 1, ..options }).ok();
    Some(format!("{trouble}; one thread is used"))
}

#[cfg(test)]
mod tests;

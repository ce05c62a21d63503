//! The shell's threads: one reads lines, one searches, the caller's writes.

use std::{
    io::{self, BufRead, Write},
    sync::mpsc,
    thread,
    time::Instant,
};

use super::options::Settings;
use super::shell::{Action, Input, MateWork, Mated, Shell, Work};
use crate::search::{
    MateSearch, SearchInfo, SearchOptions, SearchResult, Searcher, SearcherError, any_move,
};

/// Speaks USI until `quit` or the end of the input. Every line is written whole and flushed.
///
/// # Errors
/// When the output cannot be written, or the system has no thread to give.
pub fn run(
    input: impl BufRead + Send + 'static,
    mut output: impl Write,
    settings: Settings,
) -> io::Result<()> {
    let (inputs, queue) = mpsc::sync_channel(QUEUE);
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
                Action::Mate(work) => Task::Mate(work),
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
    // A report of the search that finds the queue full waits no longer.
    drop(queue);
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
    Mate(Box<MateWork>),
}

/// Lines of any encoding, until the input ends or fails.
fn read(mut input: impl BufRead, inputs: &mpsc::SyncSender<Input>) {
    loop {
        let next = read_line(&mut input).unwrap_or(Input::End);
        let ended = matches!(next, Input::End);
        if inputs.send(next).is_err() || ended {
            return;
        }
    }
}

/// The next line. What goes beyond the longest line is passed over as it arrives.
fn read_line(input: &mut impl BufRead) -> io::Result<Input> {
    let mut line = Vec::new();
    let kept = LONGEST_LINE as u64 + 1;
    if io::Read::take(&mut *input, kept).read_until(b'\n', &mut line)? == 0 {
        return Ok(Input::End);
    }
    if line.last() != Some(&b'\n') && line.len() > LONGEST_LINE {
        input.skip_until(b'\n')?;
        return Ok(Input::TooLong);
    }
    Ok(Input::Line(String::from_utf8_lossy(&line).trim().to_owned()))
}

/// Longest line that is read, in bytes; a game of ten thousand moves needs a twentieth of it.
const LONGEST_LINE: usize = 1 << 20;

/// Lines that may wait while another one is obeyed; then the host has to.
const QUEUE: usize = 1024;

/// Owns the searcher, which is made at the first need.
fn search(tasks: &mpsc::Receiver<Task>, inputs: &mpsc::SyncSender<Input>) {
    let mut owner = Owner::default();
    while let Ok(task) = tasks.recv() {
        match task {
            Task::Prepare(options) => {
                let trouble = owner.prepare(&options, Searcher::new);
                let _ = inputs.send(Input::Ready(trouble));
            }
            Task::NewGame => {
                if let Some(searcher) = &mut owner.searcher {
                    searcher.new_game();
                }
            }
            Task::Search(work) => {
                let number = work.number;
                owner.prepare(&work.options, Searcher::new);
                let result = owner.search(&work, |info| {
                    let _ = inputs.send(Input::Info(number, Box::new(info)));
                });
                let _ = inputs.send(Input::Done(number, Box::new(result)));
            }
            Task::Mate(work) => {
                let mated = owner.mate(&work);
                let _ = inputs.send(Input::Mated(work.number, Box::new(mated)));
            }
        }
    }
}

/// The searcher and what was asked for, which may be more than there was to have.
#[derive(Default)]
struct Owner {
    searcher: Option<Searcher>,
    asked: Option<SearchOptions>,
    /// Made at the first `go mate`, with a table of this size asked for.
    mate: Option<(u64, MateSearch)>,
}

impl Owner {
    /// Makes the searcher anew if other options are asked for; says what went otherwise than asked.
    fn prepare(
        &mut self,
        options: &SearchOptions,
        make: impl Fn(SearchOptions) -> Result<Searcher, SearcherError>,
    ) -> Option<String> {
        if self.searcher.is_some() && self.asked.as_ref() == Some(options) {
            return None;
        }
        // The old table goes first, or both would be in memory at once.
        self.searcher = None;
        self.asked = Some(options.clone());
        let trouble = match make(options.clone()) {
            Ok(made) => {
                let (wanted, got) = (options.hash_bytes >> 20, made.hash_bytes() >> 20);
                self.searcher = Some(made);
                return (got + 1 < wanted)
                    .then(|| format!("the hash table has {got} MiB only, for want of memory"));
            }
            Err(error) => error.to_string(),
        };
        self.searcher = make(SearchOptions { threads: 1, ..options.clone() }).ok();
        let instead = match self.searcher {
            Some(_) => "one thread is used",
            None => "moves are played without thought",
        };
        Some(format!("{trouble}; {instead}"))
    }

    fn mate(&mut self, work: &MateWork) -> Mated {
        let started = Instant::now();
        let bytes = work.table_bytes;
        // The old table goes first, or both would be in memory at once.
        self.mate.take_if(|(asked, _)| *asked != bytes);
        let (_, search) = self.mate.get_or_insert_with(|| (bytes, MateSearch::new(bytes)));
        let outcome = search.solve(&work.position, &work.limits, &work.stop);
        Mated { outcome, nodes: search.nodes(), time: started.elapsed() }
    }

    /// Every search has an answer, even if the system gives no thread for it.
    fn search(&mut self, work: &Work, on_info: impl FnMut(SearchInfo)) -> SearchResult {
        let Work { game, limits, stop, .. } = work;
        if let Some(searcher) = &mut self.searcher {
            return searcher.search(game, limits, stop, on_info);
        }
        if limits.hold {
            stop.wait();
        }
        any_move(game)
    }
}

#[cfg(test)]
mod tests;

//! The threads of the USI engine: one reads lines, one searches, and the caller's thread writes.

use std::{
    collections::VecDeque,
    io::{self, BufRead, Write},
    sync::mpsc,
    thread,
    time::Instant,
};

use super::options::Settings;
use super::shell::{Action, Input, Shell};
use super::workers::Workers;
use crate::engine::search_thread;

/// Runs the engine until `quit` or the end of the input. Every line is written in one piece and flushed.
///
/// # Errors
/// The output cannot be written, or a thread cannot be started.
pub fn run(
    input: impl BufRead + Send + 'static,
    mut output: impl Write,
    settings: Settings,
) -> io::Result<()> {
    let (inputs, queue) = mpsc::sync_channel(QUEUE);
    let (tasks, work) = mpsc::channel();
    let (from_host, from_workers) = (inputs.clone(), inputs.clone());
    let mut shell = Shell::new(settings);
    let shared = shell.shared_entries();
    // The reader may be blocked in a read at the end, so it is not joined.
    thread::Builder::new().name("usi-input".to_owned()).spawn(move || read(input, &from_host))?;
    let searching = thread::Builder::new().name("usi-search".to_owned()).spawn(move || {
        let report = |report| drop(inputs.send(Input::Search(report)));
        search_thread::run(&work, report, None, Some(&shared));
    })?;
    let mut workers: Option<Workers> = None;
    let mut outcome = Ok(());
    'all: while let Ok(input) = queue.recv() {
        let mut actions = VecDeque::from(shell.handle(Instant::now(), input));
        while let Some(action) = actions.pop_front() {
            match action {
                Action::Print(line) => {
                    outcome = write_line(&mut output, &line);
                    if outcome.is_err() {
                        break 'all;
                    }
                }
                Action::Quit => break 'all,
                Action::Task(task) => {
                    if tasks.send(task).is_err() {
                        outcome = Err(io::Error::other("the search thread ended"));
                        break 'all;
                    }
                }
                Action::Leave => drop(workers.take().map(Workers::release)),
                Action::Join(request) => {
                    let joined = Workers::join(*request, from_workers.clone());
                    let joined = joined.map(|(new, message)| {
                        workers = Some(new);
                        message
                    });
                    // Its result is written before the other actions, such as `readyok`.
                    let first = shell.handle(Instant::now(), Input::Joined(joined));
                    actions = first.into_iter().chain(actions).collect();
                }
                Action::CommandCoordinator(command) => {
                    if let Some(workers) = &workers {
                        workers.command(*command);
                    }
                }
                Action::ReportToCoordinator(event) => {
                    if let Some(workers) = &workers {
                        workers.report(event);
                    }
                }
            }
        }
    }
    // Stops a running search, then its thread.
    shell.handle(Instant::now(), Input::End);
    drop(tasks);
    // Unblocks a thread that waits on a full queue.
    drop(queue);
    let coordinating = workers.map(Workers::release);
    // A failure of the thread has already been reported.
    let _ = searching.join();
    if let Some(thread) = coordinating {
        let _ = thread.join();
    }
    outcome
}

/// Writes one line in one write.
fn write_line(output: &mut impl Write, line: &str) -> io::Result<()> {
    output.write_all(format!("{line}\n").as_bytes())?;
    output.flush()
}

/// Reads lines of any encoding until the input ends or fails.
fn read(mut input: impl BufRead, inputs: &mpsc::SyncSender<Input>) {
    loop {
        let next = read_line(&mut input).unwrap_or(Input::End);
        let ended = matches!(next, Input::End);
        if inputs.send(next).is_err() || ended {
            return;
        }
    }
}

/// Reads the next line. The rest of a line that is too long is discarded as it arrives.
fn read_line(input: &mut impl BufRead) -> io::Result<Input> {
    let mut line = Vec::new();
    let limit = LONGEST_LINE as u64 + 1;
    if io::Read::take(&mut *input, limit).read_until(b'\n', &mut line)? == 0 {
        return Ok(Input::End);
    }
    if line.last() != Some(&b'\n') && line.len() > LONGEST_LINE {
        input.skip_until(b'\n')?;
        return Ok(Input::TooLong);
    }
    Ok(Input::Line(String::from_utf8_lossy(&line).trim().to_owned()))
}

/// Longest line that is read, in bytes. A game of ten thousand moves needs a twentieth of it.
const LONGEST_LINE: usize = 1 << 20;

/// Maximum number of waiting lines. Further lines block the host.
const QUEUE: usize = 1024;

#[cfg(test)]
mod tests;

//! The threads of the USI engine: one reads lines, one searches, and the caller's thread writes.

use std::{
    collections::VecDeque,
    io::{self, BufRead, Write},
    ops::ControlFlow,
    sync::mpsc,
    thread,
    time::Instant,
};

use super::options::Settings;
use super::shell::{Action, Input, Shell};
use super::workers::Workers;
use crate::players::search_thread::{self, SearchTask};

/// Runs the engine until `quit` or the end of the input. Every line is written in one piece and flushed.
///
/// # Errors
/// The output cannot be written, or a thread cannot be started.
pub fn run(
    input: impl BufRead + Send + 'static,
    output: impl Write,
    settings: Settings,
) -> io::Result<()> {
    let (inputs, queue) = mpsc::sync_channel(QUEUE);
    let (tasks, work) = mpsc::channel();
    let mut engine = RunningEngine {
        shell: Shell::new(settings),
        output,
        tasks,
        workers: None,
        from_workers: inputs.clone(),
    };
    let (shared, from_host) = (engine.shell.shared_entries(), inputs.clone());
    // The reader may be blocked in a read at the end, so it is not joined.
    thread::Builder::new().name("usi-input".to_owned()).spawn(move || read(input, &from_host))?;
    let searching = thread::Builder::new().name("usi-search".to_owned()).spawn(move || {
        let report = |report| drop(inputs.send(Input::Search(report)));
        search_thread::run(&work, report, None, Some(&shared));
    })?;
    let outcome = engine.follow(&queue);
    let RunningEngine { mut shell, tasks, workers, .. } = engine;
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

/// The engine in the caller's thread: it handles the inputs, and writes.
struct RunningEngine<W> {
    shell: Shell,
    output: W,
    /// The tasks of the search thread.
    tasks: mpsc::Sender<SearchTask>,
    /// The other machines, once they have joined.
    workers: Option<Workers>,
    from_workers: mpsc::SyncSender<Input>,
}

impl<W: Write> RunningEngine<W> {
    /// Handles inputs until `quit` or the end of the input.
    fn follow(&mut self, queue: &mpsc::Receiver<Input>) -> io::Result<()> {
        while let Ok(input) = queue.recv() {
            if self.handle(input)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Handles one input, and carries out its actions. Breaks at `quit`.
    fn handle(&mut self, input: Input) -> io::Result<ControlFlow<()>> {
        let mut actions = VecDeque::from(self.shell.handle(Instant::now(), input));
        while let Some(action) = actions.pop_front() {
            match action {
                Action::Print(line) => write_line(&mut self.output, &line)?,
                Action::Quit => return Ok(ControlFlow::Break(())),
                Action::Task(task) => self
                    .tasks
                    .send(task)
                    .map_err(|_| io::Error::other("the search thread ended"))?,
                Action::Leave => drop(self.workers.take().map(Workers::release)),
                Action::Join(request) => {
                    let joined = Workers::join(*request, self.from_workers.clone());
                    let joined = joined.map(|(new, message)| {
                        self.workers = Some(new);
                        message
                    });
                    // Its result is written before the other actions, such as `readyok`.
                    let first = self.shell.handle(Instant::now(), Input::Joined(joined));
                    actions = first.into_iter().chain(actions).collect();
                }
                Action::CommandCoordinator(command) => {
                    if let Some(workers) = &self.workers {
                        workers.command(*command);
                    }
                }
                Action::ReportToCoordinator(event) => {
                    if let Some(workers) = &self.workers {
                        workers.report(event);
                    }
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }
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

//! The search threads (docs/search.md, section 5): equal workers that search the same root and share the table. They
//! are started once and wait between searches.

use std::{
    sync::{Arc, atomic::AtomicI32, mpsc},
    thread,
    time::Instant,
};

use super::job::{Job, ResultSlot};
use super::kind::{ByPlies, Experimental, Play, SearchKind};
use super::limits::{SearchLimits, StopFlag};
use super::line::{Line, RootLine};
use super::node_count::{NodeCounter, OtherThreads, per_second};
use super::pace::Pace;
use super::parameters::Parameters;
use super::position_history::{PositionHistory, RepetitionResult};
use super::report::{Bound, SearchInfo, SearchResult};
use super::root::{NoObserver, SearchObserver};
use super::score_rules::line_statistics;
use super::search_options::SearchOptions;
use super::table::TranspositionTable;
use super::time_manager::TimeManager;
use super::value::{self, is_mate};
use super::vote::vote;
use super::worker::Worker;
use crate::eval::Evaluation;
use kyomi_shogi::{Game, Move, Score};

/// Messages of the first thread to the [`Searcher`](super::Searcher).
pub(crate) enum Message {
    Info(SearchInfo),
    Done(Box<SearchResult>),
}

enum ThreadCommand {
    /// Search. Only the first thread gets a sender for its messages.
    Search(Arc<Job>, Option<mpsc::Sender<Message>>),
    /// Clear everything that was learnt.
    Clear,
}

/// The threads.
pub(crate) struct ThreadPool {
    commands: Vec<mpsc::Sender<ThreadCommand>>,
    jobs: u64,
    pace: Option<Arc<Pace>>,
}

/// Stack size of a search thread in bytes: enough for lines of 127 plies in unoptimised builds too.
pub(crate) const STACK: usize = 32 << 20;

impl ThreadPool {
    /// Starts the threads, which then wait for work.
    pub(crate) fn start(
        options: &SearchOptions,
        table: &Arc<TranspositionTable>,
        pace: Option<&Arc<Pace>>,
    ) -> std::io::Result<Self> {
        let SearchOptions { threads, parameters, evaluation, hash_bytes: _ } = options;
        let threads = *threads;
        let counters: Vec<_> = (0..threads).map(|_| Arc::new(NodeCounter::default())).collect();
        let slots: Arc<[ResultSlot]> = (0..threads).map(|_| ResultSlot::default()).collect();
        let mut commands = Vec::with_capacity(threads);
        for id in 0..threads {
            let (sender, receiver) = mpsc::channel();
            let others = if id == 0 { counters[1..].to_vec() } else { Vec::new() };
            let (table, counter) = (Arc::clone(table), Arc::clone(&counters[id]));
            let (slots, parameters) = (Arc::clone(&slots), **parameters);
            let (evaluation, pace) = (evaluation.clone(), pace.cloned());
            // Each thread creates its own worker, so that memory which two threads write to shares no cache line.
            thread::Builder::new().name(format!("search-{id}")).stack_size(STACK).spawn(
                move || {
                    let setup = Setup { id, table, counter, parameters, evaluation, pace };
                    let context = (others, slots, &receiver);
                    if parameters.tree != 0 {
                        setup.run::<ByPlies>(context);
                    } else if parameters.suit_play_search() {
                        setup.run::<Play>(context);
                    } else {
                        setup.run::<Experimental>(context);
                    }
                },
            )?;
            commands.push(sender);
        }
        Ok(Self { commands, jobs: 0, pace: pace.cloned() })
    }

    /// Begins a search. The last message is [`Message::Done`]; it is missing if the first thread panicked.
    pub(crate) fn search(
        &mut self,
        game: &Game,
        limits: &SearchLimits,
        stop: &StopFlag,
        last_score: Option<i32>,
    ) -> mpsc::Receiver<Message> {
        self.jobs += 1;
        let job = Arc::new(Job {
            id: self.jobs,
            game: game.clone(),
            limits: limits.clone(),
            stop: stop.clone(),
            stop_others: StopFlag::new(),
            largest_limit: AtomicI32::new(0),
            last_score,
            started: Instant::now(),
        });
        if let Some(pace) = &self.pace {
            pace.begin(self.commands.len());
        }
        let (sender, receiver) = mpsc::channel();
        let mut sender = Some(sender);
        for commands in &self.commands {
            // The receiver of a thread that has ended is gone. The owner notices that by the missing messages.
            let _ = commands.send(ThreadCommand::Search(Arc::clone(&job), sender.take()));
        }
        receiver
    }

    /// Makes all threads clear what they have learnt.
    pub(crate) fn clear(&self) {
        for commands in &self.commands {
            let _ = commands.send(ThreadCommand::Clear);
        }
    }
}

/// The data of a new search thread.
struct Setup {
    id: usize,
    table: Arc<TranspositionTable>,
    counter: Arc<NodeCounter>,
    parameters: Parameters,
    evaluation: Evaluation,
    pace: Option<Arc<Pace>>,
}

impl Setup {
    /// Creates the worker and runs the thread until its commands end.
    fn run<K: SearchKind>(
        self,
        (others, slots, commands): (
            Vec<Arc<NodeCounter>>,
            Arc<[ResultSlot]>,
            &mpsc::Receiver<ThreadCommand>,
        ),
    ) {
        let Self { id, table, counter, parameters, evaluation, pace } = self;
        let mut worker = Worker::<K>::with_evaluation(id, table, counter, &parameters, &evaluation);
        worker.control.pace = pace;
        SearchThread { worker, others, slots }.run(commands);
    }
}

/// One search thread.
struct SearchThread<K: SearchKind> {
    worker: Worker<K>,
    /// Counters of the other threads; only the first thread has them.
    others: Vec<Arc<NodeCounter>>,
    slots: Arc<[ResultSlot]>,
}

impl<K: SearchKind> SearchThread<K> {
    fn run(mut self, commands: &mpsc::Receiver<ThreadCommand>) {
        if self.worker.control.pace.is_none() {
            lower_priority();
        }
        // The loop ends when the team is dropped.
        while let Ok(order) = commands.recv() {
            match order {
                ThreadCommand::Clear => self.worker.clear_learned(),
                ThreadCommand::Search(job, Some(reply)) => self.run_main(&job, &reply),
                ThreadCommand::Search(job, None) => self.run_helper(&job),
            }
        }
    }

    fn run_helper(&mut self, job: &Job) {
        self.enter_pace();
        self.worker.set_root(&job.game, job.limits.rules, job.stop_others.clone());
        self.worker.think(job, &self.slots[self.worker.control.id], &mut NoObserver);
        if let Some(pace) = &self.worker.control.pace {
            pace.leave(self.worker.control.id);
        }
    }

    fn enter_pace(&self) {
        if let Some(pace) = &self.worker.control.pace {
            pace.enter(self.worker.control.id);
        }
    }

    fn run_main(&mut self, job: &Job, reply: &mpsc::Sender<Message>) {
        self.enter_pace();
        let helpers = StopAtEnd(&job.stop_others);
        let worker = &mut self.worker;
        worker.set_root(&job.game, job.limits.rules, job.stop.clone());
        if self.others.is_empty() {
            worker.control.limit_nodes(job.limits.nodes.unwrap_or(u64::MAX));
        }
        let others = OtherThreads::from_now(&self.others);
        worker.control.time_manager =
            Some(TimeManager::new(&job.limits, job.stop.clone(), others.clone()));
        let mut reporter = Reporter { job, reply, others: &others, last: None, lines: Vec::new() };
        let own = worker.think(job, &self.slots[0], &mut reporter);
        let lines = reporter.lines;
        if job.limits.hold {
            if let Some(pace) = &worker.control.pace {
                pace.hold(worker.control.id);
            }
            job.stop.wait();
        }
        if let Some(pace) = &worker.control.pace {
            pace.leave(worker.control.id);
        }
        drop(helpers);
        // A move that the mate search of the first thread has refuted has no vote.
        let refuted = |other: &RootLine| {
            other.line.first().is_some_and(|mv| worker.knowledge.mates.refuted.contains(mv))
        };
        let helped = self.slots[1..].iter().filter_map(|slot| slot.read(job));
        let best_line = vote(own, helped.filter(|other| !refuted(other)));
        let nodes = worker.control.nodes + others.nodes();
        let result = SearchResult {
            best: best_line.line.first().copied(),
            ponder: best_line
                .line
                .get(1)
                .copied()
                .or_else(|| expected_reply(worker, &best_line.line)),
            score: value::to_score(if best_line.line.is_empty() {
                value::mated_in(0)
            } else {
                best_line.score
            }),
            pv: best_line.line.to_vec(),
            lines,
            nodes,
            depth: worker.settings.costs.rounded_nominal_depth(best_line.limit).max(0) as u32,
            limit: worker
                .settings
                .costs
                .rounded_nominal_depth(best_line.limit.saturating_mul(100))
                .max(0) as u32,
            seldepth: worker.control.seldepth as u32,
            time: job.started.elapsed(),
        };
        // The send fails only if the receiver has been dropped.
        let _ = reply.send(Message::Done(Box::new(result)));
    }
}

/// Stops the helper threads when the first thread is done, also after a panic.
struct StopAtEnd<'a>(&'a StopFlag);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// The reply in the table, for a line that has only the best move.
fn expected_reply<K: SearchKind>(worker: &Worker<K>, line: &Line) -> Option<Move> {
    let mut position = worker.line.position.clone();
    position.do_move(*line.first()?);
    let found = worker.table.probe(position.key(), 1)?;
    found.mv.filter(|&mv| position.is_legal(mv))
}

/// Sends messages about the search of the first thread.
struct Reporter<'a> {
    job: &'a Job,
    reply: &'a mpsc::Sender<Message>,
    others: &'a OtherThreads,
    /// When the last line was sent.
    last: Option<Instant>,
    /// The lines of the last completed iteration, if there are several.
    lines: Vec<(Score, Vec<Move>)>,
}

/// The least time between two lines, in milliseconds. Lines that follow sooner are not sent, since no reader could
/// follow them.
const LEAST_GAP_MS: u128 = 20;

impl Reporter<'_> {
    /// Whether the last line was sent less than [`LEAST_GAP_MS`] ago.
    fn is_too_soon(&self) -> bool {
        self.last.is_some_and(|last| last.elapsed().as_millis() < LEAST_GAP_MS)
    }

    fn send<K: SearchKind>(
        &mut self,
        worker: &Worker<K>,
        best_line: &RootLine,
        bound: Bound,
        line: Option<u32>,
        text: Option<String>,
    ) {
        self.last = Some(Instant::now());
        let time = self.job.started.elapsed();
        let nodes = worker.control.nodes + self.others.nodes();
        let info = SearchInfo {
            depth: worker.settings.costs.rounded_nominal_depth(worker.control.limit).max(0) as u32,
            limit: worker.control.limit.max(0) as u32,
            seldepth: worker.control.seldepth as u32,
            score: Some(value::to_score(best_line.score)),
            bound,
            nodes,
            nps: per_second(nodes, time),
            workers: 0,
            time,
            hashfull: Some(worker.table.hashfull()),
            multipv: line,
            pv: best_line.line.to_vec(),
            text,
        };
        let _ = self.reply.send(Message::Info(info));
    }

    /// A text with the data of an iteration that only interest search has.
    fn explain<K: SearchKind>(&self, worker: &Worker<K>, best_line: &RootLine) -> String {
        let (limit, cost) = (worker.control.limit, best_line.cost);
        let end = match repetition_at_the_end(&self.job.game, &best_line.line) {
            Some(words) => format!("; the line ends in {words}"),
            None => String::new(),
        };
        let score_fell = if worker.control.score_fell {
            "; after a fall of the score dull moves cost less near the root"
        } else {
            ""
        };
        format!("limit {limit}, the move costs {cost}{score_fell}{end}")
    }
}

impl<K: SearchKind> SearchObserver<K> for Reporter<'_> {
    fn iteration_completed(&mut self, worker: &Worker<K>, lines: &[RootLine]) {
        if lines.len() > 1 {
            let of = |best: &RootLine| (value::to_score(best.score), best.line.to_vec());
            self.lines = lines.iter().map(of).collect();
        }
        let mate = lines.first().is_some_and(|best| is_mate(best.score));
        if self.is_too_soon() && !mate && worker.control.pace.is_none() {
            return;
        }
        let scores: Vec<_> = lines.iter().map(|line| line.score).collect();
        for (at, best_line) in lines.iter().enumerate() {
            let number = (lines.len() > 1).then_some(at as u32 + 1);
            let first = (at == 0).then(|| self.explain(worker, best_line));
            let text = [first, line_statistics(&scores, at)]
                .into_iter()
                .flatten()
                .reduce(|a, b| a + "; " + &b);
            self.send(worker, best_line, Bound::Exact, number, text);
        }
    }

    fn new_best_line(&mut self, worker: &Worker<K>, best_line: &RootLine, bound: Bound) {
        let early = self.job.started.elapsed().as_millis() < 500;
        let early = early && worker.control.pace.is_none();
        let too_soon = self.is_too_soon() && worker.control.pace.is_none();
        if !early && (!too_soon || is_mate(best_line.score)) {
            self.send(worker, best_line, bound, None, None);
        }
    }
}

/// A description of the repetition at the end of a line, if the last position is one.
fn repetition_at_the_end(game: &Game, line: &[Move]) -> Option<&'static str> {
    let mut path = PositionHistory::default();
    path.restart(game);
    let mut position = game.position().clone();
    for &mv in line {
        if !position.is_legal(mv) {
            return None;
        }
        position.do_move(mv);
        path.push(&position);
    }
    if line.is_empty() {
        return None;
    }
    let side = position.side_to_move();
    Some(match path.repeated(side)?.result {
        RepetitionResult::Draw => "a repetition",
        // The result is that for the side to move in the last position.
        RepetitionResult::Win => "a repetition that the side which moved last loses by",
        RepetitionResult::Loss => "a repetition that the side to move loses by",
    })
}

/// Lowers the priority of the calling thread, so that the network thread runs first if there are not more cores than
/// threads.
pub fn lower_priority() {
    #[cfg(target_os = "linux")]
    {
        // On Linux this is the priority of the calling thread alone. Without the right to change it, nothing changes. A
        // lower priority set by the user is kept.
        if rustix::process::getpriority_process(None).is_ok_and(|now| now < 5) {
            let _ = rustix::process::setpriority_process(None, 5);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn helpers_are_stopped_when_the_first_thread_breaks_down() {
        let stop = StopFlag::new();
        let flag = stop.clone();
        let first = thread::spawn(move || {
            let _helpers = StopAtEnd(&flag);
            std::panic::resume_unwind(Box::new("broken"));
        });
        assert!(first.join().is_err());
        assert!(stop.is_stopped());
    }
}

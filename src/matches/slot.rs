//! A slot plays games one after another: a thread with its runtime, cores and players.

use std::{
    io,
    sync::Arc,
    thread::{self, JoinHandle},
    time::Instant,
};

use tokio::{
    runtime::Builder,
    sync::mpsc::{self, UnboundedReceiver, UnboundedSender},
};
use tokio_util::sync::CancellationToken;

use crate::players::{GameInfo, HelpCounts};
use kyomi_engine::search::lower_priority;
use kyomi_record::{Analysis, RecordMove};
use kyomi_shogi::{Color, Game, GameEnd};

use super::{
    LabError, MatchSettings, Round, Turn,
    match_player::{MatchPlayer, Note, PrepareError},
    queue::Queue,
    referee,
};

/// An event of a slot.
#[derive(Debug)]
pub(super) enum SlotEvent {
    /// A game is finished.
    Finished(Box<Finished>),
    /// A message about a player.
    Note { player: String, note: Note },
    /// The match cannot continue.
    Failed(LabError),
}

/// A finished game.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) round: Round,
    pub(super) end: GameEnd,
    pub(super) explanation: String,
    pub(super) game: Game,
    pub(super) moves: Vec<RecordMove>,
    pub(super) turns: Vec<Turn>,
    pub(super) ponders: [u32; 2],
    pub(super) ponder_hits: [u32; 2],
    pub(super) help: [Option<HelpCounts>; 2],
    pub(super) last_time: Option<std::time::Duration>,
    pub(super) last_analysis: Option<Analysis>,
    pub(super) began: jiff::Zoned,
    pub(super) preparing_us: u64,
    pub(super) wall_us: u64,
}

/// The state that all slots of a match share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) settings: Arc<MatchSettings>,
    pub(super) queue: Queue,
    /// Abandons the running games when it is cancelled.
    pub(super) abandon: CancellationToken,
}

/// Starts the slots of a match, not more than there are games. Their events end when all of them have ended.
pub(super) fn start_all(
    shared: &Arc<Shared>,
) -> Result<(Vec<JoinHandle<()>>, UnboundedReceiver<SlotEvent>), LabError> {
    let (sender, events) = mpsc::unbounded_channel();
    let sets = core_sets(&shared.settings).into_iter().enumerate().take(shared.queue.len());
    let slots = sets.map(|(number, cores)| {
        start(Arc::clone(shared), number, cores, sender.clone()).map_err(LabError::Thread)
    });
    Ok((slots.collect::<Result<_, _>>()?, events))
}

/// Joins slots whose events have ended.
pub(super) fn join(slots: Vec<JoinHandle<()>>) {
    for slot in slots {
        if slot.join().is_err() {
            tracing::error!("the thread of a slot panicked");
        }
    }
}

/// The cores of each slot.
fn core_sets(settings: &MatchSettings) -> Vec<Vec<usize>> {
    let each = settings.cores.len() / settings.concurrency.max(1);
    (0..settings.concurrency)
        .map(|slot| settings.cores[slot * each..(slot + 1) * each].to_vec())
        .collect()
}

/// Starts a slot that plays games until the queue is empty, on these cores; an empty list means any core.
fn start(
    shared: Arc<Shared>,
    number: usize,
    cores: Vec<usize>,
    sender: UnboundedSender<SlotEvent>,
) -> io::Result<JoinHandle<()>> {
    let mut builder = Builder::new_current_thread();
    builder.enable_all();
    #[cfg(feature = "cluster")]
    builder.start_paused(shared.settings.machines.is_some());
    let runtime = builder.build()?;
    thread::Builder::new().name(format!("match-{number}")).spawn(move || {
        // The players' threads and processes are started from this thread and inherit its priority and cores.
        lower_priority();
        if let Err(error) = restrict_to(&cores) {
            let _ = sender.send(SlotEvent::Failed(LabError::Cores { cores, source: error }));
            return;
        }
        runtime.block_on(work(&shared, &sender));
    })
}

/// Plays these games one after another in this thread. Cancelling `abandon` ends them without results.
///
/// # Errors
/// A player does not start, or the games were abandoned.
#[cfg(feature = "cluster")]
pub(super) fn play_rounds(
    settings: MatchSettings,
    rounds: &[Round],
    abandon: CancellationToken,
) -> Result<Vec<Finished>, LabError> {
    lower_priority();
    let runtime = Builder::new_current_thread().enable_all().build().map_err(LabError::Thread)?;
    let queue = Queue::new(settings.schedule(), std::iter::empty());
    let shared = Shared { settings: Arc::new(settings), queue, abandon };
    runtime.block_on(async {
        let mut players = start_players(&shared.settings).await?;
        let mut finished = Vec::new();
        for round in rounds {
            match one_game(&shared, &mut players, *round).await {
                Ok(Some(game)) => finished.push(game),
                Ok(None) => return Err(LabError::Workers("the games were abandoned".to_owned())),
                Err(error) => return Err(error),
            }
        }
        for player in &mut players {
            player.discard().await;
        }
        Ok(finished)
    })
}

async fn work(shared: &Shared, sender: &UnboundedSender<SlotEvent>) {
    let settings = &shared.settings;
    let mut players = match start_players(settings).await {
        Ok(players) => players,
        Err(error) => {
            shared.queue.close();
            let _ = sender.send(SlotEvent::Failed(error));
            return;
        }
    };
    while !shared.abandon.is_cancelled()
        && let Some(round) = shared.queue.next()
    {
        match one_game(shared, &mut players, round).await {
            Ok(Some(finished)) => {
                let _ = sender.send(SlotEvent::Finished(Box::new(finished)));
            }
            Ok(None) => {}
            Err(error) => {
                shared.queue.close();
                let _ = sender.send(SlotEvent::Failed(error));
            }
        }
        for player in &mut players {
            for note in player.take_notes() {
                let _ =
                    sender.send(SlotEvent::Note { player: player.contestant.name.clone(), note });
            }
        }
    }
    for player in &mut players {
        player.discard().await;
    }
}

/// The players of a slot. Those on real machines are started when they are needed.
#[cfg_attr(
    not(feature = "cluster"),
    allow(clippy::unused_async, reason = "only workers are waited for")
)]
async fn start_players(settings: &MatchSettings) -> Result<Vec<MatchPlayer>, LabError> {
    #[cfg(feature = "cluster")]
    if let Some(machines) = &settings.machines {
        let failed = |source| LabError::Player { player: "virtual machines".to_owned(), source };
        return machines.start(&settings.players).await.map_err(failed);
    }
    let player = |player: &super::Contestant| MatchPlayer::new(Arc::new(player.clone()));
    Ok(settings.players.iter().map(player).collect())
}

/// Plays one game; `None` if it was abandoned.
async fn one_game(
    shared: &Shared,
    players: &mut [MatchPlayer],
    round: Round,
) -> Result<Option<Finished>, LabError> {
    let settings = &shared.settings;
    let (began, started) = (jiff::Zoned::now(), Instant::now());
    let pair = players.get_disjoint_mut(round.players);
    let Ok([black, white]) = pair else { return Ok(None) };
    for (color, player) in [(Color::Black, &mut *black), (Color::White, &mut *white)] {
        let info = GameInfo {
            color,
            entering_king: settings.rules.entering_king,
            max_moves: settings.rules.max_moves,
        };
        let seed = seed_of(settings.seed, round.game, color);
        tokio::select! {
            ready = player.prepare(info, seed) => ready.map_err(|error| {
                let player = player.contestant.name.clone();
                match error {
                    PrepareError::Failed(source) => LabError::Player { player, source },
                    PrepareError::Option(text) => LabError::Option { player, text },
                }
            })?,
            () = shared.abandon.cancelled() => return Ok(None),
        }
    }
    let preparing = started.elapsed();
    let opening = settings.openings.get(round.opening);
    let played =
        referee::play([&mut *black, &mut *white], &opening, &settings.rules, &shared.abandon).await;
    let Some(ended) = played else { return Ok(None) };
    let wall = started.elapsed();
    let help = [black.take_help(), white.take_help()];
    match ended.failed_side {
        Some(Color::Black) => black.discard().await,
        Some(Color::White) => white.discard().await,
        None => {}
    }
    Ok(Some(Finished {
        round,
        end: ended.end,
        explanation: ended.explanation,
        game: ended.game,
        moves: ended.moves,
        turns: ended.turns,
        ponders: ended.ponders,
        ponder_hits: ended.ponder_hits,
        help,
        last_time: ended.last_time,
        last_analysis: ended.last_analysis,
        began,
        preparing_us: preparing.as_micros() as u64,
        wall_us: wall.as_micros() as u64,
    }))
}

/// The seed of a random player in one game. It depends on the seed of the match, the game and the colour only.
fn seed_of(seed: u64, game: usize, color: Color) -> u64 {
    let mut generator = fastrand::Rng::with_seed(seed ^ ((game as u64) << 1));
    let (black, white) = (generator.u64(..), generator.u64(..));
    if color == Color::Black { black } else { white }
}

/// Restricts this thread, and its child threads and processes, to these cores.
#[cfg(target_os = "linux")]
fn restrict_to(cores: &[usize]) -> io::Result<()> {
    use rustix::thread::{CpuSet, sched_setaffinity};
    if cores.is_empty() {
        return Ok(());
    }
    let mut set = CpuSet::new();
    for core in cores {
        if *core >= CpuSet::MAX_CPU {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        set.set(*core);
    }
    Ok(sched_setaffinity(None, &set)?)
}

#[cfg(not(target_os = "linux"))]
fn restrict_to(cores: &[usize]) -> io::Result<()> {
    if cores.is_empty() { Ok(()) } else { Err(io::ErrorKind::Unsupported.into()) }
}

//! Plays the games of a tuning run on this machine: two players that differ in the parameter values, with each game on
//! a slot of a match.

use crate::lab::MatchEnd;
use kyomi_shogi::{Color, Winner};
use std::{collections::BTreeMap, sync::Arc};

use serde_json::Value;
use tokio::sync::mpsc;

use crate::lab::{
    Contestant, ContestantError, LabError, MatchSettings, Stop, StoreError,
    plan::plan,
    queue::Queue,
    run::core_sets,
    slot::{self, Finished, Shared, SlotEvent},
};
use crate::players::PlayerSpec;
use kyomi_engine::search::Parameters;

use super::{IterationGames, PairPlayer, PairResult, Tuned};

/// Plays the games of a tuning run.
#[derive(Debug)]
pub struct Games {
    /// The settings of a match. The first player is the one that is tuned.
    settings: MatchSettings,
    stop: Stop,
}

impl Games {
    /// Plays with the settings of a match. The first player is tuned: the two sides are copies of it that differ in the
    /// parameter values. Shape, pairs, test and folder of the settings are not used.
    pub const fn new(settings: MatchSettings, stop: Stop) -> Self {
        Self { settings, stop }
    }

    /// The parameters of a built-in player before tuning; `None` for other players.
    ///
    /// # Errors
    /// An unknown option, or a value that is not valid.
    pub fn parameters(player: &Contestant) -> Result<Option<Parameters>, LabError> {
        let PlayerSpec::Builtin(spec) = &player.spec else { return Ok(None) };
        let mut parameters = Parameters::default();
        for option in &spec.options {
            let set = parameters.set(&option.name, &option.value);
            set.map_err(|error| LabError::Option {
                player: player.name.clone(),
                text: error.to_string(),
            })?;
        }
        Ok(Some(parameters))
    }
}

/// The match of the two sides of an iteration: copies of the first player of `settings` with their values.
pub(super) fn sides(
    settings: &MatchSettings,
    games: &IterationGames<'_>,
) -> Result<MatchSettings, LabError> {
    let player = |name: &str, values: &[i32]| {
        side(settings, name, games.parameters, values)
            .map_err(|error| LabError::Option { player: name.to_owned(), text: error.to_string() })
    };
    let players = vec![player("plus", games.plus)?, player("minus", games.minus)?];
    Ok(MatchSettings { players, ..settings.clone() })
}

fn side(
    settings: &MatchSettings,
    name: &str,
    numbers: &[Tuned],
    values: &[i32],
) -> Result<Contestant, ContestantError> {
    let [base, ..] = settings.players.as_slice() else {
        return Contestant::parse("", None, name);
    };
    let options: Vec<String> = numbers
        .iter()
        .zip(values)
        .map(|(tuned, value)| format!("{}={value}", tuned.name))
        .collect();
    // If an option occurs twice, the last value applies.
    let text = format!("{} name={name} {}", base.text, options.join(" "));
    Contestant::parse(&text, Some(base.control), name)
}

impl PairPlayer for Games {
    fn plan(&self) -> Value {
        plan(&self.settings)
    }

    fn play(
        &mut self,
        games: &IterationGames<'_>,
        on_pair: &mut dyn FnMut(PairResult) -> Result<(), StoreError>,
    ) -> Result<(), LabError> {
        let settings = Arc::new(sides(&self.settings, games)?);
        // Seeds and openings follow from the number of the pair in the whole run.
        let rounds = games.pairs.iter().flat_map(|pair| {
            let first = 2 * (games.first + pair);
            first..first + 2
        });
        let shared = Arc::new(Shared {
            settings: Arc::clone(&settings),
            queue: Queue::new(settings.schedule(), rounds),
            abandon: self.stop.abandon.clone(),
        });
        let (sender, mut events) = mpsc::unbounded_channel();
        let mut slots = Vec::new();
        for (number, cores) in core_sets(&settings).into_iter().enumerate().take(shared.queue.len())
        {
            let started = slot::start(Arc::clone(&shared), number, cores, sender.clone());
            slots.push(started.map_err(LabError::Thread)?);
        }
        drop(sender);

        let mut failed = None;
        let mut half_pairs: BTreeMap<usize, Finished> = BTreeMap::new();
        while let Some(event) = events.blocking_recv() {
            match event {
                SlotEvent::Finished(game) => {
                    let pair = game.round.opening - games.first;
                    if let Some(other) = half_pairs.remove(&pair) {
                        if let Err(error) = on_pair(result(pair, other, *game)) {
                            shared.queue.close();
                            shared.abandon.cancel();
                            failed.get_or_insert(LabError::Store(error));
                        }
                    } else {
                        half_pairs.insert(pair, *game);
                    }
                    if self.stop.finish.is_cancelled() {
                        shared.queue.retain(|round| {
                            half_pairs.contains_key(&(round.opening - games.first))
                        });
                    }
                }
                SlotEvent::Note { player, note } => tracing::debug!(player, ?note),
                SlotEvent::Failed(error) => {
                    shared.queue.close();
                    failed.get_or_insert(error);
                }
            }
        }
        for slot in slots {
            // The channel is closed, so all slots have ended.
            if slot.join().is_err() {
                tracing::error!("the thread of a slot panicked");
            }
        }
        failed.map_or(Ok(()), Err)
    }
}

/// The result of a pair from its two games, which are passed in any order.
fn result(pair: usize, one: Finished, other: Finished) -> PairResult {
    let mut games = [one, other];
    games.sort_by_key(|game| game.round.game);
    let score = |game: &Finished| {
        let winner = game.end.winner.unwrap_or(Winner::Draw);
        score_of_plus(winner, game.round.players == [0, 1])
    };
    PairResult {
        pair,
        results: [score(&games[0]), score(&games[1])],
        ends: games.iter().map(|game| MatchEnd(game.end.reason.clone())).collect(),
        plies: games.iter().map(|game| game.game.len()).collect(),
    }
}

/// 1 if the plus values won, -1 if they lost, 0 for a draw.
pub(super) const fn score_of_plus(winner: Winner, plus_has_black: bool) -> i32 {
    match (winner, plus_has_black) {
        (Winner::Draw, _) => 0,
        (Winner::Side(Color::Black), true) | (Winner::Side(Color::White), false) => 1,
        (Winner::Side(Color::White), true) | (Winner::Side(Color::Black), false) => -1,
    }
}

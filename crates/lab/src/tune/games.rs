//! Plays the games of a tuning run on this machine: two players that differ in the parameter values, with each game on
//! a slot of a match.

use kyomi::matches::{
    Contestant, ContestantError, LabError, MatchSettings, PlayedGame, Stop, StoreError, plan,
    play_pairs,
};
use kyomi::players::PlayerSpec;
use kyomi_engine::search::Parameters;
use kyomi_shogi::{Color, Winner};
use serde_json::Value;

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
        // Seeds and openings follow from the number of the pair in the whole run.
        let openings = games.pairs.iter().map(|pair| games.first + pair);
        play_pairs(sides(&self.settings, games)?, openings, &self.stop, &mut |opening, played| {
            on_pair(result(opening - games.first, &played))
        })
    }
}

/// The result of a pair from its two games, of which the plus values have black in the first.
pub(super) fn result(pair: usize, games: &[PlayedGame; 2]) -> PairResult {
    let [with_black, with_white] = games;
    PairResult {
        pair,
        results: [score_of_plus(with_black.result, true), score_of_plus(with_white.result, false)],
        ends: games.iter().map(|game| game.end.clone()).collect(),
        plies: games.iter().map(|game| game.plies).collect(),
    }
}

/// 1 if the plus values won, -1 if they lost, 0 for a draw.
const fn score_of_plus(winner: Winner, plus_has_black: bool) -> i32 {
    match (winner, plus_has_black) {
        (Winner::Draw, _) => 0,
        (Winner::Side(Color::Black), true) | (Winner::Side(Color::White), false) => 1,
        (Winner::Side(Color::White), true) | (Winner::Side(Color::Black), false) => -1,
    }
}

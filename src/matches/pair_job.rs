//! A pair of games as a job for another machine.
//!
//! A game depends on its number and on the settings only, so games of fixed nodes are the same whatever machine plays
//! them.

use std::{path::PathBuf, time::Duration};

use serde::{Deserialize, Serialize};

use super::{
    Contestant, MatchSettings, Openings, PlayedGame, Round, Rules, Schedule, Shape, slot,
    store::rendered,
};
use crate::cluster::{
    jobs::{Abandon, Job, LONGEST_TIME},
    message::LARGEST_NUMBER,
};
use crate::players::{BuiltinSpec, PlayerSpec, rule_json};
use kyomi_record::csa;
use kyomi_shogi::{CountStart, EndReason, EnteringKingRule, Game, Winner, notation::usi};

/// A pair of games with changed colours, as the broker keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairJob {
    /// The number of its first game, from 0.
    game: usize,
    /// The player with black in the first game, and the other one.
    players: [Player; 2],
    /// A `position` line.
    opening: String,
    seed: u64,
    max_moves: Option<u32>,
    #[serde(rename = "declaration", with = "rule_json")]
    entering_king: EnteringKingRule,
    margin_ms: u64,
    patience_ms: u64,
    win: Option<String>,
    draw: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Player {
    name: String,
    text: String,
    control: String,
}

/// A game that was played, with its record in CSA.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairedGame {
    /// The game.
    pub game: PlayedGame,
    /// The record.
    pub record: String,
}

impl Job for PairJob {
    const KIND: &'static str = "match";
    type Tools = ();
    type Done = Vec<PairedGame>;

    fn check(&self) -> Result<(), String> {
        self.settings().map(drop)
    }

    fn tools(&self) -> Result<(), String> {
        Ok(())
    }

    fn run(&self, (): &mut (), abandon: &Abandon) -> Result<Vec<PairedGame>, String> {
        let settings = self.settings()?;
        let schedule = Schedule::new(Shape::RoundRobin, 2, 1);
        let rounds =
            [0, 1].map(|number| Round { game: self.game + number, ..schedule.round(number) });
        let finished = slot::play_rounds(settings.clone(), &rounds, abandon.token.clone());
        let finished = finished.map_err(|error| error.to_string())?;
        let played = finished.into_iter().map(|finished| {
            let (game, record) = rendered(&settings, finished);
            PairedGame { game, record }
        });
        Ok(played.collect())
    }
}

/// Why players cannot play on other machines, if so.
pub fn unfit_for_workers(players: &[Contestant]) -> Option<String> {
    players.iter().find_map(|player| {
        fit(player).err().map(|reason| format!("player '{}': {reason}", player.name))
    })
}

/// Only players that name no program and no file of the machine.
fn fit(player: &Contestant) -> Result<(), String> {
    if player.room.is_some() {
        return Err("a player with workers of its own (room) does not play on workers".to_owned());
    }
    match &player.spec {
        PlayerSpec::Builtin(spec) => fit_engine(spec),
        PlayerSpec::Random(_) => Ok(()),
        PlayerSpec::Usi(_) => Err("workers run builtin and random players only".to_owned()),
    }
}

/// Only an engine that names no file of the machine, and does not ask for more than a machine has.
pub fn fit_engine(spec: &BuiltinSpec) -> Result<(), String> {
    if spec.book.spec_if_requested().is_some() {
        return Err("a player with a book does not play on workers".to_owned());
    }
    if spec.hash_bytes > LARGEST_HASH || spec.threads > MOST_THREADS {
        return Err(format!(
            "a player on workers has at most {} MiB and {MOST_THREADS} threads",
            LARGEST_HASH >> 20
        ));
    }
    spec.options.iter().try_for_each(|option| fit_option(&option.name))
}

/// Only an option that names no file.
fn fit_option(name: &str) -> Result<(), String> {
    let lower = name.to_ascii_lowercase();
    if ["file", "dir", "book", "path"].iter().any(|word| lower.contains(word)) {
        Err(format!("the option {name} names a file, which workers do not have"))
    } else {
        Ok(())
    }
}

/// Only a description whose keys name no file, before any file is read.
fn fit_text(text: &str) -> Result<(), String> {
    let key = |word: &str| -> String {
        let key = word.split('=').next().unwrap_or_default();
        key.chars().filter(char::is_ascii_alphanumeric).collect()
    };
    text.split_whitespace().try_for_each(|word| fit_option(&key(word)))
}

impl PairJob {
    /// The pair that begins with this game.
    pub fn new(settings: &MatchSettings, round: Round) -> Self {
        let rules = &settings.rules;
        Self {
            game: round.game,
            players: round.players.map(|number| {
                let player = &settings.players[number];
                let (name, text) = (player.name.clone(), player.text.clone());
                Player { name, text, control: player.control.to_string() }
            }),
            opening: usi::format_position_line(&settings.openings.get(round.opening)),
            seed: settings.seed,
            max_moves: rules.max_moves,
            entering_king: rules.entering_king,
            margin_ms: rules.margin.as_millis() as u64,
            patience_ms: rules.patience.as_millis() as u64,
            win: rules.win.map(|rule| rule.to_string()),
            draw: rules.draw.map(|rule| rule.to_string()),
        }
    }

    /// The games in the result of a worker.
    ///
    /// # Errors
    /// Why they cannot be those of this pair.
    pub fn result(&self, games: Vec<PairedGame>) -> Result<[PairedGame; 2], String> {
        let games: [PairedGame; 2] =
            games.try_into().map_err(|_| "a pair is two games".to_owned())?;
        let opening = usi::parse_position_line(&self.opening).map_err(|error| error.to_string())?;
        for (number, PairedGame { game, record }) in games.iter().enumerate() {
            let mut players = self.players.each_ref().map(|player| &player.name);
            if number == 1 {
                players.reverse();
            }
            let wanted = self.game + number + 1;
            if game.game != wanted || [&game.black, &game.white] != players {
                return Err(format!("another game came instead of game {wanted}"));
            }
            if !has_possible_numbers(game) {
                return Err(format!("game {wanted} has an impossible time or number of nodes"));
            }
            self.check_length(game, opening.len())?;
            let records = csa::read(record.as_bytes()).map_err(|error| error.to_string())?;
            let [read] = records.as_slice() else { return Err("it is not one record".to_owned()) };
            let moves = || read.record.moves.iter().map(|it| it.mv);
            let begins = read.record.start.key() == opening.start().key()
                && opening.moves().iter().copied().eq(moves().take(opening.len()));
            if moves().count() != game.plies || !begins || game.turns.len() > game.plies + 1 {
                return Err(format!("the record of game {wanted} does not fit"));
            }
            let mut played = Game::new(read.record.start.clone());
            if moves().any(|mv| played.push(mv).is_err()) || !self.ends(&played, game) {
                let end = game.end.0.words();
                return Err(format!("game {wanted} cannot have ended so: {end}, {}", game.result));
            }
        }
        Ok(games)
    }

    /// Checks that a game has no more moves than a match can have. The folder of a match with a longer game could not
    /// be opened again.
    fn check_length(&self, game: &PlayedGame, opening: usize) -> Result<(), String> {
        game.check().map_err(|fault| format!("game {}: {fault}", game.game))?;
        // The limit is looked at after a move only, so an opening may be longer.
        let most = self.max_moves.map(|most| opening.saturating_add(1).max(most as usize));
        match most {
            Some(most) if game.plies > most => {
                Err(format!("game {} has {} moves, more than {most}", game.game, game.plies))
            }
            _ => Ok(()),
        }
    }

    /// Whether a game may end in this position for the reason and with the winner that the worker gives.
    fn ends(&self, game: &Game, played: &PlayedGame) -> bool {
        let position = game.position();
        let mover = position.side_to_move();
        let (winner, repeated) = (played.result, game.repetition_count(CountStart::Yes) >= 4);
        let (is_draw, is_won) = (winner == Winner::Draw, winner != Winner::Draw);
        match played.end.0 {
            EndReason::Mate => !position.has_legal_move() && winner == Winner::Side(!mover),
            EndReason::Resignation
            | EndReason::TimeUp
            | EndReason::IllegalMove
            | EndReason::WrongDeclaration => winner == Winner::Side(!mover),
            EndReason::Declaration => {
                position.can_declare(self.entering_king) && winner == Winner::Side(mover)
            }
            EndReason::Try => {
                game.is_won_by_try(self.entering_king) && winner == Winner::Side(!mover)
            }
            EndReason::Sennichite => repeated && is_draw,
            EndReason::PerpetualCheck => repeated && is_won,
            EndReason::MaxMoves => {
                is_draw && self.max_moves.is_some_and(|most| game.len() >= most as usize)
            }
            EndReason::AgreedWin => self.win.is_some() && is_won,
            EndReason::AgreedDraw => self.draw.is_some() && is_draw,
            // A player may fail while the other one thinks.
            EndReason::Crash => is_won,
            _ => false,
        }
    }

    /// A match of this pair.
    fn settings(&self) -> Result<MatchSettings, String> {
        let mut players = Vec::new();
        for player in &self.players {
            let control = player.control.parse().map_err(|error| format!("{error}"))?;
            fit_text(&player.text)?;
            let read = Contestant::parse(&player.text, Some(control), &player.name);
            let read = read.map_err(|error| error.to_string())?;
            if player.name.is_empty() || player.name.len() > LONGEST_NAME {
                return Err("a name has 1 to 40 bytes".to_owned());
            }
            fit(&read)?;
            players.push(Contestant { name: player.name.clone(), control, ..read });
        }
        let opening = usi::parse_position_line(&self.opening).map_err(|error| error.to_string())?;
        let win = self.win.as_deref().map(str::parse).transpose();
        let draw = self.draw.as_deref().map(str::parse).transpose();
        let settings = MatchSettings {
            players,
            shape: Shape::RoundRobin,
            pairs: 1,
            openings: Openings::of_game(&opening),
            openings_name: String::new(),
            seed: self.seed,
            rules: Rules {
                max_moves: self.max_moves,
                entering_king: self.entering_king,
                margin: Duration::from_millis(self.margin_ms.min(LONGEST_WAIT_MS)),
                patience: Duration::from_millis(self.patience_ms.min(LONGEST_WAIT_MS)),
                win: win.map_err(|error| format!("{error}"))?,
                draw: draw.map_err(|error| format!("{error}"))?,
            },
            sprt: None,
            concurrency: 1,
            cores: Vec::new(),
            machines: None,
            dir: PathBuf::new(),
        };
        settings.check().map_err(|error| error.to_string())?;
        if self.game > LARGEST_GAME {
            return Err(format!("the number {} of a game is too large", self.game));
        }
        Ok(settings)
    }
}

/// Whether a game has only times and numbers of nodes that a match can have, so that their sums have a meaning.
fn has_possible_numbers(game: &PlayedGame) -> bool {
    let turns = game.turns.iter().flat_map(|turn| {
        let long = [turn.clock_ms, turn.spent_ms].into_iter().flatten();
        let times = [Some(turn.sent_us), Some(turn.received_us), turn.over_us];
        times.into_iter().flatten().chain(long.map(|ms| ms.saturating_mul(1_000)))
    });
    let longest = LONGEST_TIME.as_micros();
    [game.preparing_us, game.wall_us].into_iter().chain(turns).all(|us| u128::from(us) <= longest)
        && game.turns.iter().all(|turn| turn.nodes.is_none_or(|nodes| nodes <= LARGEST_NUMBER))
}

const LARGEST_HASH: u64 = 4 << 30;
const MOST_THREADS: usize = 256;
const LONGEST_NAME: usize = 40;
const LONGEST_WAIT_MS: u64 = 24 * 3600 * 1000;
const LARGEST_GAME: usize = 1 << 48;

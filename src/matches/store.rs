//! The folder of a match.
//!
//! ```text
//! match.json       the plan of the match: players, openings, rules; a resumed match must have the same
//! results.jsonl    one line for each finished game, with all turns
//! games/*.csa      the records
//! report.json      the last report
//! ```
//!
//! A record is written under a temporary name and renamed; then its line is appended in one write. A process that is
//! killed at any moment loses no finished game. At most the last line is incomplete; then it is removed, and its game
//! is played again.

use serde_json::json;

use crate::archive;
use kyomi_record::{End, Header, Record, RecordTime, csa};
#[cfg(feature = "cluster")]
use kyomi_shogi::GameEnd;
use kyomi_shogi::Winner;
use kyomi_shogi::clock::Controls;

use super::{
    Contestant, MatchEnd, MatchSettings, PlayedGame, Round,
    folder::{Folder, StoreError},
    plan::plan,
    slot::Finished,
};

/// The folder of a match, locked by this process.
#[derive(Debug)]
pub(super) struct Store {
    folder: Folder,
}

impl Store {
    /// Opens or creates the folder. Passes the games that are already finished to `each`.
    pub(super) fn open(
        settings: &MatchSettings,
        mut each: impl FnMut(PlayedGame),
    ) -> Result<Self, StoreError> {
        let folder = Folder::open("match", &settings.dir, "results.jsonl")?;
        folder.create_subfolder("games")?;
        folder.check_plan(
            "match.json",
            &plan(settings),
            || json!({ "games_planned": settings.schedule().games() }),
        )?;
        folder.each(|game: PlayedGame| {
            game.check()?;
            each(game);
            Ok(())
        })?;
        Ok(Self { folder })
    }

    /// Stores a finished game: its record first, then its line.
    pub(super) fn add(
        &mut self,
        settings: &MatchSettings,
        finished: Finished,
    ) -> Result<PlayedGame, StoreError> {
        let (played, record) = rendered(settings, finished);
        self.append(played, &record)
    }

    /// Stores a game that a worker has played. What names files and players is ours, not the worker's.
    #[cfg(feature = "cluster")]
    pub(super) fn add_of_worker(
        &mut self,
        settings: &MatchSettings,
        round: Round,
        played: PlayedGame,
        record: &str,
    ) -> Result<PlayedGame, StoreError> {
        let text = |text: &str, most| -> String {
            text.chars().filter(|it| !it.is_control()).take(most).collect()
        };
        let mut turns = played.turns;
        for turn in &mut turns {
            turn.answer = text(&turn.answer, 10);
        }
        let played = PlayedGame {
            turns,
            help: [None; 2],
            began: text(&played.began, 40),
            opening: round.opening + 1,
            opening_plies: settings.openings.get(round.opening).len(),
            words: text(&played.words, 200),
            record: record_name(settings, round, RecordTime::from_zoned(&jiff::Zoned::now())),
            ..played
        };
        let record = record_of_worker(settings, round, &played, record);
        self.append(played, &record)
    }

    fn append(&mut self, played: PlayedGame, record: &str) -> Result<PlayedGame, StoreError> {
        self.folder.write_whole(&played.record, record, archive::Sync::Later)?;
        self.folder.append(&played)?;
        Ok(played)
    }

    /// Writes a file of the folder atomically.
    pub(super) fn write_whole(&self, name: &str, text: &str) -> Result<(), StoreError> {
        self.folder.write_whole(name, text, archive::Sync::Now)
    }
}

/// The line of a finished game, and its record.
pub(super) fn rendered(settings: &MatchSettings, finished: Finished) -> (PlayedGame, String) {
    let [black, white] = finished.round.players.map(|player| &settings.players[player]);
    let began = RecordTime::from_zoned(&finished.began);
    let header = header(settings, [black, white], began);
    let mut record = Record::new(header, finished.game.start().clone());
    record.moves = finished.moves;
    let mut end = End { time: finished.last_time, ..End::of(&finished.end) };
    end.comments.push(finished.explanation.clone());
    if let Some(analysis) = &finished.last_analysis {
        end.note_search(analysis);
    }
    record.end = Some(end);
    let played = PlayedGame {
        game: finished.round.game + 1,
        opening: finished.round.opening + 1,
        black: black.name.clone(),
        white: white.name.clone(),
        result: finished.end.winner.unwrap_or(Winner::Draw),
        end: MatchEnd(finished.end.reason),
        words: finished.explanation,
        plies: finished.game.len(),
        opening_plies: settings.openings.get(finished.round.opening).len(),
        began: began.to_string(),
        preparing_us: finished.preparing_us,
        wall_us: finished.wall_us,
        ponders: finished.ponders,
        ponder_hits: finished.ponder_hits,
        help: finished.help,
        record: record_name(settings, finished.round, began),
        turns: finished.turns,
    };
    (played, csa::write(&record))
}

/// The record of a game that a worker has played: its moves with times and analysis, everything else is ours. The
/// worker's record was read before.
#[cfg(feature = "cluster")]
fn record_of_worker(
    settings: &MatchSettings,
    round: Round,
    played: &PlayedGame,
    record: &str,
) -> String {
    let players = round.players.map(|player| &settings.players[player]);
    let began = RecordTime::from_zoned(&jiff::Zoned::now());
    let Some(read) = csa::read(record.as_bytes()).ok().and_then(|mut all| all.pop()) else {
        return String::new();
    };
    let mut record = Record::new(header(settings, players, began), read.record.start);
    record.moves = read.record.moves;
    let mut side_to_move = record.start.side_to_move();
    for mv in &mut record.moves {
        mv.comments.clear();
        side_to_move = !side_to_move;
    }
    let time = read.record.end.and_then(|end| end.time);
    let reason = played.end.0.clone();
    let mut end =
        End { time, ..End::of(&GameEnd { winner: Some(played.result), reason, side_to_move }) };
    end.comments.push(played.words.clone());
    record.end = Some(end);
    csa::write(&record)
}

/// The path of a record in the folder.
fn record_name(settings: &MatchSettings, round: Round, began: RecordTime) -> String {
    let players = round.players.map(|player| &settings.players[player]);
    let stem = archive::file_stem("{black}_{white}", &header(settings, players, began));
    format!("games/{:06}_{stem}.csa", round.game + 1)
}

fn header(settings: &MatchSettings, [black, white]: [&Contestant; 2], began: RecordTime) -> Header {
    let clocks = [black, white].map(|player| player.control.clock());
    let controls = Controls { black: clocks[0], white: clocks[1] };
    let has_clock = clocks.iter().any(|clock| !clock.is_unlimited());
    let mut header = Header {
        black: Some(black.name.clone()),
        white: Some(white.name.clone()),
        event: Some("kyomi match".to_owned()),
        start_time: Some(began),
        controls: has_clock.then_some(controls),
        max_moves: settings.rules.max_moves,
        comments: [black, white]
            .map(|player| format!("{}: {} ({})", player.name, player.text, player.control))
            .to_vec(),
        ..Header::default()
    };
    header.set_entering_king_rule(settings.rules.entering_king);
    header
}

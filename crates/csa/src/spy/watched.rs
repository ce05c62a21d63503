//! A watched game: assembles the lines of `##[MONITOR2][<id>]` into a record, without I/O.
//!
//! ```text
//! Reading the record so far --- +OK ---> Live: moves one by one --- end word ---> Over
//! ```
//! The lines are untrusted. A record that cannot be read, an illegal move, and too many lines end the watching with an
//! error; the moves before it are kept.

use std::time::Duration;

use crate::WireTime;
use kyomi_record::csa::{plain_comment, read, read_engine_comment};
use kyomi_record::{End, EndKind, Record, RecordMove};
use kyomi_shogi::notation::csa;
use kyomi_shogi::{Color, CountStart, EndReason, EnteringKingRule, Game, GameEnd, Repetition};

/// An update of a watched game.
#[derive(Debug, Clone, PartialEq)]
pub enum Update {
    /// The record so far, without an end.
    Began(Box<Record>),
    /// A move.
    Move(RecordMove),
    /// The end.
    Ended(End),
}

/// Why a game cannot be followed any longer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WatchFault {
    /// The record so far is not one.
    #[error("its record cannot be read: {0}")]
    Record(String),
    /// A move is not legal.
    #[error("{0} cannot be played")]
    Move(String),
    /// It has too many lines.
    #[error("its record is too long")]
    TooLong,
}

/// A watched game.
#[derive(Debug)]
pub(super) struct WatchedGame {
    state: State,
}

#[derive(Debug)]
enum State {
    Reading { text: String },
    Live { game: Box<Game>, pending: Pending },
    Over,
}

/// A move or an end of which further lines may follow.
#[derive(Debug, Default)]
struct Pending {
    made: Option<RecordMove>,
    end: Option<End>,
    /// How an entered king wins.
    rule: EnteringKingRule,
}

impl WatchedGame {
    /// A game whose record is to come.
    pub(super) fn new() -> Self {
        Self { state: State::Reading { text: String::new() } }
    }

    /// Handles the next line, without its prefix. Appends the resulting updates in order, even if it fails.
    ///
    /// # Errors
    /// The game cannot be followed any longer.
    pub(super) fn push(&mut self, line: &str, updates: &mut Vec<Update>) -> Result<(), WatchFault> {
        match &mut self.state {
            State::Over => Ok(()),
            State::Reading { text } if line == DONE => {
                let text = std::mem::take(text);
                self.state = State::Over;
                self.begin(&text, updates)
            }
            State::Reading { text } => {
                if text.len() + line.len() >= LONGEST_RECORD {
                    self.state = State::Over;
                    return Err(WatchFault::TooLong);
                }
                text.push_str(line);
                text.push('\n');
                Ok(())
            }
            State::Live { game, pending } => {
                let result = live(game, pending, line, updates);
                if result.is_err() || updates.iter().any(|it| matches!(it, Update::Ended(_))) {
                    self.state = State::Over;
                }
                result
            }
        }
    }

    /// Reads the record so far.
    fn begin(&mut self, text: &str, updates: &mut Vec<Update>) -> Result<(), WatchFault> {
        let games = read(text.as_bytes()).map_err(|error| fault(&error.to_string()))?;
        let read = games.into_iter().next().ok_or_else(|| fault("it is empty"))?;
        if let Some(error) = &read.fault {
            return Err(fault(&error.to_string()));
        }
        let mut record = read.record;
        let end = record.end.take();
        // Most servers have the 27-point rule, and do not say so.
        let rule = record.header.entering_king_rule().unwrap_or_default();
        record.variations.clear();
        let game = record.game().map_err(|error| fault(&error.to_string()))?;
        updates.push(Update::Began(Box::new(record)));
        if let Some(end) = end {
            updates.push(Update::Ended(end));
        } else {
            let (game, pending) = (Box::new(game), Pending { rule, ..Pending::default() });
            self.state = State::Live { game, pending };
        }
        Ok(())
    }
}

/// Handles a line of a running game.
fn live(
    game: &mut Game,
    pending: &mut Pending,
    line: &str,
    updates: &mut Vec<Update>,
) -> Result<(), WatchFault> {
    match line.as_bytes() {
        [b'+', b'O', b'K', ..] => {
            updates.extend(flush(game, pending)?);
            updates.extend(pending.end.take().map(Update::Ended));
        }
        [b'+' | b'-', ..] => {
            updates.extend(flush(game, pending)?);
            if game.len() >= Game::MAX_PLIES {
                return Err(WatchFault::TooLong);
            }
            let word = line.split(',').next().unwrap_or_default().trim_end();
            let mv = csa::parse_move(game.position(), word).ok();
            let mv = mv.filter(|mv| game.position().is_legal(*mv));
            let mv = mv.ok_or_else(|| WatchFault::Move(clip(line)))?;
            let time = line.split(',').skip(1).find_map(seconds);
            pending.made = Some(RecordMove { time, ..RecordMove::new(mv) });
        }
        [b'T', ..] => {
            let time = seconds(line);
            if let Some(made) = &mut pending.made {
                made.time = made.time.or(time);
            } else if let Some(end) = &mut pending.end {
                end.time = end.time.or(time);
            }
        }
        [b'\'', ..] => {
            if let Some(made) = &mut pending.made {
                let text: String = line.chars().skip(1).take(LONGEST_COMMENT).collect();
                let analysis = read_engine_comment(&text, game.position(), made.mv);
                if analysis.is_some() && made.analysis.is_none() {
                    made.analysis = analysis;
                } else if made.comments.len() < MOST_COMMENTS {
                    made.comments.push(plain_comment(&text).to_owned());
                }
            }
        }
        [b'%' | b'#', ..] => {
            updates.extend(flush(game, pending)?);
            if let Some(end) = end_of(game, line, pending.rule) {
                // A wrong declaration is reported by a second line.
                let time = pending.end.as_ref().and_then(|end| end.time);
                pending.end = Some(End { time, ..end });
            }
        }
        _ => {}
    }
    Ok(())
}

/// Makes the move that is complete now.
fn flush(game: &mut Game, pending: &mut Pending) -> Result<Option<Update>, WatchFault> {
    let Some(made) = pending.made.take() else { return Ok(None) };
    game.push(made.mv).map_err(|_| WatchFault::Move("a move".to_owned()))?;
    Ok(Some(Update::Move(made)))
}

/// The end that a line states; `None` if it is not an end line.
fn end_of(game: &Game, line: &str, rule: EnteringKingRule) -> Option<End> {
    let side = game.position().side_to_move();
    let lost = |loser: Color, reason| GameEnd::lost(loser, reason, side);
    let word = line.split(',').next().unwrap_or_default().trim_end();
    let end = match word {
        "%TORYO" | "#RESIGN" => lost(side, EndReason::Resignation),
        // The servers use one word for both; the rule decides.
        "#JISHOGI" if game.is_won_by_try(rule) => lost(side, EndReason::Try),
        "%KACHI" | "#JISHOGI" if game.position().can_declare(rule) => {
            GameEnd::won(side, EndReason::Declaration, side)
        }
        "%KACHI" => lost(side, EndReason::WrongDeclaration),
        "#JISHOGI" => GameEnd::won(side, EndReason::Declaration, side),
        "#TIME_UP" | "%TIME_UP" => lost(side, EndReason::TimeUp),
        "#ILLEGAL_MOVE" => lost(side, EndReason::IllegalMove),
        // Out of turn: by the side that is not to move.
        "#ILLEGAL_ACTION" => lost(!side, EndReason::IllegalAction),
        "#SENNICHITE" => GameEnd::drawn(EndReason::Sennichite, side),
        "#MAX_MOVES" => GameEnd::drawn(EndReason::MaxMoves, side),
        "#OUTE_SENNICHITE" => match game.repetition(CountStart::No) {
            Some(Repetition::PerpetualCheck { loser }) => lost(loser, EndReason::PerpetualCheck),
            _ => lost(!side, EndReason::PerpetualCheck),
        },
        "#CHUDAN" | "%CHUDAN" => GameEnd::without_result(EndReason::Adjourned, side),
        "#ABNORMAL" => GameEnd::without_result(EndReason::Abnormal, side),
        _ => return None,
    };
    Some(End::of(&end))
}

/// An end for a game whose real end is not known.
pub fn unknown_end(why: &str) -> End {
    End { comments: vec![why.to_owned()], ..End::new(EndKind::Interrupted) }
}

fn seconds(text: &str) -> Option<Duration> {
    let time = WireTime::parse(text.trim().strip_prefix('T')?)?.to_duration(Duration::from_secs(1));
    (time <= LONGEST_TIME).then_some(time)
}

fn fault(text: &str) -> WatchFault {
    WatchFault::Record(clip(text))
}

fn clip(text: &str) -> String {
    crate::text::printable(text).chars().take(120).collect()
}

const DONE: &str = "+OK";
/// The longest record that is read, in bytes.
const LONGEST_RECORD: usize = 1024 * 1024;
const LONGEST_COMMENT: usize = 2000;
/// The largest number of comments kept of a move.
const MOST_COMMENTS: usize = 16;
const LONGEST_TIME: Duration = Duration::from_secs(366 * 24 * 3600);

#[cfg(test)]
mod tests;

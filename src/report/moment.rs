//! A record at one ply.

use kyomi_record::{Record, RecordMove};
use kyomi_shogi::{HANDICAPS, Move, Position, Square, notation::japanese, text::counted};

use super::Script;

/// A record at one ply. Ply 0 is the start position, ply [`Moment::plies`] the position at the end.
#[derive(Clone, Debug)]
pub struct Moment<'a> {
    record: &'a Record,
    ply: usize,
    position: Position,
    /// The position before the last move, and the destination of the move before it.
    before: Option<(Position, Option<Square>)>,
}

/// The reason a moment of a record cannot be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MomentError {
    /// The game has fewer plies.
    #[error("there is no ply {ply}: the game has {}", plies_text(*.plies))]
    Beyond {
        /// The requested ply.
        ply: usize,
        /// The number of moves.
        plies: usize,
    },
    /// A move of the record is not legal. No parser returns such a record.
    #[error("ply {ply}: {mv} is not legal")]
    Illegal {
        /// The ply of the move, counted from 1.
        ply: usize,
        /// The move.
        mv: Move,
    },
}

fn plies_text(plies: usize) -> String {
    match plies {
        0 => "no moves".to_owned(),
        _ => counted(plies, "ply"),
    }
}

impl<'a> Moment<'a> {
    /// The moment after `ply` moves of the game.
    ///
    /// # Errors
    /// The game has fewer moves, or one of them is not legal.
    pub fn at(record: &'a Record, ply: usize) -> Result<Self, MomentError> {
        let plies = record.moves.len();
        let Some(moves) = record.moves.get(..ply) else {
            return Err(MomentError::Beyond { ply, plies });
        };
        let mut position = record.start.clone();
        let mut before = None;
        for (index, RecordMove { mv, .. }) in moves.iter().enumerate() {
            if !position.is_legal(*mv) {
                return Err(MomentError::Illegal { ply: index + 1, mv: *mv });
            }
            if index + 1 == ply {
                let square = index.checked_sub(1).and_then(|index| moves.get(index));
                before = Some((position.clone(), square.map(|earlier| earlier.mv.to())));
            }
            position.do_move(*mv);
        }
        Ok(Self { record, ply, position, before })
    }

    /// The record.
    pub fn record(&self) -> &'a Record {
        self.record
    }

    /// The number of moves made so far.
    pub fn ply(&self) -> usize {
        self.ply
    }

    /// The number of moves of the whole game.
    pub fn plies(&self) -> usize {
        self.record.moves.len()
    }

    /// Whether this is the end of the game.
    pub fn is_last(&self) -> bool {
        self.ply == self.plies()
    }

    /// The position after these moves.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The last move; `None` at the start.
    pub fn last(&self) -> Option<&'a RecordMove> {
        self.record.moves.get(self.ply.checked_sub(1)?)
    }

    /// The last move in the usual notation: `▲７六歩(77)`, or in letters `7g7f`.
    pub fn last_text(&self, script: Script) -> Option<String> {
        let mv = self.last()?.mv;
        let (position, square) = self.before.as_ref()?;
        Some(match script {
            Script::Japanese => japanese::move_text(position, mv, *square),
            Script::Letters => mv.to_string(),
        })
    }

    /// The line below a picture: `3手目　▲２二角成(88)`, or in letters `ply 3: 8h2b+`.
    pub fn caption(&self, script: Script) -> String {
        let ply = self.ply;
        match (script, self.last_text(script)) {
            (Script::Japanese, Some(text)) => format!("{ply}手目　{text}"),
            (Script::Japanese, None) => "開始局面".to_owned(),
            (Script::Letters, Some(text)) => format!("ply {ply}: {text}"),
            (Script::Letters, None) => "start position".to_owned(),
        }
    }

    /// The comments on this moment: those on the last move, or at the start those on the whole game.
    pub fn comments(&self) -> &'a [String] {
        self.last().map_or(&self.record.header.comments, |last| &last.comments)
    }

    /// Whether the game began from one of the standard handicaps.
    pub fn is_handicap(&self) -> bool {
        // The first entry is the even game.
        HANDICAPS.iter().skip(1).any(|handicap| handicap.position() == self.record.start)
    }
}

#[cfg(test)]
mod tests {
    use kyomi_record::Header;
    use kyomi_shogi::notation::usi;

    use super::*;

    fn record(line: &str) -> Record {
        let game = usi::parse_position_line(line).unwrap();
        let mut record = Record::new(Header::default(), game.start().clone());
        record.moves = game.moves().iter().map(|mv| RecordMove::new(*mv)).collect();
        record
    }

    #[test]
    fn a_moment_knows_the_move_that_led_to_it() {
        let record = record("position startpos moves 7g7f 3c3d 8h2b+ 3a2b");
        let start = Moment::at(&record, 0).unwrap();
        assert_eq!(start.position(), &Position::startpos());
        assert_eq!((start.last(), start.last_text(Script::Japanese)), (None, None));
        let texts: Vec<_> = (1..=4)
            .map(|ply| Moment::at(&record, ply).unwrap().last_text(Script::Japanese).unwrap())
            .collect();
        assert_eq!(texts, ["▲７六歩(77)", "△３四歩(33)", "▲２二角成(88)", "△同　銀(31)"]);
        let last = Moment::at(&record, 4).unwrap();
        assert!(last.is_last());
        assert_eq!(last.last_text(Script::Letters).as_deref(), Some("3a2b"));
        assert_eq!(last.caption(Script::Japanese), "4手目　△同　銀(31)");
        assert_eq!(last.caption(Script::Letters), "ply 4: 3a2b");
        assert_eq!(start.caption(Script::Japanese), "開始局面");
    }

    #[test]
    fn a_ply_beyond_the_end_is_an_error_with_the_number_of_plies() {
        let error = |line, ply| Moment::at(&record(line), ply).unwrap_err().to_string();
        assert_eq!(error("startpos", 1), "there is no ply 1: the game has no moves");
        assert_eq!(error("startpos moves 7g7f", 9), "there is no ply 9: the game has 1 ply");
        let two = "startpos moves 7g7f 3c3d";
        assert_eq!(error(two, usize::MAX).split(": ").last(), Some("the game has 2 plies"));
    }

    #[test]
    fn a_record_with_an_illegal_move_is_an_error_and_not_a_panic() {
        let mut record = record("position startpos moves 7g7f 3c3d");
        record.moves.remove(0);
        let mv = usi::parse_move("3c3d").unwrap();
        assert_eq!(Moment::at(&record, 1).unwrap_err(), MomentError::Illegal { ply: 1, mv });
        assert!(Moment::at(&record, 0).is_ok());
    }

    #[test]
    fn a_handicap_is_known_by_its_start() {
        for handicap in HANDICAPS {
            let record = Record::new(Header::default(), handicap.position());
            let is_handicap = Moment::at(&record, 0).unwrap().is_handicap();
            assert_eq!(is_handicap, handicap.name != "even", "{}", handicap.name);
        }
    }
}

//! The move at which a record stops because it cannot be played: a mistake in the file, or the illegal move that ended
//! the game.

use kyomi_shogi::notation::csa::{self, RawMove};
use kyomi_shogi::text::counted;
use kyomi_shogi::{Color, Piece, PieceKind, Position, Square};

use super::{End, EndKind, Foul, RecordError};

/// A move that cannot be played, with what follows it, until it is known whether it ended the game.
pub(super) struct LastMove {
    pub(super) foul: Foul,
    pub(super) error: RecordError,
    has_piece: bool,
    to_move: Color,
}

/// The warning about comments that follow a move that cannot be played.
pub(super) fn lost_comments(count: usize) -> String {
    format!("{} after a move that cannot be played not kept", counted(count, "comment"))
}

/// The kind of a piece after a move; `None` if it promotes although it has no promoted form.
pub(super) fn kind_after(kind: PieceKind, promotes: bool) -> Option<PieceKind> {
    if promotes { kind.promoted() } else { Some(kind) }
}

impl LastMove {
    /// The move in this position, and why it cannot be played.
    ///
    /// # Errors
    /// The same error, where it is not clear what the move is: there is none, or the one there is is legal.
    pub(super) fn new(
        mv: Option<RawMove>,
        position: &Position,
        error: RecordError,
    ) -> Result<Self, RecordError> {
        let is_legal = |mv: &RawMove| {
            let mv = csa::parse_move(position, &mv.to_string());
            mv.is_ok_and(|mv| position.is_legal(mv))
        };
        let Some(mv) = mv.filter(|mv| !is_legal(mv)) else { return Err(error) };
        let in_camp = |square: Square| square.rank_for(mv.color) <= 3;
        let is_own = |piece: Piece, from: Square| {
            let kind = piece.kind();
            let promotes = kind.promoted() == Some(mv.kind) && (in_camp(from) || in_camp(mv.to));
            piece.color() == mv.color && (kind == mv.kind || promotes)
        };
        let has_piece = match mv.from {
            Some(from) => position.piece_on(from).is_some_and(|piece| is_own(piece, from)),
            None => mv.kind.is_droppable() && position.hand(mv.color).count(mv.kind) > 0,
        };
        let to_move = position.side_to_move();
        let has_piece = has_piece && mv.color == to_move;
        Ok(Self { foul: Foul::new(mv), error, has_piece, to_move })
    }

    /// Whether this end says that the move was an offence.
    pub(super) fn is_ended_by(&self, kind: &EndKind) -> bool {
        *kind == EndKind::IllegalMove || *kind == EndKind::IllegalAction(self.foul.mv.color)
    }

    /// Whether the move, as the last one of the main line, ended the game although no word says so: its side has the
    /// piece, in a form that it can have there, but may not move it so. It is a fault of the file all the same.
    pub(super) const fn is_foul_alone(&self) -> bool {
        self.has_piece
    }

    /// The end of the game by this move.
    pub(super) fn into_end(self) -> End {
        End::by_foul(self.foul, self.to_move)
    }

    /// The warning about what is lost with the move.
    pub(super) fn lost_warning(&self) -> Option<String> {
        let what = match (self.foul.time.is_some(), self.foul.comments.len()) {
            (false, 0) => return None,
            (true, 0) => "the time".to_owned(),
            (has_time, count) => {
                let time = if has_time { "the time and " } else { "" };
                time.to_owned() + &counted(count, "comment")
            }
        };
        Some(format!("{what} of {} not kept, because it cannot be played", self.foul.mv))
    }
}

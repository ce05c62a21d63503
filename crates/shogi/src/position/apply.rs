//! Making moves and taking them back.

use super::{Bitboard, Color, Move, NO_KING, Piece, PieceKind, Position, Square, attacks};
use crate::zobrist;

/// The data that a move overwrites, which are needed to take it back.
#[derive(Clone, Copy, Debug)]
pub struct Undo {
    checkers: Bitboard,
    king_blockers: [Bitboard; 2],
    board_key: u64,
    hand_key: u64,
    captured: Option<Piece>,
    exposed: bool,
    ply: u16,
}

impl Undo {
    /// The piece that the move captured, as it was on the board.
    pub fn captured(&self) -> Option<Piece> {
        self.captured
    }
}

impl Position {
    /// Makes a legal move.
    ///
    /// Other moves lead to positions without meaning. Check moves from other sources with [`Position::is_legal`].
    ///
    /// # Panics
    /// If the move is not legal: always with debug assertions, and possibly without them.
    pub fn do_move(&mut self, mv: Move) -> Undo {
        debug_assert!(self.is_legal(mv), "{mv} is not legal in {self}");
        let mut undo = self.save();
        let us = self.side;
        let to = mv.to();
        let to_bit = Bitboard::of(to);
        let (after, changed) = if let Some(from) = mv.from() {
            let Some(piece) = self.piece_on(from) else {
                self.pass_turn();
                return undo;
            };
            if let Some(captured) = self.piece_on(to) {
                undo.captured = Some(captured);
                self.capture(us, to, to_bit, captured);
            }
            let after = moved(piece, mv);
            let from_bit = Bitboard::of(from);
            self.board[from.index()] = None;
            self.board[to.index()] = Some(after);
            self.colors[us.index()] ^= from_bit | to_bit;
            self.flip_kind(from_bit, piece);
            self.flip_kind(to_bit, after);
            if after.kind() == PieceKind::King {
                self.kings[us.index()] = to.index() as u8;
            }
            self.board_key ^= zobrist::piece(piece, from) ^ zobrist::piece(after, to);
            (after, from_bit | to_bit)
        } else if let Some(kind) = mv.dropped() {
            let piece = Piece::new(us, kind);
            self.hand_key ^= zobrist::hand_step(us, kind, self.hand(us).count(kind));
            self.hands[us.index()].remove(kind);
            self.board[to.index()] = Some(piece);
            self.colors[us.index()] ^= to_bit;
            self.flip_kind(to_bit, piece);
            self.board_key ^= zobrist::piece(piece, to);
            (piece, to_bit)
        } else {
            self.pass_turn();
            return undo;
        };
        self.side = !us;
        self.board_key ^= zobrist::white_to_move();
        self.ply = self.ply.saturating_add(1);
        if self.exposed {
            // In a set-up position the king was in check before the move.
            self.exposed = false;
            self.refresh();
        } else {
            self.refresh_after(after, to, changed);
        }
        undo
    }

    /// The key that the position will have after a legal move.
    #[inline]
    pub fn key_after(&self, mv: Move) -> u64 {
        let (us, to) = (self.side, mv.to());
        let mut key = self.key() ^ zobrist::white_to_move();
        if let Some(from) = mv.from() {
            let Some(piece) = self.piece_on(from) else { return key };
            key ^= zobrist::piece(piece, from) ^ zobrist::piece(moved(piece, mv), to);
            if let Some(captured) = self.piece_on(to) {
                key ^= zobrist::piece(captured, to);
                let kind = captured.kind().unpromoted();
                if kind.is_droppable() {
                    key ^= zobrist::hand_step(us, kind, self.hand(us).count(kind) + 1);
                }
            }
        } else if let Some(kind) = mv.dropped() {
            key ^= zobrist::piece(Piece::new(us, kind), to);
            key ^= zobrist::hand_step(us, kind, self.hand(us).count(kind));
        }
        key
    }

    /// Captures an enemy piece into the hand of `us`.
    #[inline]
    fn capture(&mut self, us: Color, to: Square, to_bit: Bitboard, captured: Piece) {
        self.colors[captured.color().index()] ^= to_bit;
        self.flip_kind(to_bit, captured);
        self.board_key ^= zobrist::piece(captured, to);
        let kind = captured.kind().unpromoted();
        if kind.is_droppable() {
            self.hands[us.index()].add(kind);
            self.hand_key ^= zobrist::hand_step(us, kind, self.hand(us).count(kind));
        } else {
            self.kings[captured.color().index()] = NO_KING;
        }
    }

    /// Takes back the last move, with the value that [`Position::do_move`] returned for it.
    pub fn undo_move(&mut self, mv: Move, undo: Undo) {
        let us = !self.side;
        let to = mv.to();
        let to_bit = Bitboard::of(to);
        if let Some(after) = self.piece_on(to) {
            self.flip_kind(to_bit, after);
            if let Some(from) = mv.from() {
                let kind = if mv.is_promotion() { after.kind().unpromoted() } else { after.kind() };
                let piece = Piece::new(us, kind);
                let from_bit = Bitboard::of(from);
                self.board[from.index()] = Some(piece);
                self.colors[us.index()] ^= from_bit | to_bit;
                self.flip_kind(from_bit, piece);
                if kind == PieceKind::King {
                    self.kings[us.index()] = from.index() as u8;
                }
            } else {
                self.colors[us.index()] ^= to_bit;
                self.hands[us.index()].add(after.kind());
            }
        }
        self.board[to.index()] = undo.captured;
        if let Some(captured) = undo.captured {
            self.colors[captured.color().index()] ^= to_bit;
            self.flip_kind(to_bit, captured);
            let kind = captured.kind().unpromoted();
            if kind.is_droppable() {
                self.hands[us.index()].remove(kind);
            } else {
                self.kings[captured.color().index()] = to.index() as u8;
            }
        }
        self.restore(undo);
    }

    /// Passes the turn without a move. In check this leaves the side that passed exposed
    /// ([`Position::is_exposed`]), which a search avoids.
    pub fn do_null_move(&mut self) -> Undo {
        let undo = self.save();
        let was_in_check = self.in_check();
        self.pass_turn();
        self.exposed = was_in_check;
        undo
    }

    /// Takes back a [`Position::do_null_move`].
    pub fn undo_null_move(&mut self, undo: Undo) {
        self.restore(undo);
    }

    fn save(&self) -> Undo {
        Undo {
            checkers: self.checkers,
            king_blockers: self.king_blockers,
            board_key: self.board_key,
            hand_key: self.hand_key,
            captured: None,
            exposed: self.exposed,
            ply: self.ply,
        }
    }

    fn restore(&mut self, undo: Undo) {
        self.side = !self.side;
        self.checkers = undo.checkers;
        self.king_blockers = undo.king_blockers;
        self.board_key = undo.board_key;
        self.hand_key = undo.hand_key;
        self.exposed = undo.exposed;
        self.ply = undo.ply;
    }

    fn pass_turn(&mut self) {
        self.side = !self.side;
        self.board_key ^= zobrist::white_to_move();
        self.ply = self.ply.saturating_add(1);
        self.exposed = false;
        self.refresh();
    }

    /// Puts a piece on an empty square without updating the key.
    #[inline]
    pub(super) fn put(&mut self, square: Square, piece: Piece) {
        self.board[square.index()] = Some(piece);
        if piece.kind() == PieceKind::King {
            self.kings[piece.color().index()] = square.index() as u8;
        }
        let bit = Bitboard::of(square);
        self.colors[piece.color().index()] ^= bit;
        self.flip_kind(bit, piece);
    }

    /// Adds a piece to the sets of its kind, or removes it.
    #[inline]
    fn flip_kind(&mut self, bit: Bitboard, piece: Piece) {
        self.kinds[piece.kind_bits()] ^= bit;
        if piece.moves_as_gold() {
            self.kinds[0] ^= bit;
        }
    }

    /// Recomputes checkers and king blockers.
    pub(super) fn refresh(&mut self) {
        let us = self.side;
        let (own, sliders) = self.king_blockers_of(us);
        self.checkers = match self.king_square(us) {
            Some(king) => sliders | self.step_attackers(!us, king),
            None => Bitboard::EMPTY,
        };
        self.king_blockers[us.index()] = own;
        self.king_blockers[(!us).index()] = self.king_blockers_of(!us).0;
    }

    /// Updates checkers and king blockers after a move that put `after` on `to` and changed the squares in `changed`.
    /// The side now to move was not in check before the move.
    #[inline]
    fn refresh_after(&mut self, after: Piece, to: Square, changed: Bitboard) {
        let us = self.side;
        self.checkers = Bitboard::EMPTY;
        if let Some(king) = self.king_square(us) {
            // A piece that is not in line with a king neither checks it along a line nor shields it from a slider.
            if (attacks::queen_rays(king) & changed).any() {
                let (own, sliders) = self.king_blockers_of(us);
                self.king_blockers[us.index()] = own;
                self.checkers = sliders;
            }
            if attacks::stepping_to(after, king).contains(to) {
                self.checkers = self.checkers.with(to);
            }
        } else {
            self.king_blockers[us.index()] = Bitboard::EMPTY;
        }
        if let Some(king) = self.king_square(!us)
            && (king == to || (attacks::queen_rays(king) & changed).any())
        {
            self.king_blockers[(!us).index()] = self.king_blockers_of(!us).0;
        }
    }

    /// The pieces that are the only ones between a king and an enemy slider, and the sliders without a piece in
    /// between.
    fn king_blockers_of(&self, color: Color) -> (Bitboard, Bitboard) {
        let (mut blocking, mut checkers) = (Bitboard::EMPTY, Bitboard::EMPTY);
        let Some(king) = self.king_square(color) else { return (blocking, checkers) };
        let occupied = self.occupied();
        for slider in self.sliders_aiming(!color, king) {
            let blockers = attacks::between(king, slider) & occupied;
            if blockers.is_empty() {
                checkers = checkers.with(slider);
            } else if !blockers.more_than_one() {
                blocking |= blockers;
            }
        }
        (blocking, checkers)
    }
}

/// The piece after its move.
fn moved(piece: Piece, mv: Move) -> Piece {
    match piece.kind().promoted() {
        Some(promoted) if mv.is_promotion() => Piece::new(piece.color(), promoted),
        _ => piece,
    }
}

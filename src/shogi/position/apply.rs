//! Making moves and taking them back.

use super::{Bitboard, Color, Move, Piece, PieceKind, Position, Square, attacks};
use crate::shogi::zobrist;

/// What a move destroys: needed to take it back.
#[derive(Clone, Copy, Debug)]
pub struct Undo {
    checkers: Bitboard,
    shields: [Bitboard; 2],
    key: u64,
    captured: Option<Piece>,
    exposed: bool,
    ply: u16,
}

impl Undo {
    /// The piece the move captured, as it stood on the board.
    pub fn captured(&self) -> Option<Piece> {
        self.captured
    }
}

impl Position {
    /// Makes a legal move.
    ///
    /// Other moves lead to positions without meaning and may panic: ask [`Position::is_legal`] about moves from
    /// elsewhere.
    pub fn do_move(&mut self, mv: Move) -> Undo {
        let mut undo = self.save();
        let us = self.side;
        let to = mv.to();
        if let Some(kind) = mv.dropped() {
            let count = self.hand(us).count(kind);
            self.key ^= zobrist::hand(us, kind, count) ^ zobrist::hand(us, kind, count - 1);
            self.hands[us.index()].remove(kind);
            let piece = Piece::new(us, kind);
            self.put(to, piece);
            self.key ^= zobrist::piece(piece, to);
        } else if let Some(from) = mv.from() {
            if let Some(captured) = self.piece_on(to) {
                undo.captured = Some(captured);
                self.take(to, captured);
                self.key ^= zobrist::piece(captured, to);
                let kind = captured.kind().unpromoted();
                if kind.is_droppable() {
                    let count = self.hand(us).count(kind);
                    self.key ^= zobrist::hand(us, kind, count) ^ zobrist::hand(us, kind, count + 1);
                    self.hands[us.index()].add(kind);
                }
            }
            if let Some(piece) = self.piece_on(from) {
                let after = moved(piece, mv);
                self.take(from, piece);
                self.put(to, after);
                self.key ^= zobrist::piece(piece, from) ^ zobrist::piece(after, to);
            }
        }
        self.pass_turn();
        undo
    }

    /// Takes back the move made last, with what [`Position::do_move`] returned for it.
    pub fn undo_move(&mut self, mv: Move, undo: Undo) {
        let us = !self.side;
        let to = mv.to();
        if let Some(moved) = self.piece_on(to) {
            self.take(to, moved);
            if let Some(from) = mv.from() {
                let kind = if mv.is_promotion() { moved.kind().unpromoted() } else { moved.kind() };
                self.put(from, Piece::new(us, kind));
            } else {
                self.hands[us.index()].add(moved.kind());
            }
        }
        if let Some(captured) = undo.captured {
            let kind = captured.kind().unpromoted();
            if kind.is_droppable() {
                self.hands[us.index()].remove(kind);
            }
            self.put(to, captured);
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
            shields: self.shields,
            key: self.key,
            captured: None,
            exposed: self.exposed,
            ply: self.ply,
        }
    }

    fn restore(&mut self, undo: Undo) {
        self.side = !self.side;
        self.checkers = undo.checkers;
        self.shields = undo.shields;
        self.key = undo.key;
        self.exposed = undo.exposed;
        self.ply = undo.ply;
    }

    fn pass_turn(&mut self) {
        self.side = !self.side;
        self.key ^= zobrist::white_to_move();
        self.ply = self.ply.saturating_add(1);
        self.exposed = false;
        self.refresh();
    }

    /// Puts a piece on an empty square; the key does not follow.
    #[inline]
    pub(super) fn put(&mut self, square: Square, piece: Piece) {
        self.board[square.index()] = Some(piece);
        if piece.kind() == PieceKind::King {
            self.kings[piece.color().index()] = Some(square);
        }
        self.flip(square, piece);
    }

    /// Takes away the piece that stands on a square; the key does not follow.
    #[inline]
    fn take(&mut self, square: Square, piece: Piece) {
        self.board[square.index()] = None;
        if piece.kind() == PieceKind::King {
            self.kings[piece.color().index()] = None;
        }
        self.flip(square, piece);
    }

    #[inline]
    fn flip(&mut self, square: Square, piece: Piece) {
        let bit = Bitboard::of(square);
        self.colors[piece.color().index()] ^= bit;
        self.kinds[piece.kind().index()] ^= bit;
        if piece.kind().moves_as_gold() {
            self.golds ^= bit;
        }
    }

    /// Computes checkers and shields anew.
    pub(super) fn refresh(&mut self) {
        let us = self.side;
        let (own, sliders) = self.shields_of(us);
        self.checkers = match self.king_square(us) {
            Some(king) => sliders | self.step_attackers(!us, king),
            None => Bitboard::EMPTY,
        };
        self.shields[us.index()] = own;
        self.shields[(!us).index()] = self.shields_of(!us).0;
    }

    /// The pieces that alone stand between a king and an enemy slider, and the sliders with nothing between.
    fn shields_of(&self, color: Color) -> (Bitboard, Bitboard) {
        let (mut shields, mut checkers) = (Bitboard::EMPTY, Bitboard::EMPTY);
        let Some(king) = self.king_square(color) else { return (shields, checkers) };
        let occupied = self.occupied();
        for slider in self.sliders_aiming(!color, king) {
            let blockers = attacks::between(king, slider) & occupied;
            if blockers.is_empty() {
                checkers = checkers.with(slider);
            } else if !blockers.more_than_one() {
                shields |= blockers;
            }
        }
        (shields, checkers)
    }
}

/// The piece after its move.
fn moved(piece: Piece, mv: Move) -> Piece {
    match piece.kind().promoted() {
        Some(promoted) if mv.is_promotion() => Piece::new(piece.color(), promoted),
        _ => piece,
    }
}

//! What a search by plies learns about moves and positions while it searches.
//!
//! Every table holds values within a limit. An update moves a value towards the limit by a bonus, the less the closer
//! it is, so that old results fade as new ones come in.

use kyomi_shogi::{Color, Move, Piece, PieceKind, Position, Square};

use crate::search::see;

/// The number of pieces of both colours.
const PIECES: usize = 2 * PieceKind::COUNT;
/// The number of pairs of a piece and a square.
const PLACES: usize = PIECES * 81;
/// The number of codes of an origin and a target, as a move packs them. Not all are used.
const WAYS: usize = 1 << 14;
/// The number of slots for structures of pawns in the history.
const PAWN_SLOTS: usize = 512;
/// The number of slots of a table of corrections.
const CORRECTION_SLOTS: usize = 16_384;

/// The largest history of a quiet move by origin and target.
const MOST_PLAIN: i32 = 7183;
/// The number of plies near the root that have a history of their own.
const NEAR_ROOT: usize = 5;
/// The history near the root of a move that was not searched yet.
const NEW_NEAR_ROOT: i16 = 100;
/// The largest history of a move after another one.
const MOST_AFTER: i32 = 30_000;
/// The largest history of a move with a structure of pawns.
const MOST_BY_PAWNS: i32 = 8192;
/// The largest history of a capture.
const MOST_OF_CAPTURES: i32 = 10_692;
/// The largest entry of a table of corrections.
const MOST_CORRECTION: i32 = 1024;
/// A weighted mean of entries of this size is one centipawn.
const CORRECTION_SCALE: i32 = 20;

/// A piece on its target square, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::search) struct Place(u16);

impl Place {
    /// No piece: at the root, and after a pass.
    pub(in crate::search) const NONE: Self = Self(PLACES as u16);

    /// The place of the piece that a move puts on its target.
    #[inline]
    pub(in crate::search) fn of(position: &Position, mv: Move) -> Self {
        Self::new(Piece::new(position.side_to_move(), see::kind_after(position, mv)), mv.to())
    }

    /// The place of a piece on a square.
    pub(in crate::search) fn new(piece: Piece, square: Square) -> Self {
        let piece_index = piece.color().index() * PieceKind::COUNT + piece.kind().index();
        Self((piece_index * 81 + square.index()) as u16)
    }

    pub(in crate::search) const fn index(self) -> usize {
        self.0 as usize
    }

    pub(in crate::search) fn is_none(self) -> bool {
        self == Self::NONE
    }
}

/// A number for each place.
pub(in crate::search) type PerPlace = [i16; PLACES];

/// The index of the origin and the target of a move.
const fn way(mv: Move) -> usize {
    mv.to_bits() as usize & (WAYS - 1)
}

/// The tables of one thread.
#[derive(Default)]
pub(in crate::search) struct Learned {
    /// `[side][origin and target]`.
    plain: Vec<i16>,
    /// `[ply][origin and target]`, for the plies near the root of one search.
    near_root: Vec<i16>,
    /// `[place before][place]`, with one more row for no move.
    after: Vec<PerPlace>,
    /// `[structure of pawns][place]`.
    by_pawns: Vec<PerPlace>,
    /// `[place][kind of the victim]`.
    captures: Vec<i16>,
    /// `[structure of pawns, side]`.
    pawn_corrections: Vec<i16>,
    /// `[kings and their guards, side]`.
    king_corrections: Vec<i16>,
    /// `[places of the last move and the one before it, side]`.
    move_corrections: Vec<i16>,
}

/// The number of plies back to the moves whose continuations count, with the weight of each in an update, in 1024ths.
pub(in crate::search) const BACK: [(usize, i32); 6] =
    [(1, 1024), (2, 660), (3, 290), (4, 550), (5, 120), (6, 450)];

/// Moves a value towards a limit by a bonus.
fn learn(value: &mut i16, bonus: i32, limit: i32) {
    let bonus = bonus.clamp(-limit, limit);
    let old = i32::from(*value);
    *value = (old + bonus - old * bonus.abs() / limit) as i16;
}

impl Learned {
    /// Empty tables.
    pub(in crate::search) fn new() -> Self {
        Self {
            plain: vec![0; 2 * WAYS],
            near_root: vec![NEW_NEAR_ROOT; NEAR_ROOT * WAYS],
            after: vec![[-500; PLACES]; PLACES + 1],
            by_pawns: vec![[-1000; PLACES]; PAWN_SLOTS],
            captures: vec![-600; PLACES * PieceKind::COUNT],
            pawn_corrections: vec![0; 2 * CORRECTION_SLOTS],
            king_corrections: vec![0; 2 * CORRECTION_SLOTS],
            move_corrections: vec![0; 2 * CORRECTION_SLOTS],
        }
    }

    fn capture_at(place: Place, victim: Option<PieceKind>) -> usize {
        place.index() * PieceKind::COUNT + victim.map_or(PieceKind::King.index(), PieceKind::index)
    }

    /// The history of a move by origin and target.
    pub(in crate::search) fn plain(&self, side: Color, mv: Move) -> i32 {
        i32::from(self.plain[side.index() * WAYS + way(mv)])
    }

    /// What the history of a move at a ply near the root counts, less with each ply; 0 further away.
    pub(in crate::search) fn near_root(&self, ply: usize, mv: Move) -> i32 {
        let counted = |history: &i16| 8 * i32::from(*history) / (1 + 2 * ply as i32);
        self.near_root.get(ply * WAYS + way(mv)).map_or(0, counted)
    }

    /// The history of all places after a place.
    pub(in crate::search) fn after(&self, before: Place) -> &PerPlace {
        &self.after[before.index()]
    }

    /// The history of all places with a structure of pawns.
    pub(in crate::search) fn by_pawns(&self, pawns: u64) -> &PerPlace {
        &self.by_pawns[pawns as usize % PAWN_SLOTS]
    }

    /// The history of a capture or promotion.
    pub(in crate::search) fn capture(&self, place: Place, victim: Option<PieceKind>) -> i32 {
        i32::from(self.captures[Self::capture_at(place, victim)])
    }

    pub(in crate::search) fn learn_plain(&mut self, side: Color, mv: Move, bonus: i32) {
        learn(&mut self.plain[side.index() * WAYS + way(mv)], bonus, MOST_PLAIN);
    }

    pub(in crate::search) fn learn_near_root(&mut self, ply: usize, mv: Move, bonus: i32) {
        if let Some(history) = self.near_root.get_mut(ply * WAYS + way(mv)) {
            learn(history, bonus, MOST_PLAIN);
        }
    }

    /// Forgets the histories near the root, which belong to one search.
    pub(in crate::search) fn forget_near_root(&mut self) {
        self.near_root.fill(NEW_NEAR_ROOT);
    }

    pub(in crate::search) fn learn_after(&mut self, before: Place, place: Place, bonus: i32) {
        learn(&mut self.after[before.index()][place.index()], bonus, MOST_AFTER);
    }

    pub(in crate::search) fn learn_by_pawns(&mut self, pawns: u64, place: Place, bonus: i32) {
        let table = &mut self.by_pawns[pawns as usize % PAWN_SLOTS];
        learn(&mut table[place.index()], bonus, MOST_BY_PAWNS);
    }

    pub(in crate::search) fn learn_capture(
        &mut self,
        place: Place,
        victim: Option<PieceKind>,
        bonus: i32,
    ) {
        learn(&mut self.captures[Self::capture_at(place, victim)], bonus, MOST_OF_CAPTURES);
    }

    /// What to add to the evaluation of a position, in centipawns.
    pub(in crate::search) fn correction(&self, at: &CorrectionPlaces) -> i32 {
        let of = |table: &[i16], at: usize| i32::from(table[at]);
        (7 * of(&self.pawn_corrections, at.pawns)
            + 6 * of(&self.king_corrections, at.kings)
            + 8 * of(&self.move_corrections, at.moves))
            / 8
            / CORRECTION_SCALE
    }

    /// Learns that a search found this much more than the evaluation says.
    pub(in crate::search) fn learn_correction(&mut self, at: &CorrectionPlaces, bonus: i32) {
        let bonus = bonus.clamp(-MOST_CORRECTION / 4, MOST_CORRECTION / 4);
        learn(&mut self.pawn_corrections[at.pawns], bonus, MOST_CORRECTION);
        learn(&mut self.king_corrections[at.kings], bonus, MOST_CORRECTION);
        learn(&mut self.move_corrections[at.moves], bonus, MOST_CORRECTION);
    }
}

/// The places of a position in the tables of corrections.
#[derive(Debug, Clone, Copy)]
pub(in crate::search) struct CorrectionPlaces {
    pawns: usize,
    kings: usize,
    moves: usize,
}

impl CorrectionPlaces {
    /// The places of a position with this structure of pawns after these moves, the last one first.
    pub(in crate::search) fn of(position: &Position, pawns: u64, before: [Place; 6]) -> Self {
        let side = position.side_to_move().index();
        let slot = |hash: u64| (hash >> 32) as usize % CORRECTION_SLOTS * 2 + side;
        Self {
            pawns: slot(pawns),
            kings: slot(near_kings(position)),
            moves: slot(mix(3, before[0].index() as u128 | (before[1].index() as u128) << 64)),
        }
    }
}

/// Mixes bits into a hash.
fn mix(hash: u64, bits: u128) -> u64 {
    let word = (bits as u64) ^ ((bits >> 64) as u64).rotate_left(29);
    (hash.rotate_left(17) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A hash of the structure of the pawns.
pub(in crate::search) fn pawn_key(position: &Position) -> u64 {
    let of = |color| position.pieces(color, PieceKind::Pawn).to_bits();
    let hash = mix(mix(1, of(Color::Black)), of(Color::White));
    hash ^ hash >> 29
}

/// A hash of the kings, the golds and the silvers.
fn near_kings(position: &Position) -> u64 {
    let mut hash = 2;
    for color in Color::ALL {
        let king = position.king_square(color).map_or(0, |king| king.index() as u128 + 1);
        hash = mix(hash, position.golds(color).to_bits() ^ king << 100);
        hash = mix(hash, position.pieces(color, PieceKind::Silver).to_bits());
    }
    hash ^ hash >> 29
}

//! The figures of the interest terms (search specification 1.3), in sixteenths of a point.

use super::parameters::Parameters;

/// One point of interest.
pub(crate) const POINT: i32 = 16;

/// A figure for moves that lose nothing by exchange, and one for those that do.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Figure {
    pub(crate) good: i32,
    pub(crate) bad: i32,
}

/// Whole points.
const fn points(good: i32, bad: i32) -> Figure {
    Figure { good: good * POINT, bad: bad * POINT }
}

/// Half points.
const fn halves(good: i32, bad: i32) -> Figure {
    Figure { good: good * POINT / 2, bad: bad * POINT / 2 }
}

/// All figures by the name of their term; arrays are by victim class.
#[derive(Debug, Clone)]
pub(crate) struct Weights {
    /// Shared by all legal moves, term 1.
    pub(crate) even: i32,
    /// Hash move: at least this...
    pub(crate) hash_least: i32,
    /// ...and this more than the best of the list, term 3.
    pub(crate) hash: i32,
    /// Best move of the previous iteration at the root, term 4.
    pub(crate) root_best: i32,
    /// First and second killer, term 5.
    pub(crate) killers: [i32; 2],
    /// Best reply to the last move, term 6.
    pub(crate) reply: i32,
    /// Best follow-on to the own move before, term 7.
    pub(crate) follow_on: i32,
    /// A pawn newly attacks a piece, term 8.
    pub(crate) pawn_attacks: [Figure; 4],
    /// Capture by victim, term 9.
    pub(crate) capture: [Figure; 4],
    /// Good capture of the piece that just moved, term 9.
    pub(crate) recapture: i32,
    /// Check, term 10.
    pub(crate) check: Figure,
    /// Check after a check, term 10.
    pub(crate) further_check: i32,
    /// A piece newly attacks something dearer or undefended, term 11.
    pub(crate) attacks: [Figure; 4],
    /// Two or more of those at once, term 11.
    pub(crate) fork: i32,
    /// The mover hangs, by its own class, term 12.
    pub(crate) hangs: [i32; 4],
    /// The mover hangs but the move loses something, term 12.
    pub(crate) hangs_bad: i32,
    /// The mover can be exchanged, term 12.
    pub(crate) even_exchange: i32,
    /// Takes the piece that gives check, term 13.
    pub(crate) capture_checker: i32,
    /// Promotion of a pawn; of bishop or rook; of others, term 14.
    pub(crate) promotion: [Figure; 3],
    /// The quiet move with the largest sum, term 17.
    pub(crate) best_quiet: i32,
    /// Newly attacks a square next to the enemy's king.
    pub(crate) king_zone: Figure,
    /// Newly guards a hanging piece.
    pub(crate) guards: [i32; 4],
    /// Newly guards a hanging piece, losing something itself.
    pub(crate) guards_bad: i32,
    /// The piece comes to a better square.
    pub(crate) development: Figure,
    /// Drop of a pawn; of another piece.
    pub(crate) drops: [i32; 2],
    /// History value for one point.
    pub(crate) history: i32,
    /// What of it counts, in percent.
    pub(crate) history_percent: i32,
    /// What is left of quiet moves that lose by exchange, in percent.
    pub(crate) bad_quiet: i32,
    /// Evasions, term 2, in percent.
    pub(crate) in_check: i32,
}

impl Weights {
    /// The figures, each times its percentage.
    pub(crate) fn new(parameters: &Parameters) -> Self {
        let p = parameters;
        let part = |figure: i32, percent: i32| figure * percent / 100;
        let parts = |figure: Figure, percent: i32| Figure {
            good: part(figure.good, percent),
            bad: part(figure.bad, percent),
        };
        let all = &FITTED;
        Self {
            even: part(all.even, p.even),
            hash_least: part(all.hash_least, p.hash),
            hash: part(all.hash, p.hash),
            root_best: part(all.root_best, p.root_best),
            killers: all.killers.map(|figure| part(figure, p.killer)),
            reply: part(all.reply, p.reply),
            follow_on: part(all.follow_on, p.follow_on),
            pawn_attacks: all.pawn_attacks.map(|figure| parts(figure, p.pawn_attacks)),
            capture: all.capture.map(|figure| parts(figure, p.capture)),
            recapture: part(all.recapture, p.recapture),
            check: parts(all.check, p.check),
            further_check: part(all.further_check, p.further_check),
            attacks: all.attacks.map(|figure| parts(figure, p.attacks)),
            fork: part(all.fork, p.fork),
            hangs: all.hangs.map(|figure| part(figure, p.hangs)),
            hangs_bad: part(all.hangs_bad, p.hangs),
            even_exchange: part(all.even_exchange, p.hangs),
            capture_checker: part(all.capture_checker, p.capture_checker),
            promotion: all.promotion.map(|figure| parts(figure, p.promotion)),
            best_quiet: part(all.best_quiet, p.best_quiet),
            king_zone: parts(all.king_zone, p.king_zone),
            guards: all.guards.map(|figure| part(figure, p.guards)),
            guards_bad: part(all.guards_bad, p.guards),
            development: parts(all.development, p.development),
            drops: all.drops.map(|figure| part(figure, p.drops)),
            history: all.history,
            history_percent: p.history,
            bad_quiet: p.bad_quiet,
            in_check: p.in_check,
        }
    }
}

/// The figures of the additive fit.
const FITTED: Weights = Weights {
    even: 1000 * POINT,
    hash_least: 150 * POINT,
    hash: 25 * POINT,
    root_best: 100 * POINT,
    killers: [100 * POINT, 60 * POINT],
    reply: 100 * POINT,
    follow_on: 60 * POINT,
    pawn_attacks: [points(20, 7), points(110, 30), points(160, 28), points(220, 37)],
    capture: [points(190, 1), points(250, 28), points(700, 35), points(900, 60)],
    recapture: 350 * POINT,
    check: points(400, 10),
    further_check: 100 * POINT,
    attacks: [halves(4, 1), halves(18, 1), halves(60, 1), halves(100, 1)],
    fork: 20 * POINT,
    hangs: [POINT, 33 * POINT, 300 * POINT, 380 * POINT],
    hangs_bad: 4 * POINT,
    even_exchange: 7 * POINT,
    capture_checker: 100 * POINT,
    promotion: [points(300, 50), points(150, 10), points(60, 10)],
    best_quiet: 50 * POINT,
    king_zone: halves(19, 1),
    guards: [9 * POINT, 19 * POINT, 27 * POINT, 35 * POINT],
    guards_bad: POINT,
    development: halves(24, 1),
    drops: [5 * POINT, POINT / 2],
    history: 160,
    history_percent: 100,
    bad_quiet: 40,
    in_check: 100,
};

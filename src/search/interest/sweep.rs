//! The moves of a usual node, scored set by set: the same interest as [`Eye::score`] gives move by move, with what the
//! moves of a piece share read once and the terms asked only where they can apply.
//!
//! Most drops differ in nothing that counts: they check nothing, nothing is known of them, and they attack alike. Those
//! stay together, as sets of [`Dull`] drops.

use super::candidate::Candidate;
use super::dull::{Dull, Parts, part};
use super::eye::{Eye, Surroundings};
use super::list::{InterestList, Leaders, needless};
use super::scored::{Scored, Traits};
use super::terms;
use crate::{
    eval::{swing, victim_class},
    search::{
        attack_maps::AttackMaps,
        weights::{Attack, Figure, Weights},
    },
    shogi::{
        Bitboard, Move, MoveSet, Origin, Piece, PieceKind, Position, Square, attacks, line,
        step_table,
    },
};

/// Whether the moves of a node may be scored set by set: none of the rules counts that look at each move.
pub(super) fn is_usual(around: &Surroundings<'_>) -> bool {
    let weights = around.weights;
    let dearest = |attack: &Attack| matches!(attack, Attack::Dearest(_));
    around.penalties.is_none()
        && around.plausible.is_none()
        && !weights.has_further_terms
        && dearest(&weights.pawn_attacks)
        && dearest(&weights.attacks)
}

/// Scores all moves into a list that is empty.
pub(super) fn sweep(
    list: &mut InterestList,
    position: &Position,
    maps: &AttackMaps,
    around: &Surroundings<'_>,
) -> Leaders {
    position.legal_move_sets(&mut list.sets);
    list.count = list.sets.count;
    let eye = Eye::new(position, maps, around, list.count);
    let mut sweep = Sweep::new(list, eye);
    let mut at = 0;
    while let Some(&set) = sweep.list.sets.sets.get(at) {
        match set.origin {
            Origin::Square(from) => sweep.piece(from, &set),
            Origin::Pawns => sweep.pawns(&set),
            Origin::Hand(kind) => sweep.drops(kind, set.targets),
        }
        at += 1;
    }
    sweep.leaders
}

struct Sweep<'a, 'l> {
    list: &'l mut InterestList,
    leaders: Leaders,
    eye: Eye<'a>,
    weights: &'a Weights,
    /// What the learning tables name: 0 for none.
    suggested: [u16; 4],
    hash: u16,
    /// What a check is worth.
    check: Figure,
    /// `[victim class]`: what is worth attacking for a piece of this class, by any term; then what is for a pawn.
    notable: [Bitboard; 5],
    /// Unpromoted moves that promoting always beats are set aside.
    sets_aside: bool,
}

/// What the moves of a set have in common.
struct Common<'h> {
    start: Figure,
    notable: Bitboard,
    /// Where the piece gives check.
    checks: Bitboard,
    /// Where a learning table names the move.
    suggested: Bitboard,
    promote: bool,
    /// Of captures on attacked squares those of cheaper pieces have their exchange value pending; a king has none.
    room: i32,
    /// By target.
    history: &'h [i16; 81],
}

impl<'a, 'l> Sweep<'a, 'l> {
    fn new(list: &'l mut InterestList, eye: Eye<'a>) -> Self {
        let around = eye.around;
        let weights = around.weights;
        let [first, second] = around.suggested.killers;
        let near = eye.zone | eye.hanging;
        let [pawns, cheap, middling, dear] = eye.maps.them.pieces;
        let all = near | eye.undefended;
        let notable = [
            all | cheap | middling | dear,
            all | middling | dear,
            all | dear,
            all,
            near | pawns | cheap | middling | dear,
        ];
        let mut check = weights.check;
        if around.checked_before {
            check += Figure::both(weights.further_check);
        }
        Self {
            list,
            leaders: Leaders::default(),
            weights,
            suggested: [first, second, around.suggested.reply, around.suggested.follow_on],
            hash: around.hash.map_or(0, Move::to_bits),
            check,
            notable,
            sets_aside: !around.whole && eye.checkers.is_empty(),
            eye,
        }
    }

    /// The moves of one piece.
    #[inline]
    fn piece(&mut self, from: Square, set: &MoveSet) {
        let Some(piece) = self.eye.position.piece_on(from) else { return };
        let before = piece.kind();
        let mut targets = set.targets;
        if self.sets_aside && !set.promote {
            targets &= !self.set_aside(piece, from, targets);
        }
        let Some(first) = targets.first() else { return };
        self.eye.look_at(from, piece);
        let mut m = Candidate::new(Move::normal(from, first, set.promote), Some(piece));
        let common = self.common(&m, from, targets);
        let (us, left) = (self.eye.us, self.eye.occupied.without(from));
        let free = !self.eye.mover.attacked;
        let after = m.after;
        match step_table(after, us) {
            _ if before == PieceKind::King => {
                self.each(&mut m, targets, &common, |_| Bitboard::EMPTY);
            }
            Some(table) => self.each(&mut m, targets, &common, |to| table[to.index()] & free),
            None => self.each(&mut m, targets, &common, |to| attacks(after, us, to, left) & free),
        }
    }

    /// Steps of pawns.
    #[inline]
    fn pawns(&mut self, set: &MoveSet) {
        let us = self.eye.us;
        let piece = Piece::new(us, PieceKind::Pawn);
        let Some(table) =
            step_table(if set.promote { PieceKind::ProPawn } else { PieceKind::Pawn }, us)
        else {
            return;
        };
        for to in set.targets {
            let Some(from) = to.behind(us) else { continue };
            let targets = Bitboard::of(to);
            if self.sets_aside && !set.promote && self.set_aside(piece, from, targets).any() {
                continue;
            }
            self.eye.look_at(from, piece);
            let mut m = Candidate::new(Move::normal(from, to, set.promote), Some(piece));
            let common = self.common(&m, from, targets);
            // What it attacked before is where it goes: nothing attacks its own square.
            m.fresh = table[to.index()];
            self.score(&mut m, &common);
        }
    }

    /// Puts needless moves into the reserve, the hash move excepted. Returns their targets.
    #[inline]
    fn set_aside(&mut self, piece: Piece, from: Square, targets: Bitboard) -> Bitboard {
        let mut aside = needless(piece, from) & targets;
        if aside.any() {
            for to in aside {
                let mv = Move::normal(from, to, false);
                if mv.to_bits() == self.hash {
                    aside = aside.without(to);
                } else {
                    self.list.reserve.push(mv);
                }
            }
        }
        aside
    }

    #[inline]
    fn common(&self, m: &Candidate, from: Square, targets: Bitboard) -> Common<'a> {
        let eye = &self.eye;
        let mut start = eye.even + terms::under_attack(eye, m);
        let promote = m.mv.is_promotion();
        if promote {
            start += terms::promotion(eye, m);
        }
        let mut checks = eye.checking[m.after.index()];
        if eye.discoverers.contains(from)
            && let Some(king) = eye.enemy_king
        {
            checks |= !line(king, from);
        }
        let origin = from.index();
        Common {
            start,
            notable: match m.before {
                PieceKind::Pawn => self.notable[4],
                _ => self.notable[victim_class(m.after)],
            },
            checks,
            suggested: self.suggested_of(m.mv.to_bits() >> 7) & targets,
            promote,
            room: if m.before == PieceKind::King { i32::MIN } else { swing(m.before) },
            history: eye.around.memory.history_from(eye.us, origin),
        }
    }

    /// Where a learning table names moves that begin like this.
    #[inline]
    fn suggested_of(&self, start: u16) -> Bitboard {
        let mut found = Bitboard::EMPTY;
        for code in self.suggested {
            if code >> 7 == start
                && let Some(mv) = Move::from_bits(code)
            {
                found = found.with(mv.to());
            }
        }
        found
    }

    /// Scores the moves of one piece; `fresh` says what it newly attacks.
    #[inline]
    fn each(
        &mut self,
        m: &mut Candidate,
        targets: Bitboard,
        common: &Common<'_>,
        fresh: impl Fn(Square) -> Bitboard,
    ) {
        for to in targets {
            m.to = to;
            m.fresh = fresh(to);
            self.score(m, common);
        }
    }

    /// Scores one move on the board, of which `to` and `fresh` are known.
    #[inline]
    fn score(&mut self, m: &mut Candidate, common: &Common<'_>) {
        let (eye, to) = (&self.eye, m.to);
        m.mv = m.mv.with_target(to);
        let mut sum = common.start;
        let mut gain = 0;
        m.captured = None;
        if eye.enemies.contains(to) {
            m.captured = eye.position.piece_on(to).map(Piece::kind);
            gain = m.captured.map_or(0, swing);
            sum += terms::capture(eye, m) + terms::recapture(eye, m);
            if eye.checkers.any() {
                sum += terms::capture_checker(eye, m);
            }
        } else if !common.promote {
            sum += terms::development(eye, m);
        }
        self.add_rest(m, common, sum, gain);
    }

    /// What drops and moves on the board share.
    #[inline]
    fn add_rest(&mut self, m: &mut Candidate, common: &Common<'_>, mut sum: Figure, gain: i32) {
        let (eye, to) = (&self.eye, m.to);
        m.check = common.checks.contains(to);
        if m.check {
            sum += self.check;
        }
        if common.suggested.contains(to) {
            sum += terms::suggested(eye, m);
        }
        if (m.fresh & common.notable).any() {
            sum += terms::attacks(eye, m) + terms::king_zone(eye, m) + terms::guards(eye, m);
        }
        let traits = Traits::default()
            .with(Traits::CAPTURE, m.captured.is_some())
            .with(Traits::CHECK, m.check)
            .with(Traits::PROMOTION, common.promote)
            .with(Traits::PENDING, eye.maps.them.all.contains(to) && gain < common.room);
        if traits.is_quiet() {
            if !m.check {
                sum.bad = sum.bad * self.weights.bad_quiet / 100;
            }
            let history = i32::from(common.history[to.index()]);
            if history != 0 {
                sum.good = terms::with_history(self.weights, sum.good, history);
                sum.bad = terms::with_history(self.weights, sum.bad, history);
            }
        }
        let good = sum.good.max(1);
        let scored = Scored { mv: m.mv, traits, interest: good, bad: sum.bad.clamp(1, good) };
        self.list.sum += i64::from(good);
        self.leaders.see(&scored, self.list.moves.len(), m.mv.to_bits() == self.hash);
        self.list.moves.push(scored);
    }

    /// Drops of a kind: those that check, that something is known of, and evasions one by one, the others together.
    fn drops(&mut self, kind: PieceKind, targets: Bitboard) {
        let Some(first) = targets.first() else { return };
        let eye = &self.eye;
        let origin = 81 + kind.index();
        let mut m = Candidate::new(Move::drop(kind, first), None);
        let (us, occupied) = (eye.us, eye.occupied);
        let start = eye.even + terms::drops(eye, &m);
        let suggested = self.suggested_of(origin as u16);
        let common = Common {
            start,
            notable: self.notable[if kind == PieceKind::Pawn { 4 } else { victim_class(kind) }],
            checks: eye.checking[kind.index()],
            suggested,
            promote: false,
            room: swing(kind),
            history: eye.around.memory.history_from(us, origin),
        };
        let mut single = targets;
        if eye.checkers.is_empty() {
            single &= common.checks | suggested | eye.around.memory.dropped(us, kind);
            if self.hash >> 7 == origin as u16
                && let Some(hash) = eye.around.hash
            {
                single |= targets & Bitboard::of(hash.to());
            }
        }
        let together = targets & !single;
        if together.any() {
            single |= self.add_dull(kind, together, start);
        }
        for to in single {
            m.to = to;
            m.mv = m.mv.with_target(to);
            m.fresh = attacks(kind, us, to, occupied);
            self.add_rest(&mut m, &common, start, 0);
        }
    }

    /// Adds drops as sets of equal ones. Returns the square that is left out because it may be the best quiet move,
    /// which has to be in the list itself.
    fn add_dull(&mut self, kind: PieceKind, targets: Bitboard, start: Figure) -> Bitboard {
        let mut parts = Parts::new();
        part(&mut parts, &self.eye, kind, targets, start);
        let most = parts.iter().map(|(_, figure)| figure.good.max(1)).max().unwrap_or(0);
        let mut left_out = Bitboard::EMPTY;
        if most > self.leaders.best_quiet.interest() {
            let best = parts.iter().filter(|(_, figure)| figure.good.max(1) == most);
            if let Some(first) = best.filter_map(|(squares, _)| squares.first()).min() {
                left_out = Bitboard::of(first);
                for (squares, _) in &mut parts {
                    *squares &= !left_out;
                }
            }
        }
        for &(targets, figure) in &parts {
            if targets.is_empty() {
                continue;
            }
            let interest = figure.good.max(1);
            let bad = (figure.bad * self.weights.bad_quiet / 100).clamp(1, interest);
            let pending = self.eye.maps.them.all;
            self.list.sum += i64::from(targets.count()) * i64::from(interest);
            self.leaders.best = self.leaders.best.max(interest);
            self.list.dull.push(Dull { kind, targets, pending, interest, bad });
        }
        left_out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{
        memory::{Memory, Suggested},
        parameters::{Parameters, Preset},
        penalty::Penalties,
    };
    use crate::shogi::MoveList;

    /// Positions of random games, each with the moves that led there.
    fn random_positions(
        seeds: std::ops::Range<u64>,
        mut visit: impl FnMut(&Position, &[Move], u64),
    ) {
        for seed in seeds {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut position = Position::startpos();
            let mut line = Vec::new();
            for _ in 0..160 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let mv = moves[random.usize(..moves.len())];
                position.do_move(mv);
                line.push(mv);
                visit(&position, &line, random.u64(..));
            }
        }
    }

    /// A memory that has learnt from random moves.
    fn trained(position: &Position, random: &mut fastrand::Rng) -> Memory {
        let mut memory = Memory::new();
        let moves = position.legal_moves();
        let side = position.side_to_move();
        for _ in 0..moves.len() / 3 {
            let mut any = || moves[random.usize(..moves.len())];
            let (cutter, tried) = (any(), [any(), any()]);
            let depth = random.i32(1..12);
            memory.learn(side, 3, depth, cutter, &tried, None, None);
        }
        memory
    }

    fn assert_same(position: &Position, around: &Surroundings<'_>) {
        let maps = AttackMaps::of(position);
        let (mut one_by_one, mut by_sets) = (InterestList::default(), InterestList::default());
        one_by_one.fill(position, &maps, around);
        by_sets.fill_by_sets(position, &maps, around);
        assert_eq!(by_sets.sum, one_by_one.sum, "{position:?}");
        assert_eq!(by_sets.count, one_by_one.count);
        assert_eq!(by_sets.hash_interest, one_by_one.hash_interest);
        assert_eq!(by_sets.reserve, one_by_one.reserve);
        for dull in &mut by_sets.dull {
            while let Some(scored) = dull.take() {
                by_sets.moves.push(scored);
            }
        }
        for list in [&mut one_by_one, &mut by_sets] {
            list.moves.sort_by_key(|scored| scored.mv.to_bits());
        }
        for (found, wanted) in by_sets.moves.iter().zip(&one_by_one.moves) {
            assert_eq!(found, wanted, "{position:?}");
        }
        assert_eq!(by_sets.moves.len(), one_by_one.moves.len(), "{position:?}");
    }

    #[test]
    fn moves_scored_by_sets_have_the_interest_that_they_have_one_by_one() {
        let default = Parameters::default();
        let options = [
            default,
            Parameters { development: 0, even: 10, ..default },
            Parameters { extra_terms: 0, fork: 300, hangs: 0, ..default },
            Parameters { history: 250, bad_quiet: 0, best_quiet: 0, ..default },
            Parameters { target: 100, uncovers: 100, ..default },
            Parameters { penalties: 1, ..default },
            Parameters::preset(Preset::Paper),
            Parameters::preset(Preset::Lmr),
        ];
        let mut usual = 0;
        random_positions(0..24, |position, line, seed| {
            let mut random = fastrand::Rng::with_seed(seed);
            let memory = trained(position, &mut random);
            let parameters = options[random.usize(..options.len())];
            let weights = Weights::new(&parameters);
            let penalties = Penalties::new(&parameters);
            let moves: MoveList = position.legal_moves();
            let mut code = || {
                let at = random.usize(..2 * moves.len().max(1));
                moves.get(at).map_or(0, |mv| mv.to_bits())
            };
            let suggested =
                Suggested { killers: [code(), code()], reply: code(), follow_on: code() };
            let around = Surroundings {
                weights: &weights,
                memory: &memory,
                penalties: penalties.is_on().then_some(&penalties),
                suggested,
                hash: Move::from_bits(code()),
                last_to: line.last().map(|mv| mv.to()),
                checked_before: random.bool(),
                similar: true,
                whole: random.bool(),
                thread: 0,
                plausible: None,
            };
            usual += usize::from(is_usual(&around));
            assert_same(position, &around);
        });
        assert!(usual > 500, "{usual}");
    }
}

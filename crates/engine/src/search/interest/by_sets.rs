//! Scores the moves of a node set by set, with the same result as [`Scorer::score`] move by move. Data that the moves
//! of a piece share are computed once, and each group of terms only for the moves that may have it.
//!
//! Most drops of a kind have the same interest: they give no check, have no history, and attack the same pieces. Those
//! are kept as [`DropSet`]s.

#![allow(
    clippy::inline_always,
    reason = "code that is not inlined into `run_with_bit_instructions` is compiled without its bit instructions"
)]

use super::drop_set::{DropPart, DropParts, DropSet};
use super::learned_share::LearnedPiece;
use super::list::{InterestList, Leaders};
use super::move_features::MoveFeatures;
use super::scored::{MoveFlags, ScoredMove};
use super::scorer::{Attacker, Scorer, ScoringContext};
use super::staged::{InterestSum, MeanInterest, Rest, TwoStageLimits};
use super::term::{Group, notable, part, sum_of, sum_of_new_attacks};
use super::terms;
use crate::eval::{capture_value, piece_class};
use crate::search::{
    attack_maps::AttackMaps,
    promotion::needless_non_promotions,
    weights::{Attack, TermWeight, Weights},
};
use kyomi_shogi::{
    Bitboard, Move, MoveSet, Origin, Piece, PieceKind, Position, Square, attacks, line,
    machine::{Work, run_with_bit_instructions},
    step_table,
};

/// Whether the moves of a node may be scored set by set: no rule that needs each move separately is on.
pub(super) fn can_score_by_sets(context: &ScoringContext<'_>) -> bool {
    let weights = context.weights;
    let dearest = |attack: &Attack| matches!(attack, Attack::Dearest(_));
    context.penalties.is_none()
        && context.plausible.is_none()
        && dearest(&weights.pawn_attacks)
        && dearest(&weights.attacks)
}

/// Which moves are scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    All,
    /// Moves that stand out: captures, promotions, checks, moves that a history table suggests, moves of hanging pieces
    /// of class silver or major, and pawn moves that attack more than pawns.
    First,
    /// The others.
    Rest,
}

/// Scores the moves of a position into an empty list: all moves, or in stages. Returns the new mean interest if it was
/// computed.
pub(super) fn score_by_sets(
    list: &mut InterestList,
    position: &Position,
    maps: &AttackMaps,
    context: &ScoringContext<'_>,
    staged: Option<&TwoStageLimits<'_>>,
) -> (Leaders, Option<MeanInterest>) {
    run_with_bit_instructions(ScoreBySets { list, position, maps, context, staged })
}

struct ScoreBySets<'a, 'l> {
    list: &'l mut InterestList,
    position: &'a Position,
    maps: &'a AttackMaps,
    context: &'a ScoringContext<'a>,
    staged: Option<&'a TwoStageLimits<'a>>,
}

impl Work for ScoreBySets<'_, '_> {
    type Output = (Leaders, Option<MeanInterest>);

    #[inline(always)]
    fn run(self) -> Self::Output {
        SetScorer::new(self.list, self.position, self.maps, self.context).score_all(self.staged)
    }
}

struct SetScorer<'a, 'l> {
    list: &'l mut InterestList,
    leaders: Leaders,
    scorer: Scorer<'a>,
    weights: &'a Weights,
    /// Codes of the moves that history tables suggest; 0 for none.
    suggested: [u16; 4],
    hash: u16,
    /// By attacker: the squares at which a new attack counts for any term.
    notable: [Bitboard; Attacker::COUNT],
    /// Whether needless non-promotions are set aside.
    sets_aside: bool,
    stage: Stage,
    /// Targets of the hash move and of the moves that history tables suggest.
    suggested_targets: Bitboard,
    /// The squares from which a pawn attacks a piece dearer than a pawn.
    before_pieces: Bitboard,
}

/// The data that the moves of a set share.
struct Common<'h> {
    start: TermWeight,
    notable: Bitboard,
    /// Targets at which the piece gives check.
    checks: Bitboard,
    /// Targets of moves that a history table suggests.
    suggested: Bitboard,
    promote: bool,
    /// The capture value of the moved piece. On an attacked square the exchange value is pending if the capture gains
    /// less than this. It is `i32::MIN` for a king, whose exchange value is never pending.
    moved_value: i32,
    /// History by target.
    history: &'h [i16; 81],
    /// The weights of learned probabilities; `None` if they are off.
    learned: Option<LearnedPiece<'h>>,
}

impl<'a, 'l> SetScorer<'a, 'l> {
    #[inline(always)]
    fn new(
        list: &'l mut InterestList,
        position: &'a Position,
        maps: &'a AttackMaps,
        context: &'a ScoringContext<'a>,
    ) -> Self {
        position.legal_move_sets(&mut list.sets);
        list.count = list.sets.count;
        let scorer = Scorer::new(position, maps, context, list.count);
        let weights = context.weights;
        let [_, cheap, middling, dear] = scorer.maps.them.pieces;
        let suggested = context.suggested.codes();
        let hash = context.hash.map_or(0, Move::to_bits);
        let suggested_targets =
            suggested.iter().chain([&hash]).filter_map(|code| Move::from_bits(*code));
        let suggested_targets =
            suggested_targets.fold(Bitboard::EMPTY, |all, mv| all.with(mv.to()));
        Self {
            list,
            leaders: Leaders::default(),
            weights,
            suggested,
            hash,
            // In the order of `Attacker::index`.
            notable: [
                notable(&scorer, Attacker::Piece(0)),
                notable(&scorer, Attacker::Piece(1)),
                notable(&scorer, Attacker::Piece(2)),
                notable(&scorer, Attacker::Piece(3)),
                notable(&scorer, Attacker::Pawn),
            ],
            sets_aside: !context.whole,
            stage: Stage::All,
            suggested_targets,
            before_pieces: (cheap | middling | dear).ahead(!scorer.us),
            scorer,
        }
    }

    /// Scores the moves that stand out, and the others if the first stage is not enough. Without `staged` it scores all
    /// moves at once. Returns the new mean interest if it was computed.
    #[inline(always)]
    fn score_all(mut self, staged: Option<&TwoStageLimits<'_>>) -> (Leaders, Option<MeanInterest>) {
        let Some(staged) = staged else {
            self.score_stage(Stage::All);
            return (self.leaders, None);
        };
        self.score_stage(Stage::First);
        let even = self.scorer.even.good;
        let rest = self.rest();
        let left_out = staged.mean_interest.sum(even, rest) + i64::from(self.weights.best_quiet);
        let floor = staged.floor(even, self.list.sum + left_out);
        if floor.is_some_and(|floor| staged.searched || self.resolve_to_affordable(floor)) {
            self.list.sum += left_out;
            self.list.partial = true;
            return (self.leaders, None);
        }
        let (before, aside) = (self.list.sum, self.list.reserve.len());
        let board_sum = self.score_stage(Stage::Rest);
        let aside = (self.list.reserve.len() - aside) as i64;
        let on_board = InterestSum { sum: board_sum - before, count: rest.on_board - aside };
        let drops = InterestSum { sum: self.list.sum - board_sum, count: rest.drops };
        (self.leaders, Some(staged.mean_interest.after(even, on_board, drops)))
    }

    /// Computes exchange values until a move other than the hash move has at least this interest. Returns whether one
    /// has.
    #[inline(always)]
    fn resolve_to_affordable(&mut self, floor: i32) -> bool {
        let (position, hash) = (self.scorer.position, self.hash);
        self.list.moves.iter_mut().any(|scored| {
            scored.interest >= floor && scored.mv.to_bits() != hash && {
                scored.resolve_exchange(position);
                scored.interest >= floor
            }
        })
    }

    /// The numbers of moves that the first stage has left out.
    #[inline(always)]
    fn rest(&self) -> Rest {
        let list = &self.list;
        let dropped = list.moves.iter().filter(|scored| scored.mv.is_drop()).count();
        let seen = list.moves.len() + list.reserve.len();
        let drops = list.sets.drops - dropped;
        Rest { on_board: (list.count - seen - drops) as i64, drops: drops as i64 }
    }

    /// Scores the moves of a stage. Returns the sum of interest before any drops.
    #[inline(always)]
    fn score_stage(&mut self, stage: Stage) -> i64 {
        self.stage = stage;
        let mut board_sum = None;
        let mut at = 0;
        while let Some(&set) = self.list.sets.sets.get(at) {
            match set.origin {
                Origin::Square(from) => self.piece(from, &set),
                Origin::Pawns => self.pawns(&set),
                Origin::Hand(kind) => {
                    board_sum = board_sum.or(Some(self.list.sum));
                    self.drops(kind, set.targets);
                }
            }
            at += 1;
        }
        board_sum.unwrap_or(self.list.sum)
    }

    /// The targets that belong to the current stage. `first` are those of moves that stand out.
    #[inline(always)]
    fn staged(&self, targets: Bitboard, first: Bitboard) -> Bitboard {
        match self.stage {
            Stage::All => targets,
            Stage::First => targets & first,
            Stage::Rest => targets & !first,
        }
    }

    /// The targets at which moves of a piece stand out.
    #[inline(always)]
    fn standing_out(&self, piece: Piece, from: Square, promote: bool) -> Bitboard {
        let scorer = &self.scorer;
        let kind = piece.kind();
        if promote || scorer.hanging.contains(from) && piece_class(kind) >= 2 {
            return Bitboard::ALL;
        }
        let mut first = self.suggested_targets | scorer.enemies | scorer.checking[kind.index()];
        if scorer.discoverers.contains(from)
            && let Some(king) = scorer.enemy_king
        {
            first |= !line(king, from);
        }
        first
    }

    /// Scores the moves of one piece.
    #[inline(always)]
    fn piece(&mut self, from: Square, set: &MoveSet) {
        let Some(piece) = self.scorer.position.piece_on(from) else { return };
        let before = piece.kind();
        let mut targets = set.targets;
        if self.stage != Stage::All {
            targets = self.staged(targets, self.standing_out(piece, from, set.promote));
            if targets.is_empty() {
                return;
            }
        }
        if self.sets_aside && !set.promote {
            targets &= !self.set_aside(piece, from, targets);
        }
        let Some(first) = targets.first() else { return };
        self.scorer.set_moved_piece(from, piece);
        let mut m = MoveFeatures::new(Move::normal(from, first, set.promote), Some(piece));
        let common = self.common(&m, from, targets);
        let (us, left) = (self.scorer.us, self.scorer.occupied.without(from));
        let free = !self.scorer.moved_piece.attacked;
        let after = m.after;
        match step_table(after, us) {
            _ if before == PieceKind::King => {
                self.each(&mut m, targets, &common, |_| Bitboard::EMPTY);
            }
            Some(table) => self.each(&mut m, targets, &common, |to| table[to.index()] & free),
            None => self.each(&mut m, targets, &common, |to| attacks(after, us, to, left) & free),
        }
    }

    /// Scores the steps of pawns.
    #[inline(always)]
    fn pawns(&mut self, set: &MoveSet) {
        let us = self.scorer.us;
        let piece = Piece::new(us, PieceKind::Pawn);
        let Some(table) =
            step_table(if set.promote { PieceKind::ProPawn } else { PieceKind::Pawn }, us)
        else {
            return;
        };
        let mut targets = set.targets;
        if self.stage != Stage::All {
            let checks = self.scorer.checking[PieceKind::Pawn.index()];
            let mut first =
                self.suggested_targets | self.scorer.enemies | checks | self.before_pieces;
            if set.promote {
                first = Bitboard::ALL;
            } else if let Some(king) = self.scorer.enemy_king {
                // A step on the file of the king gives no discovered check.
                let file = Bitboard::file(king.file());
                first |= self.scorer.discoverers.ahead(us) & !file;
            }
            targets = self.staged(targets, first);
        }
        for to in targets {
            let Some(from) = to.behind(us) else { continue };
            let targets = Bitboard::of(to);
            if self.sets_aside && !set.promote && self.set_aside(piece, from, targets).any() {
                continue;
            }
            self.scorer.set_moved_piece(from, piece);
            let mut m = MoveFeatures::new(Move::normal(from, to, set.promote), Some(piece));
            let common = self.common(&m, from, targets);
            // Before the move it attacked only its target, which it does not attack after it.
            m.new_attacks = table[to.index()];
            self.score(&mut m, &common);
        }
    }

    /// Puts needless non-promotions except the hash move into the reserve. Returns their targets.
    #[inline(always)]
    fn set_aside(&mut self, piece: Piece, from: Square, targets: Bitboard) -> Bitboard {
        let mut aside = needless_non_promotions(piece, from) & targets;
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

    #[inline(always)]
    fn common(&self, m: &MoveFeatures, from: Square, targets: Bitboard) -> Common<'a> {
        let scorer = &self.scorer;
        let mut checks = scorer.checking[m.after.index()];
        if scorer.discoverers.contains(from)
            && let Some(king) = scorer.enemy_king
        {
            checks |= !line(king, from);
        }
        let origin = from.index();
        Common {
            start: scorer.even + sum_of(Group::Piece, scorer, m),
            notable: self.notable[Attacker::of(m.before, m.after).index()],
            checks,
            suggested: self.suggested_of(m.mv.to_bits() >> 7, targets),
            promote: m.mv.is_promotion(),
            moved_value: if m.before == PieceKind::King {
                i32::MIN
            } else {
                capture_value(m.before)
            },
            history: scorer.context.history.quiet_from(scorer.us, origin),
            learned: scorer.context.learned.map(|learned| learned.piece(scorer, m)),
        }
    }

    /// Targets of the moves that a history table suggests and whose code begins with `start`.
    #[inline(always)]
    fn suggested_of(&self, start: u16, targets: Bitboard) -> Bitboard {
        let mut found = Bitboard::EMPTY;
        if (targets & self.suggested_targets).is_empty() {
            return found;
        }
        for code in self.suggested {
            if code >> 7 == start
                && let Some(mv) = Move::from_bits(code)
            {
                found = found.with(mv.to());
            }
        }
        found & targets
    }

    /// Scores the moves of one piece. `new_attacks` returns the squares that it newly attacks from its target.
    #[inline(always)]
    fn each(
        &mut self,
        m: &mut MoveFeatures,
        targets: Bitboard,
        common: &Common<'_>,
        new_attacks: impl Fn(Square) -> Bitboard,
    ) {
        for to in targets {
            m.to = to;
            m.new_attacks = new_attacks(to);
            self.score(m, common);
        }
    }

    /// Scores one move on the board, whose `to` and `new_attacks` are set.
    #[inline(always)]
    fn score(&mut self, m: &mut MoveFeatures, common: &Common<'_>) {
        let (scorer, to) = (&self.scorer, m.to);
        m.mv = m.mv.with_target(to);
        let mut sum = common.start;
        let mut gain = 0;
        m.captured = None;
        if scorer.enemies.contains(to) {
            m.captured = scorer.position.piece_on(to).map(Piece::kind);
            gain = m.captured.map_or(0, capture_value);
            sum += sum_of(Group::Capture, scorer, m);
        } else if !common.promote {
            sum += sum_of(Group::Quiet, scorer, m);
        }
        self.add_rest(m, common, sum, gain);
    }

    /// Adds the terms that drops and moves on the board share, and puts the move into the list.
    #[inline(always)]
    fn add_rest(
        &mut self,
        m: &mut MoveFeatures,
        common: &Common<'_>,
        mut sum: TermWeight,
        gain: i32,
    ) {
        let (scorer, to) = (&self.scorer, m.to);
        m.check = common.checks.contains(to);
        if m.check {
            sum += sum_of(Group::Check, scorer, m);
        }
        if common.suggested.contains(to) {
            sum += sum_of(Group::Suggested, scorer, m);
        }
        if (m.new_attacks & common.notable).any() {
            sum += sum_of_new_attacks(scorer, m);
        }
        if let (Some(piece), Some(learned)) = (&common.learned, scorer.context.learned) {
            sum += learned.weight(scorer, m, piece);
        }
        let flags = MoveFlags::default()
            .with(MoveFlags::CAPTURE, m.captured.is_some())
            .with(MoveFlags::CHECK, m.check)
            .with(MoveFlags::PROMOTION, common.promote)
            .with(
                MoveFlags::PENDING,
                scorer.maps.them.all.contains(to) && gain < common.moved_value,
            );
        if flags.is_quiet() {
            if !m.check {
                sum = terms::bad_quiet(self.weights, sum);
            }
            let history = i32::from(common.history[to.index()]);
            sum = terms::with_history(self.weights, sum, history);
        }
        let good = sum.good.max(1);
        let scored = ScoredMove { mv: m.mv, flags, interest: good, bad: sum.bad.clamp(1, good) };
        self.list.sum += i64::from(good);
        self.leaders.update(&scored, self.list.moves.len(), m.mv.to_bits() == self.hash);
        self.list.moves.push(scored);
    }

    /// Scores the drops of a kind: checks, evasions, and drops with history one by one, the others as sets.
    #[inline(always)]
    fn drops(&mut self, kind: PieceKind, targets: Bitboard) {
        let mut targets = targets;
        if self.stage != Stage::All {
            let mut first = self.scorer.checking[kind.index()] | self.suggested_targets;
            if kind == PieceKind::Pawn {
                first |= self.before_pieces;
            }
            targets = self.staged(targets, first);
        }
        let Some(first) = targets.first() else { return };
        let scorer = &self.scorer;
        let origin = 81 + kind.index();
        let mut m = MoveFeatures::new(Move::drop(kind, first), None);
        let (us, occupied) = (scorer.us, scorer.occupied);
        let start = scorer.even + sum_of(Group::Drop, scorer, &m);
        let suggested = self.suggested_of(origin as u16, targets);
        let common = Common {
            start,
            notable: self.notable[Attacker::of(kind, kind).index()],
            checks: scorer.checking[kind.index()],
            suggested,
            promote: false,
            moved_value: capture_value(kind),
            history: scorer.context.history.quiet_from(us, origin),
            learned: scorer.context.learned.map(|learned| learned.piece(scorer, &m)),
        };
        let mut single = targets;
        if scorer.checkers.is_empty() && self.stage != Stage::First {
            single &= common.checks | suggested | scorer.context.history.dropped(us, kind);
            if self.hash >> 7 == origin as u16
                && let Some(hash) = scorer.context.hash
            {
                single |= targets & Bitboard::of(hash.to());
            }
        }
        let together = targets & !single;
        if together.any() {
            single |= self.add_drop_sets(kind, together, start);
        }
        for to in single {
            m.to = to;
            m.mv = m.mv.with_target(to);
            m.new_attacks = attacks(kind, us, to, occupied);
            self.add_rest(&mut m, &common, start, 0);
        }
    }

    /// Adds drops as sets of equal interest. Returns the square of a drop that is left out because it may be the best
    /// quiet move, which has to be in the list itself.
    #[inline(always)]
    fn add_drop_sets(&mut self, kind: PieceKind, targets: Bitboard, start: TermWeight) -> Bitboard {
        let mut parts = DropParts::new(targets, start);
        part(&mut parts, &self.scorer, kind);
        if let Some(learned) = self.scorer.context.learned {
            let scorer = &self.scorer;
            learned.drop_weights(scorer, kind, |squares, more| parts.split_learned(squares, more));
            parts.add_learned(|weight| learned.weight_of_drops(scorer, kind, weight));
        }
        let most = parts.iter().map(|part| part.weight.good.max(1)).max().unwrap_or(0);
        let mut left_out = Bitboard::EMPTY;
        if most > self.leaders.best_quiet.interest() {
            let best = parts.iter().filter(|part| part.weight.good.max(1) == most);
            if let Some(first) = best.filter_map(|part| part.targets.first()).min() {
                left_out = Bitboard::of(first);
                parts.remove(first);
            }
        }
        for &DropPart { targets, weight, .. } in parts.iter() {
            if targets.is_empty() {
                continue;
            }
            let interest = weight.good.max(1);
            let bad = terms::bad_quiet(self.weights, weight).bad.clamp(1, interest);
            let pending = self.scorer.maps.them.all;
            self.list.sum += i64::from(targets.count()) * i64::from(interest);
            self.leaders.best = self.leaders.best.max(interest);
            self.list.drop_sets.push(DropSet { kind, targets, pending, interest, bad });
        }
        left_out
    }
}

#[cfg(test)]
mod tests;

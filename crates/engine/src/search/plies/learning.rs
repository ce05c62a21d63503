//! When a search by plies learns, and how much.

use super::moves::Node;
use super::picker::is_tactical;
use crate::search::ply_knowledge::{BACK, Place};
use crate::search::{kind::SearchKind, value::is_judged, worker::Worker};
use kyomi_shogi::{Move, Piece};
use std::ops::RangeInclusive;

impl<K: SearchKind> Worker<K> {
    /// Learns from a node whose best move reached more than alpha, and these others did not.
    pub(super) fn learn_from_best(
        &mut self,
        node: &Node,
        depth: i32,
        best: Move,
        quiets: &[Move],
        captures: &[Move],
    ) {
        let bonus = (150 * depth - 80).min(1600) + if node.hash == Some(best) { 300 } else { 0 };
        let malus = (700 * depth - 190).min(2100);
        if is_tactical(&self.line.position, best) {
            self.learn_capture(best, bonus);
        } else {
            self.learn_quiet(node, best, bonus);
            for (at, &mv) in quiets.iter().enumerate() {
                // The later a move came, the less its failure says.
                self.learn_quiet(node, mv, -malus * 20 / (20 + at as i32));
            }
        }
        for &mv in captures {
            self.learn_capture(mv, -malus);
        }
        // The first quiet move of the node before that was not the table's was no good if a reply refutes it.
        let before = self.knowledge.plies.back(node.ply, 1);
        let first = 1 + i32::from(before.is_some_and(|data| data.was_found));
        self.learn_refuted(node.ply, first..=first, malus);
    }

    /// Takes from the move of the node before, which is refuted, if it is quiet and its place in the order is `among`
    /// these.
    pub(super) fn learn_refuted(&mut self, ply: usize, among: RangeInclusive<i32>, malus: i32) {
        let Some(before) = ply.checked_sub(1) else { return };
        let data = self.knowledge.plies.stack[before];
        if data.made.quiet && among.contains(&data.made.number) {
            self.learn_after(before, data.place, -malus);
        }
    }

    /// Learns from a node none of whose moves reached alpha: the move before it was good, the more so the later it came
    /// and the worse its history was.
    pub(super) fn learn_from_failure(&mut self, node: &Node, depth: i32) {
        let Some(before) = node.ply.checked_sub(1) else { return };
        let (data, mv) = (self.knowledge.plies.stack[before], self.line.frames[before].mv);
        let Some(mv) = mv.filter(|_| data.made.quiet) else { return };
        let surprise = 100 + if data.made.number > 8 { 60 } else { 0 } - data.made.history / 150;
        let bonus = (140 * depth - 90).clamp(0, 1300) * surprise.clamp(0, 300) / 100;
        self.learn_after(before, data.place, bonus * 3 / 2);
        let side = !self.line.position.side_to_move();
        let learned = &mut self.knowledge.plies.learned;
        learned.learn_plain(side, mv, bonus / 2);
        learned.learn_by_pawns(node.pawns, data.place, bonus);
    }

    /// Learns how far the value of a node is from its evaluation, where both can be compared.
    pub(super) fn learn_correction(
        &mut self,
        node: &Node,
        depth: i32,
        best_move: Option<Move>,
        best: i32,
    ) {
        let Some(eval) = node.static_eval else { return };
        let is_quiet = best_move.is_none_or(|mv| !is_tactical(&self.line.position, mv));
        let is_below = best_move.is_none();
        let is_above = best >= node.window.beta;
        let says_nothing = is_below && best >= eval || is_above && best <= eval;
        if is_quiet && is_judged(best) && !says_nothing {
            let bonus = (best - eval) * depth / 8;
            self.knowledge.plies.learned.learn_correction(&node.corrections, bonus);
        }
    }

    /// Adds a bonus to all histories of a quiet move of a node.
    pub(super) fn learn_quiet(&mut self, node: &Node, mv: Move, bonus: i32) {
        let side = self.line.position.side_to_move();
        let place = Place::of(&self.line.position, mv);
        let learned = &mut self.knowledge.plies.learned;
        learned.learn_plain(side, mv, bonus);
        learned.learn_near_root(node.ply, mv, bonus * 8 / 10);
        learned.learn_by_pawns(node.pawns, place, bonus * if bonus > 0 { 8 } else { 5 } / 10);
        self.learn_after(node.ply, place, bonus);
    }

    fn learn_capture(&mut self, mv: Move, bonus: i32) {
        let victim = self.line.position.piece_on(mv.to()).map(Piece::kind);
        let place = Place::of(&self.line.position, mv);
        self.knowledge.plies.learned.learn_capture(place, victim, bonus);
    }

    /// Adds a bonus to a move of a ply after the moves before it.
    pub(super) fn learn_after(&mut self, ply: usize, place: Place, bonus: i32) {
        let plies = &mut self.knowledge.plies;
        let before = plies.before(ply);
        let in_check = plies.stack[ply].in_check;
        for (back, weight) in BACK {
            // An evasion has little to do with older moves.
            if in_check && back > 2 {
                break;
            }
            let at = before[back - 1];
            if !at.is_none() {
                plies.learned.learn_after(at, place, bonus * weight / 1024);
            }
        }
    }
}

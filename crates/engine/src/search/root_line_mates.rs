//! The mate searches along the best line of the root (docs/search.md, section 1.10): for a mate by the side to move,
//! for a threat, which is a mate by the other side after a pass, and for brinkmate (hisshi), a threat that no reply
//! averts.

use std::cmp::Reverse;

use super::cost::Budgets;
use super::kind::SearchKind;
use super::mate_search::Proof;
use super::mate_searches::{MateSearches, RefutedReply, ThreatenedPosition, WonPosition};
use super::root_mate_search::{LEAST_SHARE, Limits, Proven};
use super::table::{EntryBound, NewEntry, StoredBudgets};
use super::value::{MATE_BOUND, Value, mates_in};
use super::worker::Worker;
use kyomi_shogi::{Bitboard, Move, Position};

/// A position of the best line.
struct PositionOnLine<'a> {
    position: &'a Position,
    /// The moves from the root to it.
    moves: &'a [Move],
    /// The move of the best line in it, if the line has one.
    reply: Option<Move>,
}

impl<K: SearchKind> Worker<K> {
    /// The moves of a best line whose positions the mate search examines. One of them is not enough, unless threats are
    /// asked for, since the position after it has its own mate search.
    pub(super) fn examined_part<'a>(&self, line: &'a [Move]) -> &'a [Move] {
        let p = &self.parameters;
        let for_mates =
            if p.mate_line > 0 && line.len() > 1 { p.mate_line as usize + 1 } else { 0 };
        &line[..line.len().min(for_mates.max(p.mate_line_threat as usize))]
    }

    /// Examines the positions of the best line from this one on; the first one, 1, is that after its first move. The
    /// main search learns of a mate by the table, and on the principal variation by [`WonPosition`]. Returns a mate that
    /// begins with the first move, or that refutes it.
    pub(super) fn search_line_for_mates(
        &mut self,
        mates: &mut MateSearches,
        line: &[Move],
        first: usize,
        nodes: u64,
        limits: &Limits,
    ) -> Option<Proven> {
        if line.first().is_none_or(|mv| mates.refuted.contains(mv)) {
            return None;
        }
        mates.keep_for_this_root();
        let end = mates.nodes() + nodes;
        let (for_mates, for_threats) =
            (self.parameters.mate_line as usize + 1, self.parameters.mate_line_threat as usize);
        let mut position = self.position.clone();
        for made in 1..=line.len() {
            position.do_move(line[made - 1]);
            if made < first {
                continue;
            }
            if mates.won.iter().any(|won| won.key == position.key()) {
                return None;
            }
            let part = |mates: &MateSearches| {
                end.saturating_sub(mates.nodes()) / (line.len() - made + 1) as u64
            };
            let on_line = PositionOnLine {
                position: &position,
                moves: &line[..made],
                reply: line.get(made).copied(),
            };
            if made > 1
                && made <= for_mates
                && self.mates_on_line(mates, &on_line, part(mates), limits)
            {
                return None;
            }
            if made <= for_threats
                && let Some(proven) = self.brinkmate_on_line(mates, &on_line, part(mates), limits)
            {
                return Some(proven);
            }
        }
        None
    }

    /// Looks for a mate by the side to move. Returns whether there is one.
    fn mates_on_line(
        &mut self,
        mates: &mut MateSearches,
        on_line: &PositionOnLine<'_>,
        nodes: u64,
        limits: &Limits,
    ) -> bool {
        let PositionOnLine { position, moves, .. } = *on_line;
        let search = mates.attack_by(moves.len().is_multiple_of(2));
        match search.continue_search(position, nodes, limits.deadline, &limits.stop) {
            Proof::Mate { line, plies } => self.record_win(mates, position, moves, line, plies),
            Proof::NoMate | Proof::Unknown => false,
        }
    }

    /// Asks whether the other side threatens mate, and if it does, whether it mates after every reply. Returns what
    /// that proves about the first move of the line.
    fn brinkmate_on_line(
        &mut self,
        mates: &mut MateSearches,
        on_line: &PositionOnLine<'_>,
        nodes: u64,
        limits: &Limits,
    ) -> Option<Proven> {
        let PositionOnLine { position, moves, .. } = *on_line;
        let wins = position.entering_king_win(self.rules.entering_king).is_some();
        if position.in_check() || wins || nodes < LEAST_SHARE {
            return None;
        }
        let end = mates.nodes() + nodes;
        let at = ask_for_threat(mates, on_line, nodes / 2, limits)?;
        let left = end.saturating_sub(mates.nodes());
        let longest = self.refute_replies(mates, at, on_line, left, limits)?;
        let (&last, before) = moves.split_last()?;
        let (reply, plies) = (longest.mv, longest.plies + 2);
        let won: Vec<Move> = [last, reply].into_iter().chain(longest.line).collect();
        let whole: Vec<Move> = before.iter().chain(&won).copied().collect();
        // The replies may have been examined after other moves that lead to this position.
        if before.len() < 2 && !self.is_mate_by_rules(&whole, before.len() + plies) {
            return None;
        }
        match before.len() {
            0 => Some(Proven::win(whole, plies)),
            1 => Some(Proven::loss(whole, plies + 1)),
            _ => {
                let mut position = self.position.clone();
                for &mv in before {
                    position.do_move(mv);
                }
                self.record_win(mates, &position, before, won, plies);
                None
            }
        }
    }

    /// Searches for a mate by the other side after one reply after the other. Returns the longest mate once every reply
    /// is mated.
    fn refute_replies(
        &mut self,
        mates: &mut MateSearches,
        at: usize,
        on_line: &PositionOnLine<'_>,
        nodes: u64,
        limits: &Limits,
    ) -> Option<RefutedReply> {
        let PositionOnLine { position, moves, reply } = *on_line;
        let end = mates.nodes() + nodes;
        let by_root_side = !moves.len().is_multiple_of(2);
        for mv in replies(position, reply, &mates.threatened[at].threat) {
            if mates.threatened[at].refuted.iter().any(|refuted| refuted.mv == mv) {
                continue;
            }
            let left = end.saturating_sub(mates.nodes());
            if left < LEAST_SHARE {
                return None;
            }
            let mut after = position.clone();
            after.do_move(mv);
            let known = mates.won.iter().find(|won| won.key == after.key());
            let refuted = if let Some(won) = known {
                RefutedReply { mv, plies: won.plies, line: won.line.clone() }
            } else {
                let search = mates.attack_by(by_root_side);
                let proof = search.continue_search(&after, left, limits.deadline, &limits.stop);
                let Proof::Mate { line, plies } = proof else { return None };
                let moves: Vec<Move> = moves.iter().copied().chain([mv]).collect();
                if !self.record_win(mates, &after, &moves, line.clone(), plies) {
                    return None;
                }
                RefutedReply { mv, plies, line }
            };
            mates.threatened[at].refuted.push(refuted);
        }
        mates.threatened[at].refuted.iter().max_by_key(|refuted| refuted.plies).cloned()
    }

    /// Records a mate by the side to move in a position that these moves reach from the root. Returns whether it counts
    /// by the rules.
    fn record_win(
        &mut self,
        mates: &mut MateSearches,
        position: &Position,
        moves: &[Move],
        mate: Vec<Move>,
        plies: usize,
    ) -> bool {
        let whole: Vec<Move> = moves.iter().chain(&mate).copied().collect();
        if !self.is_mate_by_rules(&whole, moves.len() + plies) {
            return false;
        }
        let entry = NewEntry {
            mv: mate.first().copied(),
            score: mates_in(moves.len() + plies).max(MATE_BOUND),
            eval: None,
            // A shorter mate may exist, but a lower bound would not replace a deeper entry.
            bound: EntryBound::Exact,
            budgets: StoredBudgets::new(Budgets::whole(0), position.in_check()),
            cost: self.costs.min,
            pv: true,
            path_dependent: false,
        };
        self.table.store(position.key(), moves.len(), entry);
        mates.won.push(WonPosition { key: position.key(), plies, line: mate });
        true
    }

    /// The value of a node of the principal variation in which the mate search has found a mate. The frame of the ply
    /// has its line.
    #[cold]
    pub(super) fn value_of_won_position(&mut self, ply: usize) -> Option<Value> {
        let key = self.position.key();
        let won = self.mates.won.iter().find(|won| won.key == key)?;
        let left = (super::MAX_PLY - ply).min(won.line.len());
        self.frames[ply].pv = won.line[..left].iter().copied().collect();
        Some(Value::of_position(mates_in(ply + won.plies).max(MATE_BOUND)))
    }

    /// Whether the other side is known to threaten mate in a node. Its evaluation says little then.
    pub(super) fn is_threatened_on_line(&self) -> bool {
        let key = self.position.key();
        self.mates.threatened.iter().any(|known| known.key == key)
    }
}

/// The index of a position among the threatened ones, if the other side threatens mate in it.
fn ask_for_threat(
    mates: &mut MateSearches,
    on_line: &PositionOnLine<'_>,
    nodes: u64,
    limits: &Limits,
) -> Option<usize> {
    let PositionOnLine { position, moves, .. } = *on_line;
    let of_root_side = moves.len().is_multiple_of(2);
    let known = mates.threatened.iter().position(|known| known.key == position.key());
    let at = match known {
        Some(at) => at,
        None if mates.not_threatened.contains(&position.key()) => return None,
        None => {
            let mut passed = position.clone();
            passed.do_null_move();
            let search = mates.attack_by(!of_root_side);
            match search.continue_search(&passed, nodes, limits.deadline, &limits.stop) {
                Proof::Mate { line: threat, .. } => {
                    let (key, refuted) = (position.key(), Vec::new());
                    mates.threatened.push(ThreatenedPosition { key, threat, refuted });
                    mates.threatened.len() - 1
                }
                Proof::NoMate => {
                    mates.not_threatened.push(position.key());
                    return None;
                }
                Proof::Unknown => return None,
            }
        }
    };
    mates.line_threat |= of_root_side;
    Some(at)
}

/// The legal moves, those first that are more likely to avert a mate: the reply of the best line, then moves of the
/// king, captures, and moves to the squares of the mating line.
fn replies(position: &Position, first: Option<Move>, mate: &[Move]) -> Vec<Move> {
    let squares = mate.iter().fold(Bitboard::EMPTY, |squares, mv| squares.with(mv.to()));
    let king = position.king_square(position.side_to_move());
    let mut replies: Vec<Move> = position.legal_moves().iter().copied().collect();
    replies.sort_by_key(|&mv| {
        let averts = mv.from().is_some_and(|from| Some(from) == king)
            || position.is_capture(mv)
            || squares.contains(mv.to());
        Reverse((Some(mv) == first, averts))
    });
    replies
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::is_mate_line;
    use crate::search::line::{Line, RootLine};
    use crate::search::root_mate_search::tests::worker;
    use crate::search::value::mated_in;
    use crate::search::{Parameters, StopFlag};
    use kyomi_shogi::notation::usi::parse_move;

    /// After 2d2c black threatens to mate with its gold, whatever white plays.
    const BRINKMATE: &str = "8k/9/p8/7G1/9/9/9/9/P8 b G 1";

    fn moves(text: &str) -> Vec<Move> {
        text.split(' ').map(|mv| parse_move(mv).unwrap()).collect()
    }

    /// What the mate searches prove about a line if they ask for threats in this number of its positions.
    fn proven(sfen: &str, line: &str, positions: i32) -> (Option<Proven>, MateSearches) {
        let parameters = Parameters { mate_line_threat: positions, ..Parameters::default() };
        let mut worker = worker(sfen, &parameters);
        let line = Line::from_iter(moves(line));
        let proven = worker.search_for_mates(&RootLine { line, ..RootLine::default() });
        (proven, worker.mates)
    }

    #[test]
    fn a_move_that_threatens_mate_wins_if_no_reply_averts_it() {
        let (proven, _) = proven(BRINKMATE, "2d2c 9c9d", 1);
        let Some(Proven::Win { score, line }) = proven else { panic!("brinkmate") };
        assert_eq!((score, line.len()), (mates_in(3), 3));
        assert_eq!(line[0], parse_move("2d2c").unwrap());
        let mut position = Position::from_sfen(BRINKMATE).unwrap();
        position.do_move(line[0]);
        position.do_move(line[1]);
        assert!(is_mate_line(&position, &line[2..]));
    }

    #[test]
    fn a_move_loses_if_the_answer_to_it_is_brinkmate() {
        let white = BRINKMATE.replace(" b ", " w ");
        let (lost, mates) = proven(&white, "9c9d 2d2c 1a2a", 2);
        let Some(Proven::Loss { score, line }) = lost else { panic!("brinkmate") };
        assert_eq!((score, &line[..2]), (mated_in(4), &moves("9c9d 2d2c")[..]));
        assert!(mates.line_threat);
        // The threat is not asked for as far along the line.
        assert!(proven(&white, "9c9d 2d2c 1a2a", 1).0.is_none());
    }

    #[test]
    fn brinkmate_after_the_reply_is_seen_at_last_and_leaves_nodes_for_another_move() {
        let parameters =
            Parameters { mate_line_threat: 2, mate_final: 100, ..Parameters::default() };
        let mut worker = worker(&BRINKMATE.replace(" b ", " w "), &parameters);
        worker.limit_nodes(110_000);
        let line = moves("9c9d 2d2c 1a2a");
        let (score, _) = worker.final_mate_search(&line, 5000).unwrap();
        assert_eq!(score, mated_in(4));
        // The share of this search is not withheld from it.
        assert!(worker.nodes_left() > 5000, "{}", worker.nodes_left());
    }

    #[test]
    fn a_threat_on_a_line_stays_known_for_this_root() {
        let parameters = Parameters { mate_line_threat: 2, ..Parameters::default() };
        // White has a gold to avert the mate.
        let sfen = BRINKMATE.replace(" b G ", " w Gg ");
        let mut worker = worker(&sfen, &parameters);
        for line in ["9c9d 2d2c", "9c9d 9i9h"] {
            let line = Line::from_iter(moves(line));
            assert!(worker.search_for_mates(&RootLine { line, ..RootLine::default() }).is_none());
            assert!(worker.mates.is_threatened());
        }
    }

    #[test]
    fn no_threat_is_asked_for_in_check() {
        let (proven, mates) = proven(BRINKMATE, "G*1b 1a1b", 1);
        assert!(proven.is_none() && mates.threatened.is_empty() && mates.not_threatened.is_empty());
    }

    #[test]
    fn nothing_is_proven_if_one_reply_averts_the_mate() {
        // A gold in hand protects the king; a rook captures the gold that threatens mate.
        for sfen in [BRINKMATE.replace(" G ", " Gg "), BRINKMATE.replace("p8", "r8")] {
            let (proven, mates) = proven(&sfen, "2d2c 9c9d", 1);
            assert!(proven.is_none(), "{sfen}");
            // The threat of black itself gives its search no more nodes.
            assert!(mates.threatened.len() == 1 && !mates.is_threatened(), "{sfen}");
        }
    }

    #[test]
    fn brinkmate_further_along_the_line_is_known_to_the_main_search() {
        let parameters = Parameters { mate_line_threat: 3, ..Parameters::default() };
        let mut worker = worker(BRINKMATE, &parameters);
        let line = moves("9i9h 9c9d 2d2c");
        let best = RootLine { line: line.iter().copied().collect(), ..RootLine::default() };
        assert!(worker.search_for_mates(&best).is_none());
        worker.make(0, line[0]);
        worker.make(1, line[1]);
        assert_eq!(worker.value_of_won_position(2).unwrap().score, mates_in(5));
        let found = worker.table.probe(worker.position.key(), 2).unwrap();
        assert!(found.is_proven() && found.score == mates_in(5));
        assert!(!worker.is_threatened_on_line());
        worker.make(2, line[2]);
        assert!(worker.is_threatened_on_line());
    }

    #[test]
    fn a_mate_further_along_the_line_is_known_to_the_main_search() {
        let parameters = Parameters { mate_line: 2, ..Parameters::default() };
        let mut worker = worker("5B1n1/8k/6Rpp/9/9/9/P8/9/9 b rb4g4s3n4l15p 1", &parameters);
        let line = moves("9g9f P*9b 9f9e");
        let limits = Limits { deadline: None, stop: StopFlag::new() };
        let mut mates = std::mem::take(&mut worker.mates);
        worker.search_line_for_mates(&mut mates, &line, 1, 20_000, &limits);
        worker.mates = mates;
        worker.make(0, line[0]);
        worker.make(1, line[1]);
        let key = worker.position.key();
        assert_eq!(worker.mates.won.iter().map(|won| won.key).collect::<Vec<_>>(), [key]);
        let value = worker.value_of_won_position(2).unwrap();
        assert!(value.score >= MATE_BOUND && value.score <= mates_in(7), "{value:?}");
        assert!(is_mate_line(&worker.position, &worker.frames[2].pv));
        let found = worker.table.probe(key, 2).unwrap();
        assert!(found.is_proven() && found.score == value.score);
    }
}

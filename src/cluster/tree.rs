//! The tree of positions that are distributed to workers: positions after the current one.
//!
//! Inside a search a line ends when its cost exceeds the limit. Here the positions whose lines cost least get the
//! workers, so the same measure is used inside a thread and between machines. A leaf that was searched may be split:
//! its worker moves on to the child by its best move. The value of a node is then that of its best child that was
//! searched to at least the same limit.

use kyomi_engine::search::{MoveCost, MoveCosts};
use kyomi_shogi::{CountStart, EnteringKingRule, Game, Move};

/// The index of a node in its tree.
pub(super) type NodeId = usize;

/// The result of a search of a node, for the side to move there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// Centipawns; a mate as [`Score::centipawns`](kyomi_shogi::Score::centipawns) counts it.
    pub(super) score: i32,
    /// The completed limit in units.
    pub(super) limit: i32,
    /// The line, best move first; never empty.
    pub(super) line: Vec<Move>,
}

/// One position.
#[derive(Debug)]
pub(super) struct Node {
    /// The game up to the position.
    pub(super) game: Game,
    /// The node before, and by how many units a search of it is deeper ([`MoveCost::limit_difference`]).
    parent: Option<(NodeId, i32)>,
    children: Vec<NodeId>,
    /// The result of a search of this position.
    pub(super) found: Option<Found>,
    /// Nodes that workers have searched here since the last decision in which they counted.
    pub(super) uncounted: u64,
    /// The moves by cost, with the best move that they were computed for.
    costs: Option<(Option<Move>, Vec<MoveCost>)>,
}

/// Whose turn it is at the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// It is our turn: we search the root ourselves.
    Ours,
    /// The opponent is to move, and we search the position after this reply ourselves.
    Theirs {
        /// The reply we ponder on.
        expected: Move,
    },
}

/// A tree of positions.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    turn: Turn,
    /// How an entered king wins.
    rule: EnteringKingRule,
}

/// The root of every tree.
const ROOT: NodeId = 0;

/// The value of a node for the side to move there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) score: i32,
    /// The limit, in units, of a search of this node that would be as deep.
    pub(super) limit: i32,
    pub(super) line: Vec<Move>,
}

/// The rules for choosing the positions that get workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeRules {
    /// How much of the probability of all replies is covered, by the one that we ponder on and those that get workers,
    /// in percent.
    pub replies: u32,
    /// The probability of the reply that we ponder on, in percent.
    pub expected: u32,
    /// Whether positions beyond the first moves get workers of their own; otherwise only replies do.
    pub deep: bool,
}

impl Tree {
    pub(super) fn new(game: Game, turn: Turn) -> Self {
        Self { nodes: vec![Node::new(game, None)], turn, rule: EnteringKingRule::default() }
    }

    /// Sets how an entered king wins.
    pub(super) fn set_rule(&mut self, rule: EnteringKingRule) {
        self.rule = rule;
    }

    /// How an entered king wins.
    pub(super) fn rule(&self) -> EnteringKingRule {
        self.rule
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }

    pub(super) fn node_mut(&mut self, id: NodeId) -> Option<&mut Node> {
        self.nodes.get_mut(id)
    }

    /// The node that we search ourselves. `None` if the position after the expected reply is not worth searching
    /// ([`is_worth_searching`]), or the tree is full.
    pub(super) fn own(&mut self) -> Option<NodeId> {
        match self.turn {
            Turn::Ours => Some(ROOT),
            Turn::Theirs { expected } => self.child(ROOT, expected, 0),
        }
    }

    /// Takes the [uncounted](Node::uncounted) nodes of the positions with a result. `own_has_result`: whether the
    /// position that we search ourselves has a result of workers.
    pub(super) fn take_uncounted(&mut self, own_has_result: bool) -> u64 {
        let own = self.own();
        let has_result = |(id, node): &(NodeId, &mut Node)| {
            if Some(*id) == own { own_has_result } else { node.found.is_some() }
        };
        let known = self.nodes.iter_mut().enumerate().filter(has_result);
        known.map(|(_, node)| std::mem::take(&mut node.uncounted)).sum()
    }

    /// Makes the position of `game` the root, and keeps the subtree below it. Returns the new index of each node by its
    /// old one; `None` for nodes that are dropped.
    pub(super) fn move_root(&mut self, game: &Game, turn: Turn) -> Vec<Option<NodeId>> {
        let old = std::mem::take(&mut self.nodes);
        let mut places = vec![None; old.len()];
        self.turn = turn;
        let Some(root) = old.iter().position(|node| node.game.is_same_as(game)) else {
            self.nodes.push(Node::new(game.clone(), None));
            return places;
        };
        // Parents come before their children.
        for (at, node) in old.into_iter().enumerate() {
            let parent = match node.parent {
                _ if at == root => None,
                Some((parent, limit_difference)) => match places[parent] {
                    Some(parent) => Some((parent, limit_difference)),
                    None => continue,
                },
                None => continue,
            };
            let place = self.nodes.len();
            places[at] = Some(place);
            if let Some((parent, _)) = parent {
                self.nodes[parent].children.push(place);
            }
            self.nodes.push(Node { parent, children: Vec::new(), ..node });
        }
        places
    }

    /// The child of a node by this move, created if necessary. `None` if it is not worth searching or the tree is full.
    fn child(&mut self, id: NodeId, mv: Move, limit_difference: i32) -> Option<NodeId> {
        let known = self.nodes[id].children.iter().copied();
        if let Some(child) =
            known.into_iter().find(|child| self.nodes[*child].last_move() == Some(mv))
        {
            return Some(child);
        }
        let mut game = self.nodes[id].game.clone();
        game.push(mv).ok()?;
        if self.nodes.len() >= MOST_NODES || !is_worth_searching(&game, self.rule) {
            return None;
        }
        let place = self.nodes.len();
        self.nodes.push(Node::new(game, Some((id, limit_difference))));
        self.nodes[id].children.push(place);
        Some(place)
    }

    /// The moves of a node, the cheapest first.
    fn costs(&mut self, id: NodeId, costs: &mut MoveCosts) -> &[MoveCost] {
        let best = self.value(id).and_then(|value| value.line.first().copied());
        let node = &mut self.nodes[id];
        if node.costs.as_ref().is_none_or(|(of, _)| *of != best) {
            let limit = node.found.as_ref().map_or(TYPICAL_LIMIT, |found| found.limit.max(1));
            node.costs = Some((best, costs.of(&node.game, limit, best)));
        }
        node.costs.as_ref().map_or(&[], |(_, moves)| moves)
    }

    /// The positions for this number of workers, the most important first. May return fewer.
    pub(super) fn plan(
        &mut self,
        workers: usize,
        rules: &TreeRules,
        costs: &mut MoveCosts,
    ) -> Vec<NodeId> {
        let mut candidates = Vec::new();
        let own = self.own();
        if let Turn::Theirs { expected } = self.turn {
            for (mv, cost) in self.replies(expected, rules, costs).into_iter().take(workers) {
                candidates.push(Candidate {
                    base: 0,
                    cost,
                    parent: ROOT,
                    mv,
                    rank: None,
                    first: None,
                });
            }
        }
        if let Some(own) = own.filter(|_| rules.deep) {
            candidates.extend(self.candidate(own, Some(0), 0, costs));
        }
        let mut leaves: Vec<NodeId> = Vec::new();
        while leaves.len() < workers {
            let Some(at) = (0..candidates.len()).min_by_key(|at| candidates[*at].line_cost())
            else {
                break;
            };
            let taken = candidates.swap_remove(at);
            if taken.rank.is_some() {
                let next = taken.rank.map(|rank| rank + 1);
                candidates.extend(self.candidate(taken.parent, next, taken.base, costs));
            }
            if let Some(first) = taken.first {
                // The worker of the leaf goes to its first move.
                let place = leaves.iter().position(|leaf| *leaf == taken.parent);
                let child = self.child(taken.parent, first.mv, first.limit_difference);
                let (Some(place), Some(child)) = (place, child) else { continue };
                leaves[place] = child;
                candidates.extend(self.split(child, taken.base + first.cost, costs));
            }
            let limit_difference = self.limit_difference_of(taken.parent, taken.mv);
            let Some(child) = self.child(taken.parent, taken.mv, limit_difference) else {
                continue;
            };
            leaves.push(child);
            if rules.deep {
                candidates.extend(self.split(child, taken.line_cost(), costs));
            }
        }
        leaves
    }

    /// The candidate for a worker by the move of this rank at a node. `base` is the cost of the line to the node.
    fn candidate(
        &mut self,
        id: NodeId,
        rank: Option<usize>,
        base: i32,
        costs: &mut MoveCosts,
    ) -> Option<Candidate> {
        let next = *self.costs(id, costs).get(rank?)?;
        Some(Candidate { base, cost: next.cost, parent: id, mv: next.mv, rank, first: None })
    }

    /// The candidate to split a leaf: its worker goes on to its first move, and another worker gets its second. A leaf
    /// that was not searched itself is not split, since a few of its moves do not tell its value.
    fn split(&mut self, id: NodeId, base: i32, costs: &mut MoveCosts) -> Option<Candidate> {
        self.nodes[id].found.as_ref()?;
        let first = *self.costs(id, costs).first()?;
        let second = self.candidate(id, Some(1), base, costs)?;
        Some(Candidate { first: Some(first), ..second })
    }

    fn limit_difference_of(&self, id: NodeId, mv: Move) -> i32 {
        let (_, moves) =
            self.nodes[id].costs.as_ref().map_or((&None, &[][..]), |(of, it)| (of, &it[..]));
        moves.iter().find(|it| it.mv == mv).map_or(0, |it| it.limit_difference)
    }

    /// The replies that we do not ponder on ourselves, the likeliest first, with their costs. Together with the one
    /// that we ponder on they cover [`TreeRules::replies`] of the probability.
    fn replies(
        &mut self,
        expected: Move,
        rules: &TreeRules,
        costs: &mut MoveCosts,
    ) -> Vec<(Move, i32)> {
        let moves = costs.of(&self.nodes[ROOT].game, TYPICAL_LIMIT, Some(expected));
        self.nodes[ROOT].costs = Some((Some(expected), moves.clone()));
        let others = 100 - rules.expected.min(100);
        let sum: u32 = moves.iter().filter(|it| it.mv != expected).map(|it| it.share).sum();
        let mut held = rules.expected * 10;
        let mut replies = Vec::new();
        let mut by_share: Vec<_> = moves.into_iter().filter(|it| it.mv != expected).collect();
        by_share.sort_by_key(|it| (std::cmp::Reverse(it.share), it.mv.to_bits()));
        for it in by_share {
            if held >= rules.replies * 10 {
                break;
            }
            // In thousandths.
            let probability = it.share * others * 10 / sum.max(1);
            held += probability;
            let cost = REPLY_COST * (1000.0 / f64::from(probability.max(1))).log2();
            replies.push((it.mv, cost as i32));
        }
        replies
    }

    /// The value of a node by the searches of it and of the nodes below. `None` if it was not searched itself.
    pub(super) fn value(&self, id: NodeId) -> Option<Value> {
        let node = &self.nodes[id];
        let own = node.found.as_ref()?;
        let own = Value { score: own.score, limit: own.limit, line: own.line.clone() };
        let below: Vec<Value> =
            node.children.iter().filter_map(|child| self.value_for_parent(*child)).collect();
        let known = |value: &&Value| value.limit >= own.limit;
        let best = below.iter().filter(known).max_by_key(|value| (value.score, value.limit));
        let first = below.iter().filter(known).find(|value| value.line.first() == own.line.first());
        // If the best move of the own search was searched deeper since, its new value counts, even a worse one.
        let replaced = |best: &&Value| first.is_some() || best.score > own.score;
        Some(best.filter(replaced).cloned().unwrap_or(own))
    }

    /// The value of a node for its parent: for the side that moved to it, with that move in front of the line.
    pub(super) fn value_for_parent(&self, id: NodeId) -> Option<Value> {
        let node = &self.nodes[id];
        let (_, limit_difference) = node.parent?;
        let value = self.value(id)?;
        let line = node.last_move().into_iter().chain(value.line).collect();
        Some(Value { score: -value.score, limit: value.limit + limit_difference, line })
    }

    /// Whether one of two positions is reached on the way to the other.
    pub(super) fn on_same_line(&self, one: NodeId, other: NodeId) -> bool {
        let (one, other) = (self.nodes[one].game.moves(), self.nodes[other].game.moves());
        one.starts_with(other) || other.starts_with(one)
    }
}

impl Node {
    fn new(game: Game, parent: Option<(NodeId, i32)>) -> Self {
        Self { game, parent, children: Vec::new(), found: None, uncounted: 0, costs: None }
    }

    fn last_move(&self) -> Option<Move> {
        self.game.moves().last().copied()
    }
}

/// A candidate for the next worker.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    /// The cost of the line to the parent.
    base: i32,
    /// The cost of the move.
    cost: i32,
    parent: NodeId,
    mv: Move,
    /// The rank of the move among those of the parent; the next one becomes a candidate after it. `None` for a reply.
    rank: Option<usize>,
    /// The parent is a leaf with a worker, which goes on to this move.
    first: Option<MoveCost>,
}

impl Candidate {
    const fn line_cost(&self) -> i32 {
        self.base + self.cost
    }
}

/// The cost of a reply for every halving of its probability. A worker on a reply saves a whole turn of thinking if that
/// reply is played, so that an unlikely reply costs less than a move of the same probability inside a search.
const REPLY_COST: f64 = 20.0;

/// Whether searching the current position of a game is useful: the game is not over there, and the position has not
/// occurred before, so no repetition rule decides.
pub(super) fn is_worth_searching(game: &Game, rule: EnteringKingRule) -> bool {
    let position = game.position();
    position.has_legal_move()
        && position.entering_king_win(rule).is_none()
        && !game.is_won_by_try(rule)
        && game.repetition_count(CountStart::Yes) <= 1
}

/// The largest number of nodes of a tree.
const MOST_NODES: usize = 2000;

/// The limit, in units, for which the costs of a position are computed if it has not been searched yet.
const TYPICAL_LIMIT: i32 = 800;

#[cfg(test)]
mod tests {
    use super::*;
    use kyomi_engine::search::Parameters;
    use kyomi_shogi::notation::usi::parse_move;

    const RULES: TreeRules = TreeRules { replies: 90, expected: 50, deep: true };

    fn mv(text: &str) -> Move {
        parse_move(text).unwrap()
    }

    fn game(moves: &str) -> Game {
        let mut game = Game::default();
        for word in moves.split(' ').filter(|word| !word.is_empty()) {
            game.push(mv(word)).unwrap();
        }
        game
    }

    fn costs() -> MoveCosts {
        MoveCosts::new(&Parameters::default())
    }

    fn line(tree: &Tree, id: NodeId) -> String {
        let words: Vec<_> = tree.node(id).game.moves().iter().map(ToString::to_string).collect();
        words.join(" ")
    }

    fn found(score: i32, limit: i32, words: &str) -> Found {
        Found { score, limit, line: words.split(' ').map(mv).collect() }
    }

    #[test]
    fn every_worker_gets_a_position_and_none_is_on_the_way_to_another() {
        for workers in [1, 2, 3, 7, 16, 40] {
            let mut tree = Tree::new(Game::default(), Turn::Ours);
            let first = tree.plan(workers, &RULES, &mut costs());
            // What nobody has searched yet is not split.
            assert_eq!(first.len(), workers.min(30));
            for leaf in first {
                let best = tree.node(leaf).game.position().legal_moves()[0];
                let found = Found { score: 0, limit: 700, line: vec![best] };
                tree.node_mut(leaf).unwrap().found = Some(found);
            }
            let plan = tree.plan(workers, &RULES, &mut costs());
            assert_eq!(plan.len(), workers);
            for (at, one) in plan.iter().enumerate() {
                for other in &plan[at + 1..] {
                    let lines = (line(&tree, *one), line(&tree, *other));
                    assert!(!tree.on_same_line(*one, *other), "{lines:?}");
                }
            }
            let again = tree.plan(workers, &RULES, &mut costs());
            assert_eq!(again, plan, "nothing has changed");
        }
    }

    #[test]
    fn a_position_that_comes_again_gets_no_worker() {
        let mut tree = Tree::new(game("2h3h 8b7b 3h2h"), Turn::Ours);
        assert_eq!(tree.child(0, mv("7b8b"), 40), None);
        assert!(tree.child(0, mv("7b6b"), 40).is_some());
    }

    #[test]
    fn in_their_turn_the_likely_replies_get_workers() {
        let expected = mv("3c3d");
        let mut tree = Tree::new(game("7g7f"), Turn::Theirs { expected });
        let rules = TreeRules { deep: false, ..RULES };
        let plan = tree.plan(3, &rules, &mut costs());
        let lines: Vec<_> = plan.iter().map(|id| line(&tree, *id)).collect();
        assert_eq!(lines.len(), 3);
        assert!(!lines.contains(&"7g7f 3c3d".to_owned()), "we ponder on it ourselves: {lines:?}");
        assert!(lines.iter().all(|line| line.starts_with("7g7f ") && line.len() == 9), "{lines:?}");
        let none = TreeRules { replies: 0, ..rules };
        assert!(tree.plan(3, &none, &mut costs()).is_empty());
        assert_eq!(line(&tree, 0), "7g7f");
        let own = tree.own().unwrap();
        assert_eq!(line(&tree, own), "7g7f 3c3d");
    }

    #[test]
    fn an_expected_reply_that_repeats_the_position_has_no_node() {
        let expected = mv("7b8b");
        let mut tree = Tree::new(game("2h3h 8b7b 3h2h"), Turn::Theirs { expected });
        assert_eq!(tree.own(), None);
        let plan = tree.plan(3, &RULES, &mut costs());
        assert!(plan.len() == 3 && !plan.contains(&ROOT), "{plan:?}");
    }

    #[test]
    fn the_tree_goes_on_below_the_move_that_is_played() {
        let expected = mv("3c3d");
        let mut tree = Tree::new(game("7g7f"), Turn::Theirs { expected });
        let plan = tree.plan(4, &TreeRules { deep: false, ..RULES }, &mut costs());
        let known = plan[0];
        tree.node_mut(known).unwrap().found = Some(found(-30, 700, "2g2f"));
        let played = tree.node(known).game.clone();
        let places = tree.move_root(&played, Turn::Ours);
        assert_eq!((places[0], places[known]), (None, Some(0)));
        assert_eq!(tree.value(0).unwrap().limit, 700);
        // A position that is not in the tree begins a new one.
        tree.move_root(&game("9g9f"), Turn::Ours);
        assert_eq!((tree.value(0), line(&tree, 0).as_str()), (None, "9g9f"));
    }

    #[test]
    fn a_move_counts_when_it_is_known_as_deep_as_the_position() {
        let mut tree = Tree::new(Game::default(), Turn::Ours);
        tree.node_mut(0).unwrap().found = Some(found(50, 800, "7g7f 3c3d"));
        let seven = tree.child(0, mv("7g7f"), 40).unwrap();
        let two = tree.child(0, mv("2g2f"), 60).unwrap();
        tree.node_mut(two).unwrap().found = Some(found(-70, 700, "8c8d"));
        assert_eq!(tree.value(0).unwrap().score, 50, "700 and 60 are less than 800");
        tree.node_mut(two).unwrap().found = Some(found(-70, 760, "8c8d"));
        let better = tree.value(0).unwrap();
        assert_eq!((better.score, better.limit, better.line[0]), (70, 820, mv("2g2f")));
        // The best move turns out to be worse, and the other one no better than before.
        tree.node_mut(two).unwrap().found = Some(found(-20, 760, "8c8d"));
        assert_eq!(tree.value(0).unwrap().score, 50);
        tree.node_mut(seven).unwrap().found = Some(found(10, 800, "3c3d"));
        let value = tree.value(0).unwrap();
        assert_eq!((value.score, value.line[0]), (20, mv("2g2f")));
    }
}

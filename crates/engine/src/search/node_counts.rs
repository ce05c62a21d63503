//! Where the nodes of a search go: by how they were entered, by the search that they are part of, by the depth left, and
//! by what ended them.
//!
//! A node is counted whenever it is entered. A move that is searched three times counts three times, and a test of the
//! moves of a node without one of them counts that node again.

/// Counts of nodes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NodeCounts {
    /// By how they were entered, in the order of [`KINDS`].
    kinds: [u64; KINDS.len()],
    /// By the innermost special search that they are part of, in the order of [`PARTS`].
    parts: [u64; PARTS.len()],
    /// In check: of the main search, of quiescence.
    in_check: [u64; 2],
    /// Nodes of the main search by the depth left in plies, both sides together. The last place has all that are deeper.
    left: [u64; DEPTHS],
    /// By what ended them, in the order of [`ENDS`]: of the main search, of quiescence. Nodes that were stopped have no end.
    pub(super) ends: [[u64; ENDS.len()]; 2],
}

/// A table of counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountTable {
    /// The nodes that it is about.
    pub title: &'static str,
    /// The names of its rows.
    pub rows: Vec<String>,
    /// The number of nodes of each row.
    pub numbers: Vec<u64>,
}

/// The names of how nodes are entered.
const KINDS: [&str; 7] = [
    "first moves",
    "later moves",
    "moves searched again",
    "null moves",
    "tests without a move",
    "captures far above beta",
    "quiescence",
];

/// The names of the special searches. Each includes everything below.
const PARTS: [&str; 6] = [
    "none of these",
    "another window at the root",
    "moves searched again",
    "null moves",
    "tests without a move",
    "captures far above beta",
];

/// The names of what ends a node.
const ENDS: [&str; 16] = [
    "rules",
    "table",
    "static evaluation",
    "null move",
    "razoring",
    "capture far above beta",
    "table, less deep",
    "mate in one",
    "several moves reach beta",
    "move 1",
    "move 2",
    "moves 3 to 4",
    "moves 5 to 8",
    "moves from 9 on",
    "no move reaches alpha",
    "a move within the window",
];

/// The number of depths that are told apart.
const DEPTHS: usize = 17;

impl NodeCounts {
    /// The counts as tables. The rows of a table add up to all nodes that it is about.
    pub fn tables(&self) -> [CountTable; 6] {
        let named = |title, names: &[&str], numbers: &[u64]| {
            let rows = names.iter().map(|&name| name.to_owned()).collect();
            CountTable { title, rows, numbers: numbers.to_vec() }
        };
        let depths =
            (0..DEPTHS).map(|at| at.to_string() + if at + 1 < DEPTHS { "" } else { " or more" });
        let [main, quiescence] = self.in_check;
        let other = self.kinds.iter().sum::<u64>() - main - quiescence;
        [
            named("All nodes, by how they were entered", &KINDS, &self.kinds),
            named("All nodes, by the innermost search around them", &PARTS, &self.parts),
            named(
                "All nodes, by checks",
                &["in check, main search", "in check, quiescence", "not in check"],
                &[main, quiescence, other],
            ),
            CountTable {
                title: "Main search, by the depth left in plies",
                rows: depths.collect(),
                numbers: self.left.to_vec(),
            },
            named("Main search: what ended nodes", &ENDS, &self.ends[0]),
            named("Quiescence: what ended nodes", &ENDS, &self.ends[1]),
        ]
    }
}

/// A search within the search, whose nodes are counted separately.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Within {
    /// None, or the one that is running.
    #[default]
    Nothing,
    /// The root again, with another window.
    Window,
    /// A move again: less reduced, or with an open window.
    Again,
    /// After a pass.
    Pass,
    /// All moves of a node but one.
    Exclusion,
    /// A capture that may reach far more than beta.
    Capture,
}

/// What ended a node, in the order of [`ENDS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeEnd {
    /// A repetition, the move limit, a declaration, a mate, the longest line.
    Rules,
    Table,
    /// The static evaluation reaches beta, in quiescence too.
    Static,
    Null,
    Razoring,
    Capture,
    /// An entry of a search that was a little less deep.
    NearEntry,
    MateInOne,
    Exclusion,
    /// A move reaches beta. The numbers of moves that follow have ends of their own.
    FirstMove,
    SecondMove,
    ThirdMove,
    FifthMove,
    NinthMove,
    /// No move reaches more than alpha.
    Below,
    /// The value is within the window.
    Inside,
}

impl NodeEnd {
    /// The end of a node after this number of moves.
    #[inline]
    pub(super) const fn of_moves(searched: usize, score: i32, (alpha, beta): (i32, i32)) -> Self {
        match searched {
            _ if score <= alpha => Self::Below,
            _ if score < beta => Self::Inside,
            0 | 1 => Self::FirstMove,
            2 => Self::SecondMove,
            3 | 4 => Self::ThirdMove,
            5..=8 => Self::FifthMove,
            _ => Self::NinthMove,
        }
    }
}

/// The counts of a search that is running.
#[derive(Debug, Default)]
pub(super) struct Counting {
    pub(super) counts: NodeCounts,
    /// The innermost special search.
    pub(super) within: Within,
    /// Whether the move that is searched is the first of its node. Interest search sets it.
    pub(super) is_first: bool,
    /// The special search that begins with the next node.
    begins: Within,
    /// The kind of the last node that was entered.
    kind: usize,
}

impl Counting {
    /// Begins a special search. Returns the one around it.
    pub(super) const fn begin(&mut self, within: Within) -> Within {
        self.begins = within;
        std::mem::replace(&mut self.within, within)
    }

    /// Enters a node of the main search, or a leaf.
    pub(super) const fn enter(&mut self, is_first: bool) {
        self.kind = match std::mem::replace(&mut self.begins, Within::Nothing) {
            Within::Nothing | Within::Window => !is_first as usize,
            begins => begins as usize,
        };
    }

    /// Counts the node of the main search that was entered.
    pub(super) fn add_node(&mut self, depth: i32, in_check: bool) {
        self.counts.left[depth.clamp(0, DEPTHS as i32 - 1) as usize] += 1;
        self.add(self.kind, in_check, false);
    }

    /// Counts a node of the quiescence of the leaf that was entered.
    pub(super) fn add_of_quiescence(&mut self, in_check: bool) {
        self.add(KINDS.len() - 1, in_check, true);
    }

    fn add(&mut self, kind: usize, in_check: bool, quiet: bool) {
        self.counts.kinds[kind] += 1;
        self.counts.parts[self.within as usize] += 1;
        self.counts.in_check[usize::from(quiet)] += u64::from(in_check);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_belong_to_the_innermost_search() {
        let mut counting = Counting::default();
        let outer = counting.begin(Within::Window);
        for is_first in [true, false] {
            counting.enter(is_first);
            counting.add_node(20, false);
            counting.add_of_quiescence(true);
        }
        assert_eq!((outer, counting.begin(Within::Capture)), (Within::Nothing, Within::Window));
        for _ in 0..2 {
            counting.enter(true);
            counting.add_node(-1, true);
        }
        let [kinds, parts, checks, left, ..] = counting.counts.tables();
        assert_eq!(kinds.numbers, [2, 1, 0, 0, 0, 1, 2]);
        assert_eq!(parts.numbers, [0, 4, 0, 0, 0, 2]);
        assert_eq!(checks.numbers, [2, 2, 2]);
        assert_eq!((left.rows[16].as_str(), left.numbers[16]), ("16 or more", 2));
    }

    #[test]
    fn ends_have_their_names() {
        let of = |searched, score| {
            let end = NodeEnd::of_moves(searched, score, (0, 1));
            ENDS[end as usize]
        };
        assert_eq!(of(1, 1), "move 1");
        assert_eq!(of(4, 5), "moves 3 to 4");
        assert_eq!(of(9, 5), "moves from 9 on");
        assert_eq!(of(9, 0), "no move reaches alpha");
        assert_eq!(ENDS[NodeEnd::Inside as usize], "a move within the window");
        assert_eq!(ENDS[NodeEnd::Razoring as usize], "razoring");
    }
}

//! The rules of plausible moves at a node, from the parameters.

use crate::search::parameters::Parameters;

/// Which moves stay in the list of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// All moves.
    Off,
    /// Moves that a generator makes.
    All,
    /// Moves that a generator makes and whose merit is not negative.
    Mma,
}

/// The properties of a node that the rules depend on.
#[derive(Debug, Clone, Copy)]
pub(in crate::search) struct NodeKind {
    pub(in crate::search) root: bool,
    pub(in crate::search) pv: bool,
    pub(in crate::search) in_check: bool,
    /// In nominal plies.
    pub(in crate::search) depth: i32,
}

/// The rules about plausible moves (docs/search.md, section 3.4).
#[derive(Debug, Clone, Copy)]
pub(in crate::search) struct PlausibleRules {
    pub(super) mode: Mode,
    /// A capture value in centipawns; 0: never.
    pub(super) strong_threat: i32,
    pub(super) hierarchy: bool,
    /// Whether exempt moves always stay.
    pub(super) never_drop: bool,
    /// The least number of moves that stay.
    pub(super) least: usize,
    /// Number of moves that are searched on the principal variation regardless of their cost.
    protected: usize,
}

impl PlausibleRules {
    /// The rules that the parameters select; `None` if none is on.
    pub(in crate::search) fn new(p: &Parameters) -> Option<Self> {
        (p.plausible != 0).then(|| Self::of(p))
    }

    /// The same, even if no rule is on, to show the generators.
    pub(in crate::search) fn of(p: &Parameters) -> Self {
        let mode = match p.plausible {
            0 => Mode::Off,
            1 => Mode::All,
            _ => Mode::Mma,
        };
        Self {
            mode,
            strong_threat: p.plausible_threat,
            hierarchy: p.plausible_hierarchy != 0,
            never_drop: p.plausible_never_drop != 0,
            least: 0,
            protected: p.protected.max(0) as usize,
        }
    }

    /// Whether it can be decided for each move alone, when its turn comes, whether it stays in the list.
    pub(in crate::search) const fn can_judge_singly(&self) -> bool {
        !matches!(self.mode, Mode::Off) && !self.never_drop
    }

    /// The rules at a node. No move is dropped in check, and, with `Plausible_NeverDrop`, at the root and on the
    /// principal variation from depth 4 on.
    pub(in crate::search) fn at(mut self, node: NodeKind) -> Self {
        if node.in_check || self.never_drop && (node.root || node.pv && node.depth >= 4) {
            self.mode = Mode::Off;
        }
        if self.never_drop {
            self.least = if node.pv { LEAST.max(self.protected) } else { LEAST };
        }
        self
    }
}

/// The least number of moves that stay with `Plausible_NeverDrop`.
const LEAST: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::parameters::Preset;

    fn rules(options: &[(&str, &str)]) -> Option<PlausibleRules> {
        let mut parameters = Parameters::interest();
        for (name, value) in options {
            parameters.set(name, value).unwrap();
        }
        PlausibleRules::new(&parameters)
    }

    const INNER: NodeKind = NodeKind { root: false, pv: false, in_check: false, depth: 3 };

    #[test]
    fn all_rules_are_off_by_default() {
        for preset in Preset::ALL {
            assert!(PlausibleRules::new(&Parameters::preset(preset)).is_none());
        }
    }

    #[test]
    fn no_move_is_dropped_where_that_is_forbidden() {
        let rules = rules(&[("Plausible_Mode", "mma")]).unwrap();
        assert_eq!((rules.at(INNER).mode, rules.at(INNER).least), (Mode::Mma, 4));
        let pv = NodeKind { pv: true, ..INNER };
        assert_eq!((rules.at(pv).mode, rules.at(pv).least), (Mode::Mma, 8));
        for node in [
            NodeKind { root: true, ..INNER },
            NodeKind { in_check: true, ..INNER },
            NodeKind { depth: 4, ..pv },
        ] {
            assert_eq!(rules.at(node).mode, Mode::Off, "{node:?}");
        }
    }

    #[test]
    fn as_in_the_paper_only_check_is_exempt() {
        let rules = rules(&[("Plausible_Mode", "all"), ("Plausible_NeverDrop", "false")]).unwrap();
        let deep = rules.at(NodeKind { pv: true, depth: 9, ..INNER });
        assert_eq!((deep.mode, deep.least), (Mode::All, 0));
        assert_eq!(rules.at(NodeKind { root: true, ..INNER }).mode, Mode::All);
        assert!(
            rules.at(INNER).can_judge_singly()
                && !rules.at(NodeKind { in_check: true, ..INNER }).can_judge_singly()
        );
        assert_eq!(rules.at(NodeKind { in_check: true, ..INNER }).mode, Mode::Off);
    }
}

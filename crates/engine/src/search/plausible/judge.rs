//! Judges the moves of a node one at a time, when they are picked. The result is that of
//! [`PlausibleRules::classify`]. A node that is cut by its first moves judges few of them.

use super::classify::{found_by, generators_of, without_slow_if_rare};
use super::context::NodeContext;
use super::feature_reader::{FeatureReader, MovedPiece, kinds_of};
use super::generator::Generators;
use super::merit::merit;
use super::rules::{Mode, PlausibleRules};
use super::squares::{DEVELOPS_FROM, places_of, points};
use crate::search::see::is_good;
use kyomi_shogi::{Move, Position, Square};

/// Judges the moves of a node.
#[derive(Debug)]
pub(in crate::search) struct Judge {
    rules: PlausibleRules,
    /// Target of the other side's last move.
    last_to: Option<Square>,
    /// Computed when the first move needs it.
    node: Option<Box<NodeJudge>>,
}

#[derive(Debug)]
struct NodeJudge {
    context: NodeContext,
    moved_piece: MovedPiece,
    /// Whether the hierarchy of merits raises captures and promotions to 0 or more, if that is known.
    raises_goals: Option<bool>,
}

impl Judge {
    /// A judge of the moves of a node. Only for rules that [allow it](PlausibleRules::can_judge_singly).
    pub(in crate::search) fn new(rules: PlausibleRules, last_to: Option<Square>) -> Self {
        Self { rules, last_to, node: None }
    }

    /// Whether a legal move of the position, which is always the same, stays in the list.
    pub(in crate::search) fn admits(&mut self, position: &Position, mv: Move) -> bool {
        let is_goal = mv.is_promotion() || position.is_capture(mv);
        let only_purpose = match self.rules.mode {
            Mode::All => true,
            Mode::Mma => false,
            Mode::Off => return true,
        };
        if only_purpose && is_goal {
            return true;
        }
        let (threat, last_to) = (self.rules.strong_threat, self.last_to);
        let node = self.node.get_or_insert_with(|| {
            Box::new(NodeJudge {
                context: NodeContext::new(position, last_to, threat),
                moved_piece: MovedPiece::default(),
                raises_goals: None,
            })
        });
        if only_purpose {
            return node.find_purpose(mv);
        }
        let (generators, merit) = node.judge(mv);
        generators.any() && (merit >= 0 || is_goal && self.rules.hierarchy && node.raises_goals())
    }
}

impl NodeJudge {
    /// Calls `look` with a reader that knows the piece whose moves were read last.
    fn read<T>(&mut self, look: impl FnOnce(&NodeContext, &mut FeatureReader<'_>) -> T) -> T {
        let mut reader = FeatureReader::with(&self.context, self.moved_piece);
        let found = look(&self.context, &mut reader);
        self.moved_piece = reader.moved_piece();
        found
    }

    /// Whether a generator makes a move that is neither a capture nor a promotion.
    fn find_purpose(&mut self, mv: Move) -> bool {
        self.read(|context, reader| {
            let (before, after) = kinds_of(&context.position, mv);
            let learned = points(places_of(context, mv.from(), mv.to(), before, after));
            if learned >= DEVELOPS_FROM && !context.dominated {
                // P6, whatever else the move does.
                return true;
            }
            let (mut features, safe) = reader.read_without_exchange(mv);
            (features.learned, features.good) = (learned, safe);
            if without_slow_if_rare(found_by(context, &features), &features).any() {
                return true;
            }
            // A move that loses nothing has at least the generators that it would have if it lost something.
            features.good = !safe && is_good(&context.position, mv);
            features.good && generators_of(context, &features).any()
        })
    }

    /// The generators and the merit of a move.
    fn judge(&mut self, mv: Move) -> (Generators, i32) {
        self.read(|context, reader| {
            let features = reader.read(mv);
            let generators = generators_of(context, &features);
            (generators, merit(context, &features, generators))
        })
    }

    /// Whether a move that only positional generators make has a merit of at least −1, so that captures and promotions
    /// have one of at least 0.
    fn raises_goals(&mut self) -> bool {
        if let Some(known) = self.raises_goals {
            return known;
        }
        let moves = self.context.position.legal_moves();
        let raises = !self.context.dominated
            && moves.iter().any(|&mv| {
                let (generators, merit) = self.judge(mv);
                merit >= -1 && generators.only(Generators::POSITIONAL)
            });
        self.raises_goals = Some(raises);
        raises
    }
}

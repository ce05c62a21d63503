//! A node set up for the tests of the generators.

use super::classify::generators_of;
use super::context::NodeContext;
use super::feature_reader::FeatureReader;
use super::generator::Generators;
use super::merit::merit;
use super::move_data::MoveData;
use kyomi_shogi::{Move, Position, Square, notation::usi::parse_move};

/// A position. By default no threat is strong enough to switch generators off.
pub(super) struct Scene {
    pub(super) position: Position,
    pub(super) last_to: Option<Square>,
    /// A capture value in centipawns.
    pub(super) strong_threat: i32,
}

impl Scene {
    pub(super) fn new(sfen: &str) -> Self {
        let position = Position::from_sfen(sfen).unwrap();
        Self { position, last_to: None, strong_threat: 0 }
    }

    /// Calls `look` with the data of a legal move.
    pub(super) fn read<T>(&self, mv: &str, look: impl FnOnce(&NodeContext, &MoveData) -> T) -> T {
        let mv = mv_of(mv);
        assert!(self.position.is_legal(mv), "{mv}");
        let context = NodeContext::new(&self.position, self.last_to, self.strong_threat);
        let features = FeatureReader::new(&context).read(mv);
        look(&context, &features)
    }

    /// The generators that make a move.
    pub(super) fn generators(&self, mv: &str) -> Generators {
        self.read(mv, generators_of)
    }

    /// The merit of a move.
    pub(super) fn merit(&self, mv: &str) -> i32 {
        self.read(mv, |context, features| {
            merit(context, features, generators_of(context, features))
        })
    }

    /// Asserts that a generator makes some moves and does not make others.
    #[track_caller]
    pub(super) fn assert_makes(
        &self,
        generator: fn(&NodeContext, &MoveData) -> bool,
        made: &[&str],
        not_made: &[&str],
    ) {
        for mv in made {
            assert!(self.read(mv, generator), "{mv} is not made");
        }
        for mv in not_made {
            assert!(!self.read(mv, generator), "{mv} is made");
        }
    }
}

pub(super) fn mv_of(text: &str) -> Move {
    parse_move(text).unwrap()
}

//! The features of a position, for a fit.

use kyomi_shogi::{Color, Position};

use super::{
    hands::KINDS,
    layout::{DROP_KEYS, DROPS},
    pairs,
    progress::{self, WHOLE},
    running::add_king_relative,
    terms,
    weights::Sink,
};

/// The features of a position. Its evaluation is the sum of their weights.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Features {
    /// The features from the view of each side, `[color]`. A feature may occur several times.
    pub sides: [Vec<u32>; 2],
    /// The progress of the game, 0 ..= [`Features::WHOLE`].
    pub progress: i32,
}

impl Features {
    /// The end of the scale of progress.
    pub const WHOLE: i32 = WHOLE;

    /// The features of a position.
    pub fn of(position: &Position) -> Self {
        let mut lists = [List::default(), List::default()];
        for color in Color::ALL {
            add_king_relative(position, color, &mut lists[color.index()]);
        }
        terms::all(position, &mut lists);
        for color in Color::ALL {
            let list = &mut lists[color.index()].0;
            pairs::visit_features(position, color, |feature| list.push(feature as u32));
        }
        Self {
            sides: lists.map(|list| list.0),
            progress: progress::of_sum(progress::sum(position)),
        }
    }
}

#[derive(Default)]
struct List(Vec<u32>);

impl Sink for List {
    fn add_king_relative(&mut self, feature: usize) {
        self.0.push(feature as u32);
    }

    fn add(&mut self, feature: usize) {
        self.0.push(feature as u32);
    }

    fn add_drops(&mut self, kinds: usize, key: usize) {
        for kind in (0..KINDS).filter(|kind| kinds >> kind & 1 != 0) {
            self.add(DROPS + kind * DROP_KEYS + key);
        }
    }
}

//! A node set up for the tests of the terms.

use super::super::scorer::{Scorer, ScoringContext};
use super::super::term::{ROWS, Term};
use crate::search::{
    attack_maps::AttackMaps,
    history::{HistoryTables, SuggestedMoves},
    parameters::Parameters,
    weights::{POINT, TermWeight, Weights},
};
use kyomi_shogi::{Move, Position, Square, notation::usi::parse_move};

/// A position with the context of its node. All terms are on.
pub(super) struct Scene {
    pub(super) position: Position,
    pub(super) parameters: Parameters,
    pub(super) suggested: SuggestedMoves,
    pub(super) last_to: Option<Square>,
    pub(super) checked_before: bool,
}

impl Scene {
    pub(super) fn new(sfen: &str) -> Self {
        Self {
            position: Position::from_sfen(sfen).unwrap(),
            parameters: Parameters { target: 100, ..Parameters::untuned() },
            suggested: SuggestedMoves::default(),
            last_to: None,
            checked_before: false,
        }
    }

    /// By the weights of the paper.
    pub(super) fn of_paper(sfen: &str) -> Self {
        let mut scene = Self::new(sfen);
        scene.parameters.figures = 1;
        scene
    }

    pub(super) fn weights(&self) -> Weights {
        Weights::new(&self.parameters)
    }

    /// The weight of a term for a legal move, in sixteenths of a point, good and bad.
    pub(super) fn sixteenths(&self, mv: &str, term: Term) -> (i32, i32) {
        let mv = mv_of(mv);
        assert!(self.position.is_legal(mv), "{mv}");
        let (history, weights) = (HistoryTables::new(), self.weights());
        let context = ScoringContext {
            suggested: self.suggested,
            similar: true,
            ..ScoringContext::outside_search(&weights, &history, self.last_to, self.checked_before)
        };
        let maps = AttackMaps::of(&self.position);
        let count = self.position.count_legal_moves();
        let mut scorer = Scorer::new(&self.position, &maps, &context, count);
        let features = scorer.read(mv);
        let row = ROWS.iter().find(|row| row.term == term).unwrap();
        let holds = row.group.holds(&features);
        let weight = if holds { (row.weight)(&scorer, &features) } else { TermWeight::NONE };
        (weight.good, weight.bad)
    }

    /// The same in whole points.
    pub(super) fn points(&self, mv: &str, term: Term) -> (i32, i32) {
        let (good, bad) = self.sixteenths(mv, term);
        (good / POINT, bad / POINT)
    }
}

pub(super) fn mv_of(text: &str) -> Move {
    parse_move(text).unwrap()
}

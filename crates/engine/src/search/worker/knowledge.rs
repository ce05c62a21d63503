//! What a thread learns while it searches.

use crate::search::{
    history::HistoryTables, interest::MeanInterest, mate_search::MateSearches,
    parameters::Parameters, penalty::InterestPenalties, ply_knowledge::Plies,
};

/// What a thread has learnt about moves and mates. It is kept from move to move of a game.
pub(crate) struct Knowledge {
    pub(crate) history: HistoryTables,
    /// `[side]`: the mean interest of moves that do not stand out.
    pub(crate) mean_interest: [MeanInterest; 2],
    pub(crate) penalties: InterestPenalties,
    /// Whether this iteration ignores the penalties.
    pub(crate) penalty_pause: bool,
    /// Mate searches at the root. Only the first thread uses them.
    pub(crate) mates: MateSearches,
    /// What a search by plies has learnt; empty in other searches.
    pub(in crate::search) plies: Plies,
}

impl Knowledge {
    /// Nothing learnt.
    pub(super) fn new(parameters: &Parameters) -> Self {
        Self {
            history: HistoryTables::with(parameters),
            mean_interest: [MeanInterest::NEW; 2],
            penalties: InterestPenalties::new(parameters),
            penalty_pause: false,
            mates: MateSearches::default(),
            plies: Plies::new(parameters.tree != 0),
        }
    }

    /// Prepares for a new root.
    pub(super) fn new_root(&mut self) {
        self.history.new_root();
        self.penalties.new_root();
        self.mates.new_root();
        self.plies.learned.forget_near_root();
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self, parameters: &Parameters) {
        self.history = HistoryTables::with(parameters);
        self.mean_interest = [MeanInterest::NEW; 2];
        self.penalties.clear();
        self.mates = MateSearches::default();
        self.plies = Plies::new(parameters.tree != 0);
    }

    /// The penalties, unless they are off or this iteration ignores them.
    pub(crate) fn penalties_in_use(&self) -> Option<&InterestPenalties> {
        (self.penalties.is_on() && !self.penalty_pause).then_some(&self.penalties)
    }
}

//! Statistics of strength: pure functions of the counts of a match.
//!
//! - [`Wdl`]: games won, drawn and lost; [`Pairs`]: the five possible scores of two games from one opening with
//!   colours changed (pentanomial counts).
//! - [`Estimate`]: score, logistic and normalised Elo with 95 % error, likelihood of superiority.
//! - [`Sprt`]: the sequential test between two hypotheses, as a generalised likelihood ratio.
//! - [`p_better`]: the posterior probability that the first player wins more of the decided games.
//!
//! The two games of a pair depend on each other (an opening may be won for black). Therefore pairs are the samples if
//! complete pairs exist, otherwise single games. All values are from the first player's view; [`Wdl::swapped`] and
//! [`Pairs::swapped`] change it.

mod counts;
mod estimate;
mod normal;
mod posterior;
mod ratio;
mod sprt;

pub use counts::{Pairs, Wdl};
pub use estimate::{Basis, Estimate};
pub use posterior::p_better;
pub use sprt::{Sprt, SprtDecision, SprtError, SprtModel, SprtState};

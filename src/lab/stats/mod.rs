//! What a match says about strength: pure functions of counts.
//!
//! - [`Wdl`]: games won, drawn and lost; [`Pairs`]: the five possible scores of two games from one opening with
//!   colours changed (pentanomial counts).
//! - [`Estimate`]: score, logistic and normalised Elo with 95 % error, likelihood of superiority.
//! - [`Sprt`]: the sequential test between two hypotheses, as a generalised likelihood ratio.
//! - [`p_better`]: the posterior probability of being the better one, draws left out.
//!
//! Two games of a pair depend on each other (an opening may be won for black), so wherever whole pairs exist they are
//! the samples, not the games. Everything is from the first player's view and turns round with [`Wdl::swapped`] and
//! [`Pairs::swapped`].

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

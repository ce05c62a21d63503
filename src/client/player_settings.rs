//! Converts the configured clock and pondering settings to the types of the modules that use them.

use crate::{
    config::{NetworkDelay, Ponder},
    csa::{PonderMove, PonderStart},
};
use kyomi_shogi::clock::DelayPolicy;

/// The configured reserve for network delay.
pub(super) fn delay_policy(delay: NetworkDelay) -> DelayPolicy {
    match delay {
        NetworkDelay::Auto => DelayPolicy::Auto,
        NetworkDelay::Fixed(fixed) => DelayPolicy::Fixed(fixed),
    }
}

/// When the player begins to ponder.
pub(super) fn ponder_start(ponder: Ponder) -> PonderStart {
    match ponder {
        Ponder::Off => PonderStart::Never,
        Ponder::Named | Ponder::NamedOrPv => PonderStart::AfterEcho,
        Ponder::Early => PonderStart::WithMove,
    }
}

/// The configured reply to ponder on.
pub(super) fn ponder_move(ponder: Ponder) -> PonderMove {
    match ponder {
        Ponder::Off | Ponder::Named | Ponder::Early => PonderMove::Named,
        Ponder::NamedOrPv => PonderMove::NamedOrPv,
    }
}

/// The number of threads that the machine runs in parallel.
pub(super) fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

//! The sums of the hidden units (the accumulator), and the output.
//!
//! The loops have a fixed number of lanes, so that the compiler vectorizes them. Their results are
//! exact: a sum stays within 16 bits by the limits of the weights (`super::file` checks them), and intermediate
//! overflow wraps.

use super::{
    LANES, ONE, OUTPUT_UNIT,
    weights::{Block, Network},
};
use kyomi_shogi::machine::{Work, run_with_wide_vectors};

/// Sets sums to those of `rows`.
pub(super) fn refresh(network: &Network, rows: &[u32], sums: &mut [Block]) {
    run_with_wide_vectors(Refresh { network, rows, sums });
}

struct Refresh<'a> {
    network: &'a Network,
    rows: &'a [u32],
    sums: &'a mut [Block],
}

impl Work for Refresh<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { network, rows, sums } = self;
        sums.copy_from_slice(&network.biases);
        for row in rows {
            for (sum, weights) in sums.iter_mut().zip(network.row(*row)) {
                for (sum, weight) in sum.0.iter_mut().zip(&weights.0) {
                    *sum = sum.wrapping_add(*weight);
                }
            }
        }
    }
}

/// Sets `to` to the sums after a change of one or two rows.
#[inline(always)]
pub(super) fn change<const N: usize>(
    network: &Network,
    from: &[Block],
    to: &mut [Block],
    removed: [u32; N],
    added: [u32; N],
) {
    let blocks = network.blocks;
    let (removed, added) = (removed.map(|row| network.row(row)), added.map(|row| network.row(row)));
    // Slices of the same known length, and a copy of each block, spare the tests for bounds and overlaps.
    let (from, to) = (&from[..blocks], &mut to[..blocks]);
    for at in 0..blocks {
        let mut sums = from[at];
        for n in 0..N {
            let (removed, added) = (&removed[n][at], &added[n][at]);
            for i in 0..LANES {
                sums.0[i] = sums.0[i].wrapping_sub(removed.0[i]).wrapping_add(added.0[i]);
            }
        }
        to[at] = sums;
    }
}

/// Computes the output in centipawns from the sums of the views of the side to move and of its opponent.
pub(super) struct Output<'a> {
    pub(super) network: &'a Network,
    pub(super) sums: [&'a [Block]; 2],
}

impl Work for Output<'_> {
    type Output = i32;

    #[inline(always)]
    fn run(self) -> i32 {
        let mut total = i64::from(self.network.bias);
        for (sums, weights) in self.sums.iter().zip(&self.network.second) {
            for (sums, weights) in sums.iter().zip(weights) {
                total += i64::from(weighted(sums, weights));
            }
        }
        self.centipawns(total)
    }
}

/// The weighted sum of the squares of clipped units. A weight times a unit has 16 bits, the sum of a block 32.
#[inline(always)]
fn weighted(sums: &Block, weights: &Block) -> i32 {
    let mut total = 0;
    for (sum, weight) in sums.0.iter().zip(&weights.0) {
        let unit = (*sum).clamp(0, ONE as i16);
        total += i32::from(unit.wrapping_mul(*weight)) * i32::from(unit);
    }
    total
}

impl Output<'_> {
    /// A weighted sum as centipawns.
    #[inline]
    pub(super) const fn centipawns(&self, sum: i64) -> i32 {
        (sum * OUTPUT_UNIT as i64 / (ONE * ONE * self.network.output_one) as i64) as i32
    }
}

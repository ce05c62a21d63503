//! The sums of a view: the bias plus the rows of all inputs. They wrap around as 16-bit numbers, so that the order of
//! additions does not matter. The code is compiled once for each set of instructions.

use super::weights::{Block, LANES, NnueWeights};

/// The most rows that a move changes in one direction.
pub(super) const MOST_CHANGES: usize = 2;

/// Rows that a move removes and adds.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RowChanges {
    pub(super) removed: [u32; MOST_CHANGES],
    pub(super) added: [u32; MOST_CHANGES],
    pub(super) removals: u8,
    pub(super) additions: u8,
}

/// Sets `to` to the sums after a move.
#[inline(always)]
pub(super) fn follow(
    weights: &NnueWeights,
    from: &[Block],
    to: &mut [Block],
    changes: &RowChanges,
) {
    let RowChanges { removed: [r0, r1], added: [a0, a1], removals, additions } = *changes;
    match (removals, additions) {
        (0, 0) => to.copy_from_slice(from),
        (1, 1) => change(weights, from, to, [r0], [a0]),
        (2, 2) => change(weights, from, to, [r0, r1], [a0, a1]),
        (1, 0) => change(weights, from, to, [r0], []),
        (0, 1) => change(weights, from, to, [], [a0]),
        (2, 1) => change(weights, from, to, [r0, r1], [a0]),
        (removals, additions) => {
            to.copy_from_slice(from);
            removed_and_added(
                weights,
                to,
                &changes.removed[..removals.into()],
                &changes.added[..additions.into()],
            );
        }
    }
}

/// Removes and adds rows in place.
#[inline(always)]
pub(super) fn removed_and_added(
    weights: &NnueWeights,
    sums: &mut [Block],
    removed: &[u32],
    added: &[u32],
) {
    let (pairs, rest) = removed.as_chunks::<2>();
    for rows in pairs {
        change_in_place(weights, sums, *rows, []);
    }
    for row in rest {
        change_in_place(weights, sums, [*row], []);
    }
    let (pairs, rest) = added.as_chunks::<2>();
    for rows in pairs {
        change_in_place(weights, sums, [], *rows);
    }
    for row in rest {
        change_in_place(weights, sums, [], [*row]);
    }
}

#[inline(always)]
fn change<const R: usize, const A: usize>(
    weights: &NnueWeights,
    from: &[Block],
    to: &mut [Block],
    removed: [u32; R],
    added: [u32; A],
) {
    let blocks = weights.blocks();
    let (removed, added) = (rows(weights, removed), rows(weights, added));
    let (from, to) = (&from[..blocks], &mut to[..blocks]);
    for at in 0..blocks {
        let mut sums = from[at];
        add_block(&mut sums, removed, added, at);
        to[at] = sums;
    }
}

#[inline(always)]
fn change_in_place<const R: usize, const A: usize>(
    weights: &NnueWeights,
    sums: &mut [Block],
    removed: [u32; R],
    added: [u32; A],
) {
    let blocks = weights.blocks();
    let (removed, added) = (rows(weights, removed), rows(weights, added));
    let sums = &mut sums[..blocks];
    for (at, sums) in sums.iter_mut().enumerate() {
        add_block(sums, removed, added, at);
    }
}

/// The weights of rows. A closure would not be compiled with the instructions of the caller.
#[inline(always)]
fn rows<const N: usize>(weights: &NnueWeights, numbers: [u32; N]) -> [&[Block]; N] {
    let mut rows: [&[Block]; N] = [&[]; N];
    for i in 0..N {
        rows[i] = weights.row(numbers[i]);
    }
    rows
}

#[inline(always)]
fn add_block<const R: usize, const A: usize>(
    sums: &mut Block,
    removed: [&[Block]; R],
    added: [&[Block]; A],
    at: usize,
) {
    for row in removed {
        for i in 0..LANES {
            sums.0[i] = sums.0[i].wrapping_sub(row[at].0[i]);
        }
    }
    for row in added {
        for i in 0..LANES {
            sums.0[i] = sums.0[i].wrapping_add(row[at].0[i]);
        }
    }
}

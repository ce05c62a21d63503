//! Files with random weights, for comparisons with other programs and for tests. Their values spread over thousands of
//! units.

use std::io::{self, Write};

use super::{
    architecture::Architecture,
    file::{COMPRESSED, header},
    leb128,
    weights::PADDED,
};

/// The largest weights of the first layer and of the three layers after it.
const FIRST_LAYER: i16 = 20;
const LAYERS: [i8; 3] = [16, 64, 127];

/// Writes a network of this architecture. The same seed gives the same file.
///
/// # Errors
/// Those of `out`.
pub fn write_random(architecture: Architecture, seed: u64, out: &mut impl Write) -> io::Result<()> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut within = |most: i16| random.i16(-most..=most);
    out.write_all(&header(architecture))?;
    let half = architecture.half;
    write_numbers(architecture, half, || 40 + within(30), out)?;
    let weights = half * architecture.features.rows();
    write_numbers(architecture, weights, || within(FIRST_LAYER), out)?;
    for _ in 0..architecture.stacks() {
        out.write_all(&[0; 4])?;
        for ((inputs, outputs), most) in architecture.layers().into_iter().zip(LAYERS) {
            for _ in 0..outputs {
                out.write_all(&i32::from(within(4000)).to_le_bytes())?;
            }
            // The padding has weights too, which no program may use.
            for _ in 0..outputs * inputs.next_multiple_of(PADDED) {
                out.write_all(&[within(most.into()) as u8])?;
            }
        }
    }
    Ok(())
}

/// Writes numbers of 16 bits, compressed in the SFNN family.
fn write_numbers(
    architecture: Architecture,
    count: usize,
    mut number: impl FnMut() -> i16,
    out: &mut impl Write,
) -> io::Result<()> {
    if !architecture.is_stacked() {
        return (0..count).try_for_each(|_| out.write_all(&number().to_le_bytes()));
    }
    let mut bytes = Vec::with_capacity(2 * count);
    (0..count).for_each(|_| leb128::encode(number(), &mut bytes));
    out.write_all(COMPRESSED)?;
    out.write_all(&(bytes.len() as u32).to_le_bytes())?;
    out.write_all(&bytes)
}

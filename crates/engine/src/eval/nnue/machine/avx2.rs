//! AVX2: registers of 32 bytes.

use std::arch::x86_64::{
    __m256i, _mm256_add_epi32, _mm256_castsi256_ps, _mm256_cmpeq_epi32, _mm256_load_si256,
    _mm256_loadu_si256, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_max_epi8, _mm256_max_epi16,
    _mm256_min_epi16, _mm256_movemask_ps, _mm256_mulhi_epi16, _mm256_packs_epi16,
    _mm256_packus_epi16, _mm256_permute4x64_epi64, _mm256_set1_epi16, _mm256_set1_epi32,
    _mm256_setzero_si256, _mm256_slli_epi16, _mm256_storeu_si256,
};

use crate::eval::nnue::{
    layers::{Code, MOST_INPUTS, MOST_OUTPUTS, Task},
    weights::{Block, LANES, Layer, Tile},
};

/// Whether the processor has these instructions.
pub(super) fn is_available() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("lzcnt")
}

/// Runs a task.
#[target_feature(enable = "avx2,bmi1,popcnt,lzcnt")]
pub(super) fn run<T: Task>(task: T) -> T::Output {
    task.run(Avx2(()))
}

/// The code for AVX2. It is made by [`run`] alone, for a processor that has these instructions.
#[derive(Clone, Copy)]
struct Avx2(());

#[allow(
    unsafe_code,
    reason = "functions of a trait cannot be declared to need instructions, so that calls of those that do are unsafe"
)]
impl Code for Avx2 {
    #[inline(always)]
    fn clip(self, sums: &[Block], inputs: &mut [u8]) {
        // SAFETY: an `Avx2` exists only where the processor has the instructions.
        unsafe { clip(sums, inputs) }
    }

    #[inline(always)]
    fn multiply(self, sums: &[Block], inputs: &mut [u8]) {
        // SAFETY: as above.
        unsafe { multiply(sums, inputs) }
    }

    #[inline(always)]
    fn layer(self, weights: &Layer, inputs: &[u8], outputs: &mut [i32; MOST_OUTPUTS]) {
        // SAFETY: as above.
        unsafe { layer(weights, inputs, outputs) }
    }
}

/// See [`Code::clip`].
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn clip(sums: &[Block], inputs: &mut [u8]) {
    let zero = _mm256_setzero_si256();
    for (inputs, sums) in inputs.as_chunks_mut::<LANES>().0.iter_mut().zip(sums) {
        let [low, high] = halves(sums);
        // Packing limits to -128 to 127.
        store_bytes(inputs, _mm256_max_epi8(_mm256_packs_epi16(low, high), zero));
    }
}

/// See [`Code::multiply`].
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn multiply(sums: &[Block], inputs: &mut [u8]) {
    let (first, second) = sums.split_at(sums.len() / 2);
    let (zero, most) = (_mm256_setzero_si256(), _mm256_set1_epi16(254));
    let inputs = inputs.as_chunks_mut::<LANES>().0;
    for ((inputs, first), second) in inputs.iter_mut().zip(first).zip(second) {
        let ([first_low, first_high], [second_low, second_high]) = (halves(first), halves(second));
        let product = |first, second| {
            let first = _mm256_min_epi16(_mm256_max_epi16(first, zero), most);
            let second = _mm256_min_epi16(_mm256_max_epi16(second, zero), most);
            // The upper half of 32 bits: a product times 128 divided by 65536.
            _mm256_mulhi_epi16(_mm256_slli_epi16::<7>(first), second)
        };
        let (low, high) = (product(first_low, second_low), product(first_high, second_high));
        store_bytes(inputs, _mm256_packus_epi16(low, high));
    }
}

/// See [`Code::layer`].
#[inline]
#[target_feature(enable = "avx2,bmi1,popcnt,lzcnt")]
fn layer(layer: &Layer, inputs: &[u8], outputs: &mut [i32; MOST_OUTPUTS]) {
    layer_with(layer, inputs, outputs, |sums, inputs, weights| {
        // Two products of at most 127 and 128 fit into 16 bits.
        let pairs = _mm256_maddubs_epi16(inputs, weights);
        _mm256_add_epi32(sums, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
    });
}

/// The outputs of a layer. `add` adds the products of four inputs, repeated, and their weights to eight sums.
#[inline]
#[target_feature(enable = "avx2,bmi1,popcnt,lzcnt")]
pub(super) fn layer_with(
    layer: &Layer,
    inputs: &[u8],
    outputs: &mut [i32; MOST_OUTPUTS],
    add: impl Fn(__m256i, __m256i, __m256i) -> __m256i,
) {
    match layer.biases.len() {
        8 => groups::<1>(layer, inputs, outputs, add),
        16 => groups::<2>(layer, inputs, outputs, add),
        32 => groups::<4>(layer, inputs, outputs, add),
        64 => groups::<8>(layer, inputs, outputs, add),
        _ => unreachable!("no known architecture has layers of other sizes"),
    }
}

/// The same for `8 * G` outputs, which stay in registers.
#[inline]
#[target_feature(enable = "avx2,bmi1,popcnt,lzcnt")]
fn groups<const G: usize>(
    layer: &Layer,
    inputs: &[u8],
    outputs: &mut [i32; MOST_OUTPUTS],
    add: impl Fn(__m256i, __m256i, __m256i) -> __m256i,
) {
    let mut sums = [_mm256_setzero_si256(); G];
    for (sums, biases) in sums.iter_mut().zip(layer.biases.as_chunks::<8>().0) {
        *sums = load_sums(biases);
    }
    let tiles = layer.tiles.as_chunks::<G>().0;
    let quads = inputs.as_chunks::<4>().0;
    let tiles = &tiles[..quads.len()];
    // Many inputs of the first hidden layer are zero. The places of the others are collected first, since the end of a
    // loop over each few of them is predicted badly.
    let (mut nonzero, mut count) = ([0; MOST_INPUTS / 4 + 8], 0);
    for (at, chunk) in inputs.as_chunks::<32>().0.iter().enumerate() {
        let mask = nonzero_quads(chunk);
        let places = &PLACES[mask as usize & 0xff];
        for (to, place) in nonzero[count..][..8].iter_mut().zip(places) {
            *to = 8 * at as u16 + u16::from(*place);
        }
        count += mask.count_ones() as usize;
    }
    for &quad in &nonzero[..count] {
        let four = _mm256_set1_epi32(i32::from_le_bytes(quads[quad as usize]));
        for (sums, tile) in sums.iter_mut().zip(&tiles[quad as usize]) {
            *sums = add(*sums, four, load_tile(tile));
        }
    }
    for quad in inputs.len() / 32 * 8..quads.len() {
        let four = _mm256_set1_epi32(i32::from_le_bytes(quads[quad]));
        for (sums, tile) in sums.iter_mut().zip(&tiles[quad]) {
            *sums = add(*sums, four, load_tile(tile));
        }
    }
    for (outputs, sums) in outputs.as_chunks_mut::<8>().0.iter_mut().zip(sums) {
        store_sums(outputs, sums);
    }
}

/// For each mask, the places of its bits, and zeros behind them.
static PLACES: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut bit, mut count) = (0, 0);
        while bit < 8 {
            if mask >> bit & 1 != 0 {
                table[mask][count] = bit;
                count += 1;
            }
            bit += 1;
        }
        mask += 1;
    }
    table
};

/// One bit for each four bytes that are not all zero.
#[inline]
#[target_feature(enable = "avx2")]
#[allow(unsafe_code, reason = "loads through references have no safe form")]
fn nonzero_quads(bytes: &[u8; 32]) -> u32 {
    // SAFETY: the reference is to 32 bytes that can be read.
    let bytes = unsafe { _mm256_loadu_si256((&raw const *bytes).cast()) };
    let zero = _mm256_cmpeq_epi32(bytes, _mm256_setzero_si256());
    !_mm256_movemask_ps(_mm256_castsi256_ps(zero)) as u32 & 0xff
}

/// The first and the second half of a block.
#[inline]
#[target_feature(enable = "avx2")]
#[allow(unsafe_code, reason = "loads through references have no safe form")]
fn halves(block: &Block) -> [__m256i; 2] {
    let block: *const __m256i = (&raw const *block).cast();
    // SAFETY: a block has 64 bytes and is aligned to 64.
    unsafe { [_mm256_load_si256(block), _mm256_load_si256(block.add(1))] }
}

/// Stores bytes that were packed from the two halves of a block. Packing has exchanged their middle quarters.
#[inline]
#[target_feature(enable = "avx2")]
#[allow(unsafe_code, reason = "stores through references have no safe form")]
fn store_bytes(to: &mut [u8; LANES], packed: __m256i) {
    let ordered = _mm256_permute4x64_epi64::<0b11_01_10_00>(packed);
    // SAFETY: the reference is to 32 bytes that can be written.
    unsafe { _mm256_storeu_si256((&raw mut *to).cast(), ordered) }
}

#[inline]
#[target_feature(enable = "avx2")]
#[allow(unsafe_code, reason = "loads through references have no safe form")]
fn load_tile(tile: &Tile) -> __m256i {
    // SAFETY: a tile has 32 bytes and is aligned to 32.
    unsafe { _mm256_load_si256((&raw const *tile).cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
#[allow(unsafe_code, reason = "loads through references have no safe form")]
fn load_sums(sums: &[i32; 8]) -> __m256i {
    // SAFETY: the reference is to 32 bytes that can be read.
    unsafe { _mm256_loadu_si256((&raw const *sums).cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
#[allow(unsafe_code, reason = "stores through references have no safe form")]
fn store_sums(to: &mut [i32; 8], sums: __m256i) {
    // SAFETY: the reference is to 32 bytes that can be written.
    unsafe { _mm256_storeu_si256((&raw mut *to).cast(), sums) }
}

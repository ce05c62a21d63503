use proptest::prelude::*;

use super::{
    super::{
        layers,
        layers::{Code, MOST_OUTPUTS},
        weights::{Block, LANES, Layer, NnueWeights},
    },
    *,
};
use crate::eval::nnue::Architecture;

/// The outputs of one layer.
struct Outputs<'a>(&'a Layer, &'a [u8]);

impl Task for Outputs<'_> {
    type Output = Vec<i32>;

    #[inline(always)]
    fn run(self, code: impl Code) -> Vec<i32> {
        let mut outputs = [0; MOST_OUTPUTS];
        code.layer(self.0, self.1, &mut outputs);
        outputs[..self.0.biases.len()].to_vec()
    }
}

/// The output of a whole network.
struct Whole<'a>(&'a NnueWeights, [&'a [Block]; 2]);

impl Task for Whole<'_> {
    type Output = i32;

    #[inline(always)]
    fn run(self, code: impl Code) -> i32 {
        layers::output(self.0, self.1, 0, &mut layers::Inputs::default(), code)
    }
}

/// The same as the definition says, without tiles.
fn by_definition(inputs: &[u8], biases: &[i32], weights: &[i8], padded: usize) -> Vec<i32> {
    let sum = |output: usize| {
        let products = inputs.iter().zip(&weights[output * padded..]);
        let products = products.map(|(input, weight)| i32::from(*input) * i32::from(*weight));
        products.fold(biases[output], i32::wrapping_add)
    };
    (0..biases.len()).map(sum).collect()
}

/// Inputs of which about half are zero, the largest ones often.
fn inputs(length: usize) -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(prop_oneof![3 => Just(0), 1 => 0..=127_u8, 1 => Just(127)], length)
}

proptest! {
    #[test]
    fn all_machines_compute_a_layer_as_defined(
        (inputs, outputs, seed) in (
            prop_oneof![Just(8_usize), Just(16), Just(30), Just(32), Just(64), Just(512), Just(1536)],
            prop_oneof![Just(1_usize), Just(8), Just(16), Just(32), Just(64)],
            any::<u64>(),
        )
            .prop_flat_map(|(length, outputs, seed)| (inputs(length), Just(outputs), Just(seed))),
    ) {
        let padded = inputs.len().next_multiple_of(32);
        let mut random = fastrand::Rng::with_seed(seed);
        let biases: Vec<i32> = (0..outputs).map(|_| random.i32(..)).collect();
        let mut weight = || if random.bool() { random.i8(..) } else { random.choice([-128, 127]).unwrap() };
        let weights: Vec<i8> = (0..outputs * padded).map(|_| weight()).collect();
        let layer = Layer::new(inputs.len(), &biases, &weights);
        let mut whole = inputs.clone();
        whole.resize(inputs.len().next_multiple_of(4), 0);
        let expected = by_definition(&inputs, &biases, &weights, padded);
        for machine in Machine::available() {
            let found = machine.run(Outputs(&layer, &whole));
            prop_assert_eq!(&found[..outputs], &expected[..], "{}", machine);
        }
    }

    #[test]
    fn all_machines_compute_the_same_output(seed: u64, wide: bool, which in 0_usize..7) {
        let architecture = Architecture::KNOWN[which];
        let mut random = fastrand::Rng::with_seed(seed);
        let layer = |(inputs, outputs): (usize, usize), random: &mut fastrand::Rng| {
            let biases: Vec<i32> = (0..outputs).map(|_| random.i32(-9000..9000)).collect();
            let padded = inputs.next_multiple_of(32);
            let weights: Vec<i8> = (0..outputs * padded).map(|_| random.i8(-64..64)).collect();
            Layer::new(inputs, &biases, &weights)
        };
        let stack = architecture.layers().map(|sizes| layer(sizes, &mut random));
        let weights = NnueWeights {
            architecture,
            biases: Vec::new(),
            rows: Vec::new(),
            stacks: vec![stack],
            bytes: 0,
            checksum: 0,
        };
        let most = if wide { i16::MAX } else { 300 };
        let mut sums = || -> Vec<Block> {
            let block = |_| Block(std::array::from_fn(|_| random.i16(-most..=most)));
            (0..architecture.half / LANES).map(block).collect()
        };
        let (mover, other) = (sums(), sums());
        let on = |machine: Machine| machine.run(Whole(&weights, [&mover, &other]));
        let expected = on(Machine(Kind::Scalar));
        for machine in Machine::available() {
            prop_assert_eq!(on(machine), expected, "{} {}", machine, architecture);
        }
    }
}

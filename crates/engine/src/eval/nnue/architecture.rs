//! The architectures that can be read, and how a file names its own.

use std::fmt;

/// What the inputs of a network are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputFeatures {
    /// Pieces and kings, each alone.
    KingAndPiece,
    /// The own king's square with each piece that is no king.
    HalfKp,
    /// The same, mirrored so that the king stands on files 1 to 5.
    HalfKpMirrored,
    /// The own king's square with each piece, kings too, mirrored so that the king stands on files 1 to 5. Both kings
    /// share one plane.
    HalfKaMirrored,
}

/// The shape of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Architecture {
    /// What the inputs are.
    pub features: InputFeatures,
    /// The number of sums of each side's view, a multiple of 32.
    pub half: usize,
    /// The outputs of the first and the second hidden layer. In the SFNN family the first has one more, which is added
    /// to the output of the network.
    pub hidden: [usize; 2],
}

impl InputFeatures {
    /// The number of inputs, one row of weights each.
    pub const fn rows(self) -> usize {
        match self {
            Self::KingAndPiece => 1548 + 2 * 81,
            Self::HalfKp => 81 * 1548,
            Self::HalfKpMirrored => 45 * 1548,
            Self::HalfKaMirrored => 45 * (1548 + 81),
        }
    }

    /// Whether each row belongs to a square of the own king.
    #[inline]
    pub(super) const fn hang_on_king(self) -> bool {
        !matches!(self, Self::KingAndPiece)
    }

    /// Whether the view is mirrored where the own king stands on files 6 to 9.
    #[inline]
    pub(super) const fn are_mirrored(self) -> bool {
        matches!(self, Self::HalfKpMirrored | Self::HalfKaMirrored)
    }

    /// Whether kings are inputs as other pieces are.
    #[inline]
    pub(super) const fn have_kings(self) -> bool {
        matches!(self, Self::KingAndPiece | Self::HalfKaMirrored)
    }

    /// The name in the text of a header, before the number of inputs.
    const fn name_in_header(self) -> &'static str {
        match self {
            Self::KingAndPiece => "K+P",
            Self::HalfKp => "HalfKP(Friend)",
            Self::HalfKpMirrored => "HalfKP_vm(Friend)",
            Self::HalfKaMirrored => "HalfKA_hm2(Friend)",
        }
    }

    /// Whether a header calls the features by this name.
    fn is_named(self, name: &str) -> bool {
        let bare = |name: &str| name.split('(').next().unwrap_or("").to_ascii_lowercase();
        bare(name.trim()) == bare(self.name_in_header()) && !name.contains("Enemy")
    }
}

impl Architecture {
    /// All architectures that can be read.
    pub const KNOWN: [Self; 7] = [
        Self { features: InputFeatures::KingAndPiece, half: 256, hidden: [32, 32] },
        Self { features: InputFeatures::HalfKp, half: 256, hidden: [32, 32] },
        Self { features: InputFeatures::HalfKp, half: 512, hidden: [16, 32] },
        Self { features: InputFeatures::HalfKp, half: 1024, hidden: [8, 32] },
        Self { features: InputFeatures::HalfKp, half: 1024, hidden: [8, 64] },
        Self { features: InputFeatures::HalfKpMirrored, half: 256, hidden: [32, 32] },
        Self { features: InputFeatures::HalfKaMirrored, half: 1536, hidden: [15, 32] },
    ];

    /// The architecture that the text of a header names, by features and sizes. Files of different programs name the
    /// same layers with different words.
    pub fn named_by(text: &str) -> Option<Self> {
        let features = text.split("Features=").nth(1)?;
        let (name, sizes) = features.split_once('[')?;
        let (sizes, rest) = sizes.split_once(']')?;
        let (rows, half) = sizes.strip_suffix("x2")?.split_once("->")?;
        let (rows, half): (usize, usize) = (rows.parse().ok()?, half.parse().ok()?);
        // The layers from the output to the input, as `[outputs<-inputs]`.
        let layers: Vec<(usize, usize)> = rest
            .split('[')
            .filter_map(|layer| layer.split_once(']')?.0.split_once("<-"))
            .filter_map(|(outputs, inputs)| Some((outputs.parse().ok()?, inputs.parse().ok()?)))
            .collect();
        Self::KNOWN.into_iter().find(|known| {
            // From the output to the input.
            let [first, second, last] = known.layers();
            let shape = [last, second, first].map(|(inputs, outputs)| (outputs, inputs));
            known.features.is_named(name)
                && (known.features.rows(), known.half) == (rows, half)
                && if known.is_stacked() {
                    // Such files name their layers by a word alone, or one by one.
                    let is_other = |word: &str| {
                        !rest.split(word).skip(1).all(|after| {
                            after.split(['{', ',', ';']).next() == Some(&*half.to_string())
                        })
                    };
                    (layers.is_empty() || layers == shape)
                        && !is_other("SFNN-")
                        && stacks(text).is_none_or(|stacks| stacks == known.stacks())
                } else {
                    layers == shape
                }
        })
    }

    /// The text of the header of a file that this program writes.
    pub fn header_text(self) -> String {
        let Self { features, half, hidden: [first, second] } = self;
        let (name, rows) = (features.name_in_header(), features.rows());
        let stacks = self.stacks();
        if self.is_stacked() {
            return format!(
                "ModelType=SFNNWithoutPsqt;Features={name}[{rows}->{half}x2],Network=SFNN-{half}{{LayerStack={stacks}}}"
            );
        }
        let inputs = 2 * half;
        format!(
            "Features={name}[{rows}->{half}x2],Network=AffineTransform[1<-{second}](ClippedReLU[{second}](\
             AffineTransform[{second}<-{first}](ClippedReLU[{first}](AffineTransform[{first}<-{inputs}](\
             InputSlice[{inputs}(0:{inputs})])))))"
        )
    }

    /// Whether it belongs to the SFNN family: the two halves of a view are multiplied, and the ranks of the kings
    /// select the layers.
    pub const fn is_stacked(self) -> bool {
        matches!(self.features, InputFeatures::HalfKaMirrored)
    }

    /// The number of sets of layers.
    pub const fn stacks(self) -> usize {
        if self.is_stacked() { 9 } else { 1 }
    }

    /// Inputs and outputs of the three layers.
    pub(super) const fn layers(self) -> [(usize, usize); 3] {
        let Self { half, hidden: [first, second], .. } = self;
        if self.is_stacked() {
            [(half, first + 1), (2 * first, second), (second, 1)]
        } else {
            [(2 * half, first), (first, second), (second, 1)]
        }
    }

    /// The architecture with this [`Display`](fmt::Display) text, of those that can be read.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::KNOWN.into_iter().find(|known| known.to_string().eq_ignore_ascii_case(name))
    }
}

/// The number of stacks that a header names.
fn stacks(text: &str) -> Option<usize> {
    let digits = text.split("LayerStack=").nth(1)?;
    digits.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// Such as `HalfKP-1024x2-8-64` and `SFNN-1536-15-32`.
impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { features, half, hidden: [first, second] } = self;
        let name = match features {
            InputFeatures::KingAndPiece => "K-P",
            InputFeatures::HalfKp => "HalfKP",
            InputFeatures::HalfKpMirrored => "HalfKP_vm",
            InputFeatures::HalfKaMirrored => return write!(f, "SFNN-{half}-{first}-{second}"),
        };
        write!(f, "{name}-{half}x2-{first}-{second}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_of_each_known_architecture_names_it() {
        for known in Architecture::KNOWN {
            assert_eq!(Architecture::named_by(&known.header_text()), Some(known));
            assert_eq!(Architecture::by_name(&known.to_string()), Some(known));
        }
    }

    #[test]
    fn layers_may_have_other_names_but_not_other_sizes() {
        let text = Architecture::KNOWN[4].header_text();
        let sparse = text.replace("AffineTransform[8", "AffineTransformSparseInput[8");
        assert_eq!(Architecture::named_by(&sparse), Some(Architecture::KNOWN[4]));
        let bare = text.replace("HalfKP(Friend)", "HalfKP");
        assert_eq!(Architecture::named_by(&bare), Some(Architecture::KNOWN[4]));
        for (from, to) in [
            ("[64<-8]", "[64<-16]"),
            ("125388", "125389"),
            ("HalfKP", "HalfKPE9"),
            ("Friend", "Enemy"),
            ("1024x2", "1024x1"),
            ("Features=", "Inputs="),
        ] {
            assert_eq!(Architecture::named_by(&text.replace(from, to)), None, "{from} as {to}");
        }
        let stacked = Architecture::KNOWN[6].header_text();
        let layers = |sizes: &str| stacked.replace("SFNN-1536{", &format!("{sizes}{{"));
        let named = |sizes: &str| Architecture::named_by(&layers(sizes));
        assert_eq!(named("A[1<-32](C[32](B[32<-30](D[16<-1536])))"), Some(Architecture::KNOWN[6]));
        assert_eq!(named("A[1<-64](C[64](B[64<-14](D[8<-1536])))"), None);
        assert_eq!(named("SFNN-1536-V2"), None);
        assert_eq!(named("SFNN-1024"), None);
        assert_eq!(Architecture::named_by(&stacked.replace("Stack=9", "Stack=8")), None);
    }
}

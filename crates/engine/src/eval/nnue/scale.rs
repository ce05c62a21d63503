//! From the output of a network to its unit and to centipawns.

/// How the output of a network becomes centipawns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scale {
    /// What the output is divided by to give the file's own unit, 1 to 128: YaneuraOu's option `FV_SCALE`.
    pub fv_scale: u8,
    /// Centipawns for 100 units.
    pub percent: u16,
}

/// The largest value in the file's own unit, as in YaneuraOu.
const MOST_UNITS: i32 = 31_753;

impl Scale {
    /// YaneuraOu's default of `FV_SCALE`.
    pub const USUAL_FV_SCALE: u8 = 16;

    /// The scale of a file whose own is not known: that measured for a network of the K-P architecture
    /// (docs/engine-in-use.md). The other families are assumed to be alike, since their files are made for the same
    /// engine.
    pub const fn usual() -> Self {
        Self { fv_scale: Self::USUAL_FV_SCALE, percent: 95 }
    }

    /// The value in the file's own unit.
    #[inline]
    pub fn units(self, output: i32) -> i32 {
        (output / i32::from(self.fv_scale.max(1))).clamp(-MOST_UNITS, MOST_UNITS)
    }

    /// The value in centipawns.
    #[inline]
    pub fn centipawns(self, output: i32) -> i32 {
        self.units(output) * i32::from(self.percent) / 100
    }
}

//! The presets: named values of all parameters.

/// A whole set of parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Preset {
    /// The search for play: interest search with all rules that won games in tests.
    Tournament,
    /// *Interest Search* exactly as in the paper.
    Paper,
    /// Plain full-width search to a fixed depth: the baseline of the papers.
    Full,
    /// A modern full-width search: null move, late-move reductions, futility.
    Lmr,
}

impl Preset {
    /// All presets.
    pub const ALL: [Self; 4] = [Self::Tournament, Self::Paper, Self::Full, Self::Lmr];

    /// Its name as an option's value.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tournament => "tournament",
            Self::Paper => "paper",
            Self::Full => "full",
            Self::Lmr => "lmr",
        }
    }

    /// The preset of a name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name().eq_ignore_ascii_case(name))
    }
}

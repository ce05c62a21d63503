//! The 21 generators by name, and sets of them.

/// A generator of plausible moves. The words for pieces, kings and camps are those of docs/search.md, section 3.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Generator {
    /// G1: takes a piece.
    Capture,
    /// G2: promotes.
    Promote,
    /// T1: gives check, directly or by discovery.
    Check,
    /// T2: newly attacks the enemy king's zone, lands in it, or is dropped within two squares of the king.
    AttackKing,
    /// T3: newly attacks a piece that is dearer, undefended, or has no more defenders than attackers; or drops a pawn in
    /// front of a piece.
    AttackMaterial,
    /// T4: opens an own slider onto the enemy king's zone, a piece other than a pawn, or an undefended piece.
    DiscoveredAttack,
    /// T5: threatens to promote where that is undefended or supported, without loss; or opens a slider into the camp.
    ThreatenPromotion,
    /// D1: answers a check.
    DefendCheck,
    /// D2: meets an attack on the own king's zone: the king leaves, a square is covered or taken, an attacker is taken.
    DefendKing,
    /// D3: saves a hanging piece: it moves, is guarded, or something comes between.
    DefendMaterial,
    /// D4: meets an attack that could be uncovered.
    DefendDiscovered,
    /// D5: takes or covers a square where a promotion threatens.
    StopPromotion,
    /// P1: guards a pinned piece, or the king leaves the line of the pin.
    DefendPin,
    /// P2: guards a piece that is attacked and has one defender.
    RelieveTie,
    /// P3: guards an undefended piece that is attacked or no pawn, or moves an undefended piece to a guarded square,
    /// without loss.
    GuardUndefended,
    /// P4: guards or moves a piece that is even.
    DefendExchange,
    /// P5: newly covers two weak squares of the own camp, without loss; no drop of a bishop or rook.
    CoverOwnCamp,
    /// P6: develops (3.2).
    Develop,
    /// Q1: leaves exactly one enemy piece between a slider and a gold or dearer piece or the king, without loss.
    Pin,
    /// Q2: newly covers two squares of the enemy's camp that no own piece covers, without loss.
    CoverEnemyCamp,
    /// Q3: takes away a square that an enemy pawn, knight, silver, bishop or rook could move to, or drops a pawn into a
    /// slider's line.
    HinderDevelopment,
}

impl Generator {
    /// All generators, in the order of their numbers.
    pub(super) const ALL: [Self; 21] = [
        Self::Capture,
        Self::Promote,
        Self::Check,
        Self::AttackKing,
        Self::AttackMaterial,
        Self::DiscoveredAttack,
        Self::ThreatenPromotion,
        Self::DefendCheck,
        Self::DefendKing,
        Self::DefendMaterial,
        Self::DefendDiscovered,
        Self::StopPromotion,
        Self::DefendPin,
        Self::RelieveTie,
        Self::GuardUndefended,
        Self::DefendExchange,
        Self::CoverOwnCamp,
        Self::Develop,
        Self::Pin,
        Self::CoverEnemyCamp,
        Self::HinderDevelopment,
    ];

    /// Its letter and number, as `G1`, and its name in words.
    pub(super) const fn label(self) -> (&'static str, &'static str) {
        match self {
            Self::Capture => ("G1", "takes a piece"),
            Self::Promote => ("G2", "promotes"),
            Self::Check => ("T1", "gives check"),
            Self::AttackKing => ("T2", "attacks the king's surroundings"),
            Self::AttackMaterial => ("T3", "attacks a piece"),
            Self::DiscoveredAttack => ("T4", "uncovers an attack"),
            Self::ThreatenPromotion => ("T5", "threatens to promote"),
            Self::DefendCheck => ("D1", "answers a check"),
            Self::DefendKing => ("D2", "defends the king's surroundings"),
            Self::DefendMaterial => ("D3", "saves a hanging piece"),
            Self::DefendDiscovered => ("D4", "meets an attack that could be uncovered"),
            Self::StopPromotion => ("D5", "stops a promotion"),
            Self::DefendPin => ("P1", "guards a pinned piece or leaves the pin"),
            Self::RelieveTie => ("P2", "guards a piece that has one defender"),
            Self::GuardUndefended => ("P3", "guards an undefended piece"),
            Self::DefendExchange => ("P4", "guards or moves a piece that can be exchanged"),
            Self::CoverOwnCamp => ("P5", "covers weak squares of the own camp"),
            Self::Develop => ("P6", "develops"),
            Self::Pin => ("Q1", "pins"),
            Self::CoverEnemyCamp => ("Q2", "covers squares of the enemy's camp"),
            Self::HinderDevelopment => ("Q3", "hinders the enemy's development"),
        }
    }
}

/// A set of generators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Generators(u32);

impl Generators {
    /// The empty set.
    pub(super) const NONE: Self = Self(0);
    /// G: captures and promotions.
    pub(super) const GOALS: Self = Self(0b11);
    /// P and Q: moves that only improve the position.
    pub(super) const POSITIONAL: Self = Self(0x1f_f000);
    /// Slow generators, whose moves need a further own move to have an effect: T2, T3, T5, P and Q.
    pub(super) const SLOW: Self = Self(
        Self::POSITIONAL.0
            | 1 << Generator::AttackKing as u32
            | 1 << Generator::AttackMaterial as u32
            | 1 << Generator::ThreatenPromotion as u32,
    );

    /// Adds a generator if `is_so`.
    #[inline]
    pub(super) fn with(self, generator: Generator, is_so: bool) -> Self {
        Self(self.0 | u32::from(is_so) << generator as u32)
    }

    /// Without the generators of another set.
    #[inline]
    pub(super) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether the set contains a generator.
    #[inline]
    pub(super) const fn has(self, generator: Generator) -> bool {
        self.0 >> generator as u32 & 1 != 0
    }

    /// The generators of the set.
    pub(super) fn iter(self) -> impl Iterator<Item = Generator> {
        Generator::ALL.into_iter().filter(move |generator| self.has(*generator))
    }

    /// Whether the set is not empty.
    #[inline]
    pub(super) const fn any(self) -> bool {
        self.0 != 0
    }

    /// Whether the sets have a generator in common.
    #[inline]
    pub(super) const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether the set is not empty, and all its generators are in the other set.
    #[inline]
    pub(super) const fn only(self, other: Self) -> bool {
        self.0 != 0 && self.0 & !other.0 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_generators_have_a_label_of_their_category() {
        let labels = Generator::ALL.map(|generator| generator.label().0);
        let mut sorted = labels.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), 21);
        for (at, generator) in Generator::ALL.into_iter().enumerate() {
            assert_eq!(generator as usize, at);
            let (set, label) = (Generators::NONE.with(generator, true), generator.label().0);
            assert_eq!(set.meets(Generators::GOALS), label.starts_with('G'));
            assert_eq!(set.only(Generators::POSITIONAL), label.starts_with(['P', 'Q']));
            assert_eq!(set.iter().collect::<Vec<_>>(), [generator]);
        }
    }

    #[test]
    fn the_sets_are_the_categories() {
        let of = |generator| Generators::NONE.with(generator, true);
        assert!(of(Generator::Promote).meets(Generators::GOALS));
        assert!(!of(Generator::Check).meets(Generators::GOALS));
        assert!(!of(Generator::StopPromotion).meets(Generators::POSITIONAL));
        assert!(of(Generator::DefendPin).only(Generators::POSITIONAL));
        assert!(of(Generator::HinderDevelopment).only(Generators::POSITIONAL));
        assert!(of(Generator::AttackMaterial).only(Generators::SLOW));
        assert!(!of(Generator::DiscoveredAttack).meets(Generators::SLOW));
        assert!(!Generators::NONE.only(Generators::SLOW) && !Generators::NONE.any());
        let both = of(Generator::Capture).with(Generator::Develop, true);
        assert!(both.has(Generator::Develop) && !both.has(Generator::Pin));
        assert!(!both.only(Generators::POSITIONAL) && both.any());
        assert_eq!(both.without(Generators::SLOW), of(Generator::Capture));
    }
}

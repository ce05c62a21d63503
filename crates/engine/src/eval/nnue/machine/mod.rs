//! The sets of instructions that evaluations are compiled for, and the choice between them at run time.
//!
//! [`scalar`] runs everywhere and is the reference that tests compare the others with. NEON has no file: there was
//! neither such a processor nor a standard library for it to compile and test it with.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512_vnni;
mod scalar;

use super::layers::Task;

/// A set of instructions that the processor has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Machine(Kind);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni,
}

impl Machine {
    /// All that the processor has, the fastest first.
    pub(super) fn available() -> impl Iterator<Item = Self> {
        #[cfg(target_arch = "x86_64")]
        let vectors =
            [(avx512_vnni::is_available(), Kind::Avx512Vnni), (avx2::is_available(), Kind::Avx2)];
        #[cfg(not(target_arch = "x86_64"))]
        let vectors: [(bool, Kind); 0] = [];
        let vectors = vectors.into_iter().filter_map(|(has, kind)| has.then_some(Self(kind)));
        vectors.chain([Self(Kind::Scalar)])
    }

    /// The fastest that the processor has.
    pub(super) fn fastest() -> Self {
        Self::available().next().unwrap_or(Self(Kind::Scalar))
    }

    /// Runs a task with these instructions.
    #[inline]
    #[allow(unsafe_code, reason = "vectors make an evaluation about ten times as fast")]
    pub(super) fn run<T: Task>(self, task: T) -> T::Output {
        match self.0 {
            Kind::Scalar => scalar::run(task),
            // SAFETY: a `Machine` is only made by `available`, for instructions that the processor has been found to
            // have.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => unsafe { avx2::run(task) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512Vnni => unsafe { avx512_vnni::run(task) },
        }
    }
}

impl std::fmt::Display for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.0 {
            Kind::Scalar => "portable",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512Vnni => "AVX-512 VNNI",
        })
    }
}

#[cfg(test)]
mod tests;

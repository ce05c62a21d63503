//! How often engines choose the best move of a deep search, and after how many nodes they keep it.

use serde::Serialize;

use super::courses::{CourseRow, Courses};
use super::mean::{Mean, geometric_mean};

/// The tables of `kyomi-lab agreement`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct AgreementStudy {
    /// The number of positions.
    pub positions: usize,
    /// Each engine with each limit.
    pub engines: Vec<Agreement>,
    /// Each later engine against the first, with each limit.
    pub pairs: Vec<PairedAgreement>,
}

/// The agreement of an engine with the reference.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Agreement {
    /// The engine.
    pub engine: String,
    /// The limit of each search.
    pub nodes: u64,
    /// The number of positions in which it chose the reference move.
    pub hits: usize,
    /// Their share.
    pub share: Mean,
    /// The geometric mean, over these positions, of the number of nodes after which it kept the move.
    pub kept_after: Option<f64>,
}

/// Two engines on the same positions.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PairedAgreement {
    /// The engines.
    pub engines: [String; 2],
    /// The limit of each search.
    pub nodes: u64,
    /// The share of hits of the second less that of the first.
    pub difference: Mean,
    /// The number of positions in which both chose the reference move.
    pub both: usize,
    /// In these, how many times the nodes of the first the second needed, as a geometric mean.
    pub ratio: Option<f64>,
}

impl AgreementStudy {
    /// The tables of these searches.
    pub(crate) fn new(courses: &Courses) -> Self {
        let kept_after = |row: &CourseRow, engine: usize, limit: usize| {
            row.courses[engine][limit].kept_after(&row.best).map(|nodes| nodes as f64)
        };
        let mut study = Self { positions: courses.rows.len(), ..Self::default() };
        for (at, &nodes) in courses.nodes.iter().enumerate() {
            for (engine, name) in courses.engines.iter().enumerate() {
                let kept: Vec<_> =
                    courses.rows.iter().map(|row| kept_after(row, engine, at)).collect();
                study.engines.push(Agreement {
                    engine: name.clone(),
                    nodes,
                    hits: kept.iter().flatten().count(),
                    share: Mean::of(kept.iter().map(|kept| f64::from(u8::from(kept.is_some())))),
                    kept_after: geometric_mean(kept.iter().copied().flatten()),
                });
                if engine == 0 {
                    continue;
                }
                let pairs = courses
                    .rows
                    .iter()
                    .map(|row| [kept_after(row, 0, at), kept_after(row, engine, at)]);
                let pairs: Vec<_> = pairs.collect();
                let hit = |kept: Option<f64>| f64::from(u8::from(kept.is_some()));
                let ratios: Vec<_> = pairs
                    .iter()
                    .filter_map(|[first, second]| Some((*second)? / (*first)?))
                    .collect();
                study.pairs.push(PairedAgreement {
                    engines: [courses.engines[0].clone(), name.clone()],
                    nodes,
                    difference: Mean::of(pairs.iter().map(|&[a, b]| hit(b) - hit(a))),
                    both: ratios.len(),
                    ratio: geometric_mean(ratios.iter().copied()),
                });
            }
        }
        study
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studies::courses::{Course, CourseLine};

    fn course(best: &str, kept_after: u64) -> Vec<Course> {
        let line =
            CourseLine { best: Some(best.to_owned()), nodes: kept_after, ..CourseLine::default() };
        vec![Course { best: Some(best.to_owned()), lines: vec![line], ..Course::default() }]
    }

    #[test]
    fn engines_are_compared_on_the_same_positions() {
        let row = |[first, second]: [(&str, u64); 2]| CourseRow {
            best: "a".to_owned(),
            courses: vec![course(first.0, first.1), course(second.0, second.1)],
        };
        let rows = [
            [("a", 100), ("a", 400)],
            [("a", 400), ("b", 9)],
            [("a", 1), ("a", 16)],
            [("b", 1), ("a", 1)],
        ];
        let courses = Courses {
            engines: vec!["one".to_owned(), "two".to_owned()],
            nodes: vec![500],
            rows: rows.into_iter().map(row).collect(),
        };
        let study = AgreementStudy::new(&courses);
        let [one, two] = study.engines.as_slice() else { panic!("{study:?}") };
        assert_eq!((study.positions, one.hits, two.hits), (4, 3, 3));
        assert!((one.share.value - 0.75).abs() < 1e-9);
        assert!((one.kept_after.unwrap() - 40_000_f64.cbrt()).abs() < 1e-9);
        let pair = &study.pairs[0];
        assert!(pair.difference.value.abs() < 1e-9 && pair.difference.error > 0.3);
        assert_eq!((pair.both, pair.ratio.unwrap().round() as i32), (2, 8));
    }
}

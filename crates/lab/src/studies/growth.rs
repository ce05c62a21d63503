//! How the work of engines grows with the depth, and where their nodes go.

use serde::Serialize;

use super::courses::{Course, CourseLine, Courses};
use super::growth_shares::ShareTable;
use super::mean::{Mean, geometric_mean};

/// The tables of `kyomi-lab growth`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct GrowthStudy {
    /// The number of positions.
    pub positions: usize,
    /// The limit of each search.
    pub nodes: u64,
    /// The engines.
    pub engines: Vec<EngineGrowth>,
    /// Where the nodes of the engines went that count them.
    pub shares: Vec<ShareTable>,
}

/// How the work of an engine grows.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct EngineGrowth {
    /// The engine.
    pub engine: String,
    /// Nodes of all its searches.
    pub nodes: u64,
    /// Time of all its searches, in seconds.
    pub seconds: f64,
    /// The longest line at the end of a search, on average; `None` if it states none.
    pub seldepth: Option<f64>,
    /// The used part of its table at the end of a search, on average in permille; `None` if it states none.
    pub hashfull: Option<f64>,
    /// The depths that at least half of the searches completed.
    pub depths: Vec<DepthGrowth>,
    /// The depth completed within a sixteenth, a fourth and all of the nodes.
    pub reached: [(u64, Mean); 3],
    /// The depth that four times the nodes gain: for each position, the depth completed within all nodes less that
    /// within a fourth of them.
    pub gained: Mean,
}

/// A depth that was completed.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct DepthGrowth {
    /// In plies.
    pub depth: u32,
    /// The number of searches that completed it.
    pub positions: usize,
    /// The number of nodes until then, as a geometric mean.
    pub nodes: f64,
    /// The time until then in milliseconds, as a geometric mean.
    pub ms: f64,
    /// The longest line until then, on average; 0 if not stated.
    pub seldepth: f64,
    /// The nodes to this depth for each node to the one before, as a geometric mean over searches that completed both.
    pub nodes_ratio: Option<f64>,
    /// The same of the time.
    pub time_ratio: Option<f64>,
}

impl GrowthStudy {
    /// The tables of these searches with the last of their limits.
    pub(crate) fn new(courses: &Courses) -> Self {
        let limit = courses.nodes.last().copied().unwrap_or_default();
        let (mut engines, mut counts) = (Vec::new(), Vec::new());
        for (engine, name) in courses.engines.iter().enumerate() {
            let searches = courses.rows.iter().filter_map(|row| row.courses[engine].last());
            let searches: Vec<_> = searches.collect();
            engines.push(EngineGrowth::new(name, &searches, limit));
            counts.push((name.as_str(), searches));
        }
        let (positions, shares) = (courses.rows.len(), ShareTable::all(&counts));
        Self { positions, nodes: limit, engines, shares }
    }
}

impl EngineGrowth {
    fn new(engine: &str, searches: &[&Course], limit: u64) -> Self {
        let ends: Vec<_> = searches.iter().filter_map(|course| course.lines.last()).collect();
        let stated = |of: fn(&CourseLine) -> Option<u32>| {
            let values: Vec<_> = ends.iter().filter_map(|line| of(line).map(f64::from)).collect();
            (!values.is_empty()).then(|| Mean::of(values.into_iter()).value)
        };
        let within = |course: &Course, nodes| f64::from(course.depth_within(nodes));
        let gain = |course: &&Course| within(course, limit) - within(course, limit / 4);
        Self {
            engine: engine.to_owned(),
            nodes: searches.iter().map(|course| course.nodes).sum(),
            seconds: searches.iter().map(|course| course.us as f64 / 1e6).sum(),
            seldepth: stated(|line| Some(line.seldepth).filter(|&plies| plies > 0)),
            hashfull: stated(|line| line.hashfull),
            depths: depths(searches),
            reached: [limit / 16, limit / 4, limit].map(|nodes| {
                (nodes, Mean::of(searches.iter().map(|course| within(course, nodes))))
            }),
            gained: Mean::of(searches.iter().map(gain)),
        }
    }
}

/// The depths that at least half of the searches completed.
fn depths(searches: &[&Course]) -> Vec<DepthGrowth> {
    let mut depths = Vec::new();
    for depth in 1.. {
        let at: Vec<_> = searches.iter().filter_map(|course| course.at_depth(depth)).collect();
        if at.is_empty() || 2 * at.len() < searches.len() {
            break;
        }
        let both = searches.iter().filter_map(|course| {
            let before = (depth > 1).then(|| course.at_depth(depth - 1)).flatten()?;
            Some((before, course.at_depth(depth)?))
        });
        let both: Vec<_> = both.collect();
        let mean = |of: fn(&CourseLine) -> u64| {
            geometric_mean(at.iter().map(|line| of(line).max(1) as f64)).unwrap_or_default()
        };
        let ratio = |of: fn(&CourseLine) -> u64| {
            let of = |line| of(line).max(1) as f64;
            geometric_mean(both.iter().map(|&(before, line)| of(line) / of(before)))
        };
        depths.push(DepthGrowth {
            depth,
            positions: at.len(),
            nodes: mean(|line| line.nodes),
            ms: mean(|line| line.us) / 1000.0,
            seldepth: Mean::of(at.iter().map(|line| f64::from(line.seldepth))).value,
            nodes_ratio: ratio(|line| line.nodes),
            time_ratio: ratio(|line| line.us),
        });
    }
    depths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studies::courses::CourseRow;

    fn course(lines: &[(u32, u64)]) -> Course {
        let line = |&(depth, nodes): &(u32, u64)| CourseLine {
            depth,
            nodes,
            us: 10 * nodes,
            hashfull: Some(depth),
            completed: true,
            ..CourseLine::default()
        };
        let lines = lines.iter().map(line).collect();
        Course { nodes: 1600, us: 500_000, lines, ..Course::default() }
    }

    #[test]
    fn growth_is_that_of_the_searches_that_completed_both_depths() {
        let row = |lines: &[(u32, u64)]| CourseRow {
            best: String::new(),
            courses: vec![vec![course(lines)]],
        };
        let courses = Courses {
            engines: vec!["one".to_owned()],
            nodes: vec![1600],
            rows: vec![
                row(&[(1, 10), (2, 40), (3, 100), (4, 1500)]),
                row(&[(1, 10), (2, 160), (3, 800)]),
                row(&[(1, 10), (2, 1600)]),
            ],
        };
        let study = GrowthStudy::new(&courses);
        let engine = &study.engines[0];
        assert_eq!((study.positions, engine.nodes, engine.depths.len()), (3, 4800, 3));
        assert_eq!(engine.depths.iter().map(|it| it.positions).collect::<Vec<_>>(), [3, 3, 2]);
        let [first, second, third] = engine.depths.as_slice() else { panic!("{engine:?}") };
        assert!(first.nodes_ratio.is_none() && (first.ms - 0.1).abs() < 1e-9);
        assert!((second.nodes_ratio.unwrap() - 10_240_f64.cbrt()).abs() < 1e-6);
        assert!((third.nodes_ratio.unwrap() - 12.5_f64.sqrt()).abs() < 1e-9);
        // 3, 2 and 1 plies within a fourth of the nodes, one more each within all of them.
        assert!((engine.reached[1].1.value - 2.0).abs() < 1e-9);
        assert!((engine.gained.value - 1.0).abs() < 1e-9 && engine.gained.error < 1e-9);
        assert_eq!((engine.seldepth, engine.hashfull), (None, Some(3.0)));
    }
}

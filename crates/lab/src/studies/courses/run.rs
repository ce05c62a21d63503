//! The run: every engine searches every position with every number of nodes.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::runtime::Handle;

use super::engine::CourseEngine;
use super::{Course, CourseError, References};
use kyomi::matches::{Contestant, Folder, player_plan};
use kyomi_engine::search::StopFlag;

/// What to search.
#[derive(Debug, Clone)]
pub(crate) struct CourseRequest {
    /// The name of the study. A folder has the searches of one study.
    pub(crate) study: &'static str,
    pub(crate) engines: Vec<Contestant>,
    pub(crate) references: References,
    /// The limits of the searches.
    pub(crate) nodes: Vec<u64>,
    /// Whether built-in engines also count where their nodes go, by a second search.
    pub(crate) counts: bool,
}

/// The searches of the positions that every engine has searched with every limit.
#[derive(Debug)]
pub(crate) struct Courses {
    /// The names of the engines.
    pub(crate) engines: Vec<String>,
    pub(crate) nodes: Vec<u64>,
    pub(crate) rows: Vec<CourseRow>,
}

/// The searches of a position.
#[derive(Debug)]
pub(crate) struct CourseRow {
    /// The best move, in USI notation.
    pub(crate) best: String,
    /// By engine and limit.
    pub(crate) courses: Vec<Vec<Course>>,
}

/// A search in the folder.
#[derive(Debug, Serialize, Deserialize)]
struct StoredCourse {
    engine: String,
    row: usize,
    limit: u64,
    #[serde(flatten)]
    course: Course,
}

/// The searches that are done, by row, engine and limit.
type Done = BTreeMap<(usize, usize, u64), Course>;

/// Runs or resumes the searches in the folder `dir`, until all are done or `stop` is set. `show` is called after each
/// position that all engines have searched, with their number. It is called on a thread that may block.
///
/// # Errors
/// An engine fails, or the folder cannot be used.
pub(crate) fn run_courses(
    request: &CourseRequest,
    dir: &Path,
    runtime: &Handle,
    stop: &StopFlag,
    show: impl FnMut(usize),
) -> Result<Courses, CourseError> {
    request.engines.iter().try_for_each(CourseEngine::check)?;
    let mut folder = Folder::open("study", dir, "searches.jsonl")?;
    let plan = request.plan();
    folder.check_plan("study.json", &plan, || json!({}))?;
    let mut done = Done::new();
    folder.each(|StoredCourse { engine, row, limit, course }: StoredCourse| {
        let at = request.engines.iter().position(|known| known.name == engine);
        let at = at.ok_or_else(|| format!("no engine is called '{engine}'"))?;
        done.insert((row, at, limit), course);
        Ok(())
    })?;
    let mut engines = Vec::new();
    let searched = search_all(request, &mut folder, &mut engines, &mut done, (runtime, stop), show);
    engines.into_iter().for_each(CourseEngine::quit);
    searched?;
    Ok(request.courses(&done))
}

/// Does the searches that are not done. The engines are started for the first of them.
fn search_all(
    request: &CourseRequest,
    folder: &mut Folder,
    engines: &mut Vec<CourseEngine>,
    done: &mut Done,
    (runtime, stop): (&Handle, &StopFlag),
    mut show: impl FnMut(usize),
) -> Result<(), CourseError> {
    for (row, reference) in request.references.rows.iter().enumerate() {
        for &limit in &request.nodes {
            for at in 0..request.engines.len() {
                if done.contains_key(&(row, at, limit)) {
                    continue;
                }
                if engines.is_empty() {
                    for contestant in &request.engines {
                        engines.push(CourseEngine::start(contestant, runtime, stop)?);
                    }
                }
                let course =
                    engines[at].search(&reference.position, limit, request.counts, stop)?;
                if stop.is_stopped() {
                    return Ok(());
                }
                let engine = request.engines[at].name.clone();
                let stored = StoredCourse { engine, row, limit, course };
                folder.append(&stored)?;
                done.insert((row, at, limit), stored.course);
            }
        }
        show(row + 1);
    }
    Ok(())
}

impl CourseRequest {
    /// Everything that the searches depend on. The number of positions is not part of it, so that a run may be extended.
    fn plan(&self) -> serde_json::Value {
        json!({
            "study": self.study,
            "engines": self.engines.iter().map(player_plan).collect::<Vec<_>>(),
            "positions": format!("{:016x}", self.references.fingerprint),
            "nodes": self.nodes,
            "counts": self.counts,
        })
    }

    fn courses(&self, done: &Done) -> Courses {
        let rows = self.references.rows.iter().enumerate().filter_map(|(row, reference)| {
            let of = |at: usize| -> Option<Vec<Course>> {
                let limits = self.nodes.iter();
                limits.map(|&limit| done.get(&(row, at, limit)).cloned()).collect()
            };
            let courses = (0..self.engines.len()).map(of).collect::<Option<_>>()?;
            Some(CourseRow { best: reference.best.clone(), courses })
        });
        Courses {
            engines: self.engines.iter().map(|engine| engine.name.clone()).collect(),
            nodes: self.nodes.clone(),
            rows: rows.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn request(engine: &str, most: usize) -> CourseRequest {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.tsv");
        let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -";
        fs::write(&path, format!("# sfen\tbest\n{start} 1\t7g7f\n{start} 3\t2g2f\n")).unwrap();
        CourseRequest {
            study: "test",
            engines: vec![
                Contestant::parse(engine, Some("nodes=1".parse().unwrap()), "A").unwrap(),
            ],
            references: References::read(&path, most).unwrap(),
            nodes: vec![200, 400],
            counts: true,
        }
    }

    fn run_in(dir: &Path, request: &CourseRequest) -> Result<(Courses, usize), CourseError> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let mut shown = 0;
        let stop = StopFlag::new();
        let courses = run_courses(request, dir, runtime.handle(), &stop, |rows| shown = rows)?;
        Ok((courses, shown))
    }

    #[test]
    fn a_run_is_resumed_where_it_stopped() {
        let dir = tempfile::tempdir().unwrap();
        let lines = || fs::read_to_string(dir.path().join("searches.jsonl")).unwrap();
        let (one, _) = run_in(dir.path(), &request("builtin Preset=lmr hash=1", 1)).unwrap();
        assert_eq!((one.rows.len(), lines().lines().count()), (1, 2));
        // The last line is lost in part.
        let text = lines();
        fs::write(dir.path().join("searches.jsonl"), &text[..text.len() - 9]).unwrap();
        let both = request("builtin Preset=lmr hash=1", 2);
        let (two, shown) = run_in(dir.path(), &both).unwrap();
        assert_eq!((two.rows.len(), shown, lines().lines().count()), (2, 2, 4));
        let course = &two.rows[1].courses[0][1];
        assert!(course.nodes <= 400 && !course.counts.is_empty() && course.lines.len() > 1);
        let (again, _) = run_in(dir.path(), &both).unwrap();
        assert_eq!(again.rows[1].courses, two.rows[1].courses);
        assert_eq!(lines().lines().count(), 4);
    }

    #[test]
    fn other_settings_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let first = request("builtin hash=1", 1);
        run_in(dir.path(), &first).unwrap();
        let other = CourseRequest { nodes: vec![200, 500], ..first };
        for request in [other, request("builtin hash=2", 1)] {
            let error = run_in(dir.path(), &request).unwrap_err().to_string();
            assert!(error.contains("holds another study: ") && error.contains(" was "), "{error}");
        }
    }
}

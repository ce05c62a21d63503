//! Where the nodes of engines go, as tables of shares.

use serde::Serialize;

use super::courses::Course;
use kyomi_engine::search::explain::NodeCounts;

/// A table of shares.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ShareTable {
    /// The nodes that it is about.
    pub title: &'static str,
    /// The names of its rows.
    pub rows: Vec<String>,
    /// The engines that count their nodes, with the share of each row in percent.
    pub engines: Vec<(String, Vec<f64>)>,
}

impl ShareTable {
    /// All tables of the searches of these engines, without rows that would show 0.0 % throughout. None if no engine
    /// counts its nodes.
    pub(super) fn all(engines: &[(&str, Vec<&Course>)]) -> Vec<Self> {
        let tables = NodeCounts::default().tables().into_iter().enumerate();
        let tables = tables.map(|(at, table)| {
            let length = table.rows.len();
            let shares = engines.iter().filter_map(|(name, searches)| {
                // Lists of another length are of another version.
                let counts = searches.iter().filter_map(|course| course.counts.get(at));
                let sums = sums(counts.filter(|list| list.len() == length))?;
                let all = sums.iter().sum::<u64>().max(1) as f64;
                let shares = sums.iter().map(|&number| number as f64 * 100.0 / all);
                Some(((*name).to_owned(), shares.collect()))
            });
            Self { title: table.title, rows: table.rows, engines: shares.collect() }
        });
        tables.filter(|table| !table.engines.is_empty()).map(Self::without_small_rows).collect()
    }

    fn without_small_rows(mut self) -> Self {
        for row in (0..self.rows.len()).rev() {
            if self.engines.iter().all(|(_, shares)| shares.get(row).is_none_or(|&it| it < 0.05)) {
                self.rows.remove(row);
                for (_, shares) in &mut self.engines {
                    if row < shares.len() {
                        shares.remove(row);
                    }
                }
            }
        }
        self
    }
}

/// The sums of lists, number by number; `None` without a list.
fn sums<'a>(lists: impl Iterator<Item = &'a Vec<u64>>) -> Option<Vec<u64>> {
    lists.cloned().reduce(|sum, list| sum.iter().zip(list).map(|(a, b)| a + b).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_those_of_all_searches() {
        let course = |first: u64, later: u64| {
            let tables = NodeCounts::default().tables();
            let mut counts = tables.map(|table| table.numbers).to_vec();
            (counts[0][0], counts[0][1], counts[4][2]) = (first, later, 7);
            Course { counts, ..Course::default() }
        };
        let short = Course { counts: vec![vec![99]; 6], ..Course::default() };
        let searches = [course(10, 0), course(20, 70), short];
        let engines = [("none", vec![]), ("one", searches.iter().collect())];
        let tables = ShareTable::all(&engines);
        assert_eq!(tables.len(), 6);
        assert_eq!(tables[0].rows, ["first moves", "later moves"]);
        assert_eq!(tables[0].engines, [("one".to_owned(), vec![30.0, 70.0])]);
        assert_eq!(
            (tables[4].rows.as_slice(), tables[5].rows.len()),
            (&["static evaluation".to_owned()][..], 0)
        );
        assert!(ShareTable::all(&engines[..1]).is_empty());
    }
}

//! Where the nodes of engines go, as tables of shares.

use super::growth::GrowthStudy;
use kyomi_engine::search::explain::{END_NAMES, KIND_NAMES, PART_NAMES};

use super::courses::Counts;

/// A table of shares in percent. Each column is an engine that counts its nodes, in the order of [`counting_engines`].
pub(crate) struct ShareTable {
    pub(crate) title: &'static str,
    pub(crate) rows: Vec<String>,
    /// By engine and row.
    pub(crate) columns: Vec<Vec<f64>>,
}

/// The names of the engines that count their nodes.
pub(crate) fn counting_engines(study: &GrowthStudy) -> Vec<&str> {
    let counting = study.engines.iter().filter(|engine| engine.counts.is_some());
    counting.map(|engine| engine.engine.as_str()).collect()
}

/// The tables of a study; none if no engine counts its nodes.
pub(crate) fn share_tables(study: &GrowthStudy) -> Vec<ShareTable> {
    let all: Vec<&Counts> =
        study.engines.iter().filter_map(|engine| engine.counts.as_ref()).collect();
    if all.is_empty() {
        return Vec::new();
    }
    let table = |title, rows: Vec<String>, of: fn(&Counts) -> (Vec<u64>, u64)| ShareTable {
        title,
        rows,
        columns: all.iter().map(|counts| shares(of(counts))).collect(),
    };
    let named = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let mut kinds = named(&KIND_NAMES);
    kinds.extend(named(&["quiescence"]));
    let deepest = all[0].left.len() - 1;
    let depths = (0..=deepest)
        .map(|depth| if depth < deepest { depth.to_string() } else { format!("{depth} or more") });
    vec![
        table("All nodes, by how they were entered", kinds, |counts| {
            let quiescence = counts.kinds.iter().map(|it| it[1]).sum();
            let numbers = counts.kinds.iter().map(|it| it[0]).chain([quiescence]);
            (numbers.collect(), counts.kinds.iter().flatten().sum())
        }),
        table("All nodes, by the innermost search around them", named(&PART_NAMES), |counts| {
            (counts.parts.to_vec(), counts.parts.iter().sum())
        }),
        table("Nodes in check", named(&["of the main search", "of quiescence"]), |counts| {
            (counts.in_check.to_vec(), counts.kinds.iter().flatten().sum())
        }),
        table("Main search, by the depth left in plies", depths.collect(), |counts| {
            (counts.left.to_vec(), counts.left.iter().sum())
        })
        .without_small_rows(),
        table("Main search: what ended nodes", named(&END_NAMES), |counts| {
            let ends = counts.ends.map(|it| it[0]);
            (ends.to_vec(), ends.iter().sum())
        }),
        table("Quiescence: what ended nodes", named(&END_NAMES), |counts| {
            let ends = counts.ends.map(|it| it[1]);
            (ends.to_vec(), ends.iter().sum())
        })
        .without_small_rows(),
    ]
}

/// Numbers as shares of a sum, in percent.
fn shares((numbers, sum): (Vec<u64>, u64)) -> Vec<f64> {
    numbers.into_iter().map(|number| number as f64 * 100.0 / sum.max(1) as f64).collect()
}

impl ShareTable {
    /// The table without the rows that would show 0.0 % throughout.
    fn without_small_rows(mut self) -> Self {
        for row in (0..self.rows.len()).rev() {
            if self.columns.iter().all(|column| column[row] < 0.05) {
                self.rows.remove(row);
                for column in &mut self.columns {
                    column.remove(row);
                }
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studies::growth::EngineGrowth;

    #[test]
    fn shares_add_up() {
        let mut counts = Counts::default();
        counts.kinds[0] = [40, 10];
        counts.kinds[1] = [20, 10];
        counts.kinds[3] = [15, 5];
        counts.parts[3] = 7;
        (counts.in_check, counts.left[16]) = ([1, 2], 75);
        (counts.ends[1], counts.ends[9]) = ([30, 5], [10, 0]);
        let counting = EngineGrowth {
            engine: "one".to_owned(),
            counts: Some(counts),
            ..EngineGrowth::default()
        };
        let engines = vec![EngineGrowth::default(), counting];
        let study = GrowthStudy { engines, ..GrowthStudy::default() };
        assert_eq!(counting_engines(&study), ["one"]);
        let tables = share_tables(&study);
        let column = |at: usize| tables[at].columns[0].as_slice();
        assert_eq!(column(0), [40.0, 20.0, 0.0, 15.0, 0.0, 0.0, 25.0]);
        assert_eq!((tables[0].rows[3].as_str(), column(1)[3]), ("null moves", 100.0));
        assert_eq!(column(2), [1.0, 2.0]);
        assert_eq!((column(3), tables[3].rows[0].as_str()), (&[100.0][..], "16 or more"));
        assert_eq!((column(4)[1], column(4)[9]), (75.0, 25.0));
        let quiet = &tables[5];
        assert_eq!((quiet.rows.as_slice(), column(5)), (&["table".to_owned()][..], &[100.0][..]));
        assert!(share_tables(&GrowthStudy::default()).is_empty());
    }
}

//! The tree of variations.
//!
//! It is kept as flat lists, not as nested nodes: a hundred thousand variations, each inside the one before, need no
//! stack to read, copy, compare or drop.

use super::{Record, RecordMove, Variation};

/// A variation whose parent line does not have the move that the variation replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("variation {index} does not leave its parent line: there is no move {ply} to be replaced")]
pub struct BadParent {
    /// The index of the variation.
    pub index: usize,
    /// The ply at which it would begin.
    pub ply: usize,
}

impl Record {
    /// The ply (from 1) at which a line begins: 1 for the main line (`None`).
    pub fn first_ply(&self, line: Option<usize>) -> usize {
        line.and_then(|line| self.variations.get(line)).map_or(1, |variation| variation.ply)
    }

    /// The moves of a line from where it begins: the main line for `None`.
    pub fn line(&self, line: Option<usize>) -> &[RecordMove] {
        match line {
            None => &self.moves,
            Some(line) => self.variations.get(line).map_or(&[], |variation| &variation.moves),
        }
    }

    /// The variations that leave each line: element 0 lists those of the main line, element `i + 1` those of
    /// variation `i`. Each list has descending plies; variations of the same ply keep their order.
    pub fn variations_by_line(&self) -> Vec<Vec<usize>> {
        let mut lists = vec![Vec::new(); self.variations.len() + 1];
        for (index, variation) in self.variations.iter().enumerate() {
            let list = variation.parent.map_or(0, |parent| parent + 1);
            if let Some(list) = lists.get_mut(list) {
                list.push(index);
            }
        }
        for list in &mut lists {
            list.sort_by_key(|index| std::cmp::Reverse(self.variations[*index].ply));
        }
        lists
    }

    /// Sorts the variations into the order of KIF files, in which records are compared: the variations that leave a
    /// line follow it, the latest ply first, each followed at once by its own variations.
    pub fn sort_variations(&mut self) {
        let lists = self.variations_by_line();
        let mut order = Vec::with_capacity(self.variations.len());
        let mut waiting: Vec<usize> = lists[0].iter().rev().copied().collect();
        while let Some(index) = waiting.pop() {
            order.push(index);
            waiting.extend(lists[index + 1].iter().rev());
        }
        let mut places = vec![0; self.variations.len()];
        for (place, index) in order.iter().enumerate() {
            places[*index] = place;
        }
        let mut old: Vec<Option<Variation>> =
            std::mem::take(&mut self.variations).into_iter().map(Some).collect();
        for index in order {
            if let Some(mut variation) = old[index].take() {
                variation.parent = variation.parent.map(|parent| places[parent]);
                self.variations.push(variation);
            }
        }
    }

    /// Checks that every variation leaves an earlier line, at one of its moves or after its last.
    ///
    /// # Errors
    /// The first variation that does not.
    pub fn check_variations(&self) -> Result<(), BadParent> {
        for (index, variation) in self.variations.iter().enumerate() {
            let ply = variation.ply;
            let first = self.first_ply(variation.parent);
            // A variation of the first move of a variation belongs to the parent of the latter.
            let earliest = if variation.parent.is_some() { first + 1 } else { first };
            let last = first + self.line(variation.parent).len();
            if variation.parent.is_some_and(|parent| parent >= index)
                || !(earliest..=last).contains(&ply)
            {
                return Err(BadParent { index, ply });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Header, strategy};
    use kyomi_shogi::{Position, notation::usi};

    fn variation(parent: Option<usize>, ply: usize, moves: &[&str]) -> Variation {
        let moves = moves.iter().map(|mv| RecordMove::new(usi::parse_move(mv).unwrap())).collect();
        Variation { parent, ply, moves, end: None }
    }

    fn record(variations: Vec<Variation>) -> Record {
        let mut record = Record::new(Header::default(), Position::startpos());
        record.moves = variation(None, 1, &["7g7f", "3c3d", "2g2f", "8c8d"]).moves;
        record.variations = variations;
        record
    }

    #[test]
    fn variations_are_sorted_as_kif_files_have_them() {
        let mut record = record(vec![
            variation(None, 2, &["8c8d", "2g2f"]),
            variation(Some(0), 3, &["6g6f"]),
            variation(None, 4, &["4c4d"]),
            variation(None, 2, &["4a3b"]),
        ]);
        record.check_variations().unwrap();
        record.sort_variations();
        let order: Vec<_> = record
            .variations
            .iter()
            .map(|v| (v.parent, v.ply, v.moves[0].mv.to_string()))
            .collect();
        assert_eq!(
            order,
            [
                (None, 4, "4c4d".to_owned()),
                (None, 2, "8c8d".to_owned()),
                (Some(1), 3, "6g6f".to_owned()),
                (None, 2, "4a3b".to_owned()),
            ]
        );
        record.check_variations().unwrap();
        let sorted = record.clone();
        record.sort_variations();
        assert_eq!(record, sorted);
    }

    #[test]
    fn a_variation_begins_at_a_move_of_an_earlier_line() {
        let bad = |variations: Vec<Variation>| record(variations).check_variations().unwrap_err();
        assert_eq!(bad(vec![variation(None, 0, &[])]).ply, 0);
        assert_eq!(bad(vec![variation(None, 6, &[])]).ply, 6);
        assert_eq!(bad(vec![variation(Some(0), 1, &[])]).index, 0);
        let twice = vec![variation(None, 2, &["8c8d"]), variation(Some(0), 2, &["4a3b"])];
        assert_eq!(bad(twice).index, 1);
        record(vec![variation(None, 5, &["2f2e"])]).check_variations().unwrap();
    }

    #[test]
    fn a_hundred_thousand_variations_cost_no_stack() {
        let deep = (0..100_000).map(|index: usize| {
            let moves = ["7g7f", "3c3d"];
            variation(index.checked_sub(1), index + 1, &moves)
        });
        let mut record = record(deep.collect());
        record.check_variations().unwrap();
        record.sort_variations();
        assert_eq!(record.clone(), record);
    }

    proptest::proptest! {
        #[test]
        fn sorting_keeps_every_line_where_it_leaves(
            choices in proptest::collection::vec(
                (proptest::prelude::any::<u16>(), strategy::any_extras()), 1..12),
            branches in strategy::any_branches(),
        ) {
            let start = Position::startpos();
            let mut record = strategy::build(Header::default(), start, &choices, None);
            strategy::grow(&mut record, &branches);
            proptest::prop_assert!(record.check_variations().is_ok());
            let count = record.variations.len();
            record.sort_variations();
            proptest::prop_assert!(record.check_variations().is_ok());
            proptest::prop_assert_eq!(record.variations.len(), count);
            for variation in &record.variations {
                let mut position =
                    strategy::position_before(&record, variation.parent, variation.ply).unwrap();
                for made in &variation.moves {
                    proptest::prop_assert!(position.is_legal(made.mv));
                    position.do_move(made.mv);
                }
            }
        }
    }
}

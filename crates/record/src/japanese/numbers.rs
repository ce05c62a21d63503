//! The numbers before moves. They are redundant, unless they are wrong.

/// The numbers read so far.
#[derive(Debug, Default)]
pub(super) struct MoveNumbers {
    /// The difference between numbers and plies, from a number on; sorted by that number.
    offsets: Vec<(usize, usize)>,
    /// The number of the next move, after the first one.
    expected: Option<usize>,
    /// The number of a line after an end.
    number_after_end: Option<usize>,
    /// The number of moves before the start position.
    before: usize,
}

impl MoveNumbers {
    /// Numbers after this number of moves before the start position, which may be counted.
    pub(super) fn starting_after(before: usize) -> Self {
        Self { before, ..Self::default() }
    }

    /// Checks the number of the move of this ply. Returns a warning if it is unusual.
    pub(super) fn check(&mut self, number: usize, ply: usize) -> Option<String> {
        let odd = match self.expected {
            Some(expected) if expected != number => {
                Some(format!("number {number} where {expected} is expected; read as the next"))
            }
            None if number != ply => {
                self.offsets.push((0, number.saturating_sub(ply)));
                (number.checked_sub(ply) != Some(self.before))
                    .then(|| format!("the moves are numbered from {number} on, not from 1"))
            }
            _ => None,
        };
        self.expected = Some(number.saturating_add(1));
        odd
    }

    /// Keeps the number of what follows an end. The end may turn out to be none.
    pub(super) fn after_end(&mut self, number: usize) {
        self.number_after_end = Some(number);
    }

    /// Continues with this ply after a word that turned out to be no end: the word had the number of this move, or a
    /// number of its own.
    pub(super) fn resume(&mut self, ply: usize, is_main: bool) -> Option<String> {
        let number = self.number_after_end.take()?;
        if ply == 1 && is_main {
            // A word before the first move had no move number.
            *self = Self::starting_after(self.before);
            return self.check(number, ply);
        }
        match self.expected {
            Some(expected) if expected == number => {
                let offset = number.saturating_sub(ply);
                if is_main && offset != self.offset_at(number) {
                    self.offsets.push((number, offset));
                }
            }
            Some(expected) if expected == number.saturating_add(1) => {}
            _ => return self.check(number, ply),
        }
        self.expected = Some(number.saturating_add(1));
        None
    }

    /// The ply of a variation that begins with this number.
    pub(super) fn ply_of_variation(&mut self, number: usize) -> usize {
        (self.expected, self.number_after_end) = (Some(number), None);
        number.saturating_sub(self.offset_at(number))
    }

    fn offset_at(&self, number: usize) -> usize {
        let after = self.offsets.partition_point(|(from, _)| *from <= number);
        after.checked_sub(1).and_then(|index| self.offsets.get(index)).map_or(0, |(_, it)| *it)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_was_counted_as_a_move_sets_the_numbers_ahead() {
        let mut numbers = MoveNumbers::default();
        assert_eq!(numbers.check(1, 1), None);
        // The word, and the move after it.
        assert_eq!(numbers.check(2, 2), None);
        numbers.after_end(3);
        assert_eq!(numbers.resume(2, true), None);
        assert_eq!(numbers.check(4, 3), None);
        assert_eq!(
            (numbers.ply_of_variation(1), numbers.ply_of_variation(2), numbers.ply_of_variation(3)),
            (1, 2, 2)
        );
        assert_eq!(numbers.ply_of_variation(4), 3);
    }

    #[test]
    fn moves_may_be_counted_from_the_beginning_of_the_game() {
        let mut numbers = MoveNumbers::starting_after(1);
        assert_eq!((numbers.check(2, 1), numbers.check(3, 2)), (None, None));
        assert_eq!(numbers.ply_of_variation(3), 2);
        assert_eq!(MoveNumbers::starting_after(1).check(1, 1), None);
        assert!(MoveNumbers::starting_after(1).check(3, 1).is_some());
    }

    #[test]
    fn a_word_with_the_number_of_the_move_after_it_changes_nothing() {
        let mut numbers = MoveNumbers::default();
        assert_eq!((numbers.check(1, 1), numbers.check(2, 2)), (None, None));
        numbers.after_end(2);
        assert_eq!((numbers.resume(2, true), numbers.check(3, 3)), (None, None));
        assert_eq!(numbers.ply_of_variation(3), 3);
        assert!(numbers.check(5, 3).is_some());
    }
}

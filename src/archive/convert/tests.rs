//! Limits and failures that files on disk cannot show.

use std::io::{self, Read};
use std::ops::ControlFlow;

use super::input::ReadLimits;
use super::*;
use kyomi_record::{Encoding, Format};

fn options(from: &str, to: &str) -> Options {
    Options {
        to: Format::by_name(to).unwrap(),
        encoding: None,
        from: Format::by_name(from),
        encoding_in: None,
        target: Target::Stream,
        overwrite: false,
    }
}

/// What is written, and the report.
fn convert(options: Options, limits: ReadLimits, reader: impl Read) -> (String, FileReport) {
    let mut written = Vec::new();
    let mut converter = Converter::new(options, &[], &mut written);
    let proceed = &mut |_: Progress| ControlFlow::Continue(());
    let report = converter.read_within(limits, &Source::stdin(), reader, proceed).unwrap();
    drop(converter);
    (String::from_utf8(written).unwrap(), report)
}

fn faults(report: &FileReport) -> Vec<String> {
    report.faults.first.iter().map(ToString::to_string).collect()
}

/// Gives its bytes one at a time.
struct Drops<'a>(&'a [u8]);

impl Read for Drops<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.0.len().min(into.len()).min(1);
        into[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

const LIST: &str = "# two games and a broken one\n\nstartpos moves 7g7f 3c3d\r\n\
    startpos moves 7g7f 7g7f\nnonsense\nstartpos moves 2g2f";

#[test]
fn a_list_is_the_same_however_it_is_cut() {
    let whole = convert(options("usi", "usi"), ReadLimits::USUAL, LIST.as_bytes());
    let drops = convert(options("usi", "usi"), ReadLimits::USUAL, Drops(LIST.as_bytes()));
    let expected = "startpos moves 7g7f 3c3d\nstartpos moves 7g7f\nstartpos moves 2g2f\n";
    assert_eq!(whole.0, expected);
    assert_eq!(drops.0, expected);
    assert_eq!(faults(&whole.1), faults(&drops.1));
    let reported = faults(&drops.1);
    assert!(reported[0].starts_with("line 4, column 21: ply 2: 7g7f is illegal"), "{reported:?}");
    assert!(reported[1].starts_with("line 5, column 1: 'nonsense' is not a "), "{reported:?}");
    assert_eq!((reported.len(), drops.1.games), (2, 3));
}

/// Bytes of a file in this format.
fn rows(to: &str, list: &str) -> Vec<u8> {
    let mut written = Vec::new();
    let mut converter = Converter::new(options("usi", to), &[], &mut written);
    let proceed = &mut |_: Progress| ControlFlow::Continue(());
    converter.read(&Source::stdin(), list.as_bytes(), proceed).unwrap();
    drop(converter);
    written
}

#[test]
fn games_of_rows_are_the_same_however_they_are_cut() {
    let list = "startpos moves 7g7f 3c3d 2g2f\nstartpos moves 2g2f\n\
        sfen 4k4/9/9/9/9/9/9/9/4K4 b P 1 moves 5i5h 5a5b\n";
    for (name, length) in [("psv", 40), ("hcpe", 38)] {
        let mut bytes = rows(name, list);
        assert_eq!(bytes.len(), 6 * length, "{name}");
        let whole = convert(options(name, "usi"), ReadLimits::USUAL, &bytes[..]);
        let drops = convert(options(name, "usi"), ReadLimits::USUAL, Drops(&bytes));
        assert_eq!(whole.0, list, "{name}");
        assert_eq!(drops.0, list, "{name}");
        // A broken row, and half a row at the end.
        bytes[3 * length..4 * length].fill(0xFF);
        bytes.truncate(6 * length - 1);
        let whole = convert(options(name, "usi"), ReadLimits::USUAL, &bytes[..]);
        let drops = convert(options(name, "usi"), ReadLimits::USUAL, Drops(&bytes));
        assert_eq!(whole.0, drops.0, "{name}");
        let reported = faults(&drops.1);
        assert_eq!(reported, faults(&whole.1), "{name}");
        assert!(
            reported[0].starts_with("row 4, ") && reported[1].starts_with("row 6, "),
            "{reported:?}"
        );
        assert_eq!((drops.1.games, reported.len()), (2, 2), "{name}");
    }
}

#[test]
fn a_list_without_a_game_is_one_error() {
    for text in ["", "\n", "# nothing\n\n# here\n"] {
        let (written, report) =
            convert(options("usi", "csa"), ReadLimits::USUAL, Drops(text.as_bytes()));
        assert_eq!(written, "");
        assert_eq!(report.faults.count, 1, "{text:?}: {:?}", faults(&report));
        assert!(faults(&report)[0].starts_with("line 1, column 1: no game here"));
    }
}

#[test]
fn too_large_a_file_is_one_error_and_is_not_read_to_its_end() {
    let limits = ReadLimits { file: Some(1 << 20), ..ReadLimits::USUAL };
    // It has no end.
    let (written, report) = convert(options("csa", "csa3"), limits, io::repeat(b'+'));
    assert_eq!(written, "");
    let reported = faults(&report);
    assert!(reported[0].starts_with("larger than 1 MiB"), "{reported:?}");
    assert_eq!(reported.len(), 1);
}

#[test]
fn too_long_a_line_is_one_error_and_does_not_affect_others() {
    let limits = ReadLimits { line: 1 << 20, ..ReadLimits::USUAL };
    for end in ["\nstartpos moves 7g7f\n", "\n", ""] {
        let long = b"startpos moves ".chain(io::repeat(b' ').take(3 << 20)).chain(end.as_bytes());
        let list = b"startpos\n\n".chain(long).chain(&b"startpos moves 2g2f 9x\n"[..]);
        let (written, report) = convert(options("usi", "usi"), limits, list);
        let reported = faults(&report);
        assert!(
            reported[0].starts_with("line 3, column 1048576: the line is longer than"),
            "{reported:?}"
        );
        assert!(written.starts_with("startpos\n"));
        if end.is_empty() {
            assert_eq!((written.as_str(), reported.len()), ("startpos\n", 1));
        } else {
            let line = if end.len() > 1 { "line 5, " } else { "line 4, " };
            assert!(reported[1].starts_with(line), "{reported:?}");
        }
    }
}

#[test]
fn a_failing_disk_is_reported_and_what_was_read_is_kept() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is broken"))
        }
    }
    let list = b"startpos\n".chain(Failing);
    let (written, report) = convert(options("usi", "usi"), ReadLimits::USUAL, list);
    assert_eq!(written, "startpos\n");
    assert_eq!(faults(&report), ["cannot be read: the disk is broken"]);
}

#[test]
fn the_encoding_may_be_named() {
    let text = encoding_rs::SHIFT_JIS.encode("V2.2\nN+ｱｲｳ\nPI\n+\n").0;
    let named = |encoding| Options { encoding_in: Some(encoding), ..options("csa", "csa3") };
    let (written, report) = convert(named(Encoding::ShiftJis), ReadLimits::USUAL, &text[..]);
    assert!(written.contains("N+ｱｲｳ\n"), "{written}");
    assert_eq!((report.encoding, report.faults.count), (Some(Encoding::ShiftJis), 0));
    let (_, report) = convert(named(Encoding::Utf8), ReadLimits::USUAL, &text[..]);
    assert!(faults(&report)[0].starts_with("not all of it is UTF-8"), "{:?}", faults(&report));
}

#[test]
fn what_is_asked_to_stop_stops() {
    let mut written = Vec::new();
    let mut converter = Converter::new(options("usi", "usi"), &[], &mut written);
    let list = "startpos\n".repeat(9);
    let mut games = 0;
    let report = converter
        .read(&Source::stdin(), list.as_bytes(), &mut |progress| {
            games = progress.games;
            if games == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
    assert!(report.was_stopped);
    assert_eq!((report.games, games), (3, 3));
}

#[test]
fn a_file_is_broken_by_any_of_its_faults() {
    // Rows of training data for games without moves: an error of each, none of which is one of the input.
    let empty = "startpos\n".repeat(150);
    for (text, counts) in [(empty.clone(), (0, 1)), (empty + "startpos moves 7g7x\n", (1, 0))] {
        let (_, report) = convert(options("usi", "psv"), ReadLimits::USUAL, text.as_bytes());
        let mut totals = Totals::default();
        totals.add(&report);
        assert_eq!((totals.broken, totals.unwritten), counts);
        assert!(report.faults.count >= 150 && report.faults.first.len() == 100);
    }
}

#[test]
fn totals_are_one_line() {
    let mut totals = Totals::default();
    assert_eq!(totals.to_string(), "converted 0 games of 0 files");
    let (_, mut report) = convert(options("usi", "usi"), ReadLimits::USUAL, LIST.as_bytes());
    totals.add(&report);
    report.format = Some(Format::Csa2);
    report.encoding = Some(Encoding::ShiftJis);
    report.faults = Faults::default();
    report.omissions.add_many(kyomi_record::Omission::Variations, 3);
    totals.add(&report);
    totals.add(&report);
    totals.add_broken();
    assert_eq!(
        totals.to_string(),
        "converted 9 games of 3 files (csa shift_jis 2, usi utf-8 1), 2 broken, lost: 6 variations"
    );
}

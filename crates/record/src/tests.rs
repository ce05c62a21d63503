//! What the readers of several formats have in common.

use super::fault::MOST_WARNINGS;
use super::*;

mod foreign;

#[test]
fn a_yen_sign_escapes_nothing() {
    let json = "{\"header\":{\"備考\":\"5¥ x¥n\"},\"moves\":[{}]}";
    for encoding in [Encoding::ShiftJis, Encoding::EucJp, Encoding::Iso2022Jp] {
        let bytes = encode(json, encoding, &mut Omissions::new());
        let game = Format::Jkf.read_each(&bytes).next().unwrap().unwrap();
        assert_eq!(game.record.header.note.as_deref(), Some("5￥ x￥n"), "{encoding}");
    }
}

#[test]
fn a_warning_in_front_of_a_full_list_takes_the_place_of_another() {
    let text = [b"1 76\x95\xe0(77)\n*\xff\n".as_slice(), &b"?\n".repeat(100)].concat();
    let game = Format::Kif.read_each(&text).next().unwrap().unwrap();
    assert_eq!((game.warnings.len(), game.more_warnings), (MOST_WARNINGS, 1));
}

#[test]
fn readers_warn_of_broken_characters() {
    let json: &[u8] = b"{\"header\": {\"x\": \"\xff\"}, \"moves\": [{}]}";
    for (format, bytes, place) in [
        (Format::Csa2, &b"V2.2\nN+a\xff\nN-\xff\nPI\n+\n"[..], Place::text(2, 4)),
        (Format::Kif, b"1 76\x95\xe0(77)\n*a\xff\n*\xff\n", Place::text(2, 3)),
        (Format::Ki2, b"76\x95\xe0\n*\xff", Place::text(2, 2)),
        (Format::Jkf, json, Place::text(1, 19)),
    ] {
        let game = format.read_each(bytes).next().unwrap().unwrap();
        let [warning] = &game.warnings[..] else { panic!("{:?}", game.warnings) };
        assert_eq!(warning.place, place, "{}", format.name());
        assert!(warning.text.starts_with("a character that is not "), "{}", warning.text);
        assert!(warning.text.ends_with(", read as �"), "{}", warning.text);
    }
}

#[test]
fn records_of_old_programs_are_read_with_their_places() {
    for end in ["\r", "\n", "\r\n"] {
        let text = "V2.2\nPI\n+\n+7776FU\n+7776FU\n".replace('\n', end);
        let game = Format::Csa2.read_each(text.as_bytes()).next().unwrap().unwrap();
        assert_eq!((game.record.moves.len(), game.warnings), (1, vec![]));
        assert_eq!(game.fault.unwrap().place.line(), 5);
        assert_eq!(Format::detect(None, text.as_bytes()), Some(Format::Csa2));
    }
}

//! Very long lines: of 100 MB in one shape for every reader of lines or text, and of 8 MB in every shape that might
//! take more than linear time. The readers of whole records are in `records`.
//!
//! Most readers must read the whole line, some several times. None may read it once for each of its words, which would
//! take an hour.

use bytes::BytesMut;
use kyomi::config::Config;
use kyomi::players::usi_line;
use kyomi_csa::{
    ClientMessage, GameSummary, Line, LineCodec, MAX_LINE, ReadOptions, ServerMessage,
};
use kyomi_record::csa as record;
use kyomi_shogi::notation::{csa, sfen, usi};
use tokio_util::codec::Decoder;

use crate::watched;

const LONGEST: usize = 100_000_000;

/// A text, repeated to 100 MB.
fn longest(text: &str) -> String {
    text.repeat(LONGEST / text.len())
}

/// A text, repeated to 8 MB.
fn long(text: &str) -> String {
    text.repeat(8_000_000 / text.len())
}

/// Checks that an error is one line of bounded length, with any quoted text.
#[track_caller]
fn clear(error: &impl std::fmt::Display) {
    let message = error.to_string();
    assert!(message.chars().count() <= 400 && !message.contains(char::is_control), "{message}");
}

#[test]
fn the_codec_drops_a_line_of_100_mb_and_reads_on() {
    watched("codec", || {
        let (mut codec, mut buffer, mut lines) = (LineCodec::new(), BytesMut::new(), Vec::new());
        let piece = vec![b'x'; 10_000];
        let pieces = std::iter::repeat_n(piece.as_slice(), LONGEST / piece.len());
        for piece in pieces.chain([b"\n#WIN\n".as_slice()]) {
            buffer.extend_from_slice(piece);
            while let Some(line) = codec.decode(&mut buffer).unwrap() {
                lines.push(line);
            }
            assert!(buffer.capacity() <= 4 * MAX_LINE, "{} bytes are held", buffer.capacity());
        }
        assert_eq!(lines, [Line::TooLong, Line::text("#WIN")]);
    });
}

#[test]
fn messages_of_8_and_100_mb_are_read_in_one_go() {
    watched("messages", || {
        for text in ["+7776FU,T1,", "LOGIN a b ", "##[", "%,T", " "] {
            let text = long(text);
            assert!(ServerMessage::parse(&text).to_line().len() <= text.len());
            assert!(ClientMessage::parse(&text).to_line().len() <= text.len());
        }
        let text = longest("+7776FU,T1,");
        assert_eq!(ServerMessage::parse(&text).to_line(), "+7776FU,T1");
        assert_eq!(ClientMessage::parse(&text).to_line(), "+7776FU");
    });
}

#[test]
fn an_offer_of_100_mb_is_too_long() {
    watched("offer", || {
        let line = format!("Name+:{}", longest("x"));
        let error = GameSummary::parse([line.as_str()], ReadOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), "the offer is too long");
    });
}

#[test]
fn sfens_of_8_mb_are_one_clear_error_each_and_one_of_100_mb_is_read() {
    watched("sfen", || {
        for text in ["9/", "+", "1", " "] {
            clear(&sfen::parse(&long(text)).unwrap_err());
        }
        for (before, text, after) in [
            ("9/9/9/9/9/9/9/9/9 b ", "P", " 1"),
            ("9/9/9/9/9/9/9/9/9 b ", "1", "P 1"),
            ("9/9/9/9/9/9/9/9/9 b - ", "1", ""),
            ("9/9/9/9/9/9/9/9/9 b - 1 ", "x", ""),
            ("9/9/9/9/9/9/9/9/9 ", "b", " - 1"),
        ] {
            clear(&sfen::parse(&format!("{before}{}{after}", long(text))).unwrap_err());
        }
        // Any white space separates words.
        let text = format!("9/9/9/9/9/9/9/9/9{}b - 1", longest(" "));
        assert_eq!(sfen::parse(&text).unwrap().ply(), 1);
    });
}

#[test]
fn usi_lines_of_8_mb_are_one_clear_error_each_and_one_of_100_mb_is_read() {
    watched("usi", || {
        for text in ["position ", "sfen ", "moves ", "x"] {
            clear(&usi::parse_position_line(&long(text)).unwrap_err());
        }
        clear(&usi::parse_position_line(&format!("sfen {}", long("9 "))).unwrap_err());
        clear(&usi::parse_position_line(&format!("startpos moves {}", long("x"))).unwrap_err());
        clear(&usi::parse_move(&long("7g7f")).unwrap_err());
        let line = format!("position startpos moves{}7g7f", longest(" "));
        assert_eq!(usi::parse_position_line(&line).unwrap().len(), 1);
    });
}

/// The moves after the ten thousandth are not made.
#[test]
fn a_usi_line_of_a_million_moves_is_one_clear_error() {
    watched("long game", || {
        let line = |moves: usize| {
            format!("position startpos moves {}", "2h3h 8b7b 3h2h 7b8b ".repeat(moves / 4))
        };
        let game = usi::parse_position_line(&line(10_000)).unwrap();
        assert_eq!(usi::format_position_line(&game).len(), line(10_000).len() - 1);
        clear(&usi::parse_position_line(&line(1_000_000)).unwrap_err());
    });
}

#[test]
fn an_engine_may_print_lines_of_8_and_100_mb() {
    watched("engine", || {
        for text in ["info pv ", "info depth 1 ", "bestmove ", "option name x type ", "id name "] {
            let _ = usi_line::parse(&long(text));
        }
        let line = format!("info pv {}", longest("7g7f "));
        let usi_line::EngineLine::Info(info) = usi_line::parse(&line) else { panic!() };
        assert_eq!(info.pv.len(), LONGEST / 5);
    });
}

#[test]
fn position_blocks_of_8_mb_are_one_clear_error_each_and_one_of_100_mb_is_read() {
    watched("block", || {
        for (before, text) in [
            ("P1", " * "),
            ("P1", "-FU"),
            ("P+", "00FU"),
            ("P-", "55FU"),
            ("PI", "82HI"),
            ("", "x"),
        ] {
            let line = format!("{before}{}", long(text));
            clear(&csa::parse_position_block([line.as_str(), "+"]).unwrap_err());
        }
        // Blanks between pieces are ignored.
        let line = format!("P+{}55FU", longest(" "));
        csa::parse_position_block([line.as_str(), "+"]).unwrap();
    });
}

#[test]
fn csa_records_with_a_line_of_8_mb_are_read_or_one_clear_error_and_one_of_100_mb_is_read() {
    watched("csa record", || {
        for (before, text) in [
            ("", "x"),
            ("", "N+,"),
            ("N+", ",N"),
            ("$EVENT:", ",$E"),
            ("PI\n+\n", ","),
            ("PI\n+\n", "T1,"),
            ("PI\n+\n", "%,"),
            ("PI\n+\n+7776FU\n", "\n'** 1 -3334FU"),
            ("PI\n+\n+7776FU\n'** 1 ", "-3334FU "),
            ("PI\n+\n+7776FU\n'*info ", "depth 1 "),
        ] {
            match record::read(format!("{before}{}", long(text)).as_bytes()) {
                Ok(games) => assert_eq!(games.len(), 1),
                Err(error) => clear(&error),
            }
        }
        let games = record::read(format!("PI\n+\n'{}", longest("x")).as_bytes()).unwrap();
        assert_eq!(games[0].record.header.comments[0].len(), LONGEST);
    });
}

/// Larger files are refused before they are parsed; see `memory`.
#[test]
fn a_configuration_of_the_largest_size_is_one_clear_error() {
    watched("configuration", || {
        for text in ["x", "[", "a.", "#", "\"", "{", "[[a]]\n", "a = 1\n", "[engine.options]\n"] {
            let text = format!("a = {}", text.repeat(1_000_000 / text.len()));
            let Err(error) = Config::from_text("x.toml", &text, [], &[]) else { panic!("read") };
            clear(&error);
        }
        // Many faults, each with its place.
        let options: Vec<String> = (0..50_000).map(|n| format!("a{n} = \"\\n\"")).collect();
        let options = options.join("\n");
        let text = format!("[engine]\nkind = \"usi\"\n[engine.options]\n{options}");
        let Err(error) = Config::from_text("x.toml", &text, [], &[]) else { panic!("read") };
        let message = error.to_string();
        assert!(message.len() < 10_000 && message.ends_with(" more"), "{message}");
    });
}

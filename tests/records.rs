//! Every sample of the data sets is read as its index describes.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod common;

use kyomi_record::csa::{read, write};
use kyomi_record::{Encoding, Format, Omissions, ReadRecord, Record, RecordFault};
use kyomi_shogi::Position;

/// The columns of `INDEX.tsv`.
struct Sample {
    file: String,
    version: String,
    encoding: String,
    plies: usize,
    end: String,
    evals: usize,
    replay: String,
    initial: String,
    last: String,
}

fn samples() -> Vec<Sample> {
    let rows = common::data_rows("csa_samples/INDEX.tsv");
    let sample = |row: Vec<String>| Sample {
        file: row[0].clone(),
        version: row[2].clone(),
        encoding: row[3].clone(),
        plies: row[4].parse().unwrap(),
        end: row[5].clone(),
        evals: row[6].parse().unwrap(),
        replay: row[7].clone(),
        initial: row[8].clone(),
        last: row[9].clone(),
    };
    rows.into_iter().map(sample).collect()
}

fn bytes(sample: &Sample) -> Vec<u8> {
    std::fs::read(common::data_dir().join("csa_samples").join(&sample.file)).unwrap()
}

/// Analyses, and comments that look like one.
fn evals(record: &Record) -> usize {
    let of_moves = record.moves.iter().map(|record_move| {
        let scores = record_move.analysis.iter().filter(|analysis| analysis.score.is_some());
        let more = record_move.comments.iter().filter(|comment| comment.starts_with("** "));
        scores.count() + more.count()
    });
    of_moves.sum()
}

fn without_ply(sfen: &str) -> &str {
    sfen.rsplit_once(' ').map_or(sfen, |(position, _)| position)
}

#[test]
fn every_sample_is_read_as_in_the_index() {
    let samples = samples();
    assert!(samples.len() >= 50, "only {} rows", samples.len());
    for sample in &samples {
        let file = &sample.file;
        let games = read(&bytes(sample));
        if let Some(ply) = sample.replay.strip_prefix("bad_move@") {
            let game = games.unwrap().remove(0);
            let error = game.fault.unwrap();
            assert_eq!((game.record.moves.len() + 1).to_string(), ply, "{file}");
            assert!(
                matches!(&error.fault, RecordFault::NoMove { ply: at, .. } if at.to_string() == ply),
                "{file}: {error}"
            );
            continue;
        }
        if sample.replay == "bad_board" || sample.replay == "no_game" {
            let error = games.unwrap_err();
            assert_eq!(error.to_string().lines().count(), 1, "{file}");
            assert_eq!(
                matches!(error.fault, RecordFault::NoGame { .. }),
                sample.replay == "no_game",
                "{file}: {error}"
            );
            continue;
        }
        let games = games.unwrap_or_else(|error| panic!("{file}: {error}"));
        let game = &games[0];
        let record = &game.record;
        assert_eq!(record.moves.len(), sample.plies, "{file}: {:?}", game.fault);
        let end = record
            .end
            .as_ref()
            .map_or_else(|| "-".to_owned(), |end| format!("%{}", end.kind.word()));
        // After a move that cannot be played only the offence is known.
        if file == "server_jishogi_kachi.csa" {
            assert_eq!(end, "%ILLEGAL_MOVE", "the server refused the declaration");
        } else if sample.end == "-" && file.starts_with("server_") {
            // The server's summary may state the end that no word states.
            assert!(!end.is_empty(), "{file}");
        } else if game.fault.is_none() || end != "-" {
            assert_eq!(end, sample.end, "{file}");
        } else {
            assert!(!sample.end.contains("ILLEGAL"), "{file}");
        }
        // The index counts the comments of floodgate; those of ShogiHome are read too.
        if file.starts_with("shogihome") {
            assert!(evals(record) >= sample.evals, "{file}");
        } else {
            assert_eq!(evals(record), sample.evals, "{file}");
        }
        assert_eq!(without_ply(&record.start.to_sfen()), without_ply(&sample.initial), "{file}");
        let replayed = record.game().unwrap();
        assert_eq!(
            without_ply(&replayed.position().to_sfen()),
            without_ply(&sample.last),
            "{file}"
        );
        let version =
            game.version.as_ref().map_or_else(|| "-".to_owned(), |version| format!("V{version}"));
        assert_eq!(version, sample.version, "{file}");
        let encoding = match game.encoding.unwrap() {
            Encoding::Utf8 => ["ascii", "utf-8"].as_slice(),
            Encoding::ShiftJis => &["shift_jis"],
            Encoding::EucJp => &["euc-jp"],
            Encoding::Iso2022Jp | Encoding::Utf16 => &[],
        };
        assert!(encoding.contains(&sample.encoding.as_str()), "{file}: {:?}", game.encoding);
        check_replay(sample, game);
        assert_eq!(games.len(), if file == "syn_multi.csa" { 2 } else { 1 }, "{file}");
    }
}

fn check_replay(sample: &Sample, game: &ReadRecord) {
    let file = &sample.file;
    let fault = game.fault.as_ref();
    if let Some(illegal) = sample.replay.strip_prefix("illegal@") {
        let (ply, word) = illegal.split_once(':').unwrap();
        // An illegal move that the record itself names as the end of the game is no fault of the file.
        if let (None, Some(foul)) =
            (fault, game.record.end.as_ref().and_then(|end| end.foul.as_ref()))
        {
            assert_eq!(foul.mv.to_string(), word, "{file}");
            assert_eq!(ply, (game.record.moves.len() + 1).to_string(), "{file}");
            return;
        }
        let error = fault.unwrap_or_else(|| panic!("{file}: no fault")).to_string();
        assert!(error.contains(&format!("ply {ply}: ")) && error.contains(word), "{file}: {error}");
        assert_eq!(error.lines().count(), 1, "{file}: {error}");
    } else if let Some(ply) = sample.replay.strip_prefix("side@") {
        let error = fault.unwrap_or_else(|| panic!("{file}: no fault")).to_string();
        assert!(error.contains(&format!("ply {ply}: ")), "{file}: {error}");
    } else {
        assert_eq!(fault, None, "{file}");
        let warned = sample.replay.starts_with("ok (") || sample.replay == "missing_side";
        assert!(!warned || !game.warnings.is_empty(), "{file}: no warning");
    }
}

#[test]
fn every_sample_written_and_read_again_is_the_same() {
    for sample in &samples() {
        let Ok(games) = read(&bytes(sample)) else { continue };
        for game in games {
            let text = write(&game.record);
            let again =
                read(text.as_bytes()).unwrap_or_else(|error| panic!("{}: {error}", sample.file));
            assert_eq!(again.len(), 1, "{}", sample.file);
            assert_eq!(again[0].record, game.record, "{}\n{text}", sample.file);
            assert_eq!(again[0].fault, None, "{}", sample.file);
        }
    }
}

#[test]
fn every_sample_has_the_same_moves_in_other_forms() {
    let samples = samples();
    let moves = |record: &Record| record.moves.iter().map(|made| made.mv).collect::<Vec<_>>();
    let mut count = 0;
    for sample in &samples {
        let Ok(games) = read(&bytes(sample)) else { continue };
        for game in games {
            for format in [Format::Jkf, Format::Usi] {
                let file = format.write(&game.record, Encoding::Utf8, &mut Omissions::new());
                let mut again: Vec<_> = format.read_each(&file).collect();
                assert_eq!(again.len(), 1, "{} {format:?}", sample.file);
                let again =
                    again.remove(0).unwrap_or_else(|error| panic!("{}: {error}", sample.file));
                assert_eq!(again.fault, None, "{} {format:?}", sample.file);
                assert_eq!(moves(&again.record), moves(&game.record), "{} {format:?}", sample.file);
                count += 1;
            }
        }
    }
    assert!(count > samples.len(), "{count}");
}

#[test]
fn real_games_have_names_times_and_winners() {
    let read_file = |name: &str| {
        let bytes = std::fs::read(common::sample_dir().join("csa_samples").join(name)).unwrap();
        read(&bytes).unwrap().remove(0).record
    };
    let record = read_file("own_server_game.csa");
    assert_eq!(record.header.white.as_deref(), Some("kyomi2"));
    let controls = record.header.controls.unwrap();
    assert_eq!(controls.to_string(), "8+0.5,unit=0.1");
    assert!(record.header.end_time.is_some() && record.header.start_time.is_some());
    assert!(record.moves.iter().all(|record_move| record_move.time.is_some()));
    let record = read_file("syn_sjis.csa");
    assert_eq!(record.header.black.as_deref(), Some("先手の名前"));
    assert_eq!(record.header.event.as_deref(), Some("表示テスト"));
    let record = read_file("syn_eucjp.csa");
    assert_eq!(record.header.white.as_deref(), Some("後手"));
    let record = read_file("syn_v3_utf8.csa");
    assert_eq!(record.header.controls.unwrap().to_string(), "600,byoyomi=10/600+10");
    assert_eq!(record.moves[0].time.unwrap().as_millis(), 3123);
    assert_eq!(record.end.unwrap().time.unwrap().as_millis(), 1500);
    assert_eq!(record.moves[0].analysis.as_ref().unwrap().pv.len(), 1);
    let start = read_file("syn_handicap_pi82hi22ka.csa").start;
    assert_eq!(start, read_file("syn_handicap_board.csa").start);
    assert_ne!(start, Position::startpos());
}

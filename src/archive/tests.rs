//! The journal and its recovery, each in a folder of its own.

use std::path::Path;
use std::time::Duration;

use jiff::civil::{date, time};
use tempfile::TempDir;

use super::*;
use kyomi_record::csa::{read, write};
use kyomi_record::{Analysis, End, EndKind, Header, Record, RecordMove, RecordTime};
use kyomi_shogi::notation::usi;
use kyomi_shogi::{Position, Score};

/// A folder that is removed at the end.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(&self.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

fn header() -> Header {
    Header {
        black: Some("kyomi".into()),
        white: Some("other".into()),
        event: Some("test+x-60-0+kyomi+other".into()),
        start_time: Some(RecordTime { date: date(2026, 8, 1), time: Some(time(9, 0, 0, 0)) }),
        ..Header::default()
    }
}

fn moves() -> Vec<RecordMove> {
    let mut moves: Vec<RecordMove> = ["7g7f", "3c3d", "2g2f", "8c8d"]
        .iter()
        .zip([1, 2, 0, 12])
        .map(|(mv, time)| {
            RecordMove::timed(usi::parse_move(mv).unwrap(), Duration::from_secs(time))
        })
        .collect();
    moves[0].analysis = Some(Analysis {
        score: Some(Score::Cp(30)),
        pv: vec![moves[1].mv, moves[2].mv],
        depth: Some(9),
        nodes: Some(12_345),
        ..Analysis::default()
    });
    moves[3].analysis = Some(Analysis { score: Some(Score::Loss(Some(5))), ..Analysis::default() });
    moves[2].comments.push("a remark, with a comma".into());
    moves
}

const TEMPLATE: &str = "{datetime}_{black}_{white}";
const STEM: &str = "20260801-090000_kyomi_other";

fn begin(dir: &Path) -> Journal {
    Journal::create(dir, TEMPLATE, &header(), &Position::startpos()).unwrap()
}

fn read_record(path: &Path) -> Record {
    let mut games = read(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!(games.len(), 1);
    let game = games.remove(0);
    assert_eq!((game.fault, game.warnings), (None, vec![]));
    game.record
}

#[test]
fn a_finished_journal_is_the_record() {
    let folder = Folder::new();
    let mut journal = begin(&folder.0.path().join("deep/er"));
    for record_move in &moves() {
        journal.push(record_move).unwrap();
    }
    journal.comment("said at the end").unwrap();
    journal.set_end_time(RecordTime { date: date(2026, 8, 1), time: Some(time(9, 5, 0, 0)) });
    let mut expected = journal.record().clone();
    let end = End { time: Some(Duration::from_millis(1500)), ..End::new(EndKind::Resign) };
    let path = journal.finish(&end).unwrap();
    expected.end = Some(end);
    assert_eq!(path, folder.0.path().join(format!("deep/er/{STEM}.csa")));
    assert_eq!(read_record(&path), expected);
    assert_eq!(expected.moves.last().unwrap().comments, ["said at the end"]);
}

#[test]
fn every_push_is_on_disk_at_once() {
    let folder = Folder::new();
    let mut journal = begin(folder.0.path());
    for (index, record_move) in moves().iter().enumerate() {
        assert_eq!(read_record(journal.path()).moves, moves()[..index]);
        journal.push(record_move).unwrap();
    }
    assert_eq!(read_record(journal.path()).moves, moves());
}

#[test]
fn an_illegal_move_is_refused_and_nothing_is_lost() {
    let folder = Folder::new();
    let mut journal = begin(folder.0.path());
    journal.push(&moves()[0]).unwrap();
    let error = journal.push(&moves()[0]).unwrap_err();
    assert!(matches!(error, JournalError::Illegal { ply: 2 }), "{error}");
    journal.push(&moves()[1]).unwrap();
    assert_eq!(read_record(journal.path()).moves, moves()[..2]);
}

#[test]
fn a_taken_name_gets_a_counter() {
    let folder = Folder::new();
    let first = begin(folder.0.path());
    let second = begin(folder.0.path());
    assert_ne!(first.path(), second.path());
    let end = End::new(EndKind::Resign);
    let first = first.finish(&end).unwrap();
    let third = begin(folder.0.path());
    let second = second.finish(&end).unwrap();
    let third = third.finish(&end).unwrap();
    assert_eq!(
        [first, second, third].map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()),
        [format!("{STEM}.csa"), format!("{STEM}_2.csa"), format!("{STEM}_3.csa")]
    );
    assert_eq!(folder.names().len(), 3);
}

#[test]
fn a_record_that_appears_meanwhile_is_not_overwritten() {
    let folder = Folder::new();
    let journal = begin(folder.0.path());
    let foreign = folder.0.path().join(format!("{STEM}.csa"));
    std::fs::write(&foreign, "somebody else's").unwrap();
    let path = journal.finish(&End::new(EndKind::Resign)).unwrap();
    assert_ne!(path, foreign);
    assert_eq!(std::fs::read_to_string(foreign).unwrap(), "somebody else's");
}

#[test]
fn an_abandoned_journal_becomes_an_interrupted_record() {
    let folder = Folder::new();
    let mut journal = begin(folder.0.path());
    for record_move in &moves() {
        journal.push(record_move).unwrap();
    }
    drop(journal);
    let found = recover(folder.0.path()).unwrap();
    let path = folder.0.path().join(format!("{STEM}.csa"));
    assert_eq!(found, [Recovered::Record { path: path.clone(), moves: 4 }]);
    let record = read_record(&path);
    assert_eq!(record.moves, moves());
    let end = record.end.unwrap();
    assert_eq!(end.kind, EndKind::Interrupted);
    assert!(end.comments[0].starts_with("interrupted"), "{end:?}");
    assert_eq!(folder.names().len(), 1);
    assert_eq!(recover(folder.0.path()).unwrap(), [], "nothing is left to do");
}

#[test]
fn a_living_journal_is_left_alone() {
    let folder = Folder::new();
    let mut journal = begin(folder.0.path());
    journal.push(&moves()[0]).unwrap();
    assert_eq!(recover(folder.0.path()).unwrap(), []);
    journal.push(&moves()[1]).unwrap();
    let path = journal.finish(&End::new(EndKind::Resign)).unwrap();
    assert_eq!(read_record(&path).moves.len(), 2);
}

#[test]
fn a_journal_cut_at_any_byte_keeps_its_whole_lines() {
    let folder = Folder::new();
    let mut record = Record::new(header(), Position::startpos());
    record.moves = moves();
    record.end = Some(End { time: Some(Duration::from_secs(3)), ..End::new(EndKind::Resign) });
    let text = write(&record);
    let head = text.find("PI\n+\n").unwrap() + 5;
    for cut in 0..=text.len() {
        let dir = folder.0.path().join(cut.to_string());
        std::fs::create_dir(&dir).unwrap();
        std::fs::write(dir.join("game.csa.part"), &text[..cut]).unwrap();
        let found = recover(&dir).unwrap();
        assert_eq!(found.len(), 1, "cut at {cut}");
        match &found[0] {
            Recovered::Record { path, moves } => {
                let read_back = read(&std::fs::read(path).unwrap()).unwrap().remove(0).record;
                assert!(read_back.end.is_some());
                let whole = text[..cut].matches("FU\nT").count();
                let lines = text[..=text[..cut].rfind('\n').unwrap()].lines();
                let played = lines.filter(|line| line.len() == 7 && line.starts_with(['+', '-']));
                assert_eq!(*moves, played.count(), "cut at {cut}");
                assert!(*moves >= whole, "cut at {cut}");
                assert_eq!(read_back.moves.len(), *moves);
            }
            Recovered::SetAside { path, .. } => {
                assert!(cut < head, "cut at {cut}");
                assert!(path.exists());
            }
        }
    }
}

#[test]
fn a_kill_between_the_last_two_steps_leaves_one_record() {
    let folder = Folder::new();
    let path = begin(folder.0.path()).finish(&End::new(EndKind::Resign)).unwrap();
    std::fs::copy(&path, folder.0.path().join(format!("{STEM}.csa.part"))).unwrap();
    std::fs::write(folder.0.path().join(format!(".{STEM}.1-0.csa.draft")), "'CSA").unwrap();
    assert_eq!(recover(folder.0.path()).unwrap(), [Recovered::Record { path, moves: 0 }]);
    assert_eq!(folder.names(), [format!("{STEM}.csa")]);
    assert_eq!(recover(folder.0.path()).unwrap(), []);
}

#[test]
fn such_a_record_is_found_under_the_name_that_was_free() {
    let folder = Folder::new();
    begin(folder.0.path()).finish(&End::new(EndKind::Resign)).unwrap();
    let mut other = begin(folder.0.path());
    other.push(&moves()[0]).unwrap();
    let path = other.finish(&End::new(EndKind::Resign)).unwrap();
    assert!(path.ends_with(format!("{STEM}_2.csa")), "{path:?}");
    std::fs::copy(&path, folder.0.path().join(format!("{STEM}.csa.part"))).unwrap();
    assert_eq!(recover(folder.0.path()).unwrap(), [Recovered::Record { path, moves: 1 }]);
    assert_eq!(folder.names().len(), 2);
}

#[test]
fn rubbish_is_set_aside_and_does_not_keep_others_back() {
    let folder = Folder::new();
    std::fs::write(folder.0.path().join("a.csa.part"), b"\xff\xfe\x00rubbish\n").unwrap();
    drop(begin(folder.0.path()));
    let found = recover(folder.0.path()).unwrap();
    assert!(matches!(&found[..], [Recovered::Record { .. }, Recovered::SetAside { .. }]));
    assert_eq!(folder.names(), [format!("{STEM}.csa"), "a.csa.broken".into()]);
}

#[test]
fn a_journal_with_a_move_that_cannot_be_played_gets_no_end() {
    let folder = Folder::new();
    for (damage, fault) in [
        ("+7776FX\n", "line 4, column 1: ply 1: '+7776FX' is not a move"),
        ("+7775FU\n-3334FU\n", "line 4, column 1: ply 1: +7775FU is illegal"),
        ("+7775FU\n", "line 4, column 1: ply 1: +7775FU is illegal"),
    ] {
        let text = format!("'CSA encoding=UTF-8\nPI\n+\n{damage}");
        std::fs::write(folder.0.path().join("a.csa.part"), &text).unwrap();
        let found = recover(folder.0.path()).unwrap();
        let [Recovered::SetAside { path, fault: reported }] = &found[..] else {
            panic!("{found:?}")
        };
        assert!(reported.starts_with(fault), "{reported}");
        assert_eq!(std::fs::read_to_string(path).unwrap(), text);
    }
}

#[test]
fn no_folder_has_no_journals() {
    assert_eq!(recover(Path::new("/nonexistent/kyomi")).unwrap(), []);
}

#[test]
fn a_folder_that_cannot_be_made_is_one_clear_error() {
    let folder = Folder::new();
    let file = folder.0.path().join("file");
    std::fs::write(&file, "").unwrap();
    let error = Journal::create(&file.join("games"), TEMPLATE, &header(), &Position::startpos())
        .unwrap_err()
        .to_string();
    assert!(error.contains("file/games") && error.contains("[records] dir"), "{error}");
    assert_eq!(error.lines().count(), 1);
}

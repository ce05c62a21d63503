use super::*;
use crate::clock::Controls;
use crate::record::EndKind;
use crate::record::csa::read;
use crate::shogi::notation::csa;
use crate::shogi::{Color, EndReason, GameEnd, Position};

const GAME: GameNumber = GameNumber(1);

fn writer(dir: &Path) -> RecordWriter {
    RecordWriter {
        dir: Some(dir.to_owned()),
        rules: RulesConfig::default(),
        watchers: None,
        games: HashMap::new(),
    }
}

fn begin() -> RecordEvent {
    RecordEvent::Begin(Box::new(GameHeader {
        game_id: "event+x-60-0+a+b+20260101000000".to_owned(),
        names: ["a".to_owned(), "b".to_owned()],
        controls: Controls::default(),
        start: Position::startpos(),
        setup: Vec::new(),
        max_moves: 256,
        began: Timestamp::UNIX_EPOCH,
    }))
}

fn made(comment: Option<&str>) -> RecordEvent {
    let mv = csa::parse_move(&Position::startpos(), "+7776FU").unwrap();
    RecordEvent::Move { mv, spent: Duration::from_secs(3), comment: comment.map(str::to_owned) }
}

fn lost_by_black(reason: &EndReason) -> RecordEvent {
    let end = GameEnd::lost(Color::Black, reason.clone(), Color::Black);
    let illegal_line = (*reason == EndReason::IllegalMove).then(|| "+7775FU".to_owned());
    RecordEvent::End { end, illegal_line, spent: None, plies: 1, at: Timestamp::UNIX_EPOCH }
}

/// A folder that is removed after the test.
struct TestFolder(PathBuf);

impl TestFolder {
    fn new(name: &str) -> Self {
        let name = format!("kyomi-recorder-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        // A killed run may have left one.
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The only record in `dir`.
fn only_record(dir: &Path) -> Record {
    let files: Vec<_> = std::fs::read_dir(dir).unwrap().map(|file| file.unwrap().path()).collect();
    let [file] = &files[..] else { panic!("one file expected: {files:?}") };
    assert_eq!(file.extension().unwrap(), "csa");
    read(&std::fs::read(file).unwrap()).unwrap().remove(0).record
}

#[test]
fn a_game_whose_journal_cannot_be_created_is_written_at_its_end() {
    let folder = TestFolder::new("broken");
    let dir = folder.0.join("records");
    // A file has the name of the folder.
    std::fs::write(&dir, b"").unwrap();
    let mut writer = writer(&dir);
    writer.handle(GAME, begin());
    writer.handle(GAME, made(None));
    std::fs::remove_file(&dir).unwrap();
    writer.handle(GAME, lost_by_black(&EndReason::Resignation));
    let record = only_record(&dir);
    assert_eq!(record.moves.len(), 1);
    assert_eq!(record.moves[0].time, Some(Duration::from_secs(3)));
    assert_eq!(record.end.unwrap().kind, EndKind::Resign);
    assert_eq!(record.header.max_moves, Some(256));
}

#[test]
fn an_illegal_move_and_comments_are_recorded() {
    for (sent, recorded) in
        [("Max_Moves:1", " Max_Moves:1"), (" hello", " hello"), ("hello", " hello")]
    {
        let folder = TestFolder::new("words");
        let mut writer = writer(&folder.0);
        writer.handle(GAME, begin());
        writer.handle(GAME, made(Some(sent)));
        writer.handle(GAME, lost_by_black(&EndReason::IllegalMove));
        let record = only_record(&folder.0);
        assert_eq!(record.header.max_moves, Some(256), "{sent}");
        assert_eq!(record.moves[0].comments, [recorded]);
        let end = record.end.unwrap();
        assert_eq!(end.kind, EndKind::IllegalMove);
        assert_eq!(end.comments, ["illegal move: +7775FU"]);
    }
}

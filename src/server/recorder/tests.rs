use super::*;
use crate::clock::Controls;
use crate::record::EndKind;
use crate::record::csa::read;
use crate::shogi::notation::csa;
use crate::shogi::{Color, EndReason, GameEnd, Position};

const TABLE: TableId = TableId(1);

fn clerk(dir: &Path) -> Clerk {
    Clerk {
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
    let offence = (*reason == EndReason::IllegalMove).then(|| "+7775FU".to_owned());
    RecordEvent::End { end, offence, spent: None, plies: 1, at: Timestamp::UNIX_EPOCH }
}

/// A folder that is gone with the test.
struct Room(PathBuf);

impl Room {
    fn new(name: &str) -> Self {
        let name = format!("kyomi-recorder-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        // One that a killed run left.
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The only record in `dir`.
fn kept(dir: &Path) -> Record {
    let files: Vec<_> = std::fs::read_dir(dir).unwrap().map(|file| file.unwrap().path()).collect();
    let [file] = &files[..] else { panic!("one file expected: {files:?}") };
    assert_eq!(file.extension().unwrap(), "csa");
    read(&std::fs::read(file).unwrap()).unwrap().remove(0).record
}

#[test]
fn a_game_begun_on_a_broken_disk_is_written_at_its_end() {
    let room = Room::new("broken");
    let dir = room.0.join("records");
    // A file stands where the folder should be.
    std::fs::write(&dir, b"").unwrap();
    let mut clerk = clerk(&dir);
    clerk.take(TABLE, begin());
    clerk.take(TABLE, made(None));
    std::fs::remove_file(&dir).unwrap();
    clerk.take(TABLE, lost_by_black(&EndReason::Resignation));
    let record = kept(&dir);
    assert_eq!(record.moves.len(), 1);
    assert_eq!(record.moves[0].time, Some(Duration::from_secs(3)));
    assert_eq!(record.end.unwrap().kind, EndKind::Resign);
    assert_eq!(record.header.max_moves, Some(256));
}

#[test]
fn an_illegal_move_and_a_players_words_are_on_record_as_such() {
    for (said, kept_as) in
        [("Max_Moves:1", " Max_Moves:1"), (" hello", " hello"), ("hello", " hello")]
    {
        let room = Room::new("words");
        let mut clerk = clerk(&room.0);
        clerk.take(TABLE, begin());
        clerk.take(TABLE, made(Some(said)));
        clerk.take(TABLE, lost_by_black(&EndReason::IllegalMove));
        let record = kept(&room.0);
        assert_eq!(record.header.max_moves, Some(256), "{said}");
        assert_eq!(record.moves[0].comments, [kept_as]);
        let end = record.end.unwrap();
        assert_eq!(end.kind, EndKind::IllegalMove);
        assert_eq!(end.comments, ["illegal move: +7775FU"]);
    }
}

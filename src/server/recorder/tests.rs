use super::super::saved_game::recover_others;
use super::*;
use kyomi_csa::GameSummary;
use kyomi_csa::server::PasswordDigest;
use kyomi_record::EndKind;
use kyomi_record::csa::read;
use kyomi_shogi::clock::Controls;
use kyomi_shogi::notation::{csa, usi};
use kyomi_shogi::{Color, EndReason, GameEnd, Position};

const GAME: GameNumber = GameNumber(1);

const MINUTE: Duration = Duration::from_secs(60);

/// The address of a server, and that of another one which has the same folder.
const HERE: &str = "127.0.0.1:4081";
const ELSEWHERE: &str = "127.0.0.1:4082";

fn found(dir: &Path, address: &str) -> Vec<HeldGame> {
    HeldGame::find(dir, address.parse().unwrap(), MINUTE)
}

fn recover_as(dir: &Path, address: &str) {
    recover_others(dir, address.parse().unwrap(), MINUTE).unwrap();
}

fn files(dir: &Path) -> Vec<String> {
    let files = std::fs::read_dir(dir).unwrap().map(|file| file.unwrap());
    files.map(|file| file.file_name().into_string().unwrap()).collect()
}

fn writer(dir: &Path) -> RecordWriter {
    RecordWriter {
        dir: Some(dir.to_owned()),
        rules: GameRules::default(),
        watchers: None,
        games: HashMap::new(),
    }
}

fn begin() -> RecordEvent {
    begin_with(Vec::new())
}

/// The beginning of a game after these moves.
fn begin_with(setup: Vec<RecordMove>) -> RecordEvent {
    RecordEvent::Begin(Box::new(GameHeader {
        game_id: "event+x-60-0+a+b+20260101000000".to_owned(),
        names: ["a".to_owned(), "b".to_owned()],
        controls: Controls::default(),
        start: Position::startpos(),
        setup,
        max_moves: 256,
        began: Timestamp::UNIX_EPOCH,
        saved: None,
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

/// The only record in `dir`.
fn only_record(dir: &Path) -> Record {
    let files: Vec<_> = std::fs::read_dir(dir).unwrap().map(|file| file.unwrap().path()).collect();
    let [file] = &files[..] else { panic!("one file expected: {files:?}") };
    assert_eq!(file.extension().unwrap(), "csa");
    read(&std::fs::read(file).unwrap()).unwrap().remove(0).record
}

#[test]
fn a_game_whose_journal_cannot_be_created_is_written_at_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("records");
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
fn the_moves_before_the_game_keep_their_times_in_record_and_reports() {
    let time = Duration::from_secs(5);
    let setup = || vec![RecordMove::timed(usi::parse_move("2g2f").unwrap(), time)];
    for can_write in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("records");
        let watchers = Watchers::new();
        let mut writer = RecordWriter { watchers: Some(watchers.clone()), ..writer(&dir) };
        if can_write {
            std::fs::create_dir(&dir).unwrap();
        } else {
            std::fs::write(&dir, b"").unwrap();
        }
        writer.handle(GAME, begin_with(setup()));
        assert_eq!(watchers.snapshot().games[0].move_times, [Some(time)]);
        if !can_write {
            std::fs::remove_file(&dir).unwrap();
        }
        writer.handle(GAME, lost_by_black(&EndReason::TimeUp));
        assert_eq!(only_record(&dir).moves, setup());
    }
}

#[test]
fn an_illegal_move_and_comments_are_recorded() {
    for (sent, recorded) in
        [("Max_Moves:1", " Max_Moves:1"), (" hello", " hello"), ("hello", " hello")]
    {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = writer(folder.path());
        writer.handle(GAME, begin());
        writer.handle(GAME, made(Some(sent)));
        writer.handle(GAME, lost_by_black(&EndReason::IllegalMove));
        let record = only_record(folder.path());
        assert_eq!(record.header.max_moves, Some(256), "{sent}");
        assert_eq!(record.moves[0].comments, [recorded]);
        let end = record.end.unwrap();
        assert_eq!(end.kind, EndKind::IllegalMove);
        assert_eq!(end.comments, ["illegal move: +7775FU"]);
    }
}

/// A game with what the next start of the server needs.
fn begin_saved() -> RecordEvent {
    let RecordEvent::Begin(mut header) = begin() else { unreachable!() };
    let [black, white] = &header.names;
    let saved = SavedGame {
        address: Some(HERE.parse().unwrap()),
        offer: GameSummary::new(&header.game_id, black, white).to_lines(),
        tokens: ["1f", "2f"].map(str::to_owned),
        passwords: ["p", "q"].map(PasswordDigest::of),
        extended: [false, true],
        repetition_counts_start: false,
        rematches: 0,
        board: None,
    };
    header.saved = Some(Box::new(saved));
    RecordEvent::Begin(header)
}

#[test]
fn the_file_of_a_running_game_is_for_its_owner() {
    let folder = tempfile::tempdir().unwrap();
    let files = || files(folder.path());
    let mut killed = writer(folder.path());
    killed.handle(GAME, begin_saved());
    killed.handle(GAME, made(None));
    let file = files().into_iter().find(|name| name.ends_with(".csa.part.game")).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(folder.path().join(&file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    assert!(found(folder.path(), HERE).is_empty(), "the journal is held by its server");
    drop(killed);
    let mut held = found(folder.path(), HERE);
    assert_eq!(held.len(), 1, "{:?}", files());
    let held = held.remove(0);
    assert_eq!(
        held.stored.played.iter().map(|(_, spent)| spent.as_secs()).collect::<Vec<_>>(),
        [3]
    );
    let mut writer = writer(folder.path());
    writer.restore(GAME, held);
    writer.handle(GAME, lost_by_black(&EndReason::Resignation));
    assert_eq!(files().len(), 1, "{:?}", files());
    assert_eq!(only_record(folder.path()).moves.len(), 1);
}

/// The only file in `dir` with this end of its name.
fn only(dir: &Path, end: &str) -> PathBuf {
    let files: Vec<_> = files(dir).into_iter().filter(|name| name.ends_with(end)).collect();
    let [file] = &files[..] else { panic!("one file expected: {files:?}") };
    dir.join(file)
}

/// A folder with a running game of a killed server.
fn killed() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut killed = writer(folder.path());
    killed.handle(GAME, begin_saved());
    killed.handle(GAME, made(None));
    folder
}

#[test]
fn only_files_of_ended_games_are_removed() {
    let folder = killed();
    let saved = only(folder.path(), ".csa.part.game");
    std::fs::copy(&saved, folder.path().join("x.csa.part.game")).unwrap();
    std::fs::remove_file(only(folder.path(), ".csa.part")).unwrap();
    std::fs::rename(&saved, folder.path().join("notes.game")).unwrap();
    std::fs::write(folder.path().join("other.csa.part.game"), "a note").unwrap();
    recover_as(folder.path(), HERE);
    let mut files = files(folder.path());
    files.sort();
    assert_eq!(files, ["notes.game", "other.csa.part.game"]);
}

#[test]
fn the_games_of_a_server_at_another_address_are_left_to_it() {
    let folder = killed();
    assert!(found(folder.path(), ELSEWHERE).is_empty());
    recover_as(folder.path(), ELSEWHERE);
    assert_eq!(found(folder.path(), HERE).len(), 1);
    // It was away for longer than its players can wait.
    let journal =
        std::fs::File::options().write(true).open(only(folder.path(), ".csa.part")).unwrap();
    let long_ago = std::time::SystemTime::now() - Duration::from_secs(7 * 24 * 60 * 60);
    journal.set_modified(long_ago).unwrap();
    drop(journal);
    recover_as(folder.path(), ELSEWHERE);
    assert_eq!(only_record(folder.path()).end.unwrap().kind, EndKind::Interrupted);
}

#[test]
fn a_journal_of_another_game_is_not_continued() {
    let mut tried = 0;
    for (end, old, new) in [
        (".csa.part.game", "Name-:b", "Name-:c"),
        (".csa.part.game", "event+x-60-0+a", "event+x-60-1+a"),
        (".csa.part.game", "P7+FU", "P7 * "),
        (".csa.part", ",T3", ""),
        (".csa.part", "\nT3", ""),
    ] {
        let folder = killed();
        let file = only(folder.path(), end);
        let text = std::fs::read_to_string(&file).unwrap();
        if !text.contains(old) {
            // The two forms in which a record has the time of a move.
            assert!(old.ends_with("T3"), "{old}: {text}");
            continue;
        }
        tried += 1;
        std::fs::write(&file, text.replacen(old, new, 1)).unwrap();
        assert!(found(folder.path(), HERE).is_empty(), "{old}");
        recover_as(folder.path(), HERE);
        assert_eq!(only_record(folder.path()).moves.len(), 1, "{old}");
    }
    assert_eq!(tried, 4, "one of the two forms of the time, and all others");
}

#[tokio::test]
async fn the_clock_of_a_held_game_stands_still_for_watchers() {
    let folder = killed();
    let watchers = Watchers::new();
    let mut reports = watchers.subscribe();
    let mut writer = RecordWriter { watchers: Some(watchers), ..writer(folder.path()) };
    writer.restore(GAME, found(folder.path(), HERE).remove(0));
    writer.handle(GAME, RecordEvent::ClockRuns);
    writer.handle(GAME, RecordEvent::ClockStopped);
    let mut seen = Vec::new();
    while seen.len() < 4 {
        seen.push(match reports.next().await.unwrap() {
            Report::GameStarted { continued: true, .. } => "started",
            Report::Disconnected { number: 1, .. } => "suspended",
            Report::Resumed { number: 1, .. } => "resumed",
            _ => continue,
        });
    }
    assert_eq!(seen, ["started", "suspended", "resumed", "suspended"]);
}

/// The clock of the runtime stands still while the disk answers, and runs by itself when nothing does.
#[tokio::test(start_paused = true)]
#[expect(clippy::await_holding_lock, reason = "the disk hangs meanwhile")]
async fn a_server_that_ends_its_games_does_not_wait_for_a_disk_that_hangs() {
    let disk = crate::archive::disk_testing::Disk::default();
    let (hanging, waiting) = (disk.hang(), disk.clone());
    let thread = DiskThread::start("test", move |_: Request| waiting.wait()).unwrap();
    let mut recorder = Recorder { thread, writes: true };
    recorder.record(GAME, RecordEvent::ClockRuns).await;
    let (begun, abort) = (tokio::time::Instant::now(), CancellationToken::new());
    let ending = async {
        tokio::time::sleep(MINUTE).await;
        abort.cancel();
    };
    tokio::join!(recorder.finish(&abort), ending);
    assert_eq!(begun.elapsed(), MINUTE + FINISH_LIMIT);
    drop(hanging);
}

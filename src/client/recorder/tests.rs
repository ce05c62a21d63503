use std::fs;

use parking_lot::Mutex;
use tempfile::TempDir;

use super::*;
use crate::{
    archive::{disk_testing::Disk, recover},
    watch::{Report, Reports, testing::made},
};
use kyomi_csa::SpentUnit;
use kyomi_shogi::{EndReason, Finding, GameEnd, Outcome, Score, notation::csa};

fn event(game: &mut Game, word: &str) -> MoveEvent {
    let mv = csa::parse_move(game.position(), word).unwrap();
    let color = game.position().side_to_move();
    game.push(mv).unwrap();
    let ply = u32::try_from(game.len()).unwrap();
    MoveEvent { word: word.to_owned(), ..made(ply, mv, color) }
}

fn end() -> EndEvent {
    EndEvent {
        end: GameEnd::without_result(EndReason::Interrupted, Color::Black),
        outcome: Outcome::None,
        spent: None,
        own_turn: None,
        analysis: None,
        lines: Vec::new(),
        unfinished: None,
    }
}

fn start() -> Arc<GameStart> {
    let summary = Arc::new(GameSummary::new("game", "a", "b"));
    Arc::new(GameStart::new(summary, SpentUnit::Second))
}

/// The number of warnings since the last call.
fn warnings(reports: &mut Reports) -> usize {
    let mut warnings = 0;
    while let Some(report) = reports.try_next() {
        warnings += usize::from(matches!(report, Report::Warning(_)));
    }
    warnings
}

/// A recorder whose folder cannot be written, after two moves.
struct WithoutFolder {
    recorder: GameRecorder,
    game: Game,
    reports: Reports,
    /// In the place of the folder is a file.
    dir: PathBuf,
}

async fn without_folder(folder: &TempDir) -> WithoutFolder {
    let dir = folder.path().join("records");
    let settings = RecordsConfig { dir: dir.clone(), ..RecordsConfig::default() };
    let watchers = Watchers::new();
    let mut reports = watchers.subscribe();
    let mut recorder = GameRecorder::open(&settings, None, &watchers).unwrap();
    fs::remove_dir_all(&dir).unwrap();
    fs::write(&dir, "").unwrap();
    recorder.start(1, &start()).await;
    let mut game = Game::default();
    for word in ["+7776FU", "-3334FU"] {
        recorder.push(&event(&mut game, word)).await;
    }
    assert_eq!(warnings(&mut reports), 1, "one warning for the whole game");
    WithoutFolder { recorder, game, reports, dir }
}

fn moves(text: &str) -> usize {
    text.lines().filter(|line| line.starts_with("+77") || line.starts_with("-33")).count()
}

/// The text of the only file in a folder whose name ends so.
fn file(dir: &std::path::Path, ending: &str) -> String {
    let paths = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let found: Vec<_> =
        paths.filter(|path| path.to_str().is_some_and(|name| name.ends_with(ending))).collect();
    let [path] = &found[..] else { panic!("one file expected: {found:?}") };
    fs::read_to_string(path).unwrap()
}

#[tokio::test]
async fn the_score_before_a_resignation_is_recorded() {
    let folder = TempDir::new().unwrap();
    let WithoutFolder { mut recorder, dir, .. } = without_folder(&folder).await;
    fs::remove_file(&dir).unwrap();
    let score = Some(Score::Cp(-3050));
    let analysis = Finding { score, depth: Some(12), nodes: Some(900), ..Default::default() };
    let lost = GameEnd::lost(Color::Black, EndReason::Resignation, Color::Black);
    let event = EndEvent { end: lost, analysis: Some(analysis), ..end() };
    let record = recorder.finish(&event).await.unwrap();
    let text = fs::read_to_string(record).unwrap();
    assert!(text.contains("%TORYO\n'search: score -3050 depth 12 nodes 900\n"), "{text}");
}

#[tokio::test]
async fn a_game_is_recorded_as_soon_as_its_folder_can_be_written() {
    let folder = TempDir::new().unwrap();
    let WithoutFolder { mut recorder, mut game, dir, .. } = without_folder(&folder).await;
    fs::remove_file(&dir).unwrap();
    recorder.push(&event(&mut game, "+2726FU")).await;
    let text = file(&dir, ".part");
    assert!(moves(&text) == 2 && text.contains("+2726FU"), "{text}");
    let record = recorder.finish(&end()).await.unwrap();
    assert_eq!(moves(&fs::read_to_string(record).unwrap()), 2);
}

#[tokio::test]
async fn a_game_is_recorded_at_its_end_if_not_before() {
    let folder = TempDir::new().unwrap();
    let WithoutFolder { mut recorder, dir, .. } = without_folder(&folder).await;
    fs::remove_file(&dir).unwrap();
    let record = recorder.finish(&end()).await.unwrap();
    assert_eq!(moves(&fs::read_to_string(record).unwrap()), 2);
    fs::remove_dir_all(&dir).unwrap();
    let WithoutFolder { mut recorder, mut reports, .. } = without_folder(&folder).await;
    assert_eq!((recorder.finish(&end()).await, warnings(&mut reports)), (None, 1));
    assert_eq!((recorder.finish(&end()).await, warnings(&mut reports)), (None, 0));
}

/// A recorder on a disk that hangs when it is told to.
struct OnDisk {
    recorder: GameRecorder,
    game: Game,
    reports: Reports,
    disk: Disk,
    /// The records that were finished, in order.
    finished: Arc<Mutex<Vec<String>>>,
}

fn on_disk(folder: &TempDir) -> OnDisk {
    let dir = folder.path().to_owned();
    let settings = RecordsConfig { dir, index: None, ..RecordsConfig::default() };
    let (watchers, disk) = (Watchers::new(), Disk::default());
    let reports = watchers.subscribe();
    let finished = Arc::<Mutex<Vec<String>>>::default();
    let (hangs, noted) = (disk.clone(), Arc::clone(&finished));
    let mut writer = RecordWriter::new(settings, None);
    let recorder = GameRecorder::started(true, &watchers, move |order, faults| {
        hangs.wait();
        let ends = matches!(order, Order::Finish { .. });
        carry_out(&mut writer, order, faults);
        if ends {
            let paths = fs::read_dir(&writer.settings.dir).unwrap();
            noted.lock().push(format!("{} files", paths.count()));
        }
    });
    OnDisk { recorder: recorder.unwrap(), game: Game::default(), reports, disk, finished }
}

const LINE: [&str; 6] = ["+7776FU", "-3334FU", "+2726FU", "-4344FU", "+2625FU", "-2233KA"];

#[tokio::test]
#[expect(clippy::await_holding_lock, reason = "the disk hangs meanwhile")]
async fn games_go_on_while_the_disk_hangs_and_are_written_afterwards() {
    let folder = TempDir::new().unwrap();
    let OnDisk { mut recorder, mut game, mut reports, disk, finished } = on_disk(&folder);
    recorder.start(1, &start()).await;
    for word in &LINE[..2] {
        recorder.push(&event(&mut game, word)).await;
    }
    assert_eq!((moves(&file(folder.path(), ".part")), warnings(&mut reports)), (2, 0));
    let hanging = disk.hang();
    for word in &LINE[2..] {
        recorder.push(&event(&mut game, word)).await;
    }
    // A game that begins and ends meanwhile has its record, too.
    assert_eq!(recorder.finish(&end()).await, None);
    recorder.start(2, &start()).await;
    recorder.push(&event(&mut Game::default(), LINE[0])).await;
    assert_eq!(recorder.finish(&end()).await, None);
    assert_eq!(warnings(&mut reports), 1, "one warning for all of it");
    assert!(finished.lock().is_empty());
    drop(hanging);
    recorder.close(&CancellationToken::new()).await;
    assert_eq!(*finished.lock(), ["1 files", "2 files"]);
    let mut lengths: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
        .map(|text| LINE.iter().filter(|word| text.contains(*word)).count())
        .collect();
    lengths.sort_unstable();
    assert_eq!(lengths, [1, 6]);
}

#[tokio::test]
#[expect(clippy::await_holding_lock, reason = "the disk hangs meanwhile")]
async fn a_client_that_is_killed_while_the_disk_hangs_lacks_the_moves_of_that_time_alone() {
    let folder = TempDir::new().unwrap();
    let OnDisk { mut recorder, mut game, disk, .. } = on_disk(&folder);
    recorder.start(1, &start()).await;
    for word in &LINE[..3] {
        recorder.push(&event(&mut game, word)).await;
    }
    // What a killed process leaves: the journal as it is now, without its lock.
    let after = TempDir::new().unwrap();
    let hanging = disk.hang();
    for word in &LINE[3..] {
        recorder.push(&event(&mut game, word)).await;
    }
    let text = file(folder.path(), ".part");
    fs::write(after.path().join("a.csa.part"), &text).unwrap();
    let recovered = recover(after.path()).unwrap();
    assert!(
        matches!(&recovered[..], [crate::archive::Recovered::Record { moves: 3, .. }]),
        "{recovered:?}"
    );
    drop(hanging);
}

#[tokio::test(start_paused = true)]
#[expect(clippy::await_holding_lock, reason = "the disk hangs meanwhile")]
async fn a_user_who_leaves_does_not_wait_for_a_disk_that_hangs() {
    let folder = TempDir::new().unwrap();
    let OnDisk { mut recorder, mut reports, disk, .. } = on_disk(&folder);
    recorder.start(1, &start()).await;
    let hanging = disk.hang();
    assert_eq!(recorder.finish(&end()).await, None);
    let leave = CancellationToken::new();
    leave.cancel();
    recorder.close(&leave).await;
    assert_eq!(warnings(&mut reports), 2);
    drop(hanging);
}

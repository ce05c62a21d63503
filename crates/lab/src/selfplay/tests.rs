use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

use expect_test::expect;
use proptest::prelude::*;

use super::block::HEAD;
use super::*;
use kyomi::matches::{Stop, WinRule};
use kyomi::players::EngineOption;
use kyomi_engine::eval::Evaluation;
use kyomi_engine::eval::network::{Network, UNKNOWN_CHECKSUM};
use kyomi_record::Format;
use kyomi_shogi::{Color, EndReason, Game, Score, Winner};

/// Short games by one thread.
pub(super) fn short_task(dir: &Path, seed: u64, games: u32) -> SelfplayTask {
    SelfplayTask {
        dir: dir.to_owned(),
        seed,
        games: Some(games),
        threads: 1,
        settings: SelfplaySettings {
            nodes: 30,
            max_moves: 40,
            hash_mib: 1,
            win: WinRule { score: 600, plies: 4, both: true },
            ..SelfplaySettings::default()
        },
        starts: Starts::read(&[] as &[&Path], RecordChoice::default()).unwrap(),
    }
}

/// The folder of one test.
struct TestFolder(TempDir);

impl TestFolder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn task(&self, seed: u64, games: u32) -> SelfplayTask {
        short_task(self.0.path(), seed, games)
    }

    fn file(&self, seed: u64) -> PathBuf {
        self.0.path().join(format!("{seed}.kyg"))
    }

    /// The games of a seed without their times.
    fn games(&self, seed: u64) -> Vec<SelfplayGame> {
        let mut games = Vec::new();
        each_game(&self.file(seed), |_, game| {
            games.push(SelfplayGame { ended: 0, took_ms: 0, ..game.clone() });
        })
        .unwrap();
        games
    }
}

fn run(
    task: &SelfplayTask,
    stop: &Stop,
    show: impl FnMut(&SelfplayProgress),
) -> Result<SelfplayProgress, SelfplayError> {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(super::run(task, None, stop, show))
}

fn play(task: &SelfplayTask) -> SelfplayProgress {
    run(task, &Stop::default(), |_| {}).unwrap()
}

/// A game of random moves.
fn random_game(seed: u64, plies: usize) -> SelfplayGame {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut game = Game::default();
    for _ in 0..random.usize(..20) {
        let moves = game.position().legal_moves();
        game.push(moves[random.usize(..moves.len())]).unwrap();
    }
    let start = game.position().clone();
    let mut game = Game::new(start.clone());
    let mut moves = Vec::new();
    while moves.len() < plies && game.position().has_legal_move() {
        let legal = game.position().legal_moves();
        let mv = legal[random.usize(..legal.len())];
        game.push(mv).unwrap();
        moves.push(PlayedMove { mv, score: random.i16(-32_000..=32_000), limit: random.u16(..) });
    }
    SelfplayGame {
        seed,
        number: random.u32(..),
        start,
        source: [OpeningSource::BuiltIn, OpeningSource::Record][random.usize(..2)],
        random_plies: random.u8(..),
        winner: [Winner::Draw, Winner::Side(Color::Black), Winner::Side(Color::White)]
            [random.usize(..3)],
        end: game::ENDS[random.usize(..6)].0.clone(),
        ended: random.u64(..),
        took_ms: random.u32(..),
        moves,
    }
}

fn found(bytes: &[u8]) -> Vec<LocatedPart> {
    let mut blocks = BlockReader::new(bytes, 0);
    std::iter::from_fn(|| blocks.read_next().unwrap()).collect()
}

fn three_games() -> (Vec<Block>, Vec<u8>) {
    let mut blocks = vec![Block::Run("{\"settings\":{}}".to_owned())];
    blocks.extend((1..=3).map(|seed| Block::Game(Box::new(random_game(seed, 12)))));
    let bytes = blocks.iter().flat_map(Block::to_bytes).collect();
    (blocks, bytes)
}

#[test]
fn a_file_truncated_at_any_byte_keeps_all_games_before() {
    let (blocks, bytes) = three_games();
    let mut ends = vec![0];
    for block in &blocks {
        ends.push(ends[ends.len() - 1] + block.to_bytes().len());
    }
    for length in 0..=bytes.len() {
        let found = found(&bytes[..length]);
        let whole = ends.iter().filter(|end| **end <= length).count() - 1;
        for (located, block) in found.iter().zip(&blocks).take(whole) {
            assert_eq!(located.part, FilePart::Block(block.clone()));
        }
        let torn = length - ends[whole];
        assert_eq!(found.len(), whole + usize::from(torn > 0), "{length}");
        if torn > 0 {
            let last = &found[whole];
            assert_eq!((last.offset, last.length), (ends[whole] as u64, torn as u64));
            assert!(matches!(last.part, FilePart::Truncated(BlockFault::Cut { .. })), "{last:?}");
        }
    }
}

#[test]
fn a_changed_byte_damages_only_its_block() {
    let (blocks, bytes) = three_games();
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 0x10;
        let found = found(&changed);
        let whole: Vec<&Block> = found
            .iter()
            .filter_map(|located| match &located.part {
                FilePart::Block(block) => Some(block),
                _ => None,
            })
            .collect();
        assert_eq!(whole.len(), 3, "byte {at}: {found:?}");
        assert!(whole.iter().all(|block| blocks.contains(block)));
        assert_eq!(found.iter().map(|located| located.length).sum::<u64>(), bytes.len() as u64);
        assert_eq!(found.len(), 4);
    }
}

#[test]
fn zeros_and_random_bytes_of_any_length_are_skipped() {
    let (blocks, bytes) = three_games();
    let first = blocks[0].to_bytes().len();
    for rubbish in [vec![0; 3_000_000], b"KYG1".repeat(50_000), vec![b'K'; 5]] {
        let file = [&bytes[..first], &rubbish, &bytes[first..]].concat();
        let found = found(&file);
        assert_eq!(found.len(), 5);
        assert_eq!((found[1].offset, found[1].length), (first as u64, rubbish.len() as u64));
        assert!(matches!(found[1].part, FilePart::Damaged(_)));
        assert_eq!(found[4].part, FilePart::Block(blocks[3].clone()));
    }
}

#[test]
fn an_interrupted_run_gives_the_same_games() {
    let folder = TestFolder::new();
    let whole = folder.task(7, 5);
    assert_eq!(play(&whole).new_games, 5);
    let bytes = fs::read(folder.file(7)).unwrap();
    let games = folder.games(7);
    assert_eq!(games.iter().map(|game| game.number).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    for game in &games {
        game.check().unwrap();
    }
    // At the end of a block, within its head, in its middle, before anything is whole.
    let first = found(&bytes)[1].offset as usize;
    for length in [bytes.len() - 1, bytes.len() / 2, first + HEAD / 2, first, 3, 0] {
        fs::write(folder.file(7), &bytes[..length]).unwrap();
        play(&whole);
        assert_eq!(folder.games(7), games, "cut off after {length} bytes");
        assert!(SelfplayStatus::read(folder.0.path(), true).unwrap().is_sound());
    }
    // A block in the middle is played again, and those behind it stay.
    let mut changed = bytes.clone();
    changed[first + 40] ^= 1;
    fs::write(folder.file(7), &changed).unwrap();
    assert!(!SelfplayStatus::read(folder.0.path(), true).unwrap().is_sound());
    assert_eq!(play(&whole).new_games, 1);
    let mut again = folder.games(7);
    again.sort_by_key(|game| game.number);
    assert_eq!(again, games);
    let status = SelfplayStatus::read(folder.0.path(), true).unwrap();
    assert_eq!(status.damaged.len(), 1);
    assert!(status.damaged[0].contains(&format!("byte {first}: ")), "{}", status.damaged[0]);
    assert!(status.is_sound(), "{status}");
    assert!(
        status
            .to_string()
            .contains("damaged          1; no number is missing: lost games were played again\n")
    );
    // More games, and several in parallel.
    let more = SelfplayTask { games: Some(9), threads: 3, ..whole };
    assert_eq!(play(&more).games, 9);
    let mut again = folder.games(7);
    again.sort_by_key(|game| game.number);
    assert_eq!(again[..5], games);
}

#[test]
fn seeds_are_independent_and_starts_are_unique_in_a_folder() {
    let folder = TestFolder::new();
    play(&folder.task(1, 6));
    play(&folder.task(2, 6));
    let status = SelfplayStatus::read(folder.0.path(), true).unwrap();
    assert!(status.is_sound(), "{status}");
    assert_eq!((status.files, status.games, status.starts), (2, 12, 12));
    // The same seed again elsewhere, where the starts of its first two games are another's already.
    let taken: Vec<u64> = folder.games(1)[..2].iter().map(|game| game.start.key()).collect();
    let other = TestFolder::new();
    let mut foreign = folder.games(1);
    foreign.truncate(2);
    let blocks: Vec<u8> =
        foreign.into_iter().flat_map(|game| Block::Game(Box::new(game)).to_bytes()).collect();
    fs::write(other.file(9), blocks).unwrap();
    play(&other.task(1, 3));
    let again = other.games(1);
    assert!(again.iter().all(|game| !taken.contains(&game.start.key())));
    assert_eq!(again[2], folder.games(1)[2]);
}

#[test]
fn runs_that_cannot_continue_are_reported() {
    let folder = TestFolder::new();
    let task = folder.task(1, 2);
    play(&task);
    let fails = |task: &SelfplayTask| {
        let error = run(task, &Stop::default(), |_| {}).unwrap_err();
        error.to_string().replace(&folder.0.path().display().to_string(), "DIR")
    };
    let mut other = task.clone();
    other.settings.nodes = 31;
    expect!["DIR/1.kyg has other settings: nodes was 30 and is 31; give another --seed or --out, or the original settings"]
        .assert_eq(&fails(&other));
    let held = fs::File::open(folder.file(1)).unwrap();
    held.lock().unwrap();
    expect!["another process is playing the games of DIR/1.kyg; give another --seed"]
        .assert_eq(&fails(&task));
    held.unlock().unwrap();
    fs::write(folder.file(3), "something else").unwrap();
    expect!["DIR/3.kyg holds no games of self-play"].assert_eq(&fails(&folder.task(3, 1)));
    assert_eq!(fs::read(folder.file(3)).unwrap(), b"something else");
    let mut empty = task.clone();
    empty.settings.random_plies = (8, 4);
    expect!["random plies, at most 4; expected 8 to 100"].assert_eq(&fails(&empty));
    let mut short = task.clone();
    short.settings.max_moves = 5;
    expect!["--max-moves 5: an opening has at least 4 moves, and at least 4 random moves follow (--random-plies); expected 9 or more"]
        .assert_eq(&fails(&short));
    short.settings.max_moves = 9;
    short.settings.options = vec![EngineOption { name: "X".to_owned(), value: "1".to_owned() }];
    expect!["engine option: there is no option 'X'"].assert_eq(&fails(&short));
    // The block with the settings of the games is damaged, so the settings may differ.
    let mut bytes = fs::read(folder.file(1)).unwrap();
    bytes[HEAD + 3] ^= 1;
    fs::write(folder.file(1), &bytes).unwrap();
    expect!["DIR/1.kyg has games, but the settings that they were played with cannot be read; give another --seed or --out (--export and `kyomi-lab train eval` still read its games)"]
        .assert_eq(&fails(&task));
    assert_eq!(fs::read(folder.file(1)).unwrap(), bytes);
    let plan = task.settings.plan(&task.starts, &Evaluation::builtin());
    let run = Block::Run(serde_json::json!({ "settings": plan }).to_string()).to_bytes();
    fs::write(folder.file(1), [bytes, run].concat()).unwrap();
    play(&SelfplayTask { games: Some(3), ..task });
}

#[test]
fn a_move_limit_before_the_end_of_all_openings_is_refused() {
    let folder = TestFolder::new();
    let records = folder.0.path().join("games.usi");
    let shuffle = "5i5h 5a5b 5h5i 5b5a ".repeat(9);
    fs::write(&records, format!("startpos moves {}\n", shuffle.trim())).unwrap();
    let task = |percent, max_moves| {
        let mut task = folder.task(1, 1);
        task.settings.max_moves = max_moves;
        task.starts = Starts::read(&[&records], RecordChoice { percent, plies: (30, 36) }).unwrap();
        task
    };
    let error = run(&task(100, 34), &Stop::default(), |_| {}).unwrap_err().to_string();
    expect!["--max-moves 34: an opening has at least 30 moves (--record-plies), and at least 4 random moves follow (--random-plies); expected 35 or more"]
        .assert_eq(&error);
    task(100, 35).settings.check_starts(&task(100, 35).starts).unwrap();
    // The other games have a built-in opening.
    play(&task(50, 20));
}

#[test]
fn a_seed_is_not_continued_with_another_network() {
    let folder = TestFolder::new();
    let file = folder.0.path().join("network.bin");
    let write = |bias: f32| {
        let network = Network::with_bias(bias);
        fs::write(&file, network.to_bytes()).unwrap();
        Evaluation::Own(network.into())
    };
    let mut task = folder.task(1, 1);
    let value = file.display().to_string();
    task.settings.options = vec![EngineOption { name: "EvalFile".to_owned(), value }];
    let evaluation = write(0.0);
    play(&task);
    // Of the same shape, in the same file.
    write(0.1);
    task.games = Some(2);
    let error = run(&task, &Stop::default(), |_| {}).unwrap_err().to_string();
    assert!(error.contains("other settings: network was"), "{error}");
    assert_eq!(folder.games(1).len(), 1);
    // Runs of earlier versions do not know their network; they are continued, with one network from then on.
    let mut plan = task.settings.plan(&task.starts, &evaluation);
    plan["network"] = serde_json::json!(format!("{UNKNOWN_CHECKSUM:08x}"));
    let earlier = Block::Run(serde_json::json!({ "settings": plan }).to_string()).to_bytes();
    fs::write(folder.file(1), [fs::read(folder.file(1)).unwrap(), earlier].concat()).unwrap();
    assert_eq!(play(&task).new_games, 1);
    write(0.2);
    let error = run(&task, &Stop::default(), |_| {}).unwrap_err().to_string();
    assert!(error.contains("other settings: network was"), "{error}");
}

#[test]
fn a_move_limit_that_leaves_one_move_is_played() {
    let folder = TestFolder::new();
    let mut task = folder.task(1, 2);
    task.settings.max_moves = 9;
    play(&task);
    for game in folder.games(1) {
        assert_eq!((game.moves.len(), game.end), (1, EndReason::MaxMoves));
    }
}

#[test]
fn a_block_of_a_newer_version_is_kept() {
    let newer = [&b"\x09 something new"[..], b"\x02no game", b"\x01\xff", b""].map(|content| {
        let mut bytes = Block::Run(String::new()).to_bytes();
        bytes.truncate(HEAD);
        bytes.extend(content);
        block::seal(&mut bytes);
        bytes
    });
    for block in &newer {
        let folder = TestFolder::new();
        play(&folder.task(1, 2));
        let before = [&fs::read(folder.file(1)).unwrap(), block.as_slice()].concat();
        fs::write(folder.file(1), &before).unwrap();
        assert_eq!(play(&folder.task(1, 4)).new_games, 2);
        let after = fs::read(folder.file(1)).unwrap();
        assert!(after.starts_with(&before));
        assert_eq!(folder.games(1).len(), 4);
        let status = SelfplayStatus::read(folder.0.path(), true).unwrap();
        assert!(status.is_sound() && status.damaged.is_empty(), "{status}");
        let [line] = &status.not_understood[..] else { panic!("{status}") };
        assert!(line.contains(&format!("a block of {} bytes is not understood: ", block.len())));
        // Another process skips it too, and reads the game after it.
        play(&folder.task(2, 1));
    }
}

#[test]
fn other_files_in_the_folder_do_not_end_a_run() {
    let folder = TestFolder::new();
    fs::create_dir(folder.file(7)).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("nothing", folder.file(8)).unwrap();
    fs::write(folder.file(9), Block::Run("{}".to_owned()).to_bytes()).unwrap();
    let others = folder.file(9);
    let done = run(&folder.task(1, 3), &Stop::default(), |progress| {
        if progress.new_games == 1 && others.exists() {
            fs::remove_file(&others).unwrap();
        }
    });
    assert_eq!(done.unwrap().new_games, 3);
    assert_eq!(SelfplayStatus::read(folder.0.path(), true).unwrap().files, 1);
}

#[test]
fn a_file_without_games_is_not_foreign() {
    let folder = TestFolder::new();
    let status = |bytes: &[u8]| {
        fs::write(folder.file(1), bytes).unwrap();
        let status = SelfplayStatus::read(&folder.file(1), true);
        let text = status.map_or_else(|error| error.to_string(), |status| status.to_string());
        text.replace(&folder.0.path().display().to_string(), "DIR")
    };
    assert_eq!(status(b""), "no games yet (1 files, 0 runs)\ndamaged          0\n");
    let run = Block::Run("{}".to_owned()).to_bytes();
    assert_eq!(status(&run), "no games yet (1 files, 1 runs)\ndamaged          0\n");
    let torn = status(&run[..9]);
    assert!(torn.starts_with("no games yet (1 files, 0 runs)\ndamaged          1\n"), "{torn}");
    assert_eq!(status(b"something else"), "DIR/1.kyg holds no games of self-play");
}

#[test]
fn the_progress_shows_the_requested_games() {
    let text = |games, planned| {
        SelfplayProgress { games, planned, rows: 7, ..SelfplayProgress::default() }.to_string()
    };
    assert_eq!(text(5, None), "5 games  7 rows");
    assert_eq!(text(5, Some(50)), "5/50 games  7 rows");
    assert_eq!(text(100, Some(50)), "100 games (50 wanted)  7 rows");
}

#[test]
fn the_status_counts_games_rows_and_ends() {
    let folder = TestFolder::new();
    let mut bytes = Block::Run("{}".to_owned()).to_bytes();
    for number in 1..=4 {
        let mut game = random_game(u64::from(number / 2), 50);
        (game.number, game.seed) = (number, 1);
        game.winner = Winner::Side(Color::Black);
        game.end = if number == 4 { EndReason::Mate } else { EndReason::AgreedWin };
        (game.ended, game.took_ms) = (1000 + u64::from(number), 1500);
        game.source = OpeningSource::BuiltIn;
        for (index, played) in game.moves.iter_mut().enumerate() {
            played.limit = u16::from(number != 2 || index > 0);
        }
        bytes.extend(Block::Game(Box::new(game)).to_bytes());
    }
    bytes.extend(b"KYG1 torn");
    fs::write(folder.file(1), bytes).unwrap();
    let status = SelfplayStatus::read(folder.0.path(), true).unwrap();
    assert!(!status.is_sound());
    expect![[r"
        games            4 (1 files, 1 runs)
        rows             200 (0.50 % with limit 0)
        rows an hour     120000 a thread; 180000 in the last hour of play
        results          black 4 (100.0 %), white 0 (0.0 %), drawn 0 (0.0 %)
        ended by         mate 1 (25.0 %), score 3 (75.0 %)
        mean length      50.0 moves, from 50 to 50
        distinct starts  3 (the commonest 50.000 %); openings 4 built in, 0 of records
        bytes            1532 (7.66 a row)
        damaged          1
          DIR/1.kyg, byte 1523: 9 bytes are damaged: the block is cut off: 9 bytes of 12
        moves replayed   150
        games twice      1 (numbers twice 0)
        games wrong      1
          DIR/1.kyg, game 4: it did not end by mate
    "]]
    .assert_eq(&status.to_string().replace(&folder.0.path().display().to_string(), "DIR"));
    let nothing = SelfplayStatus::read(TestFolder::new().0.path(), false).unwrap_err().to_string();
    assert!(nothing.starts_with("no games of self-play in "), "{nothing}");
}

#[test]
fn rows_of_an_export_are_the_games() {
    let folder = TestFolder::new();
    play(&folder.task(1, 3));
    play(&folder.task(2, 2));
    let games = [folder.games(1), folder.games(2)].concat();
    for format in [Format::Psv, Format::Hcpe, Format::Csa3, Format::Usi] {
        let to = folder.0.path().join(format!("all.{}", format.name()));
        let games_wanted = 2..=4;
        let task = SelfplayExport {
            from: folder.0.path().to_owned(),
            to,
            format,
            games: games_wanted,
            force: false,
        };
        let done = export(&task, || false).unwrap();
        assert_eq!(done.games, 3);
        let bytes = fs::read(&task.to).unwrap();
        assert_eq!(done.bytes, bytes.len() as u64);
        let read: Vec<_> = format.read_each(&bytes).map(|read| read.unwrap().record).collect();
        assert_eq!(read.len(), 3, "{}", format.name());
        for (record, game) in read.iter().zip(&games[1..4]) {
            let moves: Vec<_> = record.moves.iter().map(|played| played.mv).collect();
            assert_eq!(moves, game.moves.iter().map(|played| played.mv).collect::<Vec<_>>());
            assert_eq!(record.start.key(), game.start.key());
            if format == Format::Usi {
                continue;
            }
            assert_eq!(record.winner(), Some(game.winner), "{}", format.name());
            for (index, (made, played)) in record.moves.iter().zip(&game.moves).enumerate() {
                let score = made.analysis.as_ref().unwrap().score.unwrap();
                let sign = if game.side_to_move(index) == Color::Black { 1 } else { -1 };
                let expected = i32::from(played.score) * sign;
                match score {
                    Score::Cp(cp) => assert_eq!(cp, expected),
                    mate => assert_eq!(mate.centipawns(), expected),
                }
            }
        }
        assert!(matches!(export(&task, || false), Err(ExportError::Exists(_))));
        let stopped = export(&SelfplayExport { force: true, ..task.clone() }, || true);
        assert!(matches!(stopped, Err(ExportError::Stopped)));
        assert_eq!(fs::read(&task.to).unwrap(), bytes, "as it was");
        let to = folder.0.path().join("none").join("x.psv");
        let error = export(&SelfplayExport { to: to.clone(), ..task }, || false).unwrap_err();
        assert!(error.to_string().starts_with(&format!("writing {}: ", to.display())), "{error}");
    }
}

#[test]
fn finished_games_are_kept_when_the_user_stops() {
    let folder = TestFolder::new();
    let stop = Stop::default();
    let task = folder.task(4, 1_000_000);
    let done = run(&task, &stop, |progress| {
        if progress.new_games == 2 {
            stop.finish.cancel();
        }
    })
    .unwrap();
    // Further games may be finished before the progress of the second one is shown.
    assert!((2..1_000_000).contains(&done.games), "{}", done.games);
    let status = SelfplayStatus::read(folder.0.path(), true).unwrap();
    assert_eq!(status.games, done.games);
    assert!(status.is_sound());
}

#[test]
fn a_win_that_can_be_declared_ends_the_game() {
    // Twelve pieces and 36 points with black's king in white's camp, and black to move.
    let start = "+R+R+B+BG1GSS/KG1GSS3/9/9/9/9/9/9/k8 b 4N4L 31";
    let game = Game::new(kyomi_shogi::Position::from_sfen(start).unwrap());
    let by_rule = game::over(&game);
    assert_eq!(by_rule, Some((EndReason::Declaration, Winner::Side(Color::Black))));
}

proptest! {
    #[test]
    fn a_written_file_round_trips(seed in any::<u64>(), plies in 0..80usize) {
        let block = Block::Game(Box::new(random_game(seed, plies)));
        let bytes = block.to_bytes();
        prop_assert_eq!(Block::read(&bytes), Ok((block, bytes.len())));
    }

    #[test]
    fn arbitrary_bytes_do_not_panic(
        noise in prop::collection::vec(any::<u8>(), 0..300),
        at in any::<usize>(),
        byte in any::<u8>(),
    ) {
        let (_, mut bytes) = three_games();
        let at = at % bytes.len();
        bytes[at] = byte;
        for bytes in [&noise, &bytes] {
            let all: u64 = found(bytes).iter().map(|located| located.length).sum();
            prop_assert_eq!(all, bytes.len() as u64);
        }
    }
}

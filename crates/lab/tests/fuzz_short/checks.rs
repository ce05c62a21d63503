//! Properties of the readers of `kyomi-lab` that hold for any bytes: one check for each fuzz target.

#[path = "../../../../tests/fuzz_short/target.rs"]
#[allow(dead_code, reason = "shared with the other readers")]
mod target;

use kyomi::cluster::jobs::{Job as _, JobMessage, JobOutcome, ResultMessage};
use kyomi_lab::selfplay::{Block, BlockReader, FilePart, GameOfJob, GamesJob};
use kyomi_record::Omissions;
use kyomi_record::psv;

pub(crate) use target::Target;
use target::{fit_to_print, same, text};

/// All readers.
pub(crate) const TARGETS: &[Target] = &[
    Target { name: "selfplay", check: selfplay, executions: 8_000 },
    Target { name: "selfplay_job", check: selfplay_job, executions: 4_000 },
];

/// Blocks and damaged parts together cover the file. A block is unchanged after writing and reading; a game with legal
/// moves has a row for each of them.
fn selfplay(data: &[u8]) {
    let mut blocks = BlockReader::new(data, 0);
    let mut length = 0;
    let mut torn = false;
    while let Some(located) = blocks.read_next().unwrap() {
        assert!(!torn, "nothing comes behind a torn end");
        assert_eq!(located.offset, length);
        assert!(located.length > 0);
        length += located.length;
        match located.part {
            FilePart::Block(block) => {
                let bytes = block.to_bytes();
                assert_eq!(bytes.len() as u64, located.length);
                same(&Block::read(&bytes).unwrap().0, &block, "");
                check_block(&block);
            }
            FilePart::Unread(fault) | FilePart::Damaged(fault) => fit_to_print(&fault),
            FilePart::Truncated(fault) => {
                fit_to_print(&fault);
                torn = true;
            }
        }
    }
    assert_eq!(length, data.len() as u64);
}

fn check_block(block: &Block) {
    let Block::Game(game) = block else { return };
    if let Err(fault) = game.check() {
        fit_to_print(&fault);
    }
    match game.replay() {
        Ok(replayed) => {
            assert_eq!(replayed.len(), game.moves.len());
            let rows = psv::write(&game.record(), &mut Omissions::new());
            assert_eq!(rows.len(), psv::ROW_BYTES * game.moves.len());
        }
        Err(fault) => fit_to_print(&fault),
    }
}

/// Any bytes are a job of self-play or its result, or give one clear error. A job is the same after it is written and
/// read again.
fn selfplay_job(data: &[u8]) {
    if let Ok(job) = JobMessage::read(data)
        && let Ok(games) = GamesJob::read(job.work)
    {
        same(&GamesJob::read(games.write()).unwrap(), &games, &text(data));
    }
    if let Ok(result) = ResultMessage::read(data)
        && let JobOutcome::Done(value) = result.outcome
        && let Ok(games) = serde_json::from_value::<Vec<Option<GameOfJob>>>(value)
    {
        for game in games.into_iter().flatten() {
            let _ = game.0.check();
        }
    }
}

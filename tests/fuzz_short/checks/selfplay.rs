//! Files of self-play.

use kyomi::lab::selfplay::{Block, BlockReader, FilePart};
use kyomi_record::Omissions;
use kyomi_record::psv;

use super::{fit_to_print, same};

/// Blocks and damaged parts together cover the file. A block is unchanged after writing and reading; a game with legal
/// moves has a row for each of them.
pub(super) fn selfplay(data: &[u8]) {
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

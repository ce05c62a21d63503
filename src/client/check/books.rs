//! The opening book.

use crate::config::{Config, EngineKind};
use kyomi_record::book::{BookSpec, OpeningBook};
use kyomi_shogi::Game;

use super::{super::player_settings::book_options, Finding};

pub(super) fn check(config: &Config) -> Option<Finding> {
    let options = book_options(&config.book);
    let spec = match config.engine.kind {
        EngineKind::Builtin => options.spec(),
        EngineKind::Usi => options.spec_if_requested(),
        EngineKind::Random => None,
    }?;
    Some(check_book(&spec))
}

fn check_book(spec: &BookSpec) -> Finding {
    let (book, faults) = match OpeningBook::open(spec) {
        Ok(opened) => opened,
        Err(error) => {
            return Finding::failed("book", error.to_string())
                .remedy("correct book.file, or set book.enabled = false");
        }
    };
    let size = match book.positions() {
        Some(number) => format!("{number} positions"),
        None => "too large for memory, searched on disk".to_owned(),
    };
    let answer = book.choose(&Game::default());
    let first = match &answer {
        Some(answer) => format!("{} in the start position", answer.mv),
        None => "no move for the start position".to_owned(),
    };
    let detail = format!("{}: {size}, {first}", spec.source);
    match (faults.summary(), answer) {
        (Some(text), _) => Finding::warning("book", format!("{detail}; {text}"))
            .remedy("`kyomi book merge` writes a book without its damaged lines"),
        (None, Some(_)) => Finding::ok("book", detail),
        (None, None) => Finding::warning("book", detail)
            .remedy("look into it with `kyomi book show`; see book.max_ply, book.min_depth, book.ignore_ply"),
    }
}

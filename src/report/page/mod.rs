//! HTML pages: each is one self-contained file, which works without a network.
//!
//! The document has all texts in both languages, and the style sheet shows one of them. The script draws the board and
//! steps through the game; its data is JSON in the document. A content security policy forbids everything else: the
//! page makes no requests, and only the script whose hash is in the policy runs.

mod data;
mod game;
mod index;
mod shell;

pub use game::game_page;
pub use index::{IndexEntry, index_page};

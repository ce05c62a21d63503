//! Pages: each is one file with everything in it, which works without a network.
//!
//! The words are in the document in both languages, and a style sheet shows one. The script draws the board and steps
//! through the game; its data is JSON in the document. A content security policy forbids everything else: no request
//! leaves the page, and no script runs but the one of which the policy has the hash.

mod data;
mod game;
mod index;
mod shell;

pub use game::game_page;
pub use index::{IndexEntry, index_page};

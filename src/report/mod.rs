//! Reports about games: a record at one ply with its diagram, and the analysis of a game with its page.
//!
//! - [`Moment`]: a record at one ply, with the position and the move that led to it as text.
//! - [`board_svg`]: a position as one self-contained SVG element.
//! - [`times_table`]: how the time of each move was spent: charged, measured, network.
//! - [`Script`]: whether pieces have Japanese names or letters.
//!
//! With the feature `program`:
//!
//! - [`analysis`]: searches every position of a game and judges its moves.
//! - [`GameReport`]: the data of the report on an analysed game. [`game_page`] writes it as a page, [`to_json`] as
//!   JSON, [`annotated`] as a record with comments.
//! - [`index_page`]: the page of a folder of games, with a cross table.
//!
//! With the feature `png`, `png` draws the pictures as PNG.
//!
//! All functions here except those of the analysis are pure: they turn values into text. Names and comments may come
//! from an untrusted source; everything written into markup is escaped here, and nowhere else.
//!
//! Not here: files and terminals.

pub mod analysis;
mod annotated;
mod game_report;
mod graph;
mod json;
mod moment;
mod page;
#[cfg(feature = "png")]
mod png;
mod svg;
mod times;
mod words;

pub use annotated::{AnnotatedForm, annotated};
pub use game_report::GameReport;
pub use graph::{GraphLabels, chance_graph, time_bars};
pub use json::to_json;
pub use moment::{Moment, MomentError};
pub use page::{IndexEntry, game_page, index_page};
#[cfg(feature = "png")]
pub use png::{PngError, png};
pub use svg::{BoardOptions, board_svg};
pub use times::times_table;
pub use words::{Both, Language};

/// The script in which pieces, squares and sides are named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Script {
    /// `飛`, `７六`, `先手`.
    #[default]
    Japanese,
    /// SFEN letters and ASCII only: `R`, `7f`, `Black`.
    Letters,
}

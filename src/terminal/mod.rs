//! What a terminal shows: the live board, its plain lines, a diagram of a record (layer 5).
//!
//! A `Scene` is kept up to date by what a running game reports; `frame` makes a picture of it, a
//! pure function of scene, time and size; `Screen` brings the picture onto the terminal. Where
//! the output is no terminal, `lines` writes one line for each move instead.
//! `diagram` shows one moment of a finished record with the same board.
//!
//! Whatever comes from the network is [`clean`]ed on its way into the scene. Scores are from
//! black's side everywhere here.

mod board;
mod diagram;
mod frame;
mod lines;
mod scene;
mod screen;
mod style;
mod text;
mod view;

pub(crate) use board::draw as draw_board;
pub use diagram::diagram;
pub(crate) use diagram::hand;
pub(crate) use screen::columns;
pub use screen::{notice, restore};
pub(crate) use style::{Line, Paint, Style};
pub use text::clean;
pub(crate) use text::{cut, width};
pub use view::{Surroundings, View};

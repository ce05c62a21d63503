//! Games on a terminal: the live board, plain lines, and the diagram of a record.
//!
//! A `DisplayedGame` holds the state of a running game and is updated by its reports. `frame` makes a picture of it, as
//! a pure function of the game, the time and the size. `Screen` writes the picture to the terminal. If the output is
//! not a terminal, `lines` writes one line for each move instead. `diagram` shows one moment of a finished record with
//! the same board.
//!
//! Text from the network is [`clean`]ed before it enters a `DisplayedGame`. Scores are from black's side everywhere
//! here.

mod board;
mod diagram;
mod frame;
pub(crate) mod grid;
mod labelled;
mod lines;
mod scene;
mod screen;
pub mod speech;
mod style;
mod text;
mod view;

pub(crate) use board::draw as draw_board;
pub use diagram::diagram;
pub(crate) use diagram::hand;
pub use labelled::Labelled;
pub(crate) use screen::columns;
pub use screen::{notice, restore};
pub(crate) use style::{Line, Paint, Style};
pub use text::clean;
pub(crate) use text::width;
pub use view::{Surroundings, View};

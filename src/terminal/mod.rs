//! What a terminal shows: the live board and its plain lines (floor 5).
//!
//! A `Scene` is kept up to date by what a running game reports; `frame` makes a picture of it, a
//! pure function of scene, time and size; `Screen` brings the picture onto the terminal. Where
//! nobody watches, `lines` writes one line for each move instead.
//!
//! Whatever comes from the network is [`clean`]ed on its way into the scene. Scores are from
//! black's side everywhere here.

mod board;
mod frame;
mod lines;

mod scene;
mod screen;
mod style;
mod text;
mod view;

pub use screen::{notice, restore};
pub use text::clean;
pub use view::{Surroundings, View};

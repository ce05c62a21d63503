//! The live page in a browser (layer 5): read-only, with one stream of events for each viewer.
//!
//! | file | contents |
//! |---|---|
//! | `model` | what the page shows, kept by the reports of the clients or of the server |
//! | `game` | one game of it |
//! | `history` | the games of earlier runs, from the database |
//! | `hub` | numbers the changes and hands them to all viewers |
//! | `guard` | who may ask: the checks of host, origin and token |
//! | `stream` | connections that end when nothing moves on them |
//! | `server` | the addresses of the page |
//! | `document` | the documents, made from one frame |
//! | `page/` | what they are made of, styles, scripts |
//!
//! A new viewer gets the whole state and then the changes, each with a number; after a lost connection it names the last
//! number and gets what it has missed. Changes are written once for all viewers. A viewer that reads too slowly loses its
//! connection, and begins again with the state.
//!
//! The page has a thread and a runtime of its own, and reads the reports through a queue that never delays a game. A second
//! thread of low priority reads the database.

mod document;
mod game;
mod guard;
mod history;
mod hub;
mod model;
mod server;
mod stream;

pub use history::PastGames;
pub use hub::EventPage;
pub use model::Shows;
pub use server::{Dashboard, DashboardError};

#[cfg(test)]
mod tests;

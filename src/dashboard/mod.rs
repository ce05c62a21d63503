//! The live page in a browser: read-only, with one stream of events for each viewer.
//!
//! | file | contents |
//! |---|---|
//! | `model` | the state that the page shows, updated by the reports of the clients or of the server |
//! | `game` | one game of it |
//! | `history` | the games of earlier runs, from the database |
//! | `hub` | numbers the changes and sends them to all viewers |
//! | `guard` | access control: the checks of host, origin and token |
//! | `places` | how many connections there may be, of all viewers and of one address |
//! | `stream` | connections with time limits |
//! | `connections` | HTTP on them, with little memory for each |
//! | `long_answers` | the memory of answers that are not read yet |
//! | `server` | the routes of the page |
//! | `document` | the HTML documents, made from one template |
//! | `page/` | HTML templates, styles, scripts |
//!
//! A new viewer gets the whole state and then the changes, each with a number. After a lost connection it sends the
//! last number and gets what it has missed. Changes are serialized once for all viewers. A viewer that reads too slowly
//! is disconnected, and starts again with the whole state.
//!
//! The page has a thread and a runtime of its own, and reads the reports through a queue that never delays a game. A
//! second thread of low priority reads the database.

mod connections;
mod document;
mod game;
mod guard;
mod history;
mod hub;
mod long_answers;
mod model;
mod places;
mod server;
mod stream;

pub use history::PastGames;
pub use hub::EventPage;
pub use model::Shows;
pub use server::{Dashboard, DashboardError};

#[cfg(test)]
mod tests;

//! The server's side of the protocol without I/O: all clients, their games, and what to send to whom.
//!
//! [`Lobby::handle`] takes an [`Input`] with the time and returns [`Action`]s. Whoever owns the sockets carries them
//! out.
//!
//! | file | contents |
//! |---|---|
//! | `lobby` | all clients: login, pairing, limits, after the game, shutdown |
//! | `hosted_game` | a game of two players: offer, agreement, moves, end |
//! | `judge` | the rules of a game: clocks, legality, repetition, declaration, limit |
//! | `gamename` | the game that a login password requests: pool, clock, colour, handicap |
//! | `saved_game` | the data of a running game from which the next process restores it |
//! | `settings`, `rules` | settings, the rules of games |
//! | `password` | salted password digests |
//! | `timers`, `token_bucket` | due times, limits of lines |
//!
//! The rules follow the reference server: its clock measures from when a line was handled to when the next one
//! was read, in whole units; the order of its checks; repetition without the start position unless configured.
//! Where the reference server leaves something open or tournaments need more, the module concerned documents
//! the behaviour: early lines and leaving in `hosted_game`, names and waiting in `lobby`, `%CHUDAN` in `hosted_game`,
//! the stop-watch clock in `gamename`.
//!
//! Invariants: a game ends once, with the same reason for both sides; no client sees the lines of other games.

mod gamename;
mod hosted_game;
mod judge;
mod lobby;
mod password;
mod rules;
mod saved_game;
mod settings;
mod timers;
mod token_bucket;

pub use lobby::{Action, ClientId, GameHeader, GameNumber, Input, Lobby, Now, RecordEvent};
pub use password::PasswordDigest;
pub use rules::{AfterGame, GameRules};
pub use saved_game::{SavedBoard, SavedGame, StoredGame};
pub use settings::{PeerLimits, ServerSettings, SettingsError};

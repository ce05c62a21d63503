//! The messages between a coordinator and its workers, as JSON. Those of jobs are in `jobs/message.rs`.
//!
//! None of them is trusted, not even those of our own machines: [`ToWorker::read`] and [`FromWorker::read`] check the
//! version, the length and every field.

use serde::{Deserialize, Serialize};

use super::{subject::is_token, transport::LONGEST_MESSAGE};
use crate::players::rule_json;
use kyomi_shogi::{EnteringKingRule, Game, Move, Score, notation::usi};

mod codec;
mod fault;
mod notation;

pub(crate) use codec::LARGEST_NUMBER;
use codec::{number, read, token, write};
pub use fault::{MessageError, VERSION};
pub(super) use fault::{WarnedFaults, printable};
use notation::parse_score;
pub(super) use notation::{entries_of, entries_text, fits, game_of, position_of, score_text};

/// A message from a coordinator to workers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum ToWorker {
    /// To all workers: announce yourselves.
    Call {
        /// The coordinator.
        coordinator: String,
    },
    /// Search a position until another message comes, and report each completed limit. The same job again extends its
    /// lease.
    Search {
        /// The coordinator that gets the reports.
        coordinator: String,
        /// The number of the game. A worker clears its tables when it changes.
        game: u64,
        /// The number of the job.
        job: u64,
        /// The position, as in a USI `position` command after the word `position`.
        position: String,
        /// How an entered king wins in the game.
        #[serde(rename = "declaration", with = "rule_json")]
        entering_king: EnteringKingRule,
        /// The number of moves after which the game ends; `None`: no limit.
        max_moves: Option<u32>,
        /// The time after which the worker stops if it hears nothing more, in milliseconds.
        lease_ms: u32,
        /// The number of the worker's first thread among those of all machines of the game, if they exchange entries of
        /// their tables.
        share: Option<u32>,
    },
    /// Entries of other machines' transposition tables, for the search of the worker.
    Entries {
        /// The coordinator.
        coordinator: String,
        /// The number of the game.
        game: u64,
        /// The entries in base64, 18 bytes each.
        entries: String,
    },
    /// Stop the search of this job.
    Stop {
        /// The coordinator.
        coordinator: String,
        /// The number of the job.
        job: u64,
    },
    /// The game is over; the worker is free.
    Release {
        /// The coordinator.
        coordinator: String,
    },
}

/// A message from a worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "snake_case", deny_unknown_fields)]
pub enum FromWorker {
    /// To all coordinators, about once a second and when asked: the worker announces itself.
    Here(WorkerCard),
    /// To all coordinators: the worker leaves.
    Bye {
        /// The worker.
        worker: String,
    },
    /// To one coordinator: what its search has found so far.
    Found(Report),
    /// To one coordinator: the deepest new entries of its transposition table.
    Entries {
        /// The worker.
        worker: String,
        /// The number of the job.
        job: u64,
        /// The number of the game.
        game: u64,
        /// The entries in base64, 18 bytes each.
        entries: String,
    },
}

/// The description of a worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkerCard {
    /// Its own name, which no other worker has.
    pub worker: String,
    /// The display name: by default the host name of its machine.
    pub name: String,
    /// The version of its program.
    pub program: String,
    /// The name of its engine.
    pub engine: String,
    /// Whether its engine measures depth as ours does, so that its reports can be compared with other searches.
    pub interest: bool,
    /// Checksum of the parameters and the evaluation of its search. Scores and limits of searches with different checksums
    /// cannot be compared.
    pub search: u32,
    /// Number of search threads.
    pub threads: u32,
    /// Size of its table in bytes.
    pub hash: u64,
    /// Nodes per second, measured at its start.
    pub nps: u64,
    /// The coordinator that it works for.
    pub busy_for: Option<String>,
}

/// The result of a search so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// The worker.
    pub worker: String,
    /// The number of the job.
    pub job: u64,
    /// The limit of the last completed iteration in units; 0: none yet, or its engine has no such limit.
    pub limit: u32,
    /// Nominal depth in plies.
    pub depth: u32,
    /// The score for the side to move, as in USI: `cp 12`, `mate 5`, `mate -`; `None`: none yet.
    pub score: Option<String>,
    /// Number of positions searched.
    pub nodes: u64,
    /// Positions per second.
    pub nps: u64,
    /// The principal variation in USI, separated by blanks.
    pub pv: String,
}

/// The worker that a message names as its sender, even if the message cannot be parsed. The name is not verified.
pub(super) fn named_worker(bytes: &[u8]) -> Option<String> {
    const FIELD: &[u8] = b"\"worker\":\"";
    let text = bytes.get(..LONGEST_MESSAGE).unwrap_or(bytes);
    let at = text.windows(FIELD.len()).position(|window| window == FIELD)?;
    let rest = text.get(at + FIELD.len()..)?;
    let name = rest.split(|byte| *byte == b'"').next()?;
    let name = std::str::from_utf8(name).ok()?;
    is_token(name).then(|| name.to_owned())
}

impl ToWorker {
    /// The message as bytes.
    pub fn write(&self) -> Vec<u8> {
        write(self)
    }

    /// Reads a message.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(bytes: &[u8]) -> Result<Self, MessageError> {
        let message: Self = read(bytes)?;
        token("coordinator", message.coordinator())?;
        match &message {
            Self::Search { job, position, lease_ms, share, .. } => {
                number("job", *job)?;
                number("share", share.unwrap_or(0).into())?;
                if share.is_some_and(|first_thread| first_thread > LARGEST_THREAD) {
                    return Err(MessageError::field("share", share.unwrap_or(0)));
                }
                game_of(position)?;
                if !(1..=LONGEST_LEASE_MS).contains(lease_ms) {
                    return Err(MessageError::field("lease_ms", lease_ms));
                }
            }
            Self::Stop { job, .. } => number("job", *job)?,
            Self::Entries { entries, .. } => drop(entries_of(entries)?),
            Self::Call { .. } | Self::Release { .. } => {}
        }
        Ok(message)
    }

    /// The coordinator that sent it.
    pub fn coordinator(&self) -> &str {
        match self {
            Self::Call { coordinator }
            | Self::Search { coordinator, .. }
            | Self::Stop { coordinator, .. }
            | Self::Entries { coordinator, .. }
            | Self::Release { coordinator } => coordinator,
        }
    }
}

impl FromWorker {
    /// The message as bytes.
    pub fn write(&self) -> Vec<u8> {
        write(self)
    }

    /// Reads a message.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(bytes: &[u8]) -> Result<Self, MessageError> {
        let mut message: Self = read(bytes)?;
        match &mut message {
            Self::Here(card) => {
                token("worker", &card.worker)?;
                if let Some(coordinator) = &card.busy_for {
                    token("busy_for", coordinator)?;
                }
                for text in [&mut card.name, &mut card.program] {
                    *text = printable(text, 60);
                }
                // It has the evaluation.
                card.engine = printable(&card.engine, 140);
                if card.threads == 0 || card.threads > 4096 {
                    return Err(MessageError::field("threads", card.threads));
                }
                number("hash", card.hash)?;
                number("nps", card.nps)?;
            }
            Self::Bye { worker } => token("worker", worker)?,
            Self::Entries { worker, job, entries, .. } => {
                token("worker", worker)?;
                number("job", *job)?;
                entries_of(entries)?;
            }
            Self::Found(report) => {
                token("worker", &report.worker)?;
                number("job", report.job)?;
                number("nodes", report.nodes)?;
                number("nps", report.nps)?;
                if report.limit > LARGEST_LIMIT {
                    return Err(MessageError::field("limit", report.limit));
                }
                if let Some(score) = &report.score {
                    parse_score(score).ok_or_else(|| MessageError::field("score", score))?;
                }
            }
        }
        Ok(message)
    }
}

impl Report {
    /// The score, if there is one.
    pub fn score(&self) -> Option<Score> {
        parse_score(self.score.as_deref()?)
    }

    /// The principal variation, which is legal after `game`.
    ///
    /// # Errors
    /// The first move that is not legal, or more than 128 moves.
    pub fn line(&self, game: &Game) -> Result<Vec<Move>, MessageError> {
        let mut position = game.position().clone();
        let mut line = Vec::new();
        for word in self.pv.split(' ').filter(|word| !word.is_empty()) {
            let wrong = || MessageError::field("pv", word);
            if line.len() == LONGEST_PV {
                return Err(MessageError::field("pv", format!("more than {LONGEST_PV} moves")));
            }
            let mv = usi::parse_move(word).map_err(|_| wrong())?;
            if !position.is_legal(mv) {
                return Err(wrong());
            }
            position.do_move(mv);
            line.push(mv);
        }
        Ok(line)
    }
}

/// The longest lease of a search in milliseconds.
const LONGEST_LEASE_MS: u32 = 600_000;
/// The largest limit that a search can have, in units.
const LARGEST_LIMIT: u32 = 30_000;
/// The largest number of a thread.
const LARGEST_THREAD: u32 = 1 << 21;
/// The largest number of moves in a PV. No search reaches a greater depth.
pub(super) const LONGEST_PV: usize = 128;

#[cfg(test)]
mod tests {
    use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};
    use proptest::prelude::*;

    use super::*;
    use kyomi_engine::search::{MOST_OFFERED, SharedEntry};

    fn report() -> Report {
        Report {
            worker: "a1".to_owned(),
            job: 7,
            limit: 640,
            depth: 12,
            score: Some("cp -31".to_owned()),
            nodes: 1000,
            nps: 20_000,
            pv: "7g7f 3c3d".to_owned(),
        }
    }

    fn search(position: &str) -> ToWorker {
        ToWorker::Search {
            coordinator: "c".to_owned(),
            game: 3,
            job: 7,
            position: position.to_owned(),
            entering_king: EnteringKingRule::Points24,
            max_moves: Some(256),
            lease_ms: 20_000,
            share: Some(2),
        }
    }

    /// An entry that a search offers.
    fn entry() -> SharedEntry {
        let mut bytes = [7; SharedEntry::BYTES];
        bytes[SharedEntry::BYTES - 1] = 2;
        SharedEntry::from_bytes(bytes).unwrap()
    }

    #[test]
    fn entries_are_read_back_and_others_refused() {
        let entries = vec![entry(); 3];
        let text = entries_text(&entries);
        assert_eq!(entries_of(&text), Ok(entries));
        assert_eq!(entries_of(""), Ok(Vec::new()));
        let sent = |entries: String| {
            let worker = "a1".to_owned();
            FromWorker::read(&FromWorker::Entries { worker, job: 7, game: 3, entries }.write())
        };
        assert!(sent(text.clone()).is_ok());
        let many = STANDARD_NO_PAD.encode(entry().to_bytes().repeat(MOST_OFFERED + 1));
        // A bound that does not exist, half an entry, other characters, and too many.
        for wrong in
            [STANDARD_NO_PAD.encode([0; SharedEntry::BYTES]), text[..8].into(), "?".into(), many]
        {
            let error = sent(wrong).unwrap_err().to_string();
            assert!(error.starts_with("entries is not valid"), "{error}");
        }
    }

    #[test]
    fn messages_round_trip() {
        let search = search("startpos moves 7g7f");
        assert_eq!(ToWorker::read(&search.write()), Ok(search));
        let found = FromWorker::Found(report());
        assert_eq!(FromWorker::read(&found.write()), Ok(found));
        for score in [Score::Cp(-5), Score::Win(Some(3)), Score::Loss(None), Score::Loss(Some(0))] {
            assert_eq!(parse_score(&score_text(score)), Some(score));
        }
    }

    #[test]
    fn an_invalid_field_is_refused_by_name() {
        let with = |change: &dyn Fn(&mut Report)| {
            let mut report = report();
            change(&mut report);
            FromWorker::read(&FromWorker::Found(report).write()).unwrap_err().to_string()
        };
        for (error, field) in [
            (with(&|it| it.score = Some("cp -2147483648".to_owned())), "score"),
            (with(&|it| it.score = Some("cp \u{1b}[31m".to_owned())), "score"),
            (with(&|it| it.worker = "a.b".to_owned()), "worker"),
            (with(&|it| it.limit = 4_000_000), "limit"),
            (
                ToWorker::read(&search("startpos moves 7g7e").write()).unwrap_err().to_string(),
                "position",
            ),
            (with(&|it| it.job = u64::MAX), "job"),
            (
                ToWorker::read(
                    &ToWorker::Stop { coordinator: "c".to_owned(), job: u64::MAX }.write(),
                )
                .unwrap_err()
                .to_string(),
                "job",
            ),
        ] {
            assert!(error.starts_with(field) && !error.contains('\u{1b}'), "{error:?}");
        }
        let text = String::from_utf8(FromWorker::Found(report()).write()).unwrap();
        let other = text.replace("\"v\":3", "\"v\":1");
        assert_eq!(FromWorker::read(other.as_bytes()), Err(MessageError::Version(1)));
        let unknown = text.replace("\"job\"", "\"command\":\"rm\",\"job\"");
        assert!(matches!(FromWorker::read(unknown.as_bytes()), Err(MessageError::Form(_))));
        assert_eq!(FromWorker::read(&vec![b' '; 70_000]), Err(MessageError::Long(70_000)));
    }

    #[test]
    fn an_illegal_move_of_a_pv_is_reported() {
        let wrong = Report { pv: "7g7f 7g7f".to_owned(), ..report() };
        assert!(wrong.line(&Game::default()).unwrap_err().to_string().contains("7g7f"));
        assert_eq!(report().line(&Game::default()).unwrap().len(), 2);
    }

    #[test]
    fn a_pv_that_is_too_long_is_refused() {
        let round = ["2h3h 8b7b 3h2h 7b8b"; 33].join(" ");
        let endless = Report { pv: round, ..report() };
        assert!(endless.line(&Game::default()).unwrap_err().to_string().contains("more than 128"));
    }

    #[test]
    fn the_sender_of_an_unreadable_message_is_found_by_its_name() {
        let whole = FromWorker::Found(report()).write();
        assert_eq!(named_worker(&whole).as_deref(), Some("a1"));
        assert_eq!(named_worker(&whole[..whole.len() / 2]).as_deref(), Some("a1"));
        let long = [whole.as_slice(), &vec![b' '; LONGEST_MESSAGE]].concat();
        assert_eq!(named_worker(&long).as_deref(), Some("a1"));
        for other in ["", "{}", "\"worker\":\"", "\"worker\":\"a.b\"", "\"worker\":7"] {
            assert_eq!(named_worker(other.as_bytes()), None, "{other}");
        }
        let mut warned = WarnedFaults::default();
        let news = [2, 3].map(|version| warned.note(&MessageError::Version(version)));
        assert_eq!((news, warned.note(&MessageError::Long(1))), ([true, false], true));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = ToWorker::read(&bytes);
            let _ = FromWorker::read(&bytes);
            let _ = named_worker(&bytes);
        }

        #[test]
        fn a_changed_message_is_read_or_refused(at in 0_usize..400, byte in any::<u8>()) {
            let mut bytes = FromWorker::Found(report()).write();
            let at = at % bytes.len();
            bytes[at] = byte;
            let _ = FromWorker::read(&bytes);
        }
    }
}

//! Comments for the record of a running game: figures of the search, and events such as reconnects.

use std::fmt::Write as _;

use crate::watch::{Report, Reports};
use kyomi_engine::search::SearchInfo;
use kyomi_shogi::Color;

/// Collects the reports of the running game for its record. Never waits.
#[derive(Debug, Default)]
pub(super) struct GameNotes {
    reports: Option<Reports>,
    /// The latest report of each side's search, with the number of moves before it.
    last_searches: [Option<(usize, SearchFigures)>; 2],
    /// Events that are not in the record yet.
    events: Vec<String>,
}

/// The figures of a search that have no other place in a record.
#[derive(Debug, Clone, Copy)]
struct SearchFigures {
    seldepth: u32,
    nps: u64,
    hashfull: Option<u32>,
}

impl GameNotes {
    /// Notes from these reports.
    pub(super) const fn of(reports: Reports) -> Self {
        Self { reports: Some(reports), last_searches: [None; 2], events: Vec::new() }
    }

    /// Takes all reports that have arrived.
    fn drain(&mut self) {
        let Some(reports) = &mut self.reports else { return };
        while let Some(report) = reports.try_next() {
            match report {
                Report::Thinking { color, game, info } if info.is_best_line() => {
                    let SearchInfo { seldepth, nps, hashfull, .. } = *info;
                    let figures = SearchFigures { seldepth, nps, hashfull };
                    self.last_searches[color.index()] = Some((game.len(), figures));
                }
                Report::Disconnected { reason, .. } => {
                    self.events.push(event("suspended", &reason));
                }
                Report::Suspended { .. } => self.events.push(event("suspended", BY_SERVER)),
                Report::Resumed { .. } => self.events.push(event("resumed", "")),
                Report::EngineFailed { text, restarted, .. } => {
                    let kind = if restarted { "engine-restarted" } else { "engine-failed" };
                    self.events.push(event(kind, &text));
                }
                Report::Warning(text) => self.events.push(event("warning", &text)),
                _ => {}
            }
        }
        self.events.truncate(MOST_EVENTS);
    }

    /// Forgets the data of an earlier game.
    pub(super) fn begin(&mut self) {
        self.drain();
        self.last_searches = [None; 2];
        self.events.clear();
    }

    /// The events since the last call, as comments.
    pub(super) fn events(&mut self) -> Vec<String> {
        self.drain();
        std::mem::take(&mut self.events)
    }

    /// The comment on the search for the move with this number: `search: seldepth 24 nps 512000 hashfull 123`.
    pub(super) fn search(&mut self, color: Color, ply: u32) -> Option<String> {
        let (before, figures) = self.last_searches[color.index()].take()?;
        if before + 1 != ply as usize {
            return None;
        }
        let mut text = "search:".to_owned();
        for (name, number) in [
            ("seldepth", u64::from(figures.seldepth)),
            ("nps", figures.nps),
            ("hashfull", figures.hashfull.map_or(0, u64::from)),
        ] {
            if number > 0 {
                let _ = write!(text, " {name} {number}");
            }
        }
        (text.len() > "search:".len()).then_some(text)
    }
}

fn event(kind: &str, text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).take(LONGEST).collect();
    format!("event: {kind} {text}").trim_end().to_owned()
}

/// Why a game is suspended whose connection is not lost.
const BY_SERVER: &str = "by the server";

/// The largest number of events between two moves.
const MOST_EVENTS: usize = 20;

/// The longest text of an event, in characters.
const LONGEST: usize = 200;

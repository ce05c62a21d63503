//! What follows from the tables of a configuration.

use std::time::Duration;

use kyomi_csa::text::Secret;
use kyomi_record::book::BookRules;
use kyomi_shogi::Color;

use super::{
    AccountConfig, BookChoice, BookConfig, ClusterConfig, Config, ConfigWarning, NotifyConfig,
    NotifyKind, OpponentConfig, ServerConfig, ServerMode,
};

/// A configuration, and warnings about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// The settings.
    pub config: Config,
    /// Warnings: unknown environment variables that begin with `KYOMI_`, and settings without effect.
    pub warnings: Vec<ConfigWarning>,
}

impl Config {
    /// The name of our side: the login name at the server, or `kyomi` in a local game.
    pub fn player_name(&self) -> String {
        self.server.clone().unwrap_or_default().name
    }

    /// The other side of a local game: `[opponent]`, or the same engine under another name.
    pub fn local_opponent(&self) -> OpponentConfig {
        self.opponent.clone().unwrap_or_else(|| OpponentConfig {
            name: OpponentConfig::USUAL_NAME.to_owned(),
            engine: self.engine.clone(),
        })
    }

    /// The configuration of one account: of a file that has it instead of `[[account]]`.
    #[must_use]
    pub fn for_account(&self, account: &AccountConfig) -> Self {
        let account = account.clone();
        Self {
            games: account.games,
            server: Some(account.server),
            budget: account.budget,
            engine: account.engine,
            fallback: account.fallback,
            book: account.book,
            accounts: Vec::new(),
            ..self.clone()
        }
    }
}

impl ServerConfig {
    /// The password to send: `game,password`, or the password alone, as in extended mode.
    pub fn login_password(&self) -> Secret {
        let suffix = match self.colour {
            None => "",
            Some(Color::Black) => "-B",
            Some(Color::White) => "-W",
        };
        match &self.game {
            Some(game) if self.mode == ServerMode::Plain => {
                Secret::new(format!("{game}{suffix},{}", self.password.expose()))
            }
            _ => self.password.clone(),
        }
    }

    /// Time that the server subtracts from the clocks without a line in the offer, `[color]`.
    pub fn handicap(&self) -> [Duration; 2] {
        [self.handicap_black, self.handicap_white]
    }
}

impl BookConfig {
    /// How moves are looked up and chosen.
    pub fn rules(&self) -> BookRules {
        BookRules {
            narrow: self.choice == BookChoice::Narrow,
            max_ply: self.max_ply,
            margin: self.margin,
            min_depth: self.min_depth,
            ignore_ply: self.ignore_ply,
            flipped: self.flipped,
            seed: self.seed,
        }
    }
}

impl NotifyConfig {
    /// Whether notifications are sent at all.
    pub fn is_on(&self) -> bool {
        !self.command.is_empty() || self.hook.is_some()
    }

    /// Whether there are messages of this kind.
    pub fn has(&self, kind: NotifyKind) -> bool {
        self.on.as_ref().is_none_or(|kinds| kinds.contains(&kind))
    }
}

impl ClusterConfig {
    /// The servers for people, separated by commas, without passwords.
    pub fn shown_servers(&self) -> String {
        let all: Vec<String> = self.servers.iter().map(ToString::to_string).collect();
        all.join(", ")
    }
}

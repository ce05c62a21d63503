//! The values that keys choose from, with their words.

macro_rules! choices {
    ($($(#[$doc:meta])* $name:ident { $($(#[$text:meta])* $variant:ident = $word:literal,)* })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$text])* $variant,)* }

        impl $name {
            /// Each value with its word in the configuration.
            pub(super) const WORDS: &'static [(&'static str, Self)] = &[$(($word, Self::$variant)),*];
        }
    )*};
}

choices! {
    /// `server.mode`: how to log in.
    ServerMode {
        /// `LOGIN name password`.
        Plain = "plain",
        /// `LOGIN name password x1`.
        Extended = "extended",
    }
    /// `engine.kind`.
    EngineKind {
        /// kyomi's own search.
        Builtin = "builtin",
        /// An external USI engine.
        Usi = "usi",
        /// A random legal move with equal probabilities, for tests.
        Random = "random",
    }
    /// `engine.ponder`: whether to think in the opponent's time, and on which move.
    Ponder {
        /// On the move that the engine names with its answer.
        Named = "true",
        /// Not at all.
        Off = "false",
        /// On that move, or otherwise on the second move of the engine's PV.
        NamedOrPv = "pv",
        /// On the named move, as soon as our move is sent and not only after the server's echo. A USI engine is sent the
        /// clocks with `ponderhit`, which few engines understand.
        Early = "early",
    }
    /// `engine.restart`: when the process of an engine is restarted.
    Restart {
        /// When it has failed.
        OnFailure = "on failure",
        /// For each game.
        EachGame = "each game",
    }
    /// `book.choice`: which of the moves of the book is played.
    BookChoice {
        /// Any, as often as its count says.
        Random = "random",
        /// The best one.
        Narrow = "narrow",
    }
    /// `log.level`.
    LogLevel {
        /// Errors: the user must act.
        Error = "error",
        /// Warnings: the program handled the problem.
        Warn = "warn",
        /// One line for each move and change of state.
        Info = "info",
        /// Every protocol line, with passwords masked.
        Debug = "debug",
        /// Details of the search as well.
        Trace = "trace",
    }
    /// `view.style`.
    ViewStyle {
        /// A live board on a terminal, lines elsewhere.
        Auto = "auto",
        /// A board that is redrawn in place.
        Live = "live",
        /// One line per move.
        Lines = "lines",
        /// The result only.
        Quiet = "quiet",
    }
    /// `notify.form`: the form of a message to a web hook.
    HookForm {
        /// `{"content": TEXT}`.
        Discord = "discord",
        /// `{"text": TEXT}`.
        Slack = "slack",
        /// All fields of the message.
        Json = "json",
    }
    /// `notify.on`: what a message is about.
    NotifyKind {
        /// A game begins or ends.
        Game = "game",
        /// The connection is lost or back.
        Connection = "connection",
        /// An engine has failed.
        Engine = "engine",
        /// No game for an hour.
        Pairing = "pairing",
        /// A window of the schedule begins or ends.
        Schedule = "schedule",
        /// The day's summary.
        Summary = "summary",
    }
}

impl Ponder {
    /// Whether to ponder at all.
    pub const fn is_on(self) -> bool {
        !matches!(self, Self::Off)
    }
}

impl HookForm {
    /// The form that the host of the address expects.
    pub(super) fn of_url(url: &str) -> Self {
        let host = url.split('/').nth(2).unwrap_or_default().to_ascii_lowercase();
        let within = |domain: &str| {
            host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        match () {
            () if within("discord.com") || within("discordapp.com") => Self::Discord,
            () if within("slack.com") => Self::Slack,
            () => Self::Json,
        }
    }
}

impl NotifyKind {
    /// Its name in the configuration.
    pub fn name(self) -> &'static str {
        Self::WORDS.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }
}

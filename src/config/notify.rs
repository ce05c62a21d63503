//! `[notify]`: the receivers of messages about games and failures.

use jiff::civil::Time;

use kyomi_csa::text::Secret;

/// `[notify]`: messages to a program or to a web hook; without either there are none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NotifyConfig {
    /// The program to run for each message, with its arguments; empty: none.
    pub command: Vec<String>,
    /// The web hook.
    pub hook: Option<HookConfig>,
    /// What the messages are about; `None`: everything.
    pub on: Option<Vec<NotifyKind>>,
    /// When the day's summary is sent, in local time; `None`: only at the end of the run.
    pub summary: Option<Time>,
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

/// A web hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookConfig {
    /// Its address. It is a secret: any program that has it can post messages.
    pub url: Secret,
    /// The form of a message.
    pub form: HookForm,
}

/// `notify.form`: the form of a message to a web hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookForm {
    /// `{"content": TEXT}`.
    Discord,
    /// `{"text": TEXT}`.
    Slack,
    /// All fields of the message.
    Json,
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

/// `notify.on`: what a message is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NotifyKind {
    /// A game begins or ends.
    Game,
    /// The connection is lost or back.
    Connection,
    /// An engine has failed.
    Engine,
    /// No game for an hour.
    Pairing,
    /// A window of the schedule begins or ends.
    Schedule,
    /// The day's summary.
    Summary,
}

impl NotifyKind {
    /// All kinds with their names.
    pub const ALL: [(&'static str, Self); 6] = [
        ("game", Self::Game),
        ("connection", Self::Connection),
        ("engine", Self::Engine),
        ("pairing", Self::Pairing),
        ("schedule", Self::Schedule),
        ("summary", Self::Summary),
    ];

    /// Its name in the configuration.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }
}

/// An address of a web hook. The error does not contain it.
pub(super) fn hook_url(text: String) -> Result<String, String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let host = rest.map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default());
    let fits = host.is_some_and(|host| !host.is_empty() && !host.contains('@'));
    if fits && text.len() <= LONGEST_URL && text.bytes().all(|b| b.is_ascii_graphic()) {
        Ok(text)
    } else {
        Err("it is no address of a web hook; it begins with https:// and a host".to_owned())
    }
}

const LONGEST_URL: usize = 2048;

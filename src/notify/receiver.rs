//! The receivers of messages: the command and the web hook.

use std::{collections::HashSet, time::Duration};

use tokio::time::{Instant, sleep};

use crate::config::NotifyConfig;

use super::{
    command,
    delivery::{DeliveryError, Failure},
    hook::Hook,
    message::Message,
    outbox::Outbox,
};

/// A receiver of messages.
pub(super) enum Receiver {
    Command(Vec<String>),
    Hook(Box<Hook>),
}

impl Receiver {
    /// The receivers of a configuration.
    pub(super) fn all(config: &NotifyConfig) -> Vec<Self> {
        let command = (!config.command.is_empty()).then(|| Self::Command(config.command.clone()));
        let hook = config.hook.clone().map(|hook| Self::Hook(Box::new(Hook::new(hook))));
        command.into_iter().chain(hook).collect()
    }

    /// The key of the configuration.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Command(_) => "notify.command",
            Self::Hook(_) => "notify.url",
        }
    }

    async fn deliver(&mut self, message: &Message) -> Result<(), Failure> {
        match self {
            Self::Command(command) => Ok(command::run(command, message).await?),
            Self::Hook(hook) => hook.post(message).await,
        }
    }

    /// Delivers the messages of an outbox, one after the other. Each kind of failure is logged once until a message is
    /// delivered again.
    pub(super) async fn deliver_all(mut self, outbox: Outbox) {
        let mut known = HashSet::new();
        while let Some(message) = outbox.next().await {
            self.deliver_with_retries(&message, &mut known).await;
        }
    }

    /// Delivers a message. If the web hook cannot be reached, for example because our network is down, or its rate
    /// limit is exceeded, the delivery is retried with growing pauses for [`RETRY_LIMIT`].
    async fn deliver_with_retries(
        &mut self,
        message: &Message,
        known: &mut HashSet<DeliveryError>,
    ) {
        let began = Instant::now();
        let mut usual = FIRST_PAUSE;
        loop {
            let Err(Failure { error, pause }) = self.deliver(message).await else {
                return known.clear();
            };
            let pause = pause.map_or(usual, |wanted| wanted.max(usual));
            let again = matches!(self, Self::Hook(_))
                && error.is_temporary()
                && began.elapsed().saturating_add(pause) <= RETRY_LIMIT;
            if known.insert(error) {
                let next = if again { "; it is tried again" } else { "" };
                let name = self.name();
                tracing::warn!(
                    "{name}: {error}{next}; more failures of this kind are not logged until a message is delivered"
                );
            }
            if !again {
                return;
            }
            sleep(pause).await;
            usual = usual.saturating_mul(2).min(LONGEST_PAUSE);
        }
    }
}

/// The first pause before a message is delivered again; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// How long the delivery of a message is retried.
const RETRY_LIMIT: Duration = Duration::from_secs(600);

/// Sends the text `kyomi check` to each receiver; returns the configuration key of each with the outcome.
pub async fn send_test(config: &NotifyConfig) -> Vec<(&'static str, Result<(), DeliveryError>)> {
    let message = Message::new(None, None, "kyomi check");
    let mut outcomes = Vec::new();
    for mut receiver in Receiver::all(config) {
        let outcome = receiver.deliver(&message).await.map_err(|failure| failure.error);
        outcomes.push((receiver.name(), outcome));
    }
    outcomes
}

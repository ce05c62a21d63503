//! The receivers of messages: the command and the web hook.

use std::collections::HashSet;

use crate::config::NotifyConfig;

use super::{command, delivery::DeliveryError, hook::Hook, message::Message, outbox::Outbox};

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

    pub(super) async fn deliver(&mut self, message: &Message) -> Result<(), DeliveryError> {
        match self {
            Self::Command(command) => command::run(command, message).await,
            Self::Hook(hook) => hook.post(message).await,
        }
    }

    /// Delivers the messages of an outbox, one after the other. Each kind of failure is logged once.
    pub(super) async fn deliver_all(mut self, outbox: Outbox) {
        let mut known = HashSet::new();
        while let Some(message) = outbox.next().await {
            if let Err(error) = self.deliver(&message).await
                && known.insert(error)
            {
                let name = self.name();
                tracing::warn!("{name}: {error}; the next failures of this kind are not logged");
            }
        }
    }
}

/// Sends the text `kyomi check` to each receiver; returns the key of each with the outcome.
pub async fn send_test(config: &NotifyConfig) -> Vec<(&'static str, Result<(), DeliveryError>)> {
    let message = Message::new(None, None, "kyomi check");
    let mut outcomes = Vec::new();
    for mut receiver in Receiver::all(config) {
        outcomes.push((receiver.name(), receiver.deliver(&message).await));
    }
    outcomes
}

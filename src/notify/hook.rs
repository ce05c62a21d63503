//! Posts messages to a web hook.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::{task::JoinHandle, time::timeout};
use ureq::Agent;

use crate::config::{HookConfig, HookForm};

use super::{
    delivery::{DELIVERY_LIMIT, DeliveryError, Failure},
    message::Message,
};

/// A web hook.
pub(super) struct Hook {
    config: HookConfig,
    agent: Agent,
    /// The thread of a post that has exceeded its time limit.
    hung: Option<JoinHandle<Result<(), Failure>>>,
}

impl Hook {
    /// A web hook with these settings. It connects at the first message.
    pub(super) fn new(config: HookConfig) -> Self {
        let settings = Agent::config_builder()
            .timeout_global(Some(DELIVERY_LIMIT))
            .max_redirects(0)
            .http_status_as_error(false)
            .user_agent(concat!("kyomi/", env!("CARGO_PKG_VERSION")))
            .build();
        Self { config, agent: settings.into(), hung: None }
    }

    /// Posts a message, on a separate thread.
    pub(super) async fn post(&mut self, message: &Message) -> Result<(), Failure> {
        // At most one thread hangs.
        if self.hung.take_if(|hung| hung.is_finished()).is_none() && self.hung.is_some() {
            return Err(DeliveryError::Late.into());
        }
        let (agent, url) = (self.agent.clone(), self.config.url.clone());
        let body = body(self.config.form, message).to_string();
        let mut posting = tokio::task::spawn_blocking(move || {
            let request = agent.post(url.expose()).header("Content-Type", "application/json");
            let answer = request.send(body.as_bytes()).map_err(|error| fault(&error))?;
            let status = answer.status();
            if status.is_success() {
                return Ok(());
            }
            let error = DeliveryError::Status(status.as_u16());
            let pause = answer.headers().get("Retry-After").and_then(|value| value.to_str().ok());
            Err(Failure { error, pause: pause.and_then(seconds) })
        });
        // The time limit of the agent does not cover everything.
        let limit = DELIVERY_LIMIT.saturating_add(GRACE);
        if let Ok(done) = timeout(limit, &mut posting).await {
            return done.unwrap_or_else(|_| Err(DeliveryError::Failed.into()));
        }
        self.hung = Some(posting);
        Err(DeliveryError::Late.into())
    }
}

/// A number of seconds, with a fraction or without.
fn seconds(text: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(text.trim().parse().ok()?).ok()
}

const GRACE: Duration = Duration::from_secs(1);

/// The error without the address.
fn fault(error: &ureq::Error) -> DeliveryError {
    match error {
        ureq::Error::StatusCode(status) => DeliveryError::Status(*status),
        ureq::Error::Timeout(_) => DeliveryError::Late,
        ureq::Error::HostNotFound => DeliveryError::NoHost,
        ureq::Error::Io(error) => DeliveryError::Connection(error.kind()),
        ureq::Error::ConnectionFailed => {
            DeliveryError::Connection(std::io::ErrorKind::ConnectionRefused)
        }
        _ => DeliveryError::Failed,
    }
}

/// The content of the post.
fn body(form: HookForm, message: &Message) -> Value {
    match form {
        // A player's name must not mention (notify) users of the chat.
        HookForm::Discord => {
            json!({ "content": message.text(), "allowed_mentions": { "parse": [] } })
        }
        HookForm::Slack => {
            let text =
                message.text().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            json!({ "text": text })
        }
        HookForm::Json => json!({
            "v": FORM_VERSION,
            "time": message.time().to_string(),
            "event": message.event(),
            "account": message.account(),
            "text": message.text(),
        }),
    }
}

/// The version of the form `json`.
const FORM_VERSION: u32 = 1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_a_player_calls_nobody() {
        let message = Message::new(None, Some("a"), "<!channel> & @everyone\u{1b}[2J");
        let discord = body(HookForm::Discord, &message);
        assert_eq!(discord["allowed_mentions"]["parse"], json!([]));
        assert_eq!(discord["content"], "a: <!channel> & @everyone[2J");
        let slack = body(HookForm::Slack, &message);
        assert_eq!(slack["text"], "a: &lt;!channel&gt; &amp; @everyone[2J");
        let json = body(HookForm::Json, &message);
        assert_eq!(
            (&json["v"], &json["event"], &json["account"]),
            (&1.into(), &"check".into(), &"a".into())
        );
    }
}

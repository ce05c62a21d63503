//! The task that follows the reports.

use std::time::Duration;

use jiff::Timestamp;
use tokio::{
    task::JoinSet,
    time::{sleep, timeout},
};

use crate::{
    config::{NotifyConfig, NotifyKind},
    watch::{MergedReports, Reports, next_time_of_day},
};

use super::{digest::Digest, message::Message, outbox::Outbox, receiver::Receiver};

/// The running notifications; they end when the reports end.
#[derive(Debug)]
pub struct Notifier(JoinSet<()>);

/// Starts the notifications of a configuration about these accounts, each with its label if there are several. `None`
/// if there is no receiver. Call it inside a tokio runtime.
pub fn start(config: &NotifyConfig, accounts: Vec<(Option<String>, Reports)>) -> Option<Notifier> {
    if !config.is_on() {
        return None;
    }
    let mut tasks = JoinSet::new();
    let mut outboxes = Vec::new();
    for receiver in Receiver::all(config) {
        let outbox = Outbox::default();
        outboxes.push(outbox.clone());
        tasks.spawn(receiver.deliver_all(outbox));
    }
    let (labels, reports): (Vec<_>, Vec<_>) = accounts.into_iter().unzip();
    let now = Timestamp::now();
    let accounts = labels.into_iter().map(|label| (label, Digest::new(now))).collect();
    let dispatcher = Dispatcher { config: config.clone(), accounts, outboxes };
    tasks.spawn(dispatcher.follow(MergedReports::new(reports)));
    Some(Notifier(tasks))
}

impl Notifier {
    /// Waits, for a limited time, until the last messages are delivered. Call it when all senders of reports are gone.
    pub async fn finish(mut self) {
        let all = async { while self.0.join_next().await.is_some() {} };
        if timeout(FINISH_LIMIT, all).await.is_err() {
            tracing::warn!("the last notifications were not delivered in time");
        }
    }
}

/// Turns the reports into messages of the configured kinds, and puts them into the outboxes.
struct Dispatcher {
    config: NotifyConfig,
    accounts: Vec<(Option<String>, Digest)>,
    outboxes: Vec<Outbox>,
}

impl Dispatcher {
    async fn follow(mut self, mut reports: MergedReports) {
        let time = self.config.summary;
        let mut next_summary = time.map(|time| next_time_of_day(time, Timestamp::now()));
        loop {
            tokio::select! {
                next = reports.next() => match next {
                    Some((number, report)) => {
                        let Some((label, digest)) = self.accounts.get_mut(number) else { continue };
                        if let Some((kind, text)) = digest.take(&report, Timestamp::now()) {
                            let label = label.clone();
                            self.send(kind, label.as_deref(), &text);
                        }
                    }
                    None => break,
                },
                () = sleep_until(next_summary) => {
                    self.summarize();
                    next_summary = time.map(|time| next_time_of_day(time, Timestamp::now()));
                }
            }
        }
        self.summarize();
        for outbox in &self.outboxes {
            outbox.close();
        }
    }

    fn summarize(&mut self) {
        let now = Timestamp::now();
        let lines: Vec<_> = self
            .accounts
            .iter_mut()
            .map(|(label, digest)| {
                let summary = digest.summary(now);
                label
                    .as_ref()
                    .map_or_else(|| summary.clone(), |label| format!("{label}: {summary}"))
            })
            .collect();
        self.send(NotifyKind::Summary, None, &lines.join("\n"));
    }

    fn send(&self, kind: NotifyKind, account: Option<&str>, text: &str) {
        if !self.config.has(kind) {
            return;
        }
        let message = Message::new(Some(kind), account, text);
        for outbox in &self.outboxes {
            outbox.push(message.clone());
        }
    }
}

/// Sleeps until this time, even if the system clock is changed meanwhile.
async fn sleep_until(at: Option<Timestamp>) {
    let Some(at) = at else { return std::future::pending().await };
    loop {
        match Duration::try_from(at.duration_since(Timestamp::now())) {
            Ok(left) if !left.is_zero() => sleep(left.min(LONGEST_SLEEP)).await,
            _ => return,
        }
    }
}

/// How long the end of a run waits for the last messages.
const FINISH_LIMIT: Duration = Duration::from_secs(15);

const LONGEST_SLEEP: Duration = Duration::from_secs(60);

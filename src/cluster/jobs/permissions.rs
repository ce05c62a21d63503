//! Tries what a user of a NATS server may do with the jobs of a room.
//!
//! Nothing is changed by it. Each request is one that the server refuses for its content (a stream or a consumer
//! without a name, a job for another stream), or that names a run which does not exist. Before it looks at the content
//! the server checks the permission, and reports a subject that is not allowed.

use std::time::Duration;

use async_nats::{Client, HeaderMap, Request, client::RequestErrorKind};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::cluster::{NatsTransport, Room, subject::random_name};

/// What a user does with jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobRole {
    /// It gives out jobs.
    Coordinator,
    /// It does jobs.
    Worker,
}

/// A part of what a user with this role does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriedPermission {
    /// What it is, in words.
    pub task: &'static str,
    /// The subjects that the server must allow in addition, as in `publish kyomi.kyomi.jobs.*.*.*`.
    pub missing: Vec<String>,
}

/// Tries all permissions of a role, in 2.3 s at most. `None`: the server has no `JetStream` for this user, so that
/// there can be no jobs. The transport must be connected, for this role.
pub async fn try_permissions(
    transport: &NatsTransport,
    room: &Room,
    role: JobRole,
) -> Option<Vec<TriedPermission>> {
    let client = transport.client();
    let probes = probes(room, role, &random_name()[..8]);
    // The first one only asks a question.
    let first = probes.first()?;
    if !client.server_info().jetstream || !has_jetstream(client, first).await {
        return None;
    }
    for probe in &probes {
        probe.send(client).await;
    }
    transport.flush(LIMIT).await;
    // The server reports a subject that is not allowed before it answers to the flush, but another task notes it.
    sleep(NOTING).await;
    let errors = transport.server_errors();
    let mut tried: Vec<TriedPermission> = Vec::new();
    for probe in probes {
        let is_refused = errors.iter().any(|error| error.contains(&probe.refusal()));
        let missing = is_refused.then(|| format!("publish {}", probe.allow));
        match tried.iter_mut().find(|tried| tried.task == probe.task) {
            Some(tried) => tried.missing.extend(missing),
            None => tried
                .push(TriedPermission { task: probe.task, missing: missing.into_iter().collect() }),
        }
    }
    let inbox = format!("{}.>", role.inbox());
    let is_deaf = errors.iter().any(|error| {
        error.contains("for Subscription to") && error.contains(&format!("\"{}.", role.inbox()))
    });
    let missing = if is_deaf { vec![format!("subscribe {inbox}")] } else { Vec::new() };
    tried.push(TriedPermission { task: "receive answers", missing });
    Some(tried)
}

impl JobRole {
    const fn inbox(self) -> &'static str {
        match self {
            Self::Coordinator => "_INBOX.coordinator",
            Self::Worker => "_INBOX.worker",
        }
    }
}

/// One subject that is tried.
struct Probe {
    task: &'static str,
    subject: String,
    /// The subject as it stands in a configuration.
    allow: String,
    payload: Value,
    /// Whether it is a message to a stream, which must not be stored.
    is_stored: bool,
}

impl Probe {
    fn new(task: &'static str, subject: String) -> Self {
        Self { task, allow: subject.clone(), subject, payload: json!({}), is_stored: false }
    }

    fn allowed_by(self, allow: String) -> Self {
        Self { allow, ..self }
    }

    /// A part of the error of a server that does not allow it.
    fn refusal(&self) -> String {
        format!("for Publish to \"{}\"", self.subject)
    }

    async fn send(&self, client: &Client) {
        let (subject, inbox) = (self.subject.clone(), client.new_inbox());
        // A failure means that the connection is lost, which the caller sees.
        let _ = if self.is_stored {
            let mut headers = HeaderMap::new();
            // The stream on this subject has another name and refuses the message.
            headers.insert("Nats-Expected-Stream", "kyomi-check");
            client.publish_with_reply_and_headers(subject, inbox, headers, "".into()).await
        } else {
            let payload = self.payload.to_string().into();
            client.publish_with_reply(subject, inbox, payload).await
        };
    }
}

/// Whether the server has `JetStream` for this user, as far as it answers.
async fn has_jetstream(client: &Client, probe: &Probe) -> bool {
    let request = Request::new().payload("".into()).timeout(Some(LIMIT));
    match client.send_request(probe.subject.clone(), request).await {
        Ok(answer) => {
            let answer: Value = serde_json::from_slice(&answer.payload).unwrap_or_default();
            let code = answer["error"]["err_code"].as_u64();
            !code.is_some_and(|code| NO_JETSTREAM.contains(&code))
        }
        Err(error) => error.kind() != RequestErrorKind::NoResponders,
    }
}

/// The subjects that a role needs. `run` is the name of a run that does not exist. The first one only asks a question.
fn probes(room: &Room, role: JobRole, run: &str) -> Vec<Probe> {
    let (jobs, results) = (room.jobs_stream(), room.results_stream());
    let consumer = format!("check-{run}");
    let job = format!("{}.{consumer}", room.jobs("check", "none"));
    let result = room.results(&consumer);
    let api = |task, subject: String| Probe::new(task, format!("$JS.API.{subject}"));
    let of_consumer = |task, what: &str, stream: &str| {
        api(task, format!("CONSUMER.{what}.{stream}.{consumer}"))
            .allowed_by(format!("$JS.API.CONSUMER.{what}.{stream}.*"))
    };
    let acknowledge = |task, stream: &str| {
        Probe::new(task, format!("$JS.ACK.{stream}.{consumer}.1.1.1.0.0"))
            .allowed_by(format!("$JS.ACK.{stream}.>"))
    };
    let stored = |task, subject: &str, allow: String| Probe {
        is_stored: true,
        ..Probe::new(task, subject.to_owned()).allowed_by(allow)
    };
    match role {
        JobRole::Coordinator => {
            let mut probes = Vec::new();
            for stream in [&jobs, &results] {
                probes.push(api("look up the streams", format!("STREAM.INFO.{stream}")));
            }
            for stream in [&jobs, &results] {
                probes.push(api("create the streams", format!("STREAM.CREATE.{stream}")));
            }
            probes.push(stored("publish jobs", &job, format!("{}.*", room.jobs("*", "*"))));
            for (stream, filter) in [(&jobs, &job), (&results, &result)] {
                let task = "create and delete consumers";
                probes.push(
                    api(task, format!("CONSUMER.CREATE.{stream}.{consumer}.{filter}"))
                        .allowed_by(format!("$JS.API.CONSUMER.CREATE.{stream}.>")),
                );
                probes.push(of_consumer(task, "INFO", stream));
                probes.push(of_consumer(task, "DELETE", stream));
            }
            probes.push(Probe {
                payload: json!({ "filter": job }),
                ..api("take back jobs", format!("STREAM.PURGE.{jobs}"))
            });
            let task = "receive results";
            probes.push(of_consumer(task, "MSG.NEXT", &results));
            probes.push(acknowledge(task, &results));
            probes
        }
        JobRole::Worker => {
            let task = "ask for jobs";
            vec![
                api(task, format!("CONSUMER.NAMES.{jobs}")),
                of_consumer(task, "INFO", &jobs),
                of_consumer(task, "MSG.NEXT", &jobs),
                acknowledge("acknowledge jobs", &jobs),
                stored("send results", &result, room.results("*")),
            ]
        }
    }
}

/// The errors of a server that has no `JetStream`, or none for this account.
const NO_JETSTREAM: [u64; 2] = [10076, 10039];
/// The longest wait for an answer.
const LIMIT: Duration = Duration::from_secs(1);
/// The time in which errors of the server are noted.
const NOTING: Duration = Duration::from_millis(300);

//! What this user may do with the jobs of the room.

use std::time::Duration;

use super::Finding;
use crate::{
    cluster::{
        LinkState, NatsTransport, Room,
        jobs::{JobRole, TriedPermission, try_permissions},
    },
    config::ClusterConfig,
};

/// Tries the permissions of a coordinator. If some are missing, it tries those of a worker, and reports a user who has
/// all of these as one for workers. Nothing is changed by it. `limit` is the longest wait for a connection.
pub(super) async fn check(config: &ClusterConfig, room: &Room, limit: Duration) -> Vec<Finding> {
    let Some(as_coordinator) = tried(config, room, JobRole::Coordinator, limit).await else {
        return vec![Finding::warning(
            "jobs",
            "not tried: the second connection to the broker failed",
        )];
    };
    let Some(as_coordinator) = as_coordinator else {
        let text = "this broker has no JetStream for this user: games work, jobs (`--room` of `kyomi match` and \
                    others) do not";
        return vec![Finding::ok("jobs", text)];
    };
    if missing(&as_coordinator) == 0 {
        return findings(JobRole::Coordinator, as_coordinator);
    }
    match tried(config, room, JobRole::Worker, limit).await {
        Some(Some(as_worker)) if missing(&as_worker) == 0 => {
            let mut findings = findings(JobRole::Worker, as_worker);
            let text = "this is a user for workers: it may not give out jobs";
            findings.push(Finding::ok("jobs", text));
            findings
        }
        _ => findings(JobRole::Coordinator, as_coordinator),
    }
}

/// What this role may do; `None`: there is no connection. `Some(None)`: no `JetStream`.
async fn tried(
    config: &ClusterConfig,
    room: &Room,
    role: JobRole,
    limit: Duration,
) -> Option<Option<Vec<TriedPermission>>> {
    let name = match role {
        JobRole::Coordinator => "check",
        JobRole::Worker => "worker",
    };
    let broker = NatsTransport::connect_to_try(config, name).await.ok()?;
    let state = broker.wait_while_connecting(limit).await;
    if state != LinkState::Connected {
        return None;
    }
    Some(try_permissions(&broker, room, role).await)
}

/// The number of tasks that are not allowed, or not all of them.
fn missing(tried: &[TriedPermission]) -> usize {
    tried.iter().filter(|tried| !tried.missing.is_empty()).count()
}

/// A line for each task.
fn findings(role: JobRole, tried: Vec<TriedPermission>) -> Vec<Finding> {
    let (purpose, instead) = match role {
        JobRole::Coordinator => ("to give out jobs", "give out no jobs"),
        JobRole::Worker => ("to do jobs", "do no jobs"),
    };
    let finding = |tried: TriedPermission| {
        let task = format!("{purpose}: {}", tried.task);
        if tried.missing.is_empty() {
            return Finding::ok("jobs", format!("{task}: allowed"));
        }
        let text = format!("{task}: not allowed; missing: {}", tried.missing.join(", "));
        Finding::warning("jobs", text)
            .remedy(format!("allow them to this user, as in config/nats-server.conf, or {instead}"))
    };
    tried.into_iter().map(finding).collect()
}

//! A worker that lies, to try what a coordinator makes of it.
//!
//! `cargo run --release --features cluster --example lying_worker -- moves NAME nats://127.0.0.1:4222` joins the room
//! `kyomi` as the user `worker`, whose password is in `KYOMI_CLUSTER_PASSWORD`. It takes orders and reports ten times a
//! second `moves` that are not legal, `scores` that do not exist, or `lines` without an end. As `version` it is of
//! another version of kyomi.

use std::{env, error::Error, time::Duration};

use kyomi::{
    client::player_spec,
    cluster::{
        NatsTransport, Room, Transport as _,
        message::{FromWorker, Report, ToWorker, WorkerCard},
        subject::random_name,
    },
    config::Config,
};
use kyomi_shogi::{Game, notation::usi};
use tokio::time::interval;

/// What it lies about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lie {
    Moves,
    Scores,
    Lines,
    Version,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [lie, name, server] = arguments.as_slice() else {
        return Err("lying_worker moves|scores|lines|version NAME nats://HOST:PORT".into());
    };
    let lie = match lie.as_str() {
        "moves" => Lie::Moves,
        "scores" => Lie::Scores,
        "lines" => Lie::Lines,
        "version" => Lie::Version,
        _ => return Err(format!("{lie}: no such lie").into()),
    };
    let text = format!("[cluster]\nservers = [\"{server}\"]\nuser = \"worker\"");
    let config = Config::from_text("lying_worker", &text, env::vars_os(), &[])?.config;
    let spec = player_spec(&config.engine, &config.budget, &config.book, 1);
    let cluster = config.cluster.ok_or("no cluster")?;
    let transport = NatsTransport::connect(&cluster, "worker").await?;
    let room = Room::default();
    let card = WorkerCard {
        worker: random_name(),
        name: name.clone(),
        program: if lie == Lie::Version { "0.0.1" } else { env!("CARGO_PKG_VERSION") }.to_owned(),
        engine: "kyomi".to_owned(),
        interest: true,
        search: spec.search_checksum().unwrap_or_default(),
        threads: 1,
        hash: 1 << 20,
        nps: 100_000,
        busy_for: None,
    };
    let mut orders = transport.subscribe(&room.to_worker(&card.worker));
    let mut ticks = interval(Duration::from_millis(100));
    let mut job = None;
    let mut tick = 0;
    loop {
        tokio::select! {
            Some(message) = orders.recv() => match ToWorker::read(&message.payload) {
                Ok(ToWorker::Search { coordinator, job: number, position, .. }) => {
                    let game = usi::parse_position_line(&format!("position {position}"))?;
                    job = Some((coordinator, number, game));
                }
                Ok(ToWorker::Stop { .. } | ToWorker::Release { .. }) => job = None,
                _ => {}
            },
            _ = ticks.tick() => {
                if tick % 10 == 0 {
                    transport.publish(&room.workers(), FromWorker::Here(card.clone()).write());
                }
                tick += 1;
                if let Some((coordinator, number, game)) = &job {
                    let report = report(lie, &card.worker, *number, game);
                    let subject = room.to_coordinator(coordinator);
                    transport.publish(&subject, FromWorker::Found(report).write());
                }
            }
        }
    }
}

/// A false report on a position.
fn report(lie: Lie, worker: &str, job: u64, game: &Game) -> Report {
    let (score, pv) = match lie {
        Lie::Moves => ("cp 900", "1a1b 1a1b".to_owned()),
        Lie::Scores => ("cp 99999", legal_line(game, 2)),
        Lie::Lines | Lie::Version => ("cp 900", legal_line(game, 500)),
    };
    Report {
        worker: worker.to_owned(),
        job,
        limit: 2000,
        depth: 20,
        score: Some(score.to_owned()),
        nodes: 1000,
        nps: 100_000,
        pv,
    }
}

/// Legal moves at random, at most this many.
fn legal_line(game: &Game, most: usize) -> String {
    let mut position = game.position().clone();
    let mut line = Vec::new();
    while line.len() < most {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        let mv = moves[fastrand::usize(..moves.len())];
        position.do_move(mv);
        line.push(mv.to_string());
    }
    line.join(" ")
}

//! `kyomi worker`: searches for the machines of a room.

use clap::Args;

use crate::config::Override;
#[cfg(feature = "cluster")]
use crate::{cluster::jobs::JobKind, matches::PairJob, report::analysis::PositionJob};

use super::{ConfigArgs, Context};

/// Arguments of `kyomi worker`.
#[derive(Debug, Args)]
pub struct WorkerArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Addresses of the broker: `nats://HOST:4222`, or encrypted `tls://HOST:4222` [default: cluster.servers]
    #[arg(value_name = "URL")]
    servers: Vec<String>,
    /// The room to work in [default: cluster.room]
    #[arg(long, value_name = "NAME")]
    room: Option<String>,
    /// Name under which this worker is shown [default: cluster.name, or that of the machine]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Search threads [default: engine.threads, or all cores]
    #[arg(long, value_name = "N", conflicts_with = "jobs")]
    threads: Option<String>,
    /// Do jobs of the room (those of `match`, `analyze` and `kyomi-lab tune` with --room; `kyomi-lab worker` also plays games of
    /// `kyomi-lab selfplay`), this number at a
    /// time, instead of helping in games
    #[arg(long, value_name = "N", value_parser = super::arguments::parallel())]
    jobs: Option<usize>,
    /// Size of the transposition table, such as 1GiB [default: engine.hash]
    #[arg(long, value_name = "SIZE", conflicts_with = "jobs")]
    hash: Option<String>,
}

pub(super) const EXAMPLES: &str = "\
Examples:
  kyomi worker --room evening nats://broker:4222
  kyomi worker --config worker.toml --threads 8 --hash 4GiB
  kyomi worker --room lab --jobs 8 nats://broker      the jobs of `kyomi match --room lab` and the like
  KYOMI_CLUSTER_PASSWORD=... kyomi worker --set cluster.user=worker nats://broker
  KYOMI_CLUSTER_PASSWORD=... kyomi worker --set cluster.user=worker --set cluster.tls_ca=broker.pem tls://broker

The first line on standard output is: ready NAME threads N hash N MiB nps N (with --jobs: ready NAME jobs N …)
The worker runs until Ctrl-C or SIGTERM. If the broker is lost, it connects again by itself. Never write a
password on a command line: write it into [cluster], or into KYOMI_CLUSTER_PASSWORD.";

/// Runs `kyomi worker`.
#[cfg(not(feature = "cluster"))]
pub(super) fn run(args: &WorkerArgs, _context: &Context) -> anyhow::Result<()> {
    use super::ResultExt as _;

    let _ = args.overrides()?;
    Err(anyhow::anyhow!("this kyomi was built without `cluster`"))
        .written_by_user()
        .hint("`cargo build --release --features cluster`")
}

/// Runs `kyomi worker`.
#[cfg(feature = "cluster")]
pub(super) fn run(args: &WorkerArgs, context: &Context) -> anyhow::Result<()> {
    const JOBS: &[JobKind] = &[JobKind::of::<PairJob>(), JobKind::of::<PositionJob>()];
    run_worker(args, context, JOBS)
}

/// Runs a worker that does these jobs with `--jobs`, and helps in games without.
///
/// # Errors
/// The arguments or the configuration are not valid, or the engine or the broker fails.
#[cfg(feature = "cluster")]
pub fn run_worker(
    args: &WorkerArgs,
    context: &Context,
    jobs: &'static [JobKind],
) -> anyhow::Result<()> {
    let config = context.load_config(&args.config, args.overrides()?)?;
    work::run(&config, args.jobs, jobs, context)
}

impl WorkerArgs {
    /// The settings of the command line.
    fn overrides(&self) -> anyhow::Result<Vec<Override>> {
        let servers = (!self.servers.is_empty()).then(|| self.servers.join(" "));
        if let Some(servers) = &servers {
            super::arguments::refuse_broker_login("URL", "cluster.servers", servers)?;
        }
        Ok(Override::given([
            ("URL", "cluster.servers", servers.as_ref()),
            ("--room", "cluster.room", self.room.as_ref()),
            ("--name", "cluster.name", self.name.as_ref()),
            ("--threads", "engine.threads", self.threads.as_ref()),
            ("--hash", "engine.hash", self.hash.as_ref()),
        ]))
    }
}

#[cfg(feature = "cluster")]
mod work {
    use std::{env, fs, io::Write as _, thread, time::Duration};

    use anyhow::{Context as _, anyhow};
    use tokio::task::JoinSet;

    use super::super::{Context, Output, ResultExt as _, SignalScope, Signals};
    use super::JobKind;
    use crate::players::{self, PlayerSpec};
    use crate::{
        client::player_spec,
        cluster::{
            LinkState, NatsTransport, Room, Transport as _,
            jobs::{JobFuture, Jobs, Queue, program_hash, work},
            message::WorkerCard,
            nodes_per_second, serve,
            subject::random_name,
        },
        config::{BookConfig, ClusterConfig, Config, EngineKind},
    };

    pub(super) fn run(
        config: &Config,
        parallel: Option<usize>,
        jobs: &'static [JobKind],
        context: &Context,
    ) -> anyhow::Result<()> {
        let cluster = config
            .cluster
            .as_ref()
            .ok_or_else(|| anyhow!("no broker is named"))
            .written_by_user()
            .hint("kyomi worker --room NAME nats://HOST:4222, or [cluster] with servers")?;
        let room: Room = cluster.room.parse::<Room>().written_by_user()?;
        context.start_logging(config)?;
        let runtime = context.network_runtime()?;
        runtime.block_on(async {
            let signals = Signals::listen(SignalScope::Work)?;
            if let Some(parallel) = parallel {
                let output = context.output.clone();
                return do_jobs(cluster, room, (parallel, jobs), signals, output).await;
            }
            let mut output = context.output.clone();
            let cores = thread::available_parallelism().map_or(1, usize::from);
            // Positions of a game are searched, not looked up: the coordinator has its own book.
            let no_book = BookConfig { enabled: Some(false), ..BookConfig::default() };
            let mut spec = player_spec(&config.engine, &config.budget, &no_book, cores);
            // The checksum must be that of the weights in use, even if the file changes.
            if let PlayerSpec::Builtin(spec) = &mut spec {
                spec.preload_evaluation();
            }
            let search = spec.search_checksum();
            let mut player = players::start(spec);
            let measured = async {
                let engine = player.ready().await?;
                anyhow::Ok((engine, nodes_per_second(&mut player).await?))
            };
            let (engine, nps) = tokio::select! {
                measured = measured => measured.context("starting the engine")?,
                () = signals.finish.cancelled() => return Ok(()),
            };
            let threads = config.engine.threads.map_or(cores, usize::from);
            let card = WorkerCard {
                worker: random_name(),
                name: cluster.name.clone().unwrap_or_else(machine_name),
                program: env!("CARGO_PKG_VERSION").to_owned(),
                engine,
                interest: config.engine.kind == EngineKind::Builtin,
                search: search.unwrap_or_default(),
                threads: u32::try_from(threads).unwrap_or(u32::MAX),
                hash: config.engine.hash,
                nps,
                busy_for: None,
            };
            if !card.interest {
                tracing::warn!(
                    "the engine {} takes no part in games; those are for kind = \"builtin\" in [engine]",
                    card.engine
                );
            }
            let (name, mib) = (&card.name, card.hash >> 20);
            writeln!(output, "ready {name} threads {threads} hash {mib} MiB nps {nps}")?;
            output.flush()?;
            let transport = NatsTransport::connect(cluster, "worker").await.written_by_user()?;
            tokio::spawn(print_connection(transport.state(), cluster.clone(), output));
            let stop = signals.finish.clone();
            let served = serve(transport.shared(), player, room, card, stop).await;
            transport.flush(FLUSH_LIMIT).await;
            served.context("the engine")
        })
    }

    /// Does the jobs of a room until it is asked to end.
    async fn do_jobs(
        cluster: &ClusterConfig,
        room: Room,
        (parallel, jobs): (usize, &'static [JobKind]),
        signals: Signals,
        mut output: Output,
    ) -> anyhow::Result<()> {
        let worker = cluster.name.clone().unwrap_or_else(machine_name);
        let hash = program_hash().context("the engine")?;
        writeln!(output, "ready {worker} jobs {parallel} program {hash}")?;
        output.flush()?;
        let transport = NatsTransport::connect(cluster, "worker").await.written_by_user()?;
        tokio::spawn(print_connection(transport.state(), cluster.clone(), output));
        let queue = Queue::of_room(transport.clone(), room);
        let mut slots = JoinSet::new();
        let kinds: Vec<_> = jobs.iter().map(|kind| kind.name).collect();
        let run = |name: &'static str, job| {
            let kind = jobs.iter().find(|kind| kind.name == name);
            let unknown = async move { Err(format!("there are no jobs of the kind {name}")) };
            kind.map_or_else(|| Box::pin(unknown) as JobFuture, |kind| (kind.run)(job))
        };
        for _ in 0..parallel {
            let (hash, worker) = (hash.clone(), worker.clone());
            let what = Jobs { kinds: kinds.clone(), hash, worker };
            slots.spawn(work(queue.clone(), what, run, signals.finish.clone()));
        }
        while slots.join_next().await.is_some() {}
        transport.flush(FLUSH_LIMIT).await;
        Ok(())
    }

    /// Prints a line when the broker is reached. Losses are warnings of the transport.
    async fn print_connection(
        mut state: tokio::sync::watch::Receiver<LinkState>,
        cluster: ClusterConfig,
        mut output: Output,
    ) {
        let servers = cluster.shown_servers();
        while state.wait_for(|it| *it == LinkState::Connected).await.is_ok() {
            let line = writeln!(output, "connected {servers} room {}", cluster.room);
            if line.and_then(|()| output.flush()).is_err() {
                return;
            }
            if state.wait_for(|it| *it != LinkState::Connected).await.is_err() {
                return;
            }
        }
    }

    /// The name of this machine, or `worker`.
    fn machine_name() -> String {
        let of_kernel = fs::read_to_string("/proc/sys/kernel/hostname").ok();
        let of_variable = || env::var("HOSTNAME").or_else(|_| env::var("COMPUTERNAME")).ok();
        let name = of_kernel.or_else(of_variable).unwrap_or_default();
        let name: String = name.trim().chars().filter(|it| !it.is_control()).take(60).collect();
        if name.is_empty() { "worker".to_owned() } else { name }
    }

    /// The longest wait for the last words to the broker.
    const FLUSH_LIMIT: Duration = Duration::from_secs(1);
}

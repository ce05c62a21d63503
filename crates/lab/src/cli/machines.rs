//! `kyomi-lab machines`: matches of several machines against one, on virtual time.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use kyomi::cluster::{Help, NetworkFaults};
use kyomi::matches::{Contestant, Machines, MatchSettings, Rules, Shape, Side};
use kyomi_shogi::clock;

use kyomi::cli::{ConfigArgs, Context, OpeningArgs, ResultExt as _};

/// Arguments of `kyomi-lab machines`.
#[derive(Debug, Args)]
pub(crate) struct MachinesArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Number of machines of the first player
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=64))]
    machines: u8,
    /// Number of search threads of each machine of the first player
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=64))]
    threads: u8,
    /// Do not exchange entries of the transposition tables
    #[arg(long)]
    no_share: bool,
    /// Time that a message takes
    #[arg(long, value_name = "TIME", default_value = "5ms")]
    latency: String,
    /// Share of the messages that is lost, in percent; as many of the others come twice
    #[arg(long, value_name = "PERCENT", default_value_t = 0, value_parser = clap::value_parser!(u8).range(..=100))]
    loss: u8,
    /// Time kept in each turn to check a move of the workers, at most a quarter of --time; 0ms: no move of theirs is
    /// played. At few nodes a second 40ms are too short for most checks [default: 40ms, or 0ms if that is more than a
    /// quarter]
    #[arg(long, value_name = "TIME")]
    check_time: Option<String>,
    /// Nodes that a thread searches in a virtual second
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(200..=10_000_000))]
    nodes_per_second: u32,
    /// Virtual time for each move
    #[arg(long, value_name = "TIME", default_value = "1s")]
    time: String,
    /// Number of games, at most 10,000,000; two for each opening, with colours changed
    #[arg(long, value_name = "N", default_value_t = 100)]
    games: usize,
    #[command(flatten)]
    openings: OpeningArgs,
    /// Seed of the order of the openings and of the faults of the network
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Number of parallel games, at most 1024
    #[arg(long, value_name = "N", default_value_t = 1)]
    concurrency: usize,
    /// Do not let the players think in the other's turn
    #[arg(long)]
    no_ponder: bool,
    /// Size of the table of each machine, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    hash: u32,
    /// Options of the engine, the same for all: `Interest_X=1`
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// The folder of the match; the same command with the same folder resumes it
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Without a terminal: number of games between progress lines
    #[arg(long, value_name = "N", default_value_t = 10)]
    every: usize,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

pub(super) const EXAMPLES: &str = "\
The second player is one machine with one thread. Nothing depends on the speed of this machine: virtual
time passes when all virtual machines have searched their nodes.

Examples:
  kyomi-lab machines --machines 1 --threads 4 --games 400 --out lab/e4       # what four threads bring
  kyomi-lab machines --machines 4 --games 400 --concurrency 2 --out lab/four
  kyomi-lab machines --machines 8 --latency 50ms --nodes-per-second 5000 --out lab/slow8";

/// Runs `kyomi-lab machines`.
pub(crate) fn run(args: &MachinesArgs, context: &Context) -> anyhow::Result<()> {
    let settings = args.settings()?;
    kyomi::cli::play_match(settings, &args.config, args.every, args.json, context)
}

impl MachinesArgs {
    fn settings(&self) -> anyhow::Result<MatchSettings> {
        let latency = duration("--latency", &self.latency)?;
        let time = duration("--time", &self.time)?;
        let check = self.check_time();
        let reserve = duration("--check-time", check)?;
        if self.check_time.is_some() && reserve > time / 4 {
            let time = &self.time;
            return Err(anyhow::anyhow!(
                "--check-time {check} is more than a quarter of --time {time}"
            ))
            .written_by_user();
        }
        let players = vec![self.player_of_machines()?, self.player("one", 1, "")?];
        let (openings_name, openings) = self.openings.read(self.seed)?;
        let settings = MatchSettings {
            players,
            shape: Shape::RoundRobin,
            pairs: self.games.div_ceil(2),
            openings,
            openings_name,
            seed: self.seed,
            rules: Rules {
                max_moves: Some(320),
                margin: FOREVER,
                patience: FOREVER,
                ..Rules::default()
            },
            sprt: None,
            concurrency: self.concurrency,
            cores: Vec::new(),
            machines: Some(Machines {
                sides: [
                    Side {
                        machines: usize::from(self.machines),
                        help: Help { share: !self.no_share, reserve },
                    },
                    Side { machines: 1, help: Help::default() },
                ],
                network: NetworkFaults {
                    latency,
                    loss: f64::from(self.loss) / 100.0,
                    doubled: f64::from(self.loss) / 100.0,
                    seed: self.seed,
                },
                nodes_per_second: self.nodes_per_second,
            }),
            dir: self.out.clone(),
        };
        settings.check().written_by_user()?;
        Ok(settings)
    }

    fn check_time(&self) -> &str {
        self.check_time.as_deref().unwrap_or(STANDARD_CHECK)
    }

    /// The first player, which has all the machines.
    fn player_of_machines(&self) -> anyhow::Result<Contestant> {
        let (machines, threads) = (self.machines, self.threads);
        let name = if machines == 1 {
            format!("{threads}-threads")
        } else {
            format!("{machines}-machines")
        };
        let apart = if self.no_share { ", no shared entries" } else { "" };
        // A match of the standard time has the same plan as before there was a choice.
        let checks = match self.check_time() {
            STANDARD_CHECK => String::new(),
            time => format!(", {time} for checks"),
        };
        let more =
            format!("{machines} machines, {}, {}% lost{apart}{checks}", self.latency, self.loss);
        self.player(&name, threads, &more)
    }

    /// A player of this name with these threads on each machine. `more` is added to its description.
    fn player(&self, name: &str, threads: u8, more: &str) -> anyhow::Result<Contestant> {
        let options = self.options.join(" ");
        let speed = self.nodes_per_second * u32::from(threads);
        let (hash, ponder, time) = (self.hash, !self.no_ponder, &self.time);
        let text = format!(
            "builtin name={name} threads={threads} hash={hash} ponder={ponder} tc=0,byoyomi={time} \
             NodesPerSecond={speed} {options}"
        );
        let mut player = Contestant::parse(&text, None, name).written_by_user()?;
        if player.restart || player.room.is_some() {
            return Err(anyhow::anyhow!(
                "--option restart, room: virtual machines are neither restarted nor helped by real ones"
            ))
            .written_by_user()
            .hint("leave it out");
        }
        // The virtual clock judges, and not the number of nodes.
        player.nodes_per_second = None;
        player.text = format!("{text} {more}").trim().into();
        Ok(player)
    }
}

fn duration(flag: &str, text: &str) -> anyhow::Result<Duration> {
    clock::parse_duration(text)
        .map_err(|error| anyhow::anyhow!("{flag} {text}: {error}"))
        .written_by_user()
}

/// As in play: the reserve of [`Help::default`].
const STANDARD_CHECK: &str = "40ms";
/// The referee's clock counts real time, which means nothing here.
const FOREVER: Duration = Duration::from_secs(100_000);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_has_at_most_a_quarter_of_the_time() {
        #[derive(Debug, clap::Parser)]
        struct Command {
            #[command(flatten)]
            args: MachinesArgs,
        }
        let fault = |words: &str| {
            let words = "machines --out x".split(' ').chain(words.split_whitespace());
            let command: Command = clap::Parser::try_parse_from(words).unwrap();
            command.args.settings().err().map(|error| error.to_string())
        };
        // The standard time is not written by the user.
        assert_eq!(fault("--time 100ms"), None);
        let error = fault("--time 100ms --check-time 40ms").unwrap();
        assert_eq!(error, "--check-time 40ms is more than a quarter of --time 100ms");
        assert_eq!(fault("--time 160ms --check-time 40ms"), None);
    }

    #[test]
    fn the_standard_time_of_a_check_is_that_of_play() {
        assert_eq!(clock::parse_duration(STANDARD_CHECK).unwrap(), Help::default().reserve);
    }
}

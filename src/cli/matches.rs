//! `kyomi match`: plays engines against each other and estimates their strength.

use std::{
    io::{self, Write},
    path::PathBuf,
    thread,
    time::Duration,
};

use clap::Args;

use crate::{
    archive::import::Sources,
    config::Config,
    matches::{
        self, Contestant, DrawRule, LabError, MatchControl, MatchSettings, Progress, Report, Rules,
        Shape, Stop, StoreError, WinRule, stats::Sprt,
    },
};
use kyomi_shogi::EnteringKingRule;
use kyomi_shogi::clock;

#[cfg(feature = "cluster")]
use super::room;
#[cfg(not(feature = "cluster"))]
use super::without_cluster::built_without_cluster;
use super::{ConfigArgs, Context, OpeningArgs, ResultExt, SignalScope, Signals, meter::Meter};

/// Arguments of `kyomi match`.
#[derive(Debug, Args)]
pub(crate) struct MatchArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// The first player: KIND [KEY=VALUE]..., see below
    #[arg(long, value_name = "PLAYER")]
    a: Option<String>,
    /// The second player
    #[arg(long, value_name = "PLAYER")]
    b: Option<String>,
    /// A further player; more than two players meet in a round robin
    #[arg(long = "player", value_name = "PLAYER")]
    players: Vec<String>,
    /// Clock or limit of all players that do not name one: nodes=2000, movetime=100ms, depth=9, 60+1,
    /// 0,byoyomi=1, 600,byoyomi=10
    #[arg(long, value_name = "TIME")]
    tc: Option<String>,
    /// Largest number of games of each pairing; two for each opening, with colours changed; at most 10,000,000 over all
    /// pairings
    #[arg(long, value_name = "N", default_value_t = 100)]
    games: usize,
    /// Only the first player meets all others
    #[arg(long)]
    gauntlet: bool,
    #[command(flatten)]
    openings: OpeningArgs,
    /// Seed of the order of the openings and of random players
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Number of parallel games, at most 1024
    #[arg(long, value_name = "N", default_value_t = 1)]
    concurrency: usize,
    /// Cores for the games, distributed evenly: 0,1 or 2-5 [default: any core]
    #[arg(long, value_name = "LIST")]
    cores: Option<String>,
    /// Stop as soon as the games decide: elo0=0,elo1=5[,alpha=0.05][,beta=0.05][,model=logistic]
    #[arg(long, value_name = "TEST")]
    sprt: Option<String>,
    /// Number of moves after which a game is drawn; 0: never
    #[arg(long, value_name = "MOVES", default_value_t = 320)]
    max_moves: u32,
    #[arg(
        long,
        value_name = "RULE",
        default_value = "CSARule27",
        value_parser = entering_king,
        help = "How an entered king wins: NoEnteringKing, CSARule24, CSARule24H, CSARule27, CSARule27H, TryRule"
    )]
    entering_king: EnteringKingRule,
    /// Tolerance before a loss on time
    #[arg(long, value_name = "TIME", default_value = "500ms")]
    margin: String,
    /// Longest time for a move of a player without a clock or a time for each move
    #[arg(long, value_name = "TIME", default_value = "60")]
    patience: String,
    /// End games if the scores agree on the winner: score=3000,plies=6,both=true
    #[arg(long, value_name = "RULE")]
    adjudicate: Option<String>,
    /// End games as draws if the scores are close to zero: score=10,plies=20,after=80
    #[arg(long, value_name = "RULE")]
    draw: Option<String>,
    /// The folder of the match; the same command with the same folder resumes it
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Let the workers of a room play the games (`kyomi worker --jobs N`), by the broker of [cluster]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["concurrency", "cores"])]
    room: Option<String>,
    /// Without a terminal: number of games between progress lines
    #[arg(long, value_name = "N", default_value_t = 10)]
    every: usize,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

pub(super) const EXAMPLES: &str = "\
Players: a kind and keys; every key that is not listed here is an option of the engine.
  builtin  threads=1 hash=16 (MiB) resign=-3000 resign_moves=3; `kyomi usi` lists its options, most
           importantly Preset=tournament, interest, paper, full or lmr. NodesPerSecond=N: its clock
           counts N nodes as a second, so that games with clocks do not depend on the machine.
           room=NAME: the workers of a room help it (`kyomi worker`, by the broker of [cluster])
  usi      path=PROGRAM args='…' dir=DIR hash=16 ready_timeout=120s
  random   seed=N
    all      book=FILE (an opening book before a builtin or usi player; book=builtin) name=NAME ponder=true (on the
             reply that it names) restart=true (a new process for each game), and a limit or clock: nodes=N,
             depth=N (limit=N), movetime=TIME, or tc=CLOCK

Examples:
  kyomi match --a 'builtin name=new' --b 'usi name=old path=./kyomi-old args=usi USI_OwnBook=false'
      --tc nodes=2000 --games 1000 --concurrency 2 --out logs/matches/new-old
  kyomi match --a builtin --b 'usi path=/usr/games/fairy-stockfish Threads=1' --tc movetime=100ms
  kyomi match --a 'builtin nodes=1000' --b 'builtin nodes=2000' --sprt elo0=0,elo1=10 --games 4000
      --openings openings.sfen
  kyomi match --a builtin --b 'builtin Preset=full Interest_Killer=0' --tc nodes=2000 --games 400
  kyomi match --player 'builtin name=x' --player 'builtin name=y depth=5' --player random
      --tc 10+0.1 --games 20

Ctrl-C finishes the running games; a second Ctrl-C abandons them. The same command resumes the match, even
after a kill. DIR/results.jsonl has a line for each game with the clock, the request and the answer of every
move, DIR/games the records, DIR/report.json the report. Timed matches need as many idle cores as parallel
games, and twice as many if players ponder; with --cores each game has separate cores.";

/// Runs `kyomi match`.
pub(crate) fn run(args: &MatchArgs, context: &Context) -> anyhow::Result<()> {
    let settings = args.settings()?;
    if let Some(room) = &args.room {
        return play_in_room(settings, room, args, context);
    }
    warn(&settings);
    play_match(settings, &args.config, args.every, args.json, context)
}

/// Lets the workers of a room play the match.
#[cfg(not(feature = "cluster"))]
fn play_in_room(
    _settings: MatchSettings,
    _room: &str,
    _args: &MatchArgs,
    _context: &Context,
) -> anyhow::Result<()> {
    built_without_cluster("--room")
}

/// Lets the workers of a room play the match.
#[cfg(feature = "cluster")]
fn play_in_room(
    settings: MatchSettings,
    name: &str,
    args: &MatchArgs,
    context: &Context,
) -> anyhow::Result<()> {
    let config = room::load(&args.config, Some(name), context)?;
    room::named(&config, "--room")?;
    if let Some(reason) = matches::unfit_for_workers(&settings.players) {
        return Err(anyhow::Error::msg(reason)).written_by_user();
    }
    if settings.is_timed() {
        tracing::warn!("the clocks of the players depend on the workers' speed");
    }
    let match_run = MatchRun { config: &config, every: args.every, json: args.json };
    match_run.play(settings, context, async |settings, stop, progress| {
        let workers = room::workers(&config).await;
        let workers = workers.map_err(|error| LabError::Workers(error.to_string()))?;
        matches::run_on_workers(settings, workers, stop, progress).await
    })
}

/// Plays a match, or resumes it, and prints its report.
///
/// # Errors
/// The match cannot be played.
pub fn play_match(
    settings: MatchSettings,
    config: &ConfigArgs,
    every: usize,
    json: bool,
    context: &Context,
) -> anyhow::Result<()> {
    let config = context.load_config(config, Vec::new())?;
    let match_run = MatchRun { config: &config, every, json };
    if let Some(player) = settings.players.iter().find(|player| player.room.is_some()) {
        return play_with_workers(settings.clone(), &player.name, &match_run, context);
    }
    match_run.play(settings, context, async |settings, stop, progress| {
        matches::run(settings, stop, progress).await
    })
}

/// Plays a match in which workers help players (`room`); one of them has this name.
#[cfg(not(feature = "cluster"))]
fn play_with_workers(
    _settings: MatchSettings,
    name: &str,
    _match_run: &MatchRun<'_>,
    _context: &Context,
) -> anyhow::Result<()> {
    built_without_cluster(&format!("player '{name}': room"))
}

/// Plays a match in which workers help players (`room`); one of them has this name.
#[cfg(feature = "cluster")]
fn play_with_workers(
    settings: MatchSettings,
    name: &str,
    match_run: &MatchRun<'_>,
    context: &Context,
) -> anyhow::Result<()> {
    use crate::cluster::{Help, helped_by};

    let cluster = room::named(match_run.config, &format!("player '{name}': room"))?;
    match_run.play(settings, context, async |mut settings, stop, progress| {
        let transport = room::connected(cluster).await.map_err(LabError::Workers)?;
        for player in &mut settings.players {
            let Some(room) = &player.room else { continue };
            let room = room.parse().map_err(|error| LabError::Workers(format!("{error}")))?;
            player.workers = Some(helped_by(transport.shared(), room, Help::default()));
        }
        matches::run(settings, stop, progress).await
    })
}

/// The configuration and the output options of a match.
struct MatchRun<'a> {
    config: &'a Config,
    every: usize,
    json: bool,
}

impl MatchRun<'_> {
    /// Plays a match by `run`, and prints its progress and its report.
    fn play(
        &self,
        settings: MatchSettings,
        context: &Context,
        run: impl AsyncFnOnce(
            MatchSettings,
            Stop,
            &mut dyn FnMut(&Progress),
        ) -> Result<Report, LabError>,
    ) -> anyhow::Result<()> {
        let Self { config, every, json } = *self;
        context.start_logging(config)?;
        context.output.outlive_reader();
        let mut meter = Meter::new(every);
        let planned = settings.schedule().games();
        let dir = settings.dir.clone();
        let games = dir.join("games");
        let runtime = context.network_runtime()?;
        let report = runtime.block_on(async {
            let signals = Signals::listen(SignalScope::Games)?;
            let stop = Stop { finish: signals.finish, abandon: signals.abandon };
            let mut show = |progress: &Progress| {
                meter.show(&progress.to_string(), progress.finished, progress.new_games);
            };
            run(settings, stop, &mut show).await.or_else(explain)
        });
        meter.finish();
        if let Some(index) = &config.records.index
            && games.is_dir()
            && let Err(error) = Sources::add(index, &games, true)
        {
            tracing::warn!(%error, "the folder of the match is not noted in the list of sources");
        }
        let report = report?;
        let mut output = context.output.clone();
        if json {
            writeln!(output, "{}", serde_json::to_string_pretty(&report)?)?;
        } else {
            write!(output, "{report}")?;
        }
        let mut stderr = io::stderr();
        let dir = dir.display();
        if report.games < planned && !report.is_decided() {
            let _ = writeln!(stderr, "kept in {dir}; the same command resumes it with --out {dir}");
        } else {
            let _ = writeln!(stderr, "kept in {dir}");
        }
        Ok(())
    }
}

impl MatchArgs {
    fn settings(&self) -> anyhow::Result<MatchSettings> {
        let control: Option<MatchControl> = read(self.tc.as_deref())?;
        let texts = self.a.iter().chain(&self.b).chain(&self.players);
        let players: Vec<Contestant> = texts
            .zip('A'..)
            .map(|(text, letter)| Contestant::parse(text, control, &letter.to_string()))
            .collect::<Result<_, _>>()
            .written_by_user()?;
        let (openings_name, openings) = self.openings.read(self.seed)?;
        if !self.games.is_multiple_of(2) {
            return Err(anyhow::anyhow!(
                "--games {}: expected an even number, two games for each opening",
                self.games
            ))
            .written_by_user();
        }
        let win: Option<WinRule> = read(self.adjudicate.as_deref())?;
        let draw: Option<DrawRule> = read(self.draw.as_deref())?;
        let settings = MatchSettings {
            shape: if self.gauntlet { Shape::Gauntlet } else { Shape::RoundRobin },
            pairs: self.games / 2,
            openings_name,
            openings,
            seed: self.seed,
            rules: Rules {
                max_moves: (self.max_moves > 0).then_some(self.max_moves),
                entering_king: self.entering_king,
                margin: time("--margin", &self.margin)?,
                patience: time("--patience", &self.patience)?,
                win,
                draw,
            },
            sprt: read::<Sprt>(self.sprt.as_deref())?,
            concurrency: self.concurrency,
            cores: self.cores.as_deref().map(cores).transpose()?.unwrap_or_default(),
            #[cfg(feature = "cluster")]
            machines: None,
            dir: self.out.clone().unwrap_or_else(|| default_dir(&players)),
            players,
        };
        settings.check().written_by_user()?;
        Ok(settings)
    }
}

fn read<T>(text: Option<&str>) -> anyhow::Result<Option<T>>
where
    T: std::str::FromStr,
    T::Err: Into<anyhow::Error>,
{
    text.map(str::parse).transpose().written_by_user()
}

fn time(flag: &str, text: &str) -> anyhow::Result<Duration> {
    clock::parse_duration(text)
        .map_err(|error| anyhow::anyhow!("{flag} {text}: {error}"))
        .written_by_user()
}

/// Reads `0,1` and `2-5`.
fn cores(text: &str) -> anyhow::Result<Vec<usize>> {
    let wrong = || anyhow::anyhow!("--cores {text}: write core numbers such as 0,1 or 2-5");
    let mut cores = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.trim().parse::<usize>().ok().filter(|core| *core < 4096);
        match (number(first), number(last)) {
            (Some(first), Some(last)) if first <= last => cores.extend(first..=last),
            _ => return Err(wrong()).written_by_user(),
        }
    }
    Ok(cores)
}

/// A new folder for a match without --out.
fn default_dir(players: &[Contestant]) -> PathBuf {
    let names: Vec<&str> = players.iter().map(|player| player.name.as_str()).collect();
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let names: String = names.join("-").chars().take(60).map(plain).collect();
    let now = jiff::Zoned::now().strftime("%Y%m%d-%H%M%S");
    let first = PathBuf::from(format!("logs/matches/{now}_{names}"));
    let further = (2..).map(|number| PathBuf::from(format!("{}_{number}", first.display())));
    std::iter::once(first.clone()).chain(further).find(|dir| !dir.exists()).unwrap_or(first)
}

/// Warnings before a match about settings that may distort it.
fn warn(settings: &MatchSettings) {
    let cores = match settings.cores.len() {
        0 => thread::available_parallelism().map_or(1, usize::from),
        named => named,
    };
    let threads = settings.busy_threads();
    if settings.is_timed() && threads > cores {
        tracing::warn!(
            "{threads} threads may search at once on {cores} cores: the players do not get their full time"
        );
    }
    let (pairs, openings) = (settings.pairs, settings.openings.len());
    if pairs > openings {
        tracing::warn!(
            "{pairs} pairs of games from {openings} openings: some openings are repeated, and deterministic \
             players repeat their games"
        );
    }
}

/// Marks the errors that the user's input causes.
fn explain<T>(error: LabError) -> anyhow::Result<T> {
    match error {
        LabError::Settings(_)
        | LabError::Option { .. }
        | LabError::Store(StoreError::Other { .. }) => Err(error).written_by_user(),
        LabError::Player { .. } => Err(error)
            .hint("finished games are kept; repair the player and run the same command again"),
        _ => Err(error.into()),
    }
}

/// The rule of this name.
fn entering_king(name: &str) -> Result<EnteringKingRule, String> {
    EnteringKingRule::from_name(name).ok_or_else(|| {
        let known = EnteringKingRule::ALL.map(EnteringKingRule::name);
        format!("a rule that is not known; known are {}", known.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_lists_and_ranges() {
        assert_eq!(cores("0,2-4").unwrap(), [0, 2, 3, 4]);
        for wrong in ["", "x", "3-1", "1,,2", "99999"] {
            assert!(cores(wrong).is_err(), "{wrong}");
        }
    }
}

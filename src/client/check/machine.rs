//! The machine: cores, memory, huge pages.

use std::fs;

use crate::config::{Config, EngineConfig, EngineKind};
use crate::players::PlayerSpec;
use kyomi_engine::search::available_memory;
use kyomi_shogi::text::counted;

use super::{super::player_settings::failover_spec, Finding, clock};

/// Checks the machine for these accounts.
pub(super) async fn check(accounts: &[&Config]) -> Vec<Finding> {
    let needed = accounts.iter().map(|config| needed_memory(config)).fold(0, u64::saturating_add);
    let mut findings = vec![clock::check().await, memory(needed, available_memory())];
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let load = fs::read_to_string("/proc/loadavg").ok();
    findings.extend(load.as_deref().and_then(load_average).map(|load| other_programs(load, cores)));
    if accounts.iter().any(|config| config.engine.kind == EngineKind::Builtin) {
        findings.extend(huge_pages());
    }
    findings
}

/// Whether the machine may go to sleep in a game. `awake` is the attempt to keep it awake; `None` if the system has no
/// program for that.
pub(super) fn sleep(is_allowed: bool, awake: Option<Result<(), String>>) -> Finding {
    let remedy = "turn the sleep of the machine off in its settings";
    match awake {
        _ if is_allowed => {
            Finding::ok("sleep", "the machine may go to sleep in a game (sleep = true)")
        }
        Some(Ok(())) => Finding::ok("sleep", "the machine is kept awake in games"),
        Some(Err(reason)) => {
            let detail = format!("the machine may go to sleep in a game: {reason}");
            Finding::warning("sleep", detail).remedy(remedy)
        }
        None => Finding::ok("sleep", format!("not prevented on this system; {remedy}")),
    }
}

/// `500 MiB`, `1.5 GiB`.
pub(super) fn mebibytes(bytes: u64) -> String {
    if bytes >= 1 << 30 {
        format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30))
    } else {
        format!("{} MiB", bytes.div_ceil(1 << 20))
    }
}

/// The load average of the last minute, from `/proc/loadavg`.
fn load_average(text: &str) -> Option<f64> {
    text.split_ascii_whitespace().next()?.parse().ok().filter(|load: &f64| load.is_finite())
}

/// Checks whether other programs use the processors. It is called before the engines are started.
fn other_programs(load: f64, cores: usize) -> Finding {
    let of = counted(cores, "core");
    let detail = format!("load {load:.1} on {of} in the last minute");
    if load > cores as f64 * BUSY {
        return Finding::warning("load", format!("{detail}: other programs use the processors"))
            .remedy("end them before the tournament (`top` shows them): the engine gets what they leave, and may be late");
    }
    Finding::ok("load", detail)
}

/// The load for each core above which a machine is busy. A program that has just ended still counts in part.
const BUSY: f64 = 0.6;

/// Compares the threads of an account with its cores.
pub(super) fn cores(config: &Config, cores: usize) -> Finding {
    let Some(threads) = threads(&config.engine, cores) else {
        let detail =
            format!("the engine decides on its threads (no option Threads); cores: {cores}");
        return Finding::ok("cores", detail);
    };
    let detail = format!("{} on {}", counted(threads, "search thread"), counted(cores, "core"));
    if threads > cores {
        let key = if config.engine.kind == EngineKind::Usi { "options.Threads" } else { "threads" };
        return Finding::warning("cores", detail).remedy(format!(
            "set engine.{key} to {cores}: more threads than cores wait for each other"
        ));
    }
    Finding::ok("cores", detail)
}

/// The number of search threads, if it follows from the configuration.
fn threads(engine: &EngineConfig, cores: usize) -> Option<usize> {
    match engine.kind {
        EngineKind::Builtin => Some(engine.threads.map_or(cores, usize::from)),
        EngineKind::Random => Some(1),
        EngineKind::Usi => option_number(engine, "Threads").map(|number| number as usize),
    }
}

fn option_number(engine: &EngineConfig, name: &str) -> Option<u64> {
    let option = engine.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))?;
    option.value.trim().parse().ok()
}

/// The sum of the tables and evaluation files that are in memory at the same time: those of the engine and of its
/// fallbacks, and in a local
/// game those of the other side.
fn needed_memory(config: &Config) -> u64 {
    let fallbacks = config.fallback.as_deref();
    let side = |engine: &EngineConfig| {
        let spec = failover_spec(engine, fallbacks, &config.budget, &config.book, 1);
        let tables = [&spec.engine].into_iter().chain(&spec.fallbacks).map(memory_of);
        tables.fold(0, u64::saturating_add)
    };
    let own = side(&config.engine);
    if config.server.is_some() {
        return own;
    }
    own.saturating_add(side(&config.local_opponent().engine))
}

fn memory_of(player: &PlayerSpec) -> u64 {
    match player {
        PlayerSpec::Builtin(spec) => spec.hash_bytes.saturating_add(spec.evaluation_bytes()),
        PlayerSpec::Usi(spec) => {
            let by_option =
                spec.options.iter().find(|option| option.name.eq_ignore_ascii_case("USI_Hash"));
            let mebibytes = by_option.and_then(|option| option.value.trim().parse().ok());
            mebibytes.unwrap_or(spec.hash_mib).saturating_mul(1 << 20)
        }
        PlayerSpec::Random(_) => 0,
    }
}

fn memory(needed: u64, available: Option<u64>) -> Finding {
    let tables =
        format!("the tables and evaluation files of all engines take {}", mebibytes(needed));
    let Some(available) = available else {
        return Finding::ok("memory", format!("{tables}; how much is available is not known"));
    };
    let detail = format!("{tables}, {} are available", mebibytes(available));
    let remedy = "lower engine.hash (USI engines: options.USI_Hash), or that of [[fallback]]";
    if needed > available {
        Finding::failed("memory", detail).remedy(remedy)
    } else if needed > available / 5 * 4 {
        Finding::warning("memory", format!("{detail}; the system may run short")).remedy(remedy)
    } else {
        Finding::ok("memory", detail)
    }
}

/// Checks whether the built-in engine can use huge pages; `None` if the system has no such setting.
fn huge_pages() -> Option<Finding> {
    huge_pages_by(&fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").ok()?)
}

/// `setting` is like `always [madvise] never`; the table of the built-in engine asks for huge pages.
fn huge_pages_by(setting: &str) -> Option<Finding> {
    let (_, rest) = setting.split_once('[')?;
    let (mode, _) = rest.split_once(']')?;
    let detail = format!("transparent huge pages: {mode}");
    Some(match mode {
        "always" | "madvise" => Finding::ok("huge pages", detail),
        _ => Finding::warning(
            "huge pages",
            format!("{detail}; the built-in engine is some percent slower"),
        )
        .remedy("`echo madvise > /sys/kernel/mm/transparent_hugepage/enabled` as root"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::CheckStatus;
    use crate::players::EngineOption;

    #[test]
    fn a_busy_machine_is_reported() {
        let load = |text| load_average(text).map(|load| other_programs(load, 2));
        let busy = load("15.10 9.85 5.80 3/412 4711\n").unwrap();
        assert_eq!(
            busy.detail,
            "load 15.1 on 2 cores in the last minute: other programs use the processors"
        );
        let quiet = load("0.48 1.64 3.68 1/200 99").unwrap();
        assert_eq!(quiet.detail, "load 0.5 on 2 cores in the last minute");
        assert!(quiet.remedy.is_none() && busy.remedy.is_some());
        assert!(load("").is_none() && load("NaN").is_none() && load("x").is_none());
    }

    #[test]
    fn more_tables_than_memory_fail() {
        let status = |needed, available| memory(needed, available).status;
        assert_eq!(status(1 << 30, Some(4 << 30)), CheckStatus::Ok);
        assert_eq!(status(4 << 30, Some(9 << 29)), CheckStatus::Warning);
        assert_eq!(status(4 << 30, Some(1 << 30)), CheckStatus::Failed);
        assert_eq!(status(4 << 30, None), CheckStatus::Ok);
    }

    #[test]
    fn the_tables_of_all_engines_are_counted() {
        let option = EngineOption { name: "usi_hash".to_owned(), value: "100".to_owned() };
        let usi = EngineConfig {
            kind: EngineKind::Usi,
            options: vec![option],
            ..EngineConfig::default()
        };
        let builtin = EngineConfig { hash: 10 << 20, ..EngineConfig::default() };
        let server = "[server]\nhost = \"127.0.0.1\"\npassword = \"x\"\n";
        let server = Config::from_text("test", server, [], &[]).unwrap().config.server;
        let config = |engine, fallback| Config {
            engine,
            fallback,
            server: server.clone(),
            ..Config::default()
        };
        let needed =
            |engine: &EngineConfig, fallback| needed_memory(&config(engine.clone(), fallback));
        assert_eq!(needed(&builtin, None), 10 << 20);
        // The built-in engine stands by for a USI engine.
        assert_eq!(needed(&usi, None), 164 << 20);
        assert_eq!(needed(&usi, Some(vec![])), 100 << 20);
        assert_eq!(needed(&usi, Some(vec![builtin.clone(), builtin.clone()])), 120 << 20);
        let local = Config { server: None, ..config(builtin.clone(), None) };
        assert_eq!(needed_memory(&local), 20 << 20);
    }

    #[test]
    fn more_threads_than_cores_are_warned_about() {
        let config = |threads| Config {
            engine: EngineConfig {
                threads: std::num::NonZeroUsize::new(threads),
                ..EngineConfig::default()
            },
            ..Config::default()
        };
        assert_eq!(cores(&config(4), 4).status, CheckStatus::Ok);
        assert_eq!(cores(&config(0), 4).detail, "4 search threads on 4 cores");
        let finding = cores(&config(5), 4);
        assert_eq!(finding.status, CheckStatus::Warning);
        assert!(finding.remedy.unwrap().contains("engine.threads to 4"));
    }

    #[test]
    fn the_setting_of_huge_pages_is_read() {
        let status = |setting| huge_pages_by(setting).map(|finding| finding.status);
        assert_eq!(status("always [madvise] never\n"), Some(CheckStatus::Ok));
        assert_eq!(status("[always] madvise never"), Some(CheckStatus::Ok));
        assert_eq!(status("always madvise [never]"), Some(CheckStatus::Warning));
        assert_eq!(status(""), None);
    }

    #[test]
    fn a_machine_that_cannot_be_kept_awake_is_warned_about() {
        let status = |allowed, awake| sleep(allowed, awake).status;
        assert_eq!(status(false, Some(Ok(()))), CheckStatus::Ok);
        assert_eq!(status(false, Some(Err("no bus".to_owned()))), CheckStatus::Warning);
        assert_eq!(status(true, Some(Err("no bus".to_owned()))), CheckStatus::Ok);
        assert_eq!(status(false, None), CheckStatus::Ok);
    }

    #[test]
    fn sizes_are_short() {
        assert_eq!(mebibytes(1), "1 MiB");
        assert_eq!(mebibytes(500 << 20), "500 MiB");
        assert_eq!(mebibytes(3 << 29), "1.5 GiB");
    }
}

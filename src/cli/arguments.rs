//! Arguments that several commands share.

use std::path::PathBuf;

use clap::{Args, builder::RangedU64ValueParser};

use crate::{config::Override, matches::Openings};
use kyomi_engine::search::MAX_THREADS;

use super::ResultExt as _;

/// Reads the number of threads, games or jobs that run at the same time: 1 to 1024. A machine that is asked for more
/// starts threads until it has no memory left.
pub fn parallel() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=MAX_THREADS as u64)
}

/// Refuses a negative number, and one that is none.
pub fn at_least_0<T>(name: &str, value: T) -> anyhow::Result<()>
where
    T: Copy + std::fmt::Display + Into<f64>,
{
    let number: f64 = value.into();
    if number.is_finite() && number >= 0.0 {
        return Ok(());
    }
    Err(anyhow::anyhow!("{name} {value}: expected a number from 0")).written_by_user()
}

/// The options that set the configuration.
#[derive(Debug, Clone, Default, Args)]
pub struct ConfigArgs {
    /// Configuration file [default: config/local.toml, if it exists]
    #[arg(long, value_name = "FILE", global = true)]
    pub config: Option<PathBuf>,
    /// Set one key of the configuration, such as `--set engine.threads=2`
    #[arg(long, value_name = "TABLE.KEY=VALUE", global = true)]
    pub set: Vec<String>,
}

impl ConfigArgs {
    /// Parses the `--set` arguments.
    pub fn overrides(&self) -> anyhow::Result<Vec<Override>> {
        self.set
            .iter()
            .enumerate()
            .map(|(n, text)| {
                // The text may contain a password.
                let (key, value) = text
                    .split_once('=')
                    .ok_or_else(|| anyhow::anyhow!("--set (number {}): there is no '='", n + 1))
                    .hint("--set engine.threads=2")
                    .written_by_user()?;
                let (key, value) = (key.trim(), value.trim());
                refuse_broker_login(&format!("--set {key}"), key, value)?;
                Ok(Override::new("--set", key, value))
            })
            .collect()
    }
}

/// Refuses a login of the broker as the value of a key on the command line. The error names the argument, and does not
/// contain the login.
pub(super) fn refuse_broker_login(argument: &str, key: &str, value: &str) -> anyhow::Result<()> {
    let instead = match key {
        "cluster.password" => {
            "KYOMI_CLUSTER_PASSWORD, cluster.password_file or the file of --config"
        }
        "cluster.token" => "KYOMI_CLUSTER_TOKEN or the file of --config",
        "cluster.servers" if value.contains('@') => {
            "cluster.user with KYOMI_CLUSTER_PASSWORD or cluster.password_file, or the file of --config"
        }
        _ => return Ok(()),
    };
    Err(anyhow::anyhow!(
        "{argument}: every user of the machine can read a login on the command line; use {instead}"
    ))
    .written_by_user()
}

/// The options that choose the openings of games.
#[derive(Debug, Clone, Args)]
pub struct OpeningArgs {
    /// Openings: a list (startpos moves …, sfen …, one on each line) or records [default: more than
    /// 300 built-in openings]
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Cut the openings of the file to this number of moves
    #[arg(long, value_name = "PLIES", requires = "openings")]
    opening_plies: Option<usize>,
}

impl OpeningArgs {
    /// The name of the openings for reports, and the openings in the order that follows from a seed.
    pub fn read(&self, seed: u64) -> anyhow::Result<(String, Openings)> {
        let (name, mut openings) = match &self.openings {
            Some(path) => (
                path.display().to_string(),
                Openings::read(path, self.opening_plies).written_by_user()?,
            ),
            None => ("built in".to_owned(), Openings::built_in()),
        };
        openings.shuffle(seed);
        Ok((name, openings))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_1_and_1024_things_run_at_the_same_time() {
        let command = clap::Command::new("x").arg(clap::Arg::new("n").value_parser(parallel()));
        let read = |text: &str| command.clone().try_get_matches_from(["x", text]);
        for (text, number) in [("1", 1), ("1024", 1024)] {
            assert_eq!(read(text).unwrap().get_one::<usize>("n"), Some(&number));
        }
        for text in ["0", "1025", "18446744073709551615", "many"] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(&format!("invalid value '{text}'")), "{error}");
        }
        let error = read("18446744073709551615").unwrap_err().to_string();
        assert!(error.contains("is not in 1..=1024"), "{error}");
    }

    #[test]
    fn a_login_of_the_broker_on_the_command_line_is_refused_and_not_shown() {
        let read = |text: &str| {
            ConfigArgs { config: None, set: vec![text.to_owned()] }.overrides().map(|it| it.len())
        };
        for (text, instead) in [
            ("cluster.password=hush", "KYOMI_CLUSTER_PASSWORD"),
            (" cluster.password = hush", "cluster.password_file"),
            ("cluster.token=hush", "KYOMI_CLUSTER_TOKEN"),
            ("cluster.servers=nats://anna:hush@broker", "cluster.user"),
            ("cluster.servers=nats://broker nats://hush@other", "KYOMI_CLUSTER_PASSWORD"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains("every user of the machine can read"), "{error}");
            assert!(error.contains(instead) && !error.contains("hush"), "{error}");
            assert!(!error.contains('\n'), "{error}");
        }
        for text in ["cluster.servers=nats://broker:4222", "cluster.user=a", "server.password=x"] {
            assert_eq!(read(text).unwrap(), 1, "{text}");
        }
    }

    #[test]
    fn numbers_below_0_and_no_numbers_are_refused() {
        for value in [0.0, 0.1, 1e38] {
            at_least_0("--rate", value).unwrap();
        }
        for (value, shown) in
            [(f32::NAN, "NaN"), (f32::INFINITY, "inf"), (f32::NEG_INFINITY, "-inf"), (-0.1, "-0.1")]
        {
            let error = at_least_0("--l2", value).unwrap_err().to_string();
            assert_eq!(error, format!("--l2 {shown}: expected a number from 0"));
        }
        assert!(at_least_0("--l2", f64::NAN).is_err());
    }
}

//! `kyomi check`: checks everything that a tournament needs, and plays a game on request.

use std::io::Write as _;

use clap::{Args, ValueEnum};

use crate::{
    client::{self, CheckStatus, Finding, Rehearsal},
    config::{ConfigWarning, Loaded},
    terminal,
};

use super::{ConfigArgs, Context, SignalScope, Signals, interrupted};

/// Arguments of `kyomi check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Send "kyomi check" by the command and the web hook of [notify]
    #[arg(long)]
    notify: bool,
    /// Print one JSON object instead of lines
    #[arg(long)]
    json: bool,
    /// Play a game too: local, at a fast clock on the embedded server, or server, against the server's practice
    /// opponent
    #[arg(long, value_name = "WHERE", num_args = 0..=1, default_missing_value = "local")]
    rehearse: Option<Where>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Where {
    Local,
    Server,
}

pub(crate) const EXAMPLES: &str = "\
Examples:
  kyomi check --config config/floodgate.toml               everything that a tournament needs, without a game
  kyomi check --config my.toml --rehearse                  and a game at a fast clock on this machine
  kyomi check --config config/wcsc.toml --rehearse server  and a game against the practice opponent of the WCSC

Each line is `WHAT: ok|warning|failed: WHAT WAS FOUND`, with `remedy: …` if something can be done. The exit code is 0 if
nothing failed. The check logs in and out again: run it before `kyomi play`, not beside it.";

/// Runs `kyomi check`: prints a line for each check, and fails if a check fails.
pub(crate) fn run(args: &CheckArgs, context: &Context) -> anyhow::Result<()> {
    let Loaded { config, warnings } = context.load_config_quietly(&args.config, Vec::new())?;
    context.start_logging(&config)?;
    let mut output = context.output.clone();
    let config_detail = match &args.config.config {
        Some(path) => format!("{} is valid", path.display()),
        None => "no file given; using the settings of the local game".to_owned(),
    };
    let mut findings = Vec::new();
    let mut written = Ok(());
    let mut show = |finding: Finding| {
        if !args.json && written.is_ok() {
            written = writeln!(output, "{}", line(&finding)).and_then(|()| output.flush());
        }
        findings.push(finding);
    };
    show(Finding::ok("config", config_detail));
    for warning in warnings {
        let ConfigWarning { text, remedy } = warning;
        show(Finding { remedy, ..Finding::warning("config", text) });
    }
    let runtime = context.network_runtime()?;
    let was_interrupted = runtime.block_on(async {
        let signals = Signals::listen(SignalScope::Work)?;
        let all = async {
            let nps = client::check(&config, args.notify, &mut show).await;
            let place = match args.rehearse {
                None => return,
                Some(Where::Local) => Rehearsal::Local,
                Some(Where::Server) => Rehearsal::Server,
            };
            Box::pin(client::rehearse(&config, place, nps, &mut show)).await;
        };
        anyhow::Ok(tokio::select! {
            () = all => false,
            () = signals.finish.cancelled() => true,
        })
    })?;
    written?;
    let failed = findings.iter().filter(|finding| finding.status == CheckStatus::Failed).count();
    if args.json {
        let object =
            serde_json::json!({ "ok": failed == 0 && !was_interrupted, "checks": findings });
        writeln!(output, "{object}")?;
    }
    output.flush()?;
    if was_interrupted {
        return Err(interrupted("not all checks were done"));
    }
    if failed > 0 {
        anyhow::bail!("{failed} of {} checks failed", findings.len());
    }
    Ok(())
}

fn line(finding: &Finding) -> String {
    let status = match finding.status {
        CheckStatus::Ok => "ok",
        CheckStatus::Warning => "warning",
        CheckStatus::Failed => "failed",
    };
    let account = finding.account.as_ref().map_or_else(String::new, |label| format!("{label}: "));
    let remedy = match &finding.remedy {
        Some(remedy) => format!("; remedy: {remedy}"),
        None => String::new(),
    };
    terminal::clean(&format!("{account}{}: {status}: {}{remedy}", finding.what, finding.detail))
}

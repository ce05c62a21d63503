//! `kyomi check`: is the file right, can the server be reached, does the engine start?

use std::io::Write as _;

use clap::Args;

use crate::client::{self, CheckStatus, Finding};

use super::{ConfigArgs, Context, SignalScope, Signals};

/// Arguments of `kyomi check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// One JSON object instead of lines
    #[arg(long)]
    json: bool,
}

/// Checks, a line for each thing; exit code 1 when something does not work.
pub(crate) fn run(args: &CheckArgs, context: &Context) -> anyhow::Result<()> {
    let config = context.load_config(&args.config, Vec::new())?;
    context.start_logging(&config)?;
    let mut output = context.output.clone();
    let read = match &args.config.config {
        Some(path) => format!("{} is right", path.display()),
        None => "no file given; the local game's settings".to_owned(),
    };
    let mut findings = Vec::new();
    let mut tell = |finding: Finding| {
        let mut told = Ok(());
        if !args.json {
            let status = match finding.status {
                CheckStatus::Ok => "ok",
                CheckStatus::Warning => "warning",
                CheckStatus::Failed => "failed",
            };
            let detail = crate::terminal::clean(&finding.detail);
            told = writeln!(output, "{}: {status}: {detail}", finding.what);
        }
        findings.push(finding);
        told
    };
    tell(Finding::ok("config", read))?;
    let runtime = context.network_runtime()?;
    let mut told = Ok(());
    let interrupted = runtime.block_on(async {
        let signals = Signals::listen(SignalScope::Work)?;
        let all = client::check(&config, |finding| {
            if told.is_ok() {
                told = tell(finding);
            }
        });
        anyhow::Ok(tokio::select! {
            () = all => false,
            () = signals.finish.cancelled() => true,
        })
    })?;
    told?;
    let failed = findings.iter().filter(|finding| finding.status == CheckStatus::Failed).count();
    if args.json {
        let object = serde_json::json!({ "ok": failed == 0 && !interrupted, "checks": findings });
        writeln!(output, "{object}")?;
    }
    output.flush()?;
    if interrupted {
        anyhow::bail!("interrupted before all was checked");
    }
    if failed > 0 {
        anyhow::bail!("{failed} of {} checks failed", findings.len());
    }
    Ok(())
}

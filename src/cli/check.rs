//! `kyomi check`: checks the configuration, the connection to the server and the start of the engine.

use std::io::Write as _;

use clap::Args;

use crate::client::{self, CheckStatus, Finding};

use super::{ConfigArgs, Context, SignalScope, Signals};

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
}

/// Runs `kyomi check`: prints a line for each check, and fails if a check fails.
pub(crate) fn run(args: &CheckArgs, context: &Context) -> anyhow::Result<()> {
    let config = context.load_config(&args.config, Vec::new())?;
    context.start_logging(&config)?;
    let mut output = context.output.clone();
    let config_detail = match &args.config.config {
        Some(path) => format!("{} is valid", path.display()),
        None => "no file given; using the settings of the local game".to_owned(),
    };
    let mut findings = Vec::new();
    let mut show = |finding: Finding| {
        let mut written = Ok(());
        if !args.json {
            let status = match finding.status {
                CheckStatus::Ok => "ok",
                CheckStatus::Warning => "warning",
                CheckStatus::Failed => "failed",
            };
            let detail = crate::terminal::clean(&finding.detail);
            let account = finding.account.as_ref().map(|account| format!("{account}: "));
            let account = account.unwrap_or_default();
            written = writeln!(output, "{account}{}: {status}: {detail}", finding.what);
        }
        findings.push(finding);
        written
    };
    show(Finding::ok("config", config_detail))?;
    let runtime = context.network_runtime()?;
    let mut written = Ok(());
    let interrupted = runtime.block_on(async {
        let signals = Signals::listen(SignalScope::Work)?;
        let all = client::check(&config, args.notify, |finding| {
            if written.is_ok() {
                written = show(finding);
            }
        });
        anyhow::Ok(tokio::select! {
            () = all => false,
            () = signals.finish.cancelled() => true,
        })
    })?;
    written?;
    let failed = findings.iter().filter(|finding| finding.status == CheckStatus::Failed).count();
    if args.json {
        let object = serde_json::json!({ "ok": failed == 0 && !interrupted, "checks": findings });
        writeln!(output, "{object}")?;
    }
    output.flush()?;
    if interrupted {
        anyhow::bail!("interrupted before all checks were done");
    }
    if failed > 0 {
        anyhow::bail!("{failed} of {} checks failed", findings.len());
    }
    Ok(())
}

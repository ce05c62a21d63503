//! `kyomi man`: manual pages.

use std::{
    fs,
    io::{self, Write as _},
    path::PathBuf,
};

use anyhow::{Context as _, anyhow};
use clap::{Args, Command};
use clap_mangen::Man;

use super::{Context, ResultExt as _};

/// Arguments of `kyomi man`.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The command that the page is about [default: kyomi itself]
    #[arg(value_name = "COMMAND", conflicts_with = "out")]
    command: Option<String>,
    /// Write the pages of all commands to this folder instead of one to standard output
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Prints a page about `kyomi`, the whole program, or writes those of all commands.
pub(crate) fn run(args: &ManArgs, kyomi: Command, context: &Context) -> anyhow::Result<()> {
    let mut kyomi = kyomi.disable_help_subcommand(true);
    // Gives the commands their whole names.
    kyomi.build();
    let mut output = context.output.clone();
    if let Some(dir) = &args.out {
        let to = || format!("writing manual pages to {}", dir.display());
        fs::create_dir_all(dir).with_context(to)?;
        let mut pages = 0;
        write_all(&kyomi, &mut |name, page| {
            pages += 1;
            fs::write(dir.join(name), page)
        })
        .with_context(to)?;
        writeln!(output, "{pages} pages written to {}", dir.display())?;
        return Ok(());
    }
    let command = match &args.command {
        None => &kyomi,
        Some(name) => kyomi
            .find_subcommand(name)
            .ok_or_else(|| anyhow!("there is no command {name:?}"))
            .hint("kyomi --help lists all commands")
            .written_by_user()?,
    };
    output.write_all(&page(command)?)?;
    output.flush()?;
    Ok(())
}

/// The page of a command, and those of its subcommands.
fn write_all(
    command: &Command,
    write: &mut impl FnMut(String, Vec<u8>) -> io::Result<()>,
) -> io::Result<()> {
    write(format!("{}.1", name(command)), page(command)?)?;
    command.get_subcommands().try_for_each(|sub| write_all(sub, write))
}

fn name(command: &Command) -> &str {
    command.get_display_name().unwrap_or_else(|| command.get_name())
}

fn page(command: &Command) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(command.clone()).title(name(command).to_uppercase()).render(&mut page)?;
    Ok(page)
}

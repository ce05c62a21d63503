//! The lists of formats in the help of `kyomi convert`.

use std::fmt::Write as _;

use kyomi_record::{Format, LONGEST_LINE, Pieces};

/// The text after the arguments in `kyomi convert --help`.
pub(crate) fn after_help() -> String {
    let width = Format::ALL.iter().map(|format| format.name().len()).max().unwrap_or_default();
    let mut formats = String::new();
    for format in Format::ALL {
        let (name, summary, omits) = (format.name(), format.summary(), format.omits());
        let _ = writeln!(formats, "  {name:width$}  {summary} [{omits}]");
    }
    let (extensions, binary) = (extensions(|format| !format.is_binary()), names(Format::is_binary));
    let sizes = sizes();
    format!(
        "{EXAMPLES}

Formats (in brackets the data that a format cannot hold; each omission is reported):
{formats}
The format of an input is detected by its first lines, otherwise by its extension ({}; {} only by extension), \
or set with --from. The encoding is detected too (also UTF-16), or set with --encoding-in; -v reports both. \
Characters that the written encoding does not have become ? and are reported.

{RULES}
{sizes}
Outputs with the same name get numbers: NAME.csa, NAME_2.csa.
Ctrl-C stops after the current file, in standard input at once; a second Ctrl-C stops within any file.

Exit codes: 0 all files converted, 1 a file was broken or could not be written, 2 wrong arguments.",
        extensions.join(", "),
        list(&binary),
    )
}

/// The help of `--to`.
pub(super) fn to_help() -> String {
    format!("Format to write: {}", names(|_| true).join(", "))
}

/// The extensions of files that are taken from a folder.
pub(super) fn all_extensions() -> String {
    extensions(|_| true).join(", ")
}

/// `Limits: files of csa and csa3 64 MiB, …`.
fn sizes() -> String {
    let mut of_files: Vec<(usize, Vec<&str>)> = Vec::new();
    for format in Format::ALL {
        let Some(bytes) = format.largest_file() else { continue };
        match of_files.iter_mut().find(|(other, _)| *other == bytes) {
            Some((_, names)) => names.push(format.name()),
            None => of_files.push((bytes, vec![format.name()])),
        }
    }
    let mut parts: Vec<_> = of_files
        .iter()
        .map(|(bytes, names)| format!("files of {} {} MiB", list(names), bytes >> 20))
        .collect();
    let lines = names(|format| format.pieces() == Pieces::Lines);
    parts.push(format!("lines of {} {} MiB", list(&lines), LONGEST_LINE >> 20));
    format!("Limits: {}; nothing else is limited.", parts.join(", "))
}

fn names(is_wanted: impl Fn(Format) -> bool) -> Vec<&'static str> {
    Format::ALL.into_iter().filter(|format| is_wanted(*format)).map(Format::name).collect()
}

/// The extensions of these formats, each once.
fn extensions(is_wanted: impl Fn(Format) -> bool) -> Vec<&'static str> {
    let mut found: Vec<&str> = Vec::new();
    for extension in
        Format::ALL.into_iter().filter(|it| is_wanted(*it)).flat_map(Format::extensions)
    {
        if !found.contains(&extension) {
            found.push(extension);
        }
    }
    found
}

/// `usi, sfen and psv`.
fn list(names: &[&str]) -> String {
    match names {
        [before @ .., last] if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        names => names.concat(),
    }
}

const EXAMPLES: &str = "\
Examples:
  kyomi convert game.kif --to csa                       game.csa in the same folder
  kyomi convert old-games --to csa3 -o new              a folder with its subfolders, to another folder
  kyomi convert games.csa --to kif -o kifs              games-0001.kif, games-0002.kif, …
  kyomi convert new -o all --to usi                     each file as a list, one game on each line
  kyomi convert *.csa --to usi -o - > games.usi         all games in one list
  zcat games.gz | kyomi convert --to csa3 > games.csa   standard input to standard output
  kyomi convert old.kif --to kif --encoding utf-8       old.kifu, in UTF-8";

const RULES: &str = "\
No file is overwritten without --force; inputs and outputs of the same run are never overwritten. A file is \
complete or does not exist: each is written under a hidden name and renamed. A broken game is reported \
with file, line, column and reason, and the other games are converted; a game with an illegal move is \
converted up to that move; if the move ended the game, it is kept.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_names_every_format() {
        let help = after_help();
        for format in Format::ALL {
            assert!(help.contains(&format!("\n  {} ", format.name())), "{help}");
            assert!(help.contains(format.summary()) && help.contains(format.omits()), "{help}");
        }
        expect_test::expect!["Limits: files of csa and csa3 64 MiB, files of kif, ki2 and jkf 16 MiB, lines of usi and sfen 16 MiB; nothing else is limited."].assert_eq(&sizes());
        expect_test::expect!["csa, kif, kifu, ki2, ki2u, jkf, json, usi, sfen, psv, hcpe"]
            .assert_eq(&all_extensions());
    }
}

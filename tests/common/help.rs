//! The help of all commands of a program, as a page.

use std::fmt::Write as _;

use crate::common::folder::Folder;

/// A page with a section for each command.
pub(crate) fn page(title: &str) -> String {
    let folder = Folder::new();
    let mut text = format!(
        "# {title}\n\n<!-- Generated from the program's help by a test: `UPDATE_EXPECT=1 cargo test --workspace`. -->\n"
    );
    add(&folder, &[], &mut text);
    text
}

fn add(folder: &Folder, command: &[&str], page: &mut String) {
    let (help, _) = folder.run_with_code(&[command, &["--help"]].concat(), 0);
    if !command.is_empty() {
        writeln!(page, "\n## {}", command.join(" ")).unwrap();
    }
    let help: Vec<_> = help.lines().map(str::trim_end).collect();
    writeln!(page, "\n```text\n{}\n```", help.join("\n").trim_end()).unwrap();
    let commands = help.iter().skip_while(|line| **line != "Commands:").skip(1);
    for line in commands.take_while(|line| !line.is_empty()) {
        let name = line.strip_prefix("  ").and_then(|line| line.split(' ').next());
        if let Some(name) = name.filter(|name| !name.is_empty() && *name != "help") {
            add(folder, &[command, &[name]].concat(), page);
        }
    }
}

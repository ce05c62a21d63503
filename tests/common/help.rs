//! The help of all commands of a program, as a page.

use super::folder::Folder;

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
        page.push_str(&format!("\n## {}\n", command.join(" ")));
    }
    let help: Vec<_> = help.lines().map(str::trim_end).collect();
    page.push_str(&format!("\n```text\n{}\n```\n", help.join("\n").trim_end()));
    let commands = help.iter().skip_while(|line| **line != "Commands:").skip(1);
    for line in commands.take_while(|line| !line.is_empty()) {
        let name = line.strip_prefix("  ").and_then(|line| line.split(' ').next());
        if let Some(name) = name.filter(|name| !name.is_empty() && *name != "help") {
            add(folder, &[command, &[name]].concat(), page);
        }
    }
}

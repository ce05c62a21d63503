//! `kyomi-lab train` and `randomnet` as a process: what is wrong with files is one line.

#![allow(clippy::unwrap_used, reason = "a test fails if its setup fails")]

#[path = "../../../tests/common/mod.rs"]
mod common;
#[path = "../../../tests/common/help.rs"]
mod help;

use common::folder::Folder;

#[test]
fn games_without_usable_positions_are_an_error_of_the_user() {
    let folder = Folder::new();
    folder.write("illegal.tsv", "#moves\tresult\nstartpos moves 7g7e\t1-0\n");
    folder.write("few.tsv", "#moves\tresult\nstartpos moves 7g7f\t1-0\n");
    for (args, words) in [
        (["train", "eval", "nowhere.tsv"].as_slice(), "reading games from nowhere.tsv"),
        (&["train", "eval", "illegal.tsv"], "illegal.tsv, line 2: move 1: 7g7e is not legal"),
        (&["train", "eval", "few.tsv"], "give more games"),
        (&["train", "eval", "few.tsv", "--validate", "2"], "--validate 2"),
        (&["train", "eval", "few.tsv", "--rate=-1"], "--rate -1"),
    ] {
        let (_, line) = folder.run_with_code(args, 2);
        assert!(line.contains(words), "{line}");
    }
}

#[test]
fn a_network_is_never_overwritten_by_random_weights() {
    let folder = Folder::new();
    let random = ["randomnet", "K-P-256x2-32-32", "nn.bin"];
    folder.run_with_code(&random, 0);
    let (_, error) = folder.run_with_code(&random, 2);
    assert!(error.contains("creating nn.bin"), "{error}");
}

#[test]
fn the_page_of_commands_is_their_help() {
    let page = help::page("Commands of kyomi-lab");
    expect_test::expect_file!["../commands.md"].assert_eq(&page);
}

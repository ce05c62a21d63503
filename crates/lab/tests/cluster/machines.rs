//! `kyomi-lab machines`: a match of virtual machines.

use serde_json::Value;

use crate::common::folder::Folder;

#[test]
fn what_the_workers_did_is_reported_and_kept_in_the_results() {
    let folder = Folder::new();
    let run = |games: &str| {
        let quick = ["--machines", "3", "--nodes-per-second", "400", "--time", "100ms"];
        let rest = ["--games", games, "--out", "m", "--hash", "1"];
        folder.run_with_code(&[&["machines"], &quick[..], &rest[..]].concat(), 0).0
    };
    let report = run("2");
    for part in [
        "workers (counted in 2 games): ",
        "% of them wasted",
        "ms for an order on its way",
        "the expected reply was played in",
        "of the checks cut short",
    ] {
        assert!(report.contains(part), "{part}: {report}");
    }
    let path = folder.path().join("m/results.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut first = lines.next().unwrap();
    let by_color = first["help"].as_array().unwrap();
    // The other player is one machine.
    let (helped, alone) = (&by_color[0], &by_color[1]);
    let count = |name: &str| helped[name].as_u64().unwrap();
    assert!(alone.is_null() && count("turns") > 0 && count("confirmed_orders") > 0);
    assert!(count("nodes") > 0, "{helped}");
    assert!(count("late_nodes") <= count("nodes") - count("counted_nodes"), "{helped}");
    assert!(count("own_hits") <= count("pondered"), "{helped}");

    // A resumed match has the counts of the games before. A line of an older version has none.
    let changed = first.as_object_mut().unwrap().remove("help");
    assert!(changed.is_some());
    let rest: Vec<String> = lines.map(|line| line.to_string()).collect();
    std::fs::write(&path, format!("{first}\n{}\n", rest.join("\n"))).unwrap();
    let report = run("4");
    assert!(report.contains("4 of 4 games") && report.contains("counted in 3 games"), "{report}");
}

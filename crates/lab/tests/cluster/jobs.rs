//! Self-play and tuning by the workers of a room.

use crate::room::AloneAndTogether;

#[test]
fn self_play_and_tuning_are_the_same_whoever_does_the_work() {
    let Some(both) = AloneAndTogether::start() else { return };
    let quick = ["--nodes", "30", "--max-moves", "40", "--hash", "1", "--games", "40"];
    both.run(&[&["selfplay", "--out", "games"], &quick[..]].concat());
    for home in &both.homes {
        home.run_with_code(&["selfplay", "--out", "games", "--export", "games.usi"], 0);
        home.run_with_code(&["selfplay", "--check", "games"], 0);
    }
    assert_eq!(both.same_lines("games.usi"), 40);

    let quick = ["--tc", "nodes=20", "--player", "builtin hash=1", "--max-moves", "24"];
    let tuned = ["tune", "--tune", "Interest_CostK", "--iterations", "6", "--out", "tune"];
    both.run(&[&tuned, &quick[..]].concat());
    assert!(both.same_lines("tune/pairs.jsonl") > 0);
}

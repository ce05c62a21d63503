//! The plan of a match: stored in `match.json`, compared when the match is resumed.

use std::{
    env,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::players::{PlayerSpec, rule_json};
use kyomi_engine::eval::Evaluation;

use super::{Contestant, Fingerprint, MatchSettings};

/// Everything that the result of a match depends on, as JSON.
///
/// The number of parallel games, the cores and the number of games are not part of it, so that a match may be resumed
/// on another machine, or extended.
pub fn plan(settings: &MatchSettings) -> Value {
    let rules = &settings.rules;
    json!({
        "format": 1,
        "players": settings.players.iter().map(player_plan).collect::<Vec<_>>(),
        "shape": settings.shape,
        "openings": {
            "file": settings.openings_name,
            "count": settings.openings.len(),
            "fingerprint": hexadecimal(settings.openings.fingerprint()),
        },
        "seed": settings.seed,
        "rules": {
            "max_moves": rules.max_moves,
            "declaration": rule_json::value(rules.entering_king),
            "margin_ms": rules.margin.as_millis() as u64,
            "patience_ms": rules.patience.as_millis() as u64,
            "adjudicate": rules.win.map(|rule| rule.to_string()),
            "draw": rules.draw.map(|rule| rule.to_string()),
        },
        "sprt": settings.sprt.map(|sprt| sprt.to_string()),
    })
}

/// The first difference between two plans, as a message.
pub fn difference(old: &Value, new: &Value) -> Option<String> {
    // Which openings are played, and thus their fingerprint, follows from the seed.
    difference_at(&old["seed"], &new["seed"], "seed").or_else(|| difference_at(old, new, ""))
}

fn difference_at(old: &Value, new: &Value, path: &str) -> Option<String> {
    match (old, new) {
        (Value::Object(a), Value::Object(b)) => {
            let keys = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key)));
            keys.into_iter().find_map(|key| {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                let of = |map: &serde_json::Map<String, Value>| {
                    map.get(key).cloned().unwrap_or(Value::Null)
                };
                difference_at(&of(a), &of(b), &path)
            })
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => a
            .iter()
            .zip(b)
            .enumerate()
            .find_map(|(number, (a, b))| difference_at(a, b, &format!("{path}[{number}]"))),
        _ => (old != new).then(|| format!("{path} was {old} and is {new}")),
    }
}

/// What the games or searches of a player depend on, as JSON: its settings, its program, its evaluation.
pub fn player_plan(contestant: &Contestant) -> Value {
    let program = program(contestant).and_then(|path| Fingerprint::of_file(&path).ok());
    let mut player = json!({
        "name": contestant.name,
        "text": contestant.text,
        "control": contestant.control.to_string(),
        "program": program.map(hexadecimal),
    });
    // A file that has changed under its name is another player.
    if let PlayerSpec::Builtin(spec) = &contestant.spec
        && let Some(evaluation) = &spec.preloaded
    {
        player["eval_file"] = json!(match evaluation {
            Evaluation::Own(network) => hexadecimal(Fingerprint::of(&network.to_bytes())),
            Evaluation::Nnue(weights, _) => hexadecimal(weights.checksum().into()),
        });
    }
    player
}

/// The program file of a player, if known.
fn program(contestant: &Contestant) -> Option<PathBuf> {
    match &contestant.spec {
        PlayerSpec::Builtin(_) => env::current_exe().ok(),
        PlayerSpec::Random(_) => None,
        PlayerSpec::Usi(spec) if spec.path.components().count() > 1 => Some(spec.path.clone()),
        PlayerSpec::Usi(spec) => found_in_path(&spec.path),
    }
}

fn found_in_path(name: &Path) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}

fn hexadecimal(number: u64) -> String {
    format!("{number:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_reported() {
        let old = json!({"seed": 1, "players": [{"name": "A"}, {"name": "B"}]});
        let same = old.clone();
        assert_eq!(difference(&old, &same), None);
        let new = json!({"seed": 1, "players": [{"name": "A"}, {"name": "C"}]});
        assert_eq!(difference(&old, &new).unwrap(), "players[1].name was \"B\" and is \"C\"");
        let other = json!({"openings": {"fingerprint": "a"}, "seed": 2});
        let seeded = json!({"openings": {"fingerprint": "b"}, "seed": 1});
        assert_eq!(difference(&seeded, &other).unwrap(), "seed was 1 and is 2");
        let more = json!({"seed": 1, "players": [{"name": "A"}, {"name": "B"}], "sprt": "x"});
        assert_eq!(difference(&old, &more).unwrap(), "sprt was null and is \"x\"");
    }
}

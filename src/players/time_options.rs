//! The options of the built-in engine for its time management: `MinimumThinkingTime`, `SlowMover`, and for comparisons
//! `TimeSpread`, `TimeWithout` and `NodesPerSecond`.

use std::{num::NonZeroU32, time::Duration};

use kyomi_shogi::clock::{TimeOptions, TimeRule, TimeSpread};

/// Sets an option by its USI name, in any case. Returns `None` if no option of the time has this name.
///
/// # Errors
/// The fault of the value, as a message. Nothing is changed then.
pub fn set_time_option(
    time_options: &mut TimeOptions,
    name: &str,
    value: &str,
) -> Option<Result<(), String>> {
    let value = value.trim();
    let set = match name.to_ascii_lowercase().as_str() {
        "minimumthinkingtime" => number(value, 0, MAX_LEAST_MS)
            .map(|least| time_options.least = Duration::from_millis(u64::from(least))),
        "slowmover" => {
            number(value, 1, MAX_PERCENT).map(|percent| time_options.share_percent = percent)
        }
        "timespread" => match value {
            WEIGHTED => {
                time_options.spread = TimeSpread::Weighted;
                Ok(())
            }
            EVEN => {
                time_options.spread = TimeSpread::Even;
                Ok(())
            }
            _ => Err(format!("is neither {WEIGHTED} nor {EVEN}")),
        },
        "timewithout" => match RULES.iter().find(|(rule, _)| *rule == value) {
            Some((_, rule)) => {
                time_options.without = *rule;
                Ok(())
            }
            None => Err(format!("is none of {}", RULES.map(|(rule, _)| rule).join(", "))),
        },
        "nodespersecond" => number(value, 0, u32::MAX)
            .map(|speed| time_options.nodes_per_second = NonZeroU32::new(speed)),
        _ => return None,
    };
    Some(set.map_err(|fault| {
        let value: String = value.chars().filter(|c| !c.is_control()).take(60).collect();
        format!("{name}: '{value}' {fault}")
    }))
}

/// The `option` lines of the answer to `usi`; those for comparisons only with `all`.
pub fn time_option_lines(time_options: &TimeOptions, all: bool) -> Vec<String> {
    let least = time_options.least.as_millis().min(u128::from(MAX_LEAST_MS));
    let percent = time_options.share_percent;
    let spread = match time_options.spread {
        TimeSpread::Weighted => WEIGHTED,
        TimeSpread::Even => EVEN,
    };
    let without = RULES.iter().find(|(_, rule)| *rule == time_options.without);
    let without = without.map_or(NO_RULE, |(name, _)| name);
    let mut lines = vec![
        format!(
            "option name MinimumThinkingTime type spin default {least} min 0 max {MAX_LEAST_MS}"
        ),
        format!("option name SlowMover type spin default {percent} min 1 max {MAX_PERCENT}"),
    ];
    if all {
        let speed = time_options.nodes_per_second.map_or(0, NonZeroU32::get);
        lines.extend([
            format!("option name TimeSpread type combo default {spread} var {WEIGHTED} var {EVEN}"),
            format!("option name TimeWithout type combo default {without}{}", rule_names()),
            format!("option name NodesPerSecond type spin default {speed} min 0 max {}", u32::MAX),
        ]);
    }
    lines
}

/// The values of `TimeWithout`, as USI lists them.
fn rule_names() -> String {
    RULES.iter().fold(String::new(), |names, (name, _)| names + " var " + name)
}

fn number(value: &str, least: u32, most: u32) -> Result<u32, String> {
    match value.parse::<u32>() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        _ => Err(format!("is not a number from {least} to {most}")),
    }
}

const WEIGHTED: &str = "weighted";
const EVEN: &str = "even";

const NO_RULE: &str = "nothing";

/// The rules that `TimeWithout` can leave out, by name.
const RULES: [(&str, Option<TimeRule>); 6] = [
    (NO_RULE, None),
    ("changes", Some(TimeRule::Changes)),
    ("stability", Some(TimeRule::Stability)),
    ("falls", Some(TimeRule::Falls)),
    ("obvious", Some(TimeRule::Obvious)),
    ("all", Some(TimeRule::All)),
];

const MAX_LEAST_MS: u32 = 600_000;
const MAX_PERCENT: u32 = 1000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_options_are_set_by_name() {
        let mut time_options = TimeOptions::default();
        let mut set = |name, value| set_time_option(&mut time_options, name, value);
        assert_eq!(set("minimumthinkingtime", "1500"), Some(Ok(())));
        assert_eq!(set("SlowMover", " 80 "), Some(Ok(())));
        assert_eq!(set("TimeSpread", "even"), Some(Ok(())));
        assert_eq!(set("TimeWithout", "falls"), Some(Ok(())));
        assert_eq!(set("Threads", "2"), None);
        let fault = set("SlowMover", "0").unwrap().unwrap_err();
        assert_eq!(fault, format!("SlowMover: '0' is not a number from 1 to {MAX_PERCENT}"));
        assert!(set("TimeSpread", "odd").unwrap().is_err());
        let fault = set("TimeWithout", "falls, all").unwrap().unwrap_err();
        assert!(fault.ends_with("is none of nothing, changes, stability, falls, obvious, all"));
        let least = Duration::from_millis(1500);
        assert_eq!(
            time_options,
            TimeOptions {
                least,
                share_percent: 80,
                spread: TimeSpread::Even,
                without: Some(TimeRule::Falls),
                ..TimeOptions::default()
            }
        );
        let lines = time_option_lines(&time_options, true).join("\n");
        assert!(lines.contains("TimeWithout type combo default falls var nothing var changes"));
    }
}

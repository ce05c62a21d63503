//! The output of a USI engine.

use std::fmt::Write as _;

use kyomi::players::usi_line::{AnnouncedOption, EngineLine, Info, OptionKind, parse};
use kyomi::players::{Bound, Score};
use kyomi_shogi::notation::usi;

use super::text;

/// Every line is read; its numbers are in range, and unchanged after they are written as by an engine and read again.
pub(super) fn usi_engine_output(data: &[u8]) {
    let text = text(data);
    for line in text.split('\n') {
        match parse(line) {
            EngineLine::Name(name) | EngineLine::Text(name) => {
                assert!(line.contains(name) && name.trim() == name, "{name:?}");
            }
            EngineLine::BestMove(best) => {
                assert!(!best.word.contains(char::is_whitespace));
                if let Some(reply) = best.ponder {
                    assert_eq!(usi::parse_move(&reply.to_string()), Ok(reply));
                    let again = format!("bestmove {} ponder {reply}", best.word);
                    assert_eq!(parse(&again), EngineLine::BestMove(best));
                }
            }
            EngineLine::Info(info) => {
                check_score(&info);
                let again = write_info(&info);
                assert_eq!(parse(&again), EngineLine::Info(info), "{again}");
            }
            EngineLine::Option(option) => check_option(&option),
            EngineLine::UsiOk | EngineLine::ReadyOk | EngineLine::Unknown => {}
        }
    }
}

fn check_score(info: &Info) {
    let number = match info.score {
        Some((Score::Cp(number), _)) => number,
        Some((Score::Win(plies) | Score::Loss(plies), _)) => plies.unwrap_or(0) as i32,
        None => 0,
    };
    assert!((-10_000_000..=10_000_000).contains(&number), "{number}");
}

fn write_info(info: &Info) -> String {
    let mut line = "info".to_owned();
    let mut number = |key: &str, value: Option<u64>| {
        if let Some(value) = value {
            let _ = write!(line, " {key} {value}");
        }
    };
    number("depth", info.depth.map(u64::from));
    number("seldepth", info.seldepth.map(u64::from));
    number("time", info.time.and_then(|time| u64::try_from(time.as_millis()).ok()));
    number("nodes", info.nodes);
    number("nps", info.nps);
    number("hashfull", info.hashfull.map(u64::from));
    number("multipv", info.multipv.map(u64::from));
    if let Some((score, bound)) = info.score {
        let _ = match score {
            Score::Cp(number) => write!(line, " score cp {number}"),
            Score::Win(None) => write!(line, " score mate +"),
            Score::Win(Some(plies)) => write!(line, " score mate {plies}"),
            Score::Loss(None) => write!(line, " score mate -"),
            Score::Loss(Some(plies)) => write!(line, " score mate -{plies}"),
        };
        line.push_str(match bound {
            Bound::Exact => "",
            Bound::Lower => " lowerbound",
            Bound::Upper => " upperbound",
        });
    }
    if !info.pv.is_empty() {
        line.push_str(" pv");
        for mv in &info.pv {
            let _ = write!(line, " {mv}");
        }
    }
    line
}

fn check_option(option: &AnnouncedOption) {
    assert!(!option.name.is_empty() && option.name.trim() == option.name);
    let fault = |value: &str| option.fault(value);
    match &option.kind {
        OptionKind::Check => assert!(fault("true").is_none() && fault("x").is_some()),
        OptionKind::Spin { min, max } => {
            assert!(fault("99999999999999999999").is_some());
            if min.zip(*max).is_none_or(|(min, max)| min <= max) {
                assert!(min.or(*max).is_none_or(|it| fault(&it.to_string()).is_none()));
            }
        }
        OptionKind::Combo(values) => {
            assert!(values.iter().all(|value| fault(value).is_none()), "{values:?}");
        }
        OptionKind::Button | OptionKind::Text => assert_eq!(fault("x"), None),
    }
}

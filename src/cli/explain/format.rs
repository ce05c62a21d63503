//! Scores, states of moves and other values as text.

use std::fmt::Write as _;

use kyomi_engine::search::{
    Bound, Score,
    explain::{EarlyCutoff, MoveStatus, MoveView, NodeView, Protection, Run},
};
use kyomi_shogi::Move;

/// Sixteenths of a point as points with one digit: `146.5`.
pub(super) fn points(sixteenths: i32) -> String {
    format!("{:.1}", f64::from(sixteenths) / 16.0)
}

/// The same, always with a sign.
pub(super) fn signed_points(sixteenths: i32) -> String {
    format!("{:+.1}", f64::from(sixteenths) / 16.0)
}

/// A sum of interest as points.
pub(super) fn sum_points(sixteenths: i64) -> String {
    format!("{:.1}", sixteenths as f64 / 16.0)
}

/// The effective interest as a share of the node's sum: `14.3%`.
pub(super) fn share(view: &MoveView, node: &NodeView) -> String {
    format!("{:.1}%", 100.0 * f64::from(view.effective) / node.sum.max(1) as f64)
}

/// `+62`, `+mate5`, `-mate4`; a win or loss by repetition is marked as such.
pub(super) fn score(score: Score) -> String {
    match score {
        Score::Cp(cp) if cp > kyomi_engine::eval::MAX => "+repetition".to_owned(),
        Score::Cp(cp) if cp < -kyomi_engine::eval::MAX => "-repetition".to_owned(),
        score => score.to_string(),
    }
}

/// `= +62`, `≤ -12`, `≥ +100`.
pub(super) fn bounded((value, bound): (Score, Bound)) -> String {
    let sign = match bound {
        Bound::Exact => '=',
        Bound::Lower => '≥',
        Bound::Upper => '≤',
    };
    format!("{sign} {}", score(value))
}

/// `812`, `81.2k`, `8.12M`.
pub(super) fn count(nodes: u64) -> String {
    match nodes {
        0..10_000 => nodes.to_string(),
        10_000..10_000_000 => format!("{:.1}k", nodes as f64 / 1e3),
        _ => format!("{:.2}M", nodes as f64 / 1e6),
    }
}

/// `200,000`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The budgets of the side to move and of the other side: `749 / 781`.
pub(super) fn budgets((us, them): (i32, i32)) -> String {
    format!("{us} / {them}")
}

/// `7g7f 3c3d`.
pub(super) fn moves(line: &[Move]) -> String {
    line.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// A bound of a window: `+62`, or `±∞`.
fn window_bound(value: i32) -> String {
    match value {
        ..=-32_000 => "-∞".to_owned(),
        32_000.. => "+∞".to_owned(),
        _ => format!("{value:+}"),
    }
}

/// `(-∞, +62)`.
pub(super) fn window((alpha, beta): (i32, i32)) -> String {
    format!("({}, {})", window_bound(alpha), window_bound(beta))
}

/// The status of a move, as a short text.
pub(super) fn status(status: MoveStatus) -> &'static str {
    match status {
        MoveStatus::Searched(None) => "searched",
        MoveStatus::Proven(Score::Win(_)) => "proven: mates",
        MoveStatus::Proven(_) => "proven: loses",
        MoveStatus::Searched(Some(Protection::First)) => "searched: first",
        MoveStatus::Searched(Some(Protection::Evasion)) => "searched: evasion",
        MoveStatus::Searched(Some(Protection::Principal)) => "searched: PV",
        MoveStatus::Searched(Some(Protection::AllLost)) => "searched: all lose",
        MoveStatus::Searched(Some(Protection::Reserve)) => "searched: reserve",
        MoveStatus::Unaffordable { .. } => "over the budget",
        MoveStatus::Unreached(_) => "after the cut-off",
        MoveStatus::NeedlessNonPromotion => "reserve: needless",
        MoveStatus::Implausible => "reserve: no point",
        MoveStatus::NodeEnded => "node ended",
        MoveStatus::Stopped => "not reached",
    }
}

/// The status of a move, as a sentence.
pub(super) fn status_sentence(view: &MoveView, node: &NodeView) -> String {
    let (us, _) = node.budgets;
    let root = node.line.is_empty();
    match view.status {
        MoveStatus::Proven(proven) => {
            let result = if matches!(proven, Score::Win(_)) { "mates" } else { "loses" };
            format!(
                "proven by the mate search beside the iterations: it {result}, {}",
                score(proven)
            )
        }
        MoveStatus::Searched(None) if root => {
            "searched: at the root every legal move is".to_owned()
        }
        MoveStatus::Searched(None) => "searched: the budget affords it".to_owned(),
        MoveStatus::Searched(Some(protection)) => {
            format!("searched nevertheless: {}", protection_text(protection))
        }
        MoveStatus::Unaffordable { sibling_surcharge } => format!(
            "not searched: its cost of {} and the {sibling_surcharge} that its siblings add are over the budget of {us}",
            view.cost.taken
        ),
        MoveStatus::Unreached(Some(by)) => {
            format!("not searched: {by} reached beta before its turn")
        }
        MoveStatus::Unreached(None) => "not searched: the node ended before its turn".to_owned(),
        MoveStatus::NeedlessNonPromotion => {
            "in the reserve: promoting is better; searched only if all other moves lose by force"
                .to_owned()
        }
        MoveStatus::Implausible => {
            "in the reserve: not plausible; searched only if all other moves lose by force"
                .to_owned()
        }
        MoveStatus::Stopped => "not searched: the search was stopped before its turn".to_owned(),
        MoveStatus::NodeEnded => {
            "not searched: the node ended before its moves were listed".to_owned()
        }
    }
}

fn protection_text(protection: Protection) -> &'static str {
    match protection {
        Protection::First => {
            "a node that does not end early searches one move regardless of its cost"
        }
        Protection::Evasion => "the first evasions are searched regardless of their cost",
        Protection::Principal => {
            "the first moves of the principal variation are searched regardless of their cost"
        }
        Protection::AllLost => "every move before it loses by force",
        Protection::Reserve => "every move of the list loses by force, so the reserve is searched",
    }
}

/// The reason that would end a node early, in a sentence.
pub(super) fn early((early, value): (EarlyCutoff, Score)) -> String {
    let score = score(value);
    match early {
        EarlyCutoff::Rules => format!("the rules end the game here: {score}"),
        EarlyCutoff::Table => {
            format!(
                "the table answers {score} for these budgets; the moves are searched for the explanation only"
            )
        }
        EarlyCutoff::Leaf => {
            format!(
                "a leaf: the side to move has less left than any move costs; the quiescence search returns {score}"
            )
        }
        EarlyCutoff::StaticNull => {
            format!(
                "the static evaluation is far above the window ({score}), which ends the node; the moves are searched for the explanation only"
            )
        }
        EarlyCutoff::NullMove => {
            format!(
                "even passing reaches beta ({score}), which ends the node; the moves are searched for the explanation only"
            )
        }
        EarlyCutoff::MateInOne(mv) => {
            format!("{mv} mates at once ({score}); the moves are searched for the explanation only")
        }
    }
}

/// The scores of a move's searches in order: `+70, at 150 +62, open +60`. The charge is stated where it changes.
pub(super) fn steps(run: &Run) -> String {
    let mut text = String::new();
    let mut charge = run.charge;
    for (at, step) in run.steps.iter().enumerate() {
        if at > 0 {
            text.push_str(", ");
        }
        if step.charge != charge {
            let _ = write!(text, "at {} ", step.charge);
            charge = step.charge;
        }
        if step.open && at > 0 {
            text.push_str("open ");
        }
        let _ = write!(text, "{:+}", step.score);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(points(2344), "146.5");
        assert_eq!(signed_points(-8), "-0.5");
        assert_eq!(
            (count(9999), count(81_234), count(12_345_678)),
            ("9999".into(), "81.2k".into(), "12.35M".into())
        );
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(grouped(12), "12");
        assert_eq!(bounded((Score::Cp(-12), Bound::Upper)), "≤ -12");
        assert_eq!(
            (score(Score::Loss(Some(4))), score(Score::Cp(31_870))),
            ("-mate4".into(), "+repetition".into())
        );
        assert_eq!(window((-32_001, 62)), "(-∞, +62)");
    }
}

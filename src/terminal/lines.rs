//! A game as plain lines for programs and files: one line per move, three at the end.

use std::time::Duration;

use super::scene::{Ending, MoveRow};

/// `PLY MOVE T BLACK_LEFT WHITE_LEFT SCORE`: the move in CSA notation, times in seconds, the score from black's side.
/// `-` stands for an unknown value or a clock without a limit.
pub(super) fn move_line(row: &MoveRow) -> String {
    let [black, white] = row.left.map(|left| left.map_or_else(|| "-".to_owned(), seconds));
    let score = row.score.map_or_else(|| "-".to_owned(), |score| score.to_string());
    format!("{} {} {} {black} {white} {score}\n", row.ply, row.csa, seconds(row.spent))
}

/// The lines `result:`, `reason:` and `record:`.
pub(super) fn ending_lines(ending: &Ending) -> String {
    let record = ending.record.as_deref().unwrap_or("-");
    format!("result: {}\nreason: {}\nrecord: {record}\n", ending.result, ending.reason)
}

/// Seconds, followed by the milliseconds without trailing zeros.
fn seconds(time: Duration) -> String {
    let millis = time.subsec_millis();
    if millis == 0 {
        return time.as_secs().to_string();
    }
    let text = format!("{}.{millis:03}", time.as_secs());
    text.trim_end_matches('0').to_owned()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use kyomi_shogi::{Color, Score};

    use super::*;

    #[test]
    fn a_move_is_six_words() {
        let row = MoveRow {
            ply: 12,
            color: Color::White,
            japanese: String::new(),
            csa: "-3334FU".to_owned(),
            spent: Duration::from_millis(1250),
            left: [Some(Duration::from_secs(58)), None],
            score: Some(Score::Cp(-120)),
        };
        expect!["12 -3334FU 1.25 58 - -120\n"].assert_eq(&move_line(&row));
        let row = MoveRow { score: None, left: [Some(Duration::ZERO); 2], ..row };
        expect!["12 -3334FU 1.25 0 0 -\n"].assert_eq(&move_line(&row));
    }

    #[test]
    fn an_end_is_three_lines() {
        let ending = Ending {
            result: "black".to_owned(),
            reason: "%TORYO".to_owned(),
            record: Some("logs/games/a.csa".to_owned()),
        };
        expect![[r"
            result: black
            reason: %TORYO
            record: logs/games/a.csa
        "]]
        .assert_eq(&ending_lines(&ending));
    }
}

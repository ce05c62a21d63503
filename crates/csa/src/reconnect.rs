//! The state of a running game that a server sends after a login that continues it: `BEGIN Reconnect_State` to
//! `END Reconnect_State`, after an offer with the present position (docs/csa-protocol.md, section 8).

use std::fmt;
use std::time::Duration;

use kyomi_shogi::Color;
use kyomi_shogi::notation::csa::sign;

use super::message::MoveWord;

/// The state of a game that continues. Values that are missing or unreadable are `None`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ReconnectState {
    /// `Current_Turn`
    pub turn: Option<Color>,
    /// `Black_Time_Remaining_Ms` and `White_Time_Remaining_Ms`, `[color]`: the time left at the start of the present
    /// turn, with the increment of the side's next move.
    pub remaining: [Option<Duration>; 2],
    /// `Turn_Spent_Ms` (kyomi): how long ago the present turn began.
    pub turn_spent: Option<Duration>,
    /// `Last_Move`
    pub last_move: Option<MoveWord>,
}

impl ReconnectState {
    /// The lines from `BEGIN Reconnect_State` to `END Reconnect_State`.
    pub fn to_lines(&self) -> Vec<String> {
        let mut lines = vec!["BEGIN Reconnect_State".to_owned()];
        let mut key = |name: &str, value: Option<&dyn fmt::Display>| {
            lines.extend(value.map(|value| format!("{name}:{value}")));
        };
        let turn = self.turn.map(sign);
        let [black, white] = self.remaining.map(|time| time.map(|time| time.as_millis()));
        let spent = self.turn_spent.map(|time| time.as_millis());
        key("Current_Turn", turn.as_ref().map(|it| it as _));
        key("Black_Time_Remaining_Ms", black.as_ref().map(|it| it as _));
        key("White_Time_Remaining_Ms", white.as_ref().map(|it| it as _));
        key("Turn_Spent_Ms", spent.as_ref().map(|it| it as _));
        key("Last_Move", self.last_move.as_ref().map(|it| it as _));
        lines.push("END Reconnect_State".to_owned());
        lines
    }
}

/// Collects the lines after `BEGIN Reconnect_State`.
#[derive(Clone, Debug, Default)]
pub struct ReconnectStateReader {
    state: ReconnectState,
    lines: usize,
}

impl ReconnectStateReader {
    /// Maximum number of lines; real servers send four or five.
    pub const MAX_LINES: usize = 64;

    /// Reads the next line. Returns the state once it is complete or too long.
    pub fn push(&mut self, line: &str) -> Option<ReconnectState> {
        self.lines += 1;
        let word = line.trim();
        if word == "END Reconnect_State" || self.lines > Self::MAX_LINES {
            return Some(std::mem::take(&mut self.state));
        }
        let (key, value) = word.split_once(':').unwrap_or((word, ""));
        let value = value.trim();
        let [black, white] = &mut self.state.remaining;
        match key.trim_end() {
            "Current_Turn" => {
                self.state.turn = match value {
                    "+" => Some(Color::Black),
                    "-" => Some(Color::White),
                    _ => None,
                };
            }
            "Black_Time_Remaining_Ms" => *black = parse_ms(value),
            "White_Time_Remaining_Ms" => *white = parse_ms(value),
            "Turn_Spent_Ms" => self.state.turn_spent = parse_ms(value),
            "Last_Move" => {
                let word = value.split(',').next().unwrap_or_default();
                self.state.last_move = MoveWord::parse(word.trim_end());
            }
            // Unknown keys are allowed everywhere.
            _ => {}
        }
        None
    }
}

/// Parses a number of milliseconds; a negative one counts as zero, as the time of a flag that has fallen.
fn parse_ms(value: &str) -> Option<Duration> {
    let (negative, digits) =
        value.strip_prefix('-').map_or((false, value), |digits| (true, digits));
    if digits.is_empty() || digits.len() > 15 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let ms = if negative { 0 } else { digits.parse().ok()? };
    Some(Duration::from_millis(ms))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Option<ReconnectState> {
        let mut reader = ReconnectStateReader::default();
        text.lines().find_map(|line| reader.push(line))
    }

    #[test]
    fn a_block_of_the_reference_server_is_parsed() {
        let state = read(
            "Current_Turn:+\r\nBlack_Time_Remaining_Ms:599500\nWhite_Time_Remaining_Ms: 600000\n\
             Last_Move:-3334FU,T3\nNew_Key:1\nEND Reconnect_State",
        );
        let ms = |ms| Some(Duration::from_millis(ms));
        let expected = ReconnectState {
            turn: Some(Color::Black),
            remaining: [ms(599_500), ms(600_000)],
            turn_spent: None,
            last_move: MoveWord::parse("-3334FU"),
        };
        assert_eq!(state, Some(expected));
    }

    #[test]
    fn invalid_values_are_missing() {
        let state = read(
            "Current_Turn:black\nBlack_Time_Remaining_Ms:-5\nWhite_Time_Remaining_Ms:99999999999999999999\n\
             Turn_Spent_Ms:soon\nLast_Move:7g7f\n\nCurrent_Turn\nEND Reconnect_State",
        );
        let remaining = [Some(Duration::ZERO), None];
        assert_eq!(state, Some(ReconnectState { remaining, ..ReconnectState::default() }));
    }

    #[test]
    fn a_block_without_an_end_is_cut_off() {
        assert_eq!(read("Current_Turn:-"), None);
        let endless = "Turn_Spent_Ms:7\n".repeat(ReconnectStateReader::MAX_LINES + 1);
        assert!(read(&endless).is_some());
    }

    fn any_state() -> impl Strategy<Value = ReconnectState> {
        let time = || prop::option::of((0u64..1_000_000_000_000).prop_map(Duration::from_millis));
        let turn = prop::option::of(prop::sample::select(&Color::ALL[..]));
        let last = prop::option::of("[+-][0-9]{4}[A-Z]{2}".prop_map(|word| word));
        (turn, time(), time(), time(), last).prop_map(|(turn, black, white, turn_spent, last)| {
            ReconnectState {
                turn,
                remaining: [black, white],
                turn_spent,
                last_move: last.and_then(|word| MoveWord::parse(&word)),
            }
        })
    }

    proptest! {
        #[test]
        fn written_states_are_read_back(state in any_state()) {
            let text = state.to_lines()[1..].join("\n");
            prop_assert_eq!(read(&text), Some(state));
        }
    }
}

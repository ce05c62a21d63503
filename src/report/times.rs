//! The times of a game, move by move: charged by the server, measured by us, and the least delay of the network.

use std::fmt::Write as _;
use std::time::Duration;

use kyomi_record::{EndKind, Header, Record};
use kyomi_shogi::clock::{Controls, OwnTurn, TimeControl, judge};
use kyomi_shogi::{Color, notation::csa};

/// A table of all moves with their times, then a sum for each side, and an explanation if the game was lost on time.
///
/// Our own measurements exist for games that kyomi played (see [`OwnTurn`]); for others the columns are empty. They
/// include the main time before each turn, which does not follow from the header if a side had a time handicap or the
/// game was resumed.
pub fn times_table(record: &Record) -> String {
    let mut text = String::from(
        "  ply  move       charged       left   measured   network      echo  ponder\n",
    );
    let mut sides =
        record.header.controls.map(|Controls { black, white }| [black, white].map(Side::new));
    let mut sums = [Sum::default(); 2];
    let mut position = record.start.clone();
    for (index, played) in record.moves.iter().enumerate() {
        let color = position.side_to_move();
        let word = csa::format_move(&position, played.mv);
        position.do_move(played.mv);
        let own = own_turn(&played.comments);
        let side = sides.as_mut().map(|sides| &mut sides[color.index()]);
        let left = side.and_then(|side| {
            side.set_main_time(own);
            side.charge(played.time)
        });
        sums[color.index()].add(played.time, own);
        let line = format!(
            "{:>5}  {word:<8} {:>9} {:>10} {:>10} {:>9} {:>9}  {}",
            index + 1,
            seconds(played.time),
            seconds(left),
            seconds(own.map(|own| own.measured)),
            seconds(own.zip(played.time).map(|(own, charged)| own.network_at_least(charged))),
            seconds(own.and_then(|own| own.echo)),
            own.and_then(|own| own.ponder_hit).map_or("", |hit| if hit { "hit" } else { "miss" }),
        );
        let _ = writeln!(text, "{}", line.trim_end());
    }
    for color in Color::ALL {
        let Header { black, white, .. } = &record.header;
        let name = if color == Color::Black { black } else { white };
        let name = name.as_deref().unwrap_or("unknown");
        let _ = writeln!(text, "{color} ({name}): {}", sums[color.index()].summary());
    }
    if let Some(words) = time_loss_text(record, position.side_to_move(), sides) {
        let _ = writeln!(text, "{words}");
    }
    text
}

fn own_turn(comments: &[String]) -> Option<OwnTurn> {
    comments.iter().find_map(|comment| comment.trim().parse().ok())
}

/// Why the flag fell, if the game ended by time.
fn time_loss_text(record: &Record, loser: Color, sides: Option<[Side; 2]>) -> Option<String> {
    let end = record.end.as_ref().filter(|end| end.kind == EndKind::TimeUp)?;
    let mut words = format!("{loser} lost on time");
    if let Some([black, white]) = sides {
        let mut side = if loser == Color::Black { black } else { white };
        side.set_main_time(own_turn(&end.comments));
        if let Some(flag) = judge::flag_after(&side.control, side.remaining) {
            let _ = write!(
                words,
                ": the flag fell {} s after the turn began ({} s of main time left)",
                seconds(Some(flag)),
                seconds(Some(side.remaining)),
            );
        }
    }
    if let Some(own) = own_turn(&end.comments) {
        let _ = write!(words, "; by our watch the turn lasted {} s", seconds(Some(own.measured)));
        match own.echo {
            Some(echo) => {
                let _ = write!(
                    words,
                    " until our move was sent, and the server said nothing to it for {} s",
                    seconds(Some(echo)),
                );
            }
            None => words.push_str(", and no move was sent"),
        }
    }
    Some(words)
}

/// One side's clock.
#[derive(Clone, Copy)]
struct Side {
    control: TimeControl,
    remaining: Duration,
}

impl Side {
    fn new(control: TimeControl) -> Self {
        Self { control, remaining: control.main_time() }
    }

    /// Sets the main time to what our session counted before this turn, if it did.
    fn set_main_time(&mut self, own: Option<OwnTurn>) {
        if let Some(before) = own.and_then(|own| own.before) {
            self.remaining = before;
        }
    }

    /// Charges a move and returns the main time left; `None` without a limit or a time.
    fn charge(&mut self, spent: Option<Duration>) -> Option<Duration> {
        if self.control.is_unlimited() {
            return None;
        }
        self.remaining = judge::remaining_after(&self.control, self.remaining, spent?);
        Some(self.remaining)
    }
}

/// The sums over one side's moves.
#[derive(Clone, Copy, Default)]
struct Sum {
    moves: u32,
    charged: Duration,
    /// Number of moves with our own measurement.
    own: u32,
    measured: Duration,
    network: Duration,
    longest_echo: Duration,
    ponders: u32,
    hits: u32,
}

impl Sum {
    fn add(&mut self, charged: Option<Duration>, own: Option<OwnTurn>) {
        self.moves += 1;
        self.charged = self.charged.saturating_add(charged.unwrap_or_default());
        let Some(own) = own else { return };
        self.own += 1;
        self.measured = self.measured.saturating_add(own.measured);
        let network = charged.map_or(Duration::ZERO, |charged| own.network_at_least(charged));
        self.network = self.network.saturating_add(network);
        self.longest_echo = self.longest_echo.max(own.echo.unwrap_or_default());
        self.ponders += u32::from(own.ponder_hit.is_some());
        self.hits += u32::from(own.ponder_hit == Some(true));
    }

    fn summary(&self) -> String {
        let mut words = format!("{} moves, charged {} s", self.moves, seconds(Some(self.charged)));
        if self.own > 0 {
            let _ = write!(
                words,
                ", measured {} s, network or a busy machine at least {} s, longest echo {} s",
                seconds(Some(self.measured)),
                seconds(Some(self.network)),
                seconds(Some(self.longest_echo)),
            );
        }
        if self.ponders > 0 {
            let _ = write!(words, ", ponder hits {} of {}", self.hits, self.ponders);
        }
        words
    }
}

/// Seconds to the millisecond; empty if unknown.
fn seconds(time: Option<Duration>) -> String {
    time.map_or_else(String::new, |time| format!("{:.3}", time.as_secs_f64()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kyomi_record::{End, RecordMove};
    use kyomi_shogi::{Position, notation::usi};

    fn played(mv: &str, ms: u64, comment: &str) -> RecordMove {
        let mut played = RecordMove::timed(usi::parse_move(mv).unwrap(), Duration::from_millis(ms));
        played.comments.push(comment.to_owned());
        played
    }

    fn lost_on_time() -> Record {
        let control = TimeControl::byoyomi(Duration::from_secs(10), Duration::from_secs(3));
        let header = Header {
            black: Some("own".to_owned()),
            controls: Some(Controls::both(control)),
            ..Header::default()
        };
        let mut record = Record::new(header, Position::startpos());
        record.moves = vec![
            played("7g7f", 9000, "turn: measured 8400 echo 12.5 before 10000"),
            played("3c3d", 4000, "a comment"),
            played("2g2f", 1000, "turn: measured 1020 echo 3 before 1000 ponder hit"),
            played("8c8d", 0, ""),
        ];
        record.end = Some(End {
            kind: EndKind::TimeUp,
            time: None,
            comments: vec!["turn: measured 2950 echo 60000 before 0 ponder miss".to_owned()],
            foul: None,
        });
        record
    }

    #[test]
    fn each_move_shows_who_spent_its_time() {
        let table = times_table(&lost_on_time());
        let lines: Vec<&str> = table.lines().collect();
        let words = |index: usize| lines[index].split_whitespace().collect::<Vec<_>>();
        assert_eq!(words(1), ["1", "+7776FU", "9.000", "1.000", "8.400", "0.600", "0.013"]);
        assert_eq!(words(2), ["2", "-3334FU", "4.000", "6.000"]);
        assert_eq!(words(3)[6..], ["0.003", "hit"]);
        assert_eq!(
            lines[5],
            "black (own): 2 moves, charged 10.000 s, measured 9.420 s, network or a busy machine at least 0.600 s, longest echo \
             0.013 s, ponder hits 1 of 1"
        );
        assert_eq!(
            lines[7],
            "black lost on time: the flag fell 3.000 s after the turn began (0.000 s of main time left); by our \
             watch the turn lasted 2.950 s until our move was sent, and the server said nothing to it for 60.000 s"
        );
    }

    #[test]
    fn the_main_time_of_our_own_clock_goes_before_the_header() {
        let mut record = lost_on_time();
        // A handicap of four seconds.
        record.moves[0].comments = vec!["turn: measured 2400 echo 12.5 before 6000".to_owned()];
        record.moves[0].time = Some(Duration::from_secs(3));
        record.moves[2].comments.clear();
        let end = record.end.as_mut().unwrap();
        end.comments = vec!["turn: measured 4800 echo 60000 before 1750".to_owned()];
        let table = times_table(&record);
        let left = |line: &str| line.split_whitespace().nth(3).unwrap().to_owned();
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!((left(lines[1]), left(lines[3])), ("3.000".to_owned(), "2.000".to_owned()));
        assert!(
            lines[7].contains("fell 5.000 s after the turn began (1.750 s of main time left)")
                || lines[7]
                    .contains("fell 4.750 s after the turn began (1.750 s of main time left)"),
            "{}",
            lines[7]
        );
    }

    #[test]
    fn a_record_without_times_has_empty_columns() {
        let mut record = Record::new(Header::default(), Position::startpos());
        record.moves = vec![RecordMove::new(usi::parse_move("7g7f").unwrap())];
        let table = times_table(&record);
        assert!(table.contains("    1  +7776FU\n"), "{table}");
        assert!(table.contains("black (unknown): 1 moves, charged 0.000 s\n"), "{table}");
    }
}

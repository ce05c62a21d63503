//! One moment of a record as text: board, hands, names, the last move with its analysis and comments.

use std::{fmt::Write as _, time::Duration};

use crate::report::{Moment, Script};
use kyomi_record::{End, Record, Winner};
use kyomi_shogi::{Color, Hand, Piece, notation::japanese, notation::sfen};

use super::{
    Surroundings, board, clean,
    style::{Line, Paint, Style},
};

/// The diagram as text, with a line end after each line: title, white's name and hand, the board, black's hand and
/// name, then ply, last move, time and comments, and at the end of the game the result.
///
/// It contains escape sequences for colour only if `surroundings` has a terminal with colours. Text from the record is
/// [`clean`]ed.
pub fn diagram(moment: &Moment<'_>, script: Script, surroundings: Surroundings) -> String {
    let is_coloured = surroundings.terminal && surroundings.colour;
    let paint = if is_coloured { Paint::Colour } else { Paint::Plain };
    let mut text = String::new();
    for line in lines(moment, script) {
        text.push_str(&line.render(usize::MAX, paint));
        text.push('\n');
    }
    text
}

fn lines(moment: &Moment<'_>, script: Script) -> Vec<Line> {
    let (record, position) = (moment.record(), moment.position());
    let mut lines = Vec::new();
    lines.extend(title(record));
    lines.push(player(moment, Color::White, script));
    lines.push(hand(position.hand(Color::White), script));
    lines.extend(board::draw(position, moment.last().map(|last| last.mv), script));
    lines.push(hand(position.hand(Color::Black), script));
    lines.push(player(moment, Color::Black, script));
    lines.push(Line::default());
    lines.push(last_move(moment, script));
    lines.extend(analysis(moment, script));
    comments(&mut lines, moment.comments());
    if moment.is_last()
        && let Some(end) = &record.end
    {
        lines.push(outcome(record, end));
        comments(&mut lines, end.foul.as_ref().map_or(&[], |foul| &foul.comments));
        comments(&mut lines, &end.comments);
    }
    lines
}

/// The event and the start time of the game, if known.
fn title(record: &Record) -> Option<Line> {
    let event = record.header.event.as_deref().map(clean).filter(|event| !event.is_empty());
    let start_time = record.header.start_time.map(|time| time.to_string());
    let parts: Vec<_> = [event, start_time].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| Line::styled(Style::Faint, parts.join("   ")))
}

/// `▲先手 name   to move`
fn player(moment: &Moment<'_>, color: Color, script: Script) -> Line {
    let side = match (script, color) {
        (Script::Japanese, _) => {
            let side = japanese::side_name(color, moment.is_handicap());
            format!("{}{side}", japanese::side_mark(color))
        }
        (Script::Letters, Color::Black) => "Black".to_owned(),
        (Script::Letters, Color::White) => "White".to_owned(),
    };
    let header = &moment.record().header;
    let name = match color {
        Color::Black => &header.black,
        Color::White => &header.white,
    };
    let name = name.as_deref().map(clean).unwrap_or_default();
    let text = format!("{side} {name}").trim_end().to_owned();
    if moment.position().side_to_move() == color {
        let mut line = Line::styled(Style::Strong, text);
        line.push(Style::Strong, "   to move");
        line
    } else {
        Line::plain(text)
    }
}

/// The pieces in hand: `  持駒 角 歩二`, or in letters `  hand B 2P`.
pub(crate) fn hand(hand: Hand, script: Script) -> Line {
    match script {
        Script::Japanese => Line::plain(format!("  持駒 {}", japanese::hand(hand))),
        Script::Letters => {
            let held = hand.iter().rev().map(|(kind, count)| {
                let letter = sfen::piece_letters(Piece::new(Color::Black, kind));
                if count > 1 { format!(" {count}{letter}") } else { format!(" {letter}") }
            });
            let held: String = held.collect();
            Line::plain(format!("  hand{}", if held.is_empty() { " -" } else { &held }))
        }
    }
}

/// `ply 3 of 150   ▲２二角成(88)   0:12`
fn last_move(moment: &Moment<'_>, script: Script) -> Line {
    let mut line =
        Line::styled(Style::Faint, format!("ply {} of {}", moment.ply(), moment.plies()));
    line.push(Style::Plain, "   ");
    match moment.last_text(script) {
        Some(text) => line.push(Style::Strong, text),
        None => line.push(Style::Plain, "start position"),
    }
    if let Some(time) = moment.last().and_then(|last| last.time) {
        line.push(Style::Plain, format!("   {}", spent(time)));
    }
    line
}

/// The score and the principal variation that the mover reported, if any.
fn analysis(moment: &Moment<'_>, script: Script) -> Option<Line> {
    let analysis = moment.last()?.analysis.as_ref()?;
    let mut parts = Vec::new();
    if let Some(score) = analysis.score {
        // Scores are from black's side, as everywhere in this module.
        parts.push(format!("score {score}"));
    }
    if !analysis.pv.is_empty() {
        let before = moment.last().map(|last| last.mv.to());
        parts.push(match script {
            Script::Japanese => japanese::line(moment.position(), &analysis.pv, before),
            Script::Letters => {
                let moves: Vec<_> = analysis.pv.iter().map(ToString::to_string).collect();
                moves.join(" ")
            }
        });
    }
    parts.retain(|part| !part.is_empty());
    (!parts.is_empty()).then(|| Line::plain(parts.join("   ")))
}

fn comments(lines: &mut Vec<Line>, comments: &[String]) {
    for line in comments.iter().flat_map(|comment| comment.lines()) {
        lines.push(Line::plain(format!("  {}", clean(line))));
    }
}

fn outcome(record: &Record, end: &End) -> Line {
    let result = match record.winner() {
        Some(Winner::Side(color)) => color.to_string(),
        Some(Winner::Draw) => "draw".to_owned(),
        None => "none".to_owned(),
    };
    let mut text = format!("result: {result}");
    let reason = clean(end.kind.word());
    if !reason.is_empty() {
        let _ = write!(text, "   reason: %{reason}");
    }
    if let Some(foul) = &end.foul {
        let _ = write!(text, "   illegal move: {}", foul.mv);
    }
    Line::styled(Style::Strong, text)
}

/// `1:02:03`, `4:05`, `0:09`, followed by the milliseconds without trailing zeros: `0:09.5`.
fn spent(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let mut text = match hours {
        0 => format!("{minutes}:{rest:02}"),
        _ => format!("{hours}:{minutes:02}:{rest:02}"),
    };
    let millis = time.subsec_millis();
    if millis > 0 {
        text.push_str(format!(".{millis:03}").trim_end_matches('0'));
    }
    text
}

#[cfg(test)]
mod tests;

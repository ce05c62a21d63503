//! The CSA server protocol: bytes to lines, lines to messages, lines to an offer.

use bytes::BytesMut;
use kyomi_csa::{
    ClientMessage, GameSummary, Line, LineCodec, LoginMode, MAX_LINE, MoveWord, ReadOptions,
    ReconnectState, ReconnectStateReader, ServerMessage, SummaryReader, WireTime,
};
use kyomi_shogi::notation::csa::RawMove;
use tokio_util::codec::{Decoder, Encoder};

use super::{fit_to_print, same, text};

/// The lines of a stream do not depend on how the stream is split into pieces, and equal those of a plain split.
///
/// The first eight bytes give the places where the stream is cut. A zero byte in the rest, followed by a count, stands
/// for that many thousand letters, so that lines over the limit are within reach.
pub(super) fn codec(data: &[u8]) {
    let (cuts, rest) = data.split_at(data.len().min(8));
    let mut stream = Vec::new();
    let mut bytes = rest.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            0 if stream.len() < 8 * MAX_LINE => {
                let count = bytes.next().copied().unwrap_or_default();
                stream.resize(stream.len() + 1000 * usize::from(count), b'x');
            }
            byte => stream.push(byte),
        }
    }
    let whole = decode(&[&stream]);
    assert_eq!(whole, split(&stream));

    let mut pieces = Vec::new();
    let mut left = stream.as_slice();
    for &cut in cuts {
        // Small steps, and large ones that cross the limit.
        let cut = if cut < 128 { usize::from(cut) } else { 1021 * usize::from(cut - 127) };
        let (piece, after) = left.split_at(left.len().min(cut));
        pieces.push(piece);
        left = after;
    }
    pieces.push(left);
    assert_eq!(decode(&pieces), whole);

    for line in &whole {
        let Line::Text(text) = line else { continue };
        let mut buffer = BytesMut::new();
        LineCodec::new().encode(text.as_str(), &mut buffer).unwrap();
        assert_eq!(buffer.iter().position(|byte| *byte == b'\n'), Some(buffer.len() - 1));
        let again = decode(&[&buffer]);
        let sent = text.replace('\r', " ");
        // Replacement characters are longer than what they replace.
        let expected = if sent.len() > MAX_LINE { Line::TooLong } else { Line::text(sent) };
        assert_eq!(again, [expected]);
    }
}

fn decode(pieces: &[&[u8]]) -> Vec<Line> {
    let mut codec = LineCodec::new();
    let mut buffer = BytesMut::new();
    let mut lines = Vec::new();
    for piece in pieces {
        buffer.extend_from_slice(piece);
        while let Some(line) = codec.decode(&mut buffer).unwrap() {
            lines.push(line);
        }
        assert!(buffer.len() <= MAX_LINE, "{} bytes are kept", buffer.len());
    }
    while let Some(line) = codec.decode_eof(&mut buffer).unwrap() {
        lines.push(line);
    }
    lines
}

/// The expected lines, computed from all bytes at once.
fn split(stream: &[u8]) -> Vec<Line> {
    let mut parts: Vec<&[u8]> = stream.split(|byte| *byte == b'\n').collect();
    if parts.last().is_some_and(|last| last.is_empty()) {
        parts.pop();
    }
    let line = |part: &[u8]| {
        if part.len() > MAX_LINE {
            return Line::TooLong;
        }
        Line::text(String::from_utf8_lossy(part.strip_suffix(b"\r").unwrap_or(part)))
    };
    parts.into_iter().map(line).collect()
}

/// A line of either side has the same meaning after writing and reading.
pub(super) fn server_message(data: &[u8]) {
    let line = text(data);
    let line = line.split('\n').next().unwrap_or_default();

    let message = ServerMessage::parse(line);
    let written = message.to_line();
    assert!(written.len() <= line.len() + 16, "{written:?}");
    assert_eq!(ServerMessage::parse(&written), message, "{written:?}");
    if let ServerMessage::Move { word, spent, .. } = &message {
        check_move(*word);
        if let Some(time) = spent {
            check_time(*time);
        }
    }

    let message = ClientMessage::parse(line);
    let written = message.to_line();
    assert!(written.len() <= line.len(), "{written:?}");
    assert_eq!(ClientMessage::parse(&written), message, "{written:?}");
    if let ClientMessage::Login { name, password, mode } = &message {
        let mode = match mode {
            LoginMode::Plain => String::new(),
            LoginMode::Extended => " x1".to_owned(),
            LoginMode::Reconnect { game_id, .. } => format!(" reconnect:{game_id}+***"),
        };
        assert_eq!(message.to_string(), format!("LOGIN {name} {password}{mode}"));
        assert!(!format!("{password:?}{password}").contains(|c: char| c != '*'));
    }
}

fn check_move(word: MoveWord) {
    assert_eq!(MoveWord::parse(word.as_str()), Some(word));
    if let Some(raw) = RawMove::parse(word.as_str()) {
        assert_eq!(raw.color, word.color());
    }
}

fn check_time(time: WireTime) {
    assert_eq!(WireTime::parse(&time.to_string()), Some(time));
    // Up to five hundred years in seconds; beyond that it is the longest possible time.
    let second = std::time::Duration::from_secs(1);
    let shorter = time.min(WireTime::whole(15_000_000_000));
    let ms = shorter.to_duration(second).as_millis();
    assert_eq!(WireTime::from_thousandths(ms as u64), shorter);
    assert!(time.to_duration(second) >= shorter.to_duration(second));
}

/// A playable offer can be set up, and is unchanged after writing and reading.
pub(super) fn game_summary(data: &[u8]) {
    let (flags, rest) = data.split_at(data.len().min(1));
    let minute_is_stop_watch = flags.first().is_some_and(|byte| byte & 1 == 1);
    let options = ReadOptions { minute_is_stop_watch };
    let text = text(rest);
    let summary = match GameSummary::parse(text.split('\n'), options) {
        Ok(summary) => summary,
        Err(error) => return fit_to_print(&error),
    };
    let game = summary.game().expect("an offer that was read is legal");
    assert_eq!(game.position().side_to_move(), summary.to_move());
    assert!(summary.moves.len() <= SummaryReader::MAX_BYTES / 7);
    assert!(!summary.game_id.is_empty() && summary.max_moves != Some(0));

    let again = reread(&summary, options);
    // Times are written rounded down to the unit, and the keys of separate sections as plain keys.
    let expected = GameSummary { times: again.times, other: again.other.clone(), ..summary };
    same(&again, &expected, &again.to_lines().join("\n"));
    same(&reread(&again, options), &again, &again.to_lines().join("\n"));
}

fn reread(summary: &GameSummary, options: ReadOptions) -> GameSummary {
    let lines = summary.to_lines();
    GameSummary::parse(lines.iter().map(String::as_str), options)
        .unwrap_or_else(|error| panic!("{error}: {lines:#?}"))
}

/// The state of a game is complete after a bounded number of lines, and is unchanged after writing and reading.
pub(super) fn reconnect_state(data: &[u8]) {
    let text = text(data);
    let Some(state) = read_state(text.split('\n')) else {
        assert!(text.split('\n').count() <= ReconnectStateReader::MAX_LINES);
        return;
    };
    let lines = state.to_lines();
    let again = read_state(lines[1..].iter().map(String::as_str)).expect("it ends");
    same(&again, &state, &lines.join("\n"));
}

fn read_state<'a>(mut lines: impl Iterator<Item = &'a str>) -> Option<ReconnectState> {
    let mut reader = ReconnectStateReader::default();
    lines.find_map(|line| reader.push(line))
}

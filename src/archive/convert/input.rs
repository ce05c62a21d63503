//! Reads a file in pieces, and the games of each piece.

use std::io::{self, ErrorKind, Read};

use kyomi_record::{
    Encoding, Format, LONGEST_LINE, Pieces, Place, ReadRecord, RecordError, RecordFault, decode_as,
    in_utf8, is_utf16,
};

use super::ConvertError;

/// A file that is being read. Its first bytes can be examined beforehand.
pub(super) struct InputFile<R> {
    reader: R,
    /// Bytes that were read and not yet used.
    buffer: Vec<u8>,
    has_ended: bool,
    /// The number of bytes read.
    pub(super) bytes: u64,
    limits: ReadLimits,
}

/// How much is kept in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReadLimits {
    /// The largest file that is read as a whole; `None` for the limit of its format.
    pub(super) file: Option<usize>,
    pub(super) line: usize,
}

impl ReadLimits {
    pub(super) const USUAL: Self = Self { file: None, line: LONGEST_LINE };

    /// The largest file of this format that is read as a whole.
    pub(super) fn file(self, format: Format) -> usize {
        let of_format = || format.largest_file().unwrap_or(self.line);
        self.file.unwrap_or_else(of_format)
    }
}

/// Whether to continue after a game.
pub(super) type Flow = std::ops::ControlFlow<()>;

impl<R: Read> InputFile<R> {
    pub(super) const fn new(reader: R, limits: ReadLimits) -> Self {
        Self { reader, buffer: Vec::new(), has_ended: false, bytes: 0, limits }
    }

    /// The first bytes, at most `most` of them. They stay in the buffer.
    pub(super) fn head(&mut self, most: usize) -> io::Result<&[u8]> {
        while self.buffer.len() < most && !self.has_ended {
            self.fill()?;
        }
        Ok(&self.buffer[..self.buffer.len().min(most)])
    }

    /// Passes the games, and faults, to `take` one by one, until it asks to stop.
    pub(super) fn each_game(
        &mut self,
        format: Format,
        forced: Option<Encoding>,
        mut take: impl FnMut(u64, Result<ReadRecord, ConvertError>) -> Flow,
    ) {
        let mut games =
            GameReader { format, forced, before: 0, found: false, empty: None, is_bad: false };
        let done = match format.pieces() {
            Pieces::Whole => self.whole(&mut games, &mut take),
            // UTF-16 cannot be cut at single bytes.
            Pieces::Lines if is_utf16(&self.buffer) => self.whole(&mut games, &mut take),
            Pieces::Lines => self.lines(&mut games, &mut take),
            Pieces::Rows(bytes) => self.rows(bytes.max(1), &mut games, &mut take),
        };
        let flow = match done {
            Ok(flow) => flow,
            Err(error) => take(self.bytes, Err(error)),
        };
        if flow.is_continue()
            && !games.found
            && let Some(empty) = games.empty
        {
            let _ = take(self.bytes, Err(empty.into()));
        } else if games.is_bad
            && flow.is_continue()
            && let Some(encoding) = forced
        {
            let _ = take(self.bytes, Err(ConvertError::Encoding(encoding)));
        }
    }

    fn whole(&mut self, games: &mut GameReader, take: Take<'_>) -> Result<Flow, ConvertError> {
        let most = self.limits.file(games.format);
        while !self.has_ended {
            if self.buffer.len() > most {
                return Err(ConvertError::TooLarge { most });
            }
            self.fill().map_err(ConvertError::Read)?;
        }
        let bytes = std::mem::take(&mut self.buffer);
        if bytes.len() > most {
            return Err(ConvertError::TooLarge { most });
        }
        // An encoding that was named is applied in `GameReader::read`.
        let is_list = games.format.pieces() == Pieces::Lines && games.forced.is_none();
        let bytes = if is_list { in_utf8(bytes) } else { bytes };
        Ok(games.read(&bytes, self.bytes, take))
    }

    fn rows(
        &mut self,
        row: usize,
        games: &mut GameReader,
        take: Take<'_>,
    ) -> Result<Flow, ConvertError> {
        loop {
            let is_last = self.has_ended;
            // An incomplete row at the end is left to the format's reader, which reports it.
            let part = if is_last { 0 } else { self.buffer.len() % row };
            let end = self.buffer.len() - part;
            if end > 0 || is_last {
                let continues = !is_last && end < LONGEST_GAME;
                let (flow, rows) =
                    games.read_rows(&self.buffer[..end], continues, self.bytes, take);
                games.before += rows;
                self.buffer.drain(..end.min(rows * row));
                if is_last || flow.is_break() {
                    return Ok(flow);
                }
            }
            self.fill().map_err(ConvertError::Read)?;
        }
    }

    fn lines(&mut self, games: &mut GameReader, take: Take<'_>) -> Result<Flow, ConvertError> {
        // The number of bytes of the buffer that were searched for a line end without success.
        let mut searched = 0;
        loop {
            let found = self.buffer[searched..].iter().rposition(|byte| *byte == b'\n');
            let end = match found {
                Some(at) => searched + at + 1,
                None if self.has_ended => self.buffer.len(),
                None => 0,
            };
            let is_last = self.has_ended && end == self.buffer.len();
            if end > 0 || is_last {
                let flow = games.read(&self.buffer[..end], self.bytes, take);
                games.before += self.buffer[..end].split(|byte| *byte == b'\n').count() - 1;
                self.buffer.drain(..end);
                if is_last || flow.is_break() {
                    return Ok(flow);
                }
            }
            searched = self.buffer.len();
            if searched > self.limits.line {
                games.before += 1;
                games.found = true;
                let place = Place::text(games.before, self.limits.line);
                if take(self.bytes, Err(ConvertError::LongLine(place))).is_break() {
                    return Ok(Flow::Break(()));
                }
                self.skip_line().map_err(ConvertError::Read)?;
                searched = 0;
            }
            if !self.has_ended {
                self.fill().map_err(ConvertError::Read)?;
            }
        }
    }

    /// Drops everything up to the next line end.
    fn skip_line(&mut self) -> io::Result<()> {
        loop {
            if let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
                self.buffer.drain(..=end);
                return Ok(());
            }
            self.buffer.clear();
            if self.has_ended {
                return Ok(());
            }
            self.fill()?;
        }
    }

    /// Reads more bytes, once.
    fn fill(&mut self) -> io::Result<()> {
        let old = self.buffer.len();
        self.buffer.resize(old + READ_AT_ONCE, 0);
        let read = loop {
            match self.reader.read(&mut self.buffer[old..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                done => break done,
            }
        };
        let count = read.as_ref().map_or(0, |count| *count);
        self.buffer.truncate(old + count);
        self.bytes += count as u64;
        self.has_ended = matches!(read, Ok(0));
        read.map(|_| ())
    }
}

/// Takes the games, with the number of bytes of the file that were read.
type Take<'a> = &'a mut dyn FnMut(u64, Result<ReadRecord, ConvertError>) -> Flow;

/// Reads games from the pieces of a file.
struct GameReader {
    format: Format,
    forced: Option<Encoding>,
    /// The number of lines or rows before the piece.
    before: usize,
    /// Whether any game or fault was passed on.
    found: bool,
    /// The error of a piece without a game. It is reported only if the whole file has none.
    empty: Option<RecordError>,
    /// Whether the file has bytes that are invalid in the encoding that was named.
    is_bad: bool,
}

impl GameReader {
    fn read(&mut self, bytes: &[u8], bytes_read: u64, take: Take<'_>) -> Flow {
        if self.format.is_binary() {
            return self.read_each(bytes, None, bytes_read, take);
        }
        let Some(encoding) = self.forced else {
            return self.read_each(bytes, None, bytes_read, take);
        };
        let (text, is_right) = decode_as(bytes, encoding);
        self.is_bad |= !is_right;
        // The byte order mark of UTF-8 prevents the format's reader from detecting another encoding.
        let bytes = format!("\u{feff}{text}").into_bytes();
        self.read_each(&bytes, Some(encoding), bytes_read, take)
    }

    fn read_each(
        &mut self,
        bytes: &[u8],
        encoding: Option<Encoding>,
        bytes_read: u64,
        take: Take<'_>,
    ) -> Flow {
        for game in self.format.read_each(bytes) {
            self.hand_out(game, encoding, bytes_read, take)?;
        }
        Flow::Continue(())
    }

    /// Reads rows, and returns the number of rows used. If the file continues, the last game may continue too: it is
    /// read again with the next piece then.
    fn read_rows(
        &mut self,
        bytes: &[u8],
        continues: bool,
        bytes_read: u64,
        take: Take<'_>,
    ) -> (Flow, usize) {
        // A game has a row for each move.
        let length = |game: &Result<ReadRecord, RecordError>| match game {
            Ok(game) => game.record.moves.len().max(1),
            Err(_) => 1,
        };
        let (mut rows, mut last) = (0, None);
        for game in self.format.read_each(bytes) {
            if let Some(whole) = last.replace(game) {
                rows += length(&whole);
                if self.hand_out(whole, None, bytes_read, take).is_break() {
                    return (Flow::Break(()), rows);
                }
            }
        }
        match last {
            Some(last) if last.is_err() || !continues => {
                rows += length(&last);
                (self.hand_out(last, None, bytes_read, take), rows)
            }
            _ => (Flow::Continue(()), rows),
        }
    }

    fn hand_out(
        &mut self,
        game: Result<ReadRecord, RecordError>,
        encoding: Option<Encoding>,
        bytes_read: u64,
        take: Take<'_>,
    ) -> Flow {
        let game = match game {
            Ok(game) => Ok(self.moved(game, encoding)),
            Err(error) => {
                let error = RecordError { place: error.place.shifted(self.before), ..error };
                if matches!(error.fault, RecordFault::NoGame { .. })
                    && self.format.pieces() != Pieces::Whole
                {
                    self.empty.get_or_insert(error);
                    return Flow::Continue(());
                }
                Err(error.into())
            }
        };
        self.found = true;
        take(bytes_read, game)
    }

    /// A game with the places and the encoding that it has in the whole file.
    fn moved(&self, mut game: ReadRecord, encoding: Option<Encoding>) -> ReadRecord {
        if let Some(fault) = &mut game.fault {
            fault.place = fault.place.shifted(self.before);
        }
        for warning in &mut game.warnings {
            warning.place = warning.place.shifted(self.before);
        }
        game.encoding = encoding.or(game.encoding);
        game
    }
}

/// A game of rows that is longer than this (100,000 moves and more) is cut, in bytes.
const LONGEST_GAME: usize = 4 << 20;

/// The number of bytes read at once: enough for the cost of system calls not to matter.
const READ_AT_ONCE: usize = 1 << 18;

//! Splits files into units of work.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use flate2::bufread::MultiGzDecoder;

use super::fault::Fault;
use super::find::extension;
use super::member_name::member_name;
use super::unit::{Content, FileKey, Unit};
use super::utf16::Utf16Reader;
use crate::archive::index::{KnownFile, KnownFiles};
use kyomi_record::{GameColumns, HEAD_BYTES, in_utf8, is_utf16, read_bounded};

/// What the producer says beside the pieces.
pub(super) enum Note {
    /// A file or a member of an archive, with its size, was read before or holds no games.
    Skipped(u64),
    /// A file that was read before is broken.
    Broken(Fault),
}

/// Whether to continue.
pub(super) type Flow = std::ops::ControlFlow<()>;

/// Cuts files into pieces, in order.
pub(super) struct Producer<'a> {
    pub(super) known: &'a KnownFiles,
    /// Takes the pieces.
    pub(super) put: &'a mut dyn FnMut(Unit) -> Flow,
    /// Takes the notes.
    pub(super) note: &'a mut dyn FnMut(Note),
}

impl Producer<'_> {
    /// Cuts one file.
    pub(super) fn file(&mut self, path: &Path) -> Flow {
        let name = path.to_string_lossy().into_owned();
        let metadata = match fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) => return self.unreadable(name, &error),
        };
        let changed = metadata.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let file = FileKey {
            path: name.clone(),
            member: String::new(),
            size: i64::try_from(metadata.len()).unwrap_or(i64::MAX),
            stamp: changed.map_or(0, |at| i64::try_from(at.as_nanos()).unwrap_or(i64::MAX)),
        };
        let bytes = metadata.len();
        if self.skips_known(&file, bytes) {
            return Flow::Continue(());
        }
        let opened = match File::open(path) {
            Ok(opened) => opened,
            Err(error) => return self.unreadable(name, &error),
        };
        match extension(path).as_deref() {
            Some("zip") => self.zip(&file, opened, bytes),
            Some("gz") => {
                let inner = PathBuf::from(name.strip_suffix(".gz").unwrap_or(&name));
                let reader = MultiGzDecoder::new(BufReader::with_capacity(BUFFER, opened));
                let limit = unpacked_limit(bytes);
                self.stream(file, &inner, BufReader::with_capacity(BUFFER, reader), limit, bytes)
            }
            _ => self.stream(file, path, BufReader::with_capacity(BUFFER, opened), u64::MAX, bytes),
        }
    }

    fn unreadable(&mut self, path: String, error: &io::Error) -> Flow {
        // Its size and time are not known, so the next import tries it again.
        let file = FileKey { path, member: String::new(), size: -1, stamp: -1 };
        self.fault(file, format!("cannot be read: {error}"), 0)
    }

    /// Whether a file has not changed since it was read to its end. If it is broken, that is said again.
    fn skips_known(&mut self, file: &FileKey, bytes: u64) -> bool {
        let Some(known) = self.known(file).filter(|known| known.done) else { return false };
        if known.faults > 0 {
            let count = usize::try_from(known.faults).unwrap_or(usize::MAX);
            let reasons = known.fault.clone().into_iter().collect();
            (self.note)(Note::Broken(Fault { file: file.name(), reasons, count }));
        }
        (self.note)(Note::Skipped(bytes));
        true
    }

    /// What is known of a file that has not changed.
    fn known(&self, file: &FileKey) -> Option<&KnownFile> {
        let known = self.known.get(&file.path)?.get(&file.member)?;
        ((known.size, known.stamp) == (file.size, file.stamp)).then_some(known)
    }

    fn fault(&mut self, file: FileKey, fault: String, bytes: u64) -> Flow {
        let content = Content::Fault(fault);
        (self.put)(Unit { file: Arc::new(file), content, lines: 0, is_last: true, bytes })
    }

    /// Cuts the content of a file: tables and lists by lines, others not at all. `bytes` is the size of the file, which
    /// stands for all of its pieces.
    fn stream(
        &mut self,
        file: FileKey,
        name: &Path,
        mut reader: impl BufRead,
        limit: u64,
        bytes: u64,
    ) -> Flow {
        let mut head = Vec::new();
        if let Err(error) = reader.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut head) {
            return self.fault(file, format!("cannot be read: {error}"), bytes);
        }
        let is_wide = is_utf16(&head);
        let text = if is_wide { in_utf8(head.clone()) } else { head.clone() };
        let first_line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let columns = GameColumns::parse(&String::from_utf8_lossy(first_line));
        if columns.is_none() && !Unit::is_list(name, &text) {
            let most = LARGEST_FILE.min(usize::try_from(limit).unwrap_or(usize::MAX));
            let rest = read_bounded(reader, most.saturating_sub(head.len()));
            return match rest {
                Ok(rest) => {
                    head.extend_from_slice(&rest);
                    let content = Content::Whole(head);
                    let file = Arc::new(file);
                    (self.put)(Unit { file, content, lines: 0, is_last: true, bytes })
                }
                Err(error) if error.kind() == ErrorKind::FileTooLarge => {
                    self.fault(file, format!("larger than {} MiB", most >> 20), bytes)
                }
                Err(error) => self.fault(file, format!("cannot be read: {error}"), bytes),
            };
        }
        let skipped = self.known(&file).map_or(0, |known| known.lines);
        let mut lines = LineCutter {
            file: Arc::new(file),
            columns: columns.map(Arc::new),
            number: 0,
            skipped: usize::try_from(skipped).unwrap_or(0),
            bytes,
        };
        let is_big_endian = head.starts_with(&[0xFE, 0xFF]) || head.first() == Some(&0);
        let bytes = io::Cursor::new(head).chain(reader);
        if !is_wide {
            return lines.cut(bytes, limit, self.put);
        }
        let text = Utf16Reader::new(bytes, is_big_endian);
        lines.cut(BufReader::with_capacity(BUFFER, text), limit, self.put)
    }

    /// Cuts the members of a zip archive. Their names are used for messages and formats only.
    fn zip(&mut self, archive: &FileKey, mut opened: File, bytes: u64) -> Flow {
        let listed = listed_members(&mut opened);
        let mut zip = match zip::ZipArchive::new(BufReader::with_capacity(BUFFER, opened)) {
            Ok(zip) => zip,
            Err(error) => return self.fault(archive.clone(), format!("no zip: {error}"), bytes),
        };
        let count = zip.len();
        if count > MOST_MEMBERS {
            let fault = format!("{count} members; at most {MOST_MEMBERS} are read");
            return self.fault(archive.clone(), fault, bytes);
        }
        let mut left = unpacked_limit(bytes);
        // Each member counts as its share of the size of the archive.
        let share = bytes / count.max(1) as u64;
        let mut seen = HashSet::new();
        for index in 0..count {
            let member = match zip.by_index(index) {
                Ok(member) => member,
                Err(error) => {
                    let member = format!("member {}", index + 1);
                    seen.insert(member.clone());
                    let file = FileKey { member, ..archive.clone() };
                    self.fault(file, format!("cannot be read: {error}"), share)?;
                    continue;
                }
            };
            let name = member_name(member.name_raw());
            if member.is_dir() || !is_wanted(&name) {
                (self.note)(Note::Skipped(share));
                continue;
            }
            let file = FileKey {
                path: archive.path.clone(),
                member: unique_name(&name, index, &mut seen),
                size: i64::try_from(member.size()).unwrap_or(i64::MAX),
                stamp: i64::from(member.crc32()),
            };
            if self.skips_known(&file, share) {
                continue;
            }
            let most = left.min(LARGEST_FILE as u64);
            match unpacked(member, Path::new(&name), most) {
                Ok((inner, content)) => {
                    left = left.saturating_sub(content.len() as u64);
                    self.stream(file, &inner, io::Cursor::new(content), u64::MAX, share)?;
                }
                Err(error) if error.kind() == ErrorKind::FileTooLarge => {
                    self.fault(file, format!("unpacks to more than {} MiB", most >> 20), share)?;
                    left = left.saturating_sub(most);
                    if left == 0 {
                        let fault = "unpacks to too much; the rest is not read".to_owned();
                        return self.fault(archive.clone(), fault, 0);
                    }
                }
                Err(error) => self.fault(file, format!("cannot be read: {error}"), share)?,
            }
        }
        self.gone_members(archive, &seen)?;
        if let Some(listed) = listed.filter(|listed| *listed > count) {
            let fault = format!(
                "has {listed} members but {count} names; of members of one name only the last is read"
            );
            return self.fault(archive.clone(), fault, 0);
        }
        Flow::Continue(())
    }

    /// Says which members of an earlier import the archive no longer has.
    fn gone_members(&mut self, archive: &FileKey, seen: &HashSet<String>) -> Flow {
        let known = self.known.get(&archive.path).into_iter().flatten();
        for (member, _) in known.filter(|(member, _)| !seen.contains(*member)) {
            let file = FileKey { member: member.clone(), ..archive.clone() };
            let content = Content::Gone;
            (self.put)(Unit { file: Arc::new(file), content, lines: 0, is_last: true, bytes: 0 })?;
        }
        Flow::Continue(())
    }
}

/// The name of a member among those that were seen before it. Different bytes may be the same text; the end of the name
/// stays, since it tells the format.
fn unique_name(name: &str, index: usize, seen: &mut HashSet<String>) -> String {
    let mut unique = name.to_owned();
    while !seen.insert(unique.clone()) {
        unique = format!("member {}: {unique}", index + 1);
    }
    unique
}

/// The content of a member of at most `most` bytes, unpacked again if its name ends with `.gz`, and the name without
/// that.
fn unpacked(mut member: impl Read, name: &Path, most: u64) -> io::Result<(PathBuf, Vec<u8>)> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let content = read_bounded(&mut member, most)?;
    if extension(name).is_some_and(|extension| extension == "gz") {
        let content = read_bounded(MultiGzDecoder::new(content.as_slice()), most)?;
        return Ok((name.with_extension(""), content));
    }
    Ok((name.to_owned(), content))
}

/// The number of members that the end of a zip archive states; `None` if it is large or cannot be read. The zip reader
/// knows one member of each name.
fn listed_members(archive: &mut File) -> Option<usize> {
    let length = archive.seek(SeekFrom::End(0)).ok()?;
    archive.seek(SeekFrom::Start(length.saturating_sub(LONGEST_END))).ok()?;
    let mut end = Vec::new();
    archive.by_ref().take(LONGEST_END).read_to_end(&mut end).ok()?;
    archive.rewind().ok()?;
    let at = end.windows(END.len()).rposition(|bytes| bytes == END)?;
    let count = u16::from_le_bytes(end.get(at + 10..at + 12)?.try_into().ok()?);
    (count < u16::MAX).then_some(usize::from(count))
}

/// The mark of the end of a zip archive.
const END: &[u8] = b"PK\x05\x06";

/// The longest end of a zip archive, with its comment.
const LONGEST_END: u64 = 22 + 65_535;

/// Whether a member of an archive can hold games, by its name.
fn is_wanted(name: &str) -> bool {
    let path = Path::new(name);
    let hidden = name.rsplit('/').next().is_some_and(|last| last.starts_with('.'));
    let text = extension(path).is_some_and(|extension| extension == "txt");
    !hidden && !name.starts_with("__MACOSX/") && (super::find::has_known_name(path) || text)
}

/// Cuts a table or a list into pieces of whole lines.
struct LineCutter {
    file: Arc<FileKey>,
    columns: Option<Arc<GameColumns>>,
    /// The number of lines read.
    number: usize,
    /// The number of lines that an earlier import has read.
    skipped: usize,
    bytes: u64,
}

impl LineCutter {
    fn cut(
        &mut self,
        mut reader: impl BufRead,
        limit: u64,
        put: &mut dyn FnMut(Unit) -> Flow,
    ) -> Flow {
        let mut read = 0;
        let mut text = Vec::new();
        let mut first_line = 1;
        let mut shares = Shares { left: self.bytes };
        loop {
            let before = text.len();
            let line = (&mut reader).take(LONGEST_LINE as u64).read_until(b'\n', &mut text);
            let fault = match line {
                Ok(0) => break,
                Ok(count) => {
                    read += count as u64;
                    self.number += 1;
                    let is_long = count >= LONGEST_LINE && text.last() != Some(&b'\n');
                    if read > limit {
                        Some("unpacks to too much; the rest is not read".to_owned())
                    } else if is_long {
                        Some(format!(
                            "line {}: longer than {} KiB; the rest is not read",
                            self.number,
                            LONGEST_LINE >> 10
                        ))
                    } else {
                        None
                    }
                }
                Err(error) => Some(format!("after line {}: cannot be read: {error}", self.number)),
            };
            if let Some(fault) = fault {
                text.truncate(before);
                self.put(&mut text, &mut first_line, false, &mut shares, put)?;
                let file = Arc::clone(&self.file);
                let content = Content::Fault(fault);
                let lines = self.number as i64;
                return put(Unit { file, content, lines, is_last: true, bytes: shares.left });
            }
            if self.number <= self.skipped {
                text.clear();
                first_line = self.number + 1;
            } else if text.len() >= PIECE {
                self.put(&mut text, &mut first_line, false, &mut shares, put)?;
            }
        }
        self.put(&mut text, &mut first_line, true, &mut shares, put)
    }

    fn put(
        &self,
        text: &mut Vec<u8>,
        first_line: &mut usize,
        is_last: bool,
        shares: &mut Shares,
        put: &mut dyn FnMut(Unit) -> Flow,
    ) -> Flow {
        let text = std::mem::take(text);
        // The unpacked size of a packed text is not known before its end.
        let bytes = if is_last { shares.left } else { shares.take(text.len() as u64 / 4) };
        let content = match &self.columns {
            _ if text.is_empty() => Content::Nothing,
            Some(columns) => {
                Content::Rows { columns: Arc::clone(columns), text, first_line: *first_line }
            }
            None => Content::Lines { text, first_line: *first_line },
        };
        *first_line = self.number + 1;
        let file = Arc::clone(&self.file);
        put(Unit { file, content, lines: self.number as i64, is_last, bytes })
    }
}

/// The bytes of a file that are not yet attributed to a piece.
struct Shares {
    left: u64,
}

impl Shares {
    fn take(&mut self, bytes: u64) -> u64 {
        let bytes = bytes.min(self.left);
        self.left -= bytes;
        bytes
    }
}

/// The largest unpacked size of an archive. Records are compressed to about a tenth; a hundredth is not plausible.
const fn unpacked_limit(bytes: u64) -> u64 {
    bytes.saturating_mul(100).saturating_add(256 << 20)
}

/// The largest file that is read as a whole: 64 MiB.
const LARGEST_FILE: usize = 64 << 20;

/// The largest number of members of an archive.
const MOST_MEMBERS: usize = 5_000_000;

/// The longest line of a table or a list, enough for a game of thirty thousand plies with scores and times.
const LONGEST_LINE: usize = 1 << 20;

/// The size of a piece of a list.
const PIECE: usize = 1 << 18;

const BUFFER: usize = 1 << 16;

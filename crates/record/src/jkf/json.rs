//! JSON as a flat list: nesting of any depth needs no stack, and every value has its position in the text.

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::{Place, RecordError, RecordFault};

/// A parsed text.
#[derive(Debug)]
pub(super) struct Document<'a> {
    text: &'a str,
    /// Each value before its content. The content of an object alternates between keys and values.
    entries: Vec<Entry>,
    /// The line and column of every [`STRIDE`]th byte: a file may cause a hundred thousand warnings, all on one long
    /// line. Computed for the first one.
    marks: OnceCell<Vec<Mark>>,
}

/// A byte of a text with its line and column.
#[derive(Clone, Copy, Debug)]
struct Mark {
    at: usize,
    line: usize,
    column: usize,
}

impl Mark {
    const BEGIN: Self = Self { at: 0, line: 1, column: 1 };

    fn step(&mut self, c: char) {
        self.at += c.len_utf8();
        if c == '\n' {
            (self.line, self.column) = (self.line + 1, 1);
        } else {
            self.column += 1;
        }
    }
}

/// The distance between two marks, in bytes.
const STRIDE: usize = 4096;

#[derive(Clone, Copy, Debug)]
struct Entry {
    kind: Kind,
    /// Its first byte, and the byte after its last.
    from: usize,
    to: usize,
    /// The index of the entry after all its content.
    next: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Null,
    Bool(bool),
    Number,
    Text,
    List,
    Object,
}

/// A value of a document.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node<'d> {
    document: &'d Document<'d>,
    index: usize,
}

impl<'a> Document<'a> {
    /// Parses a text.
    ///
    /// # Errors
    /// The place where it is not JSON.
    pub(super) fn parse(text: &'a str) -> Result<Self, RecordError> {
        let mut parser = Parser { text, at: 0, entries: Vec::new() };
        match parser.run() {
            Ok(()) => Ok(Self { text, entries: parser.entries, marks: OnceCell::new() }),
            Err(expected) => {
                let rest = text.get(parser.at..).unwrap_or_default();
                let found = rest.chars().next();
                let fault = RecordFault::Json { found, expected };
                let empty = Self { text, entries: Vec::new(), marks: OnceCell::new() };
                Err(empty.place(parser.at).error(fault))
            }
        }
    }

    /// The place of a byte at which a character begins.
    fn place(&self, at: usize) -> Place {
        let marks = self.marks.get_or_init(|| {
            let mut marks = vec![Mark::BEGIN];
            let mut mark = Mark::BEGIN;
            for c in self.text.chars() {
                if mark.at >= marks.len() * STRIDE {
                    marks.push(mark);
                }
                mark.step(c);
            }
            marks
        });
        let mut mark = marks[(at / STRIDE).min(marks.len() - 1)];
        for c in self.text.get(mark.at..at).unwrap_or_default().chars() {
            mark.step(c);
        }
        Place::text(mark.line, mark.column)
    }

    /// The outermost value.
    pub(super) const fn root(&self) -> Node<'_> {
        Node { document: self, index: 0 }
    }
}

impl<'d> Node<'d> {
    fn entry(self) -> Entry {
        self.document.entries[self.index]
    }

    pub(super) fn place(self) -> Place {
        self.document.place(self.entry().from)
    }

    /// Its text in the file.
    pub(super) fn raw(self) -> &'d str {
        self.document.text.get(self.entry().from..self.entry().to).unwrap_or_default()
    }

    pub(super) fn is_null(self) -> bool {
        self.entry().kind == Kind::Null
    }

    pub(super) fn bool(self) -> Option<bool> {
        match self.entry().kind {
            Kind::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// A number as text.
    pub(super) fn number(self) -> Option<&'d str> {
        (self.entry().kind == Kind::Number).then(|| self.raw())
    }

    /// A whole number, if it is one in the range of the type.
    pub(super) fn integer(self) -> Option<i64> {
        self.number()?.parse().ok()
    }

    pub(super) fn text(self) -> Option<Cow<'d, str>> {
        if self.entry().kind != Kind::Text {
            return None;
        }
        let raw = self.raw();
        let plain = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
        if plain.contains('\\') {
            // Half of a surrogate pair is no character. The text is kept as it is written.
            Some(serde_json::from_str(raw).map_or_else(|_| plain.into(), Cow::Owned))
        } else {
            Some(plain.into())
        }
    }

    pub(super) fn is_list(self) -> bool {
        self.entry().kind == Kind::List
    }

    pub(super) fn is_object(self) -> bool {
        self.entry().kind == Kind::Object
    }

    /// The items of a list; none for any other value.
    pub(super) fn items(self) -> impl Iterator<Item = Node<'d>> {
        let is_list = self.is_list();
        Children { document: self.document, next: self.index + 1, end: self.entry().next }
            .filter(move |_| is_list)
    }

    /// The keys and values of an object; none for any other value.
    pub(super) fn fields(self) -> impl Iterator<Item = (Cow<'d, str>, Node<'d>)> {
        let end = if self.is_object() { self.entry().next } else { self.index + 1 };
        let mut inside = Children { document: self.document, next: self.index + 1, end };
        std::iter::from_fn(move || {
            let key = inside.next()?;
            Some((key.text().unwrap_or_default(), inside.next()?))
        })
    }

    /// The values of these keys of an object. `null` counts as missing; of a repeated key the last value counts.
    pub(super) fn get<const N: usize>(self, keys: [&str; N]) -> [Option<Self>; N] {
        let mut found = [None; N];
        for (key, value) in self.fields() {
            if let Some(at) = keys.iter().position(|wanted| *wanted == key) {
                found[at] = Some(value).filter(|value| !value.is_null());
            }
        }
        found
    }
}

struct Children<'d> {
    document: &'d Document<'d>,
    next: usize,
    end: usize,
}

impl<'d> Iterator for Children<'d> {
    type Item = Node<'d>;

    fn next(&mut self) -> Option<Node<'d>> {
        if self.next >= self.end {
            return None;
        }
        let node = Node { document: self.document, index: self.next };
        self.next = node.entry().next;
        Some(node)
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    entries: Vec<Entry>,
}

/// What the parser expects next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Value,
    /// At the beginning of a list.
    FirstValue,
    Key,
    /// At the beginning of an object.
    FirstKey,
    /// After a value.
    After,
}

impl Parser<'_> {
    /// Parses one value and all its content.
    fn run(&mut self) -> Result<(), &'static str> {
        let mut open: Vec<usize> = Vec::new();
        let mut state = State::Value;
        loop {
            self.skip_blanks();
            let next = self.peek();
            state = match (state, next) {
                (State::After, None) if open.is_empty() => return Ok(()),
                (State::After, _) if open.is_empty() => return Err("the end of the file"),
                (State::After, Some(b',')) => {
                    self.at += 1;
                    if self.is_object(&open) { State::Key } else { State::Value }
                }
                (State::After | State::FirstKey, Some(b'}')) if self.is_object(&open) => {
                    self.close(&mut open)
                }
                (State::After | State::FirstValue, Some(b']')) if !self.is_object(&open) => {
                    self.close(&mut open)
                }
                (State::After, _) if self.is_object(&open) => return Err("',' or '}'"),
                (State::After, _) => return Err("',' or ']'"),
                (State::Key | State::FirstKey, Some(b'"')) => {
                    self.string()?;
                    self.skip_blanks();
                    if self.peek() != Some(b':') {
                        return Err("':'");
                    }
                    self.at += 1;
                    State::Value
                }
                (State::Key | State::FirstKey, _) => return Err("a key in double quotes"),
                (_, Some(b'{' | b'[')) => {
                    let is_object = next == Some(b'{');
                    open.push(self.entries.len());
                    self.push(if is_object { Kind::Object } else { Kind::List }, self.at + 1);
                    if is_object { State::FirstKey } else { State::FirstValue }
                }
                (_, _) => {
                    self.scalar()?;
                    State::After
                }
            };
        }
    }

    fn is_object(&self, open: &[usize]) -> bool {
        open.last().is_some_and(|index| self.entries[*index].kind == Kind::Object)
    }

    fn close(&mut self, open: &mut Vec<usize>) -> State {
        self.at += 1;
        if let Some(index) = open.pop() {
            self.entries[index].next = self.entries.len();
            self.entries[index].to = self.at;
        }
        State::After
    }

    /// Adds a value that ends before `to`, and moves there.
    fn push(&mut self, kind: Kind, to: usize) {
        let next = self.entries.len() + 1;
        self.entries.push(Entry { kind, from: self.at, to, next });
        self.at = to;
    }

    fn scalar(&mut self) -> Result<(), &'static str> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        for (word, kind) in
            [("null", Kind::Null), ("true", Kind::Bool(true)), ("false", Kind::Bool(false))]
        {
            if rest.starts_with(word) {
                self.push(kind, self.at + word.len());
                return Ok(());
            }
        }
        match self.peek() {
            Some(b'"') => self.string(),
            Some(b'-' | b'0'..=b'9') => {
                let is_part =
                    |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'+' | b'-' | b'e' | b'E');
                let length = rest.bytes().take_while(is_part).count();
                self.push(Kind::Number, self.at + length);
                Ok(())
            }
            _ => Err("a value"),
        }
    }

    fn string(&mut self) -> Result<(), &'static str> {
        let bytes = self.text.as_bytes();
        let mut at = self.at + 1;
        loop {
            match bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => at += 2,
                Some(_) => at += 1,
                None => return Err("a double quote that ends this text"),
            }
        }
        self.push(Kind::Text, at + 1);
        Ok(())
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_their_keys() {
        let text = r#" {"a": [1, -2.5e3, "x\"\u3042\n", true, null, {}, []], "b" : null, "a\u0062": {"c": false}} "#;
        let document = Document::parse(text).unwrap();
        let [a, b, ab] = document.root().get(["a", "b", "ab"]);
        let items: Vec<_> = a.unwrap().items().collect();
        assert_eq!(items.len(), 7);
        assert_eq!((items[0].integer(), items[1].number()), (Some(1), Some("-2.5e3")));
        assert_eq!(items[2].text().unwrap(), "x\"あ\n");
        assert_eq!((items[3].bool(), items[4].is_null()), (Some(true), true));
        assert!(items[5].is_object() && items[6].is_list());
        assert!(b.is_none());
        assert_eq!(ab.unwrap().get(["c"])[0].unwrap().bool(), Some(false));
        assert_eq!(ab.unwrap().place(), Place::text(1, 79));
    }

    #[test]
    fn invalid_json_is_reported_with_its_place() {
        for (text, error) in [
            ("", "line 1, column 1: expected a value, found the end of the file"),
            ("{\n \"a\" 1}", "line 2, column 6: expected ':', found '1'"),
            ("[1,]", "line 1, column 4: expected a value, found ']'"),
            ("[1}", "line 1, column 3: expected ',' or ']', found '}'"),
            ("{,}", "line 1, column 2: expected a key in double quotes, found ','"),
            ("{} x", "line 1, column 4: expected the end of the file, found 'x'"),
            ("[\"あ", "line 1, column 2: expected a double quote that ends this text, found '\"'"),
        ] {
            assert_eq!(Document::parse(text).unwrap_err().to_string(), error, "{text}");
        }
    }

    #[test]
    fn nesting_needs_no_stack() {
        let depth = 1_000_000;
        let text = "[".repeat(depth) + &"]".repeat(depth);
        assert_eq!(Document::parse(&text).unwrap().entries.len(), depth);
        assert!(Document::parse(&"{\"a\":".repeat(depth)).is_err());
    }
}

//! The text of a configuration file: finds the line and the key of a fault, and rewords the parser's messages.

use super::{
    error::Fault,
    field::{Lines, dotted},
    keys::Raw,
    suggest,
};

/// The text of a file.
pub(super) struct Document {
    pub(super) lines: Lines,
    text: String,
}

impl Document {
    pub(super) fn new(label: String, text: String) -> Self {
        Self { lines: Lines::of(label, &text), text }
    }

    /// Reads keys and types with `serde`.
    ///
    /// # Errors
    /// The first fault of syntax, key or type.
    pub(super) fn parse(&self) -> Result<Raw, Fault> {
        toml::from_str(&self.text).map_err(|error| self.explain(&error))
    }

    /// Turns the parser's error into a fault with place and key. Values are not quoted: a value could be a password in
    /// the wrong place.
    fn explain(&self, error: &toml::de::Error) -> Fault {
        let offset = error.span().map_or(0, |span| span.start);
        let message = error.message();
        let place = self.lines.place(offset);
        let (table, key) = self.key_at(offset);
        if let Some(unknown) = message.strip_prefix("unknown field `") {
            let unknown = unknown.split('`').next().unwrap_or_default();
            // At the top of the file the unknown key may be the name of a table.
            let table = if suggest::is_known(&table, "") { table } else { String::new() };
            let problem = format!("unknown key; {}", suggest::for_key(&table, unknown));
            return Fault { place, key: dotted(&table, unknown), problem };
        }
        // If a password contains a line break, its second line may look like a key. Only known keys are shown.
        let path =
            if suggest::is_known(&table, &key) { dotted(&table, &key) } else { String::new() };
        let problem = match message.strip_prefix("invalid type: ") {
            Some(rest) => {
                let found = rest.split([' ', ',']).next().unwrap_or_default();
                let expected = rest.rsplit_once("expected ").map_or("another type", |(_, it)| it);
                let expected = match expected {
                    "i64" => "a whole number",
                    "a string" => "a text in quotes",
                    "a boolean" => "true or false",
                    "a sequence" => "a list, such as [\"-a\", \"-b\"]",
                    table if table.starts_with("struct ") => "a table, such as [server]",
                    other => other,
                };
                format!("expected {expected}, found {}", with_article(found))
            }
            // The parser's own message may quote the text there.
            None if self.mentions_password(offset) => {
                "not a TOML value; write the password or address in quotes, and \\\" for a quote inside"
                    .to_owned()
            }
            None => message.to_owned(),
        };
        Fault { place, key: path, problem }
    }

    fn before(&self, offset: usize) -> &str {
        self.text.get(..offset).unwrap_or(&self.text)
    }

    /// The table and key at or before `offset`; either may be empty.
    fn key_at(&self, offset: usize) -> (String, String) {
        let line = self.lines.number(offset);
        let mut table = String::new();
        let mut key = String::new();
        for text in self.text.lines().take(line) {
            let text = text.trim();
            if text.starts_with('[') && !text.contains('=') {
                let name = text.split('#').next().unwrap_or_default();
                name.trim().trim_matches(['[', ']']).trim().clone_into(&mut table);
                key.clear();
            } else if let Some((name, _)) = text.split_once('=')
                && is_key(name.trim())
            {
                name.trim().clone_into(&mut key);
            }
        }
        // The offset may be inside `table = { key = … }`.
        let before = self.before(offset);
        let line_so_far = before.rsplit('\n').next().unwrap_or_default();
        if let Some((outer, inner)) = line_so_far.split_once('{')
            && let Some((name, _)) = outer.split_once('=')
            && is_key(name.trim())
        {
            table = dotted(&table, name.trim());
            let last = inner.rsplit(',').next().unwrap_or_default();
            last.split_once('=').map_or("", |(key, _)| key).trim().clone_into(&mut key);
        }
        (table, key)
    }

    fn mentions_password(&self, offset: usize) -> bool {
        let (table, key) = self.key_at(offset);
        let line = self.text.lines().nth(self.lines.number(offset) - 1).unwrap_or_default();
        let is_secret = |text: &str| {
            let text = text.to_lowercase();
            text.contains("pass") || text.contains("url") || text.contains("://")
        };
        is_secret(&dotted(&table, &key)) || is_secret(line)
    }
}

fn is_key(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
}

fn with_article(found: &str) -> String {
    match found {
        "integer" => "a whole number".to_owned(),
        "floating" => "a fraction".to_owned(),
        "boolean" => "true or false".to_owned(),
        "string" => "a text".to_owned(),
        "sequence" => "a list".to_owned(),
        "map" => "a table".to_owned(),
        other => format!("a {other}"),
    }
}

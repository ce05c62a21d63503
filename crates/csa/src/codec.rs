//! Messages as lines, and lines as a log may show them.

use std::borrow::Cow;
use std::io;

use bytes::BytesMut;
use tokio_util::codec::Encoder;

use crate::text::{LineCodec, printable};

use super::message::{ClientMessage, ServerMessage};

impl Encoder<&ClientMessage> for LineCodec {
    type Error = io::Error;

    fn encode(&mut self, message: &ClientMessage, dst: &mut BytesMut) -> io::Result<()> {
        self.encode(message.to_line().as_str(), dst)
    }
}

impl Encoder<&ServerMessage> for LineCodec {
    type Error = io::Error;

    fn encode(&mut self, message: &ServerMessage, dst: &mut BytesMut) -> io::Result<()> {
        self.encode(message.to_line().as_str(), dst)
    }
}

/// The line as a log may show it: the value of a `Reconnect_Token` is replaced, since it is enough to enter the game.
pub fn without_token(line: &str) -> Cow<'_, str> {
    const KEY: &str = "reconnect_token";
    match line.to_ascii_lowercase().find(KEY) {
        Some(at) => Cow::Owned(format!("{}:***", &line[..at + KEY.len()])),
        None => Cow::Borrowed(line),
    }
}

/// The first 120 printable characters of untrusted text, for display.
pub(super) fn clip(text: &str) -> String {
    printable(&without_token(text)).chars().take(120).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_not_shown() {
        assert_eq!(without_token("Reconnect_Token:0f1e"), "Reconnect_Token:***");
        assert_eq!(
            without_token("##[SHOW] Reconnect_Token : 0f1e"),
            "##[SHOW] Reconnect_Token:***"
        );
        assert_eq!(without_token("reconnect_token:0f1e"), "reconnect_token:***");
        assert_eq!(clip("Reconnect_Token:0f1e"), "Reconnect_Token:***", "a line out of place");
        assert_eq!(without_token("+7776FU,T1"), "+7776FU,T1");
    }
}

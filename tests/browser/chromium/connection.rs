//! The protocol: JSON messages that end with a zero byte.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{ChildStdin, ChildStdout},
    sync::mpsc::{self, Receiver},
    thread,
    time::Instant,
};

use serde_json::{Value, json};

use super::PATIENCE;

/// The connection to a browser.
pub(super) struct Connection {
    to: ChildStdin,
    messages: Receiver<Value>,
    last_id: u64,
    /// The events of all pages so far, in order.
    pub(super) events: Vec<Value>,
}

impl Connection {
    pub(super) fn new(to: ChildStdin, from: ChildStdout) -> Self {
        let (sender, messages) = mpsc::channel();
        thread::spawn(move || {
            let mut from = BufReader::new(from);
            let mut bytes = Vec::new();
            while from.read_until(0, &mut bytes).is_ok_and(|read| read > 0) {
                bytes.pop_if(|last| *last == 0);
                let message = serde_json::from_slice(&bytes).unwrap();
                if sender.send(message).is_err() {
                    return;
                }
                bytes.clear();
            }
        });
        Self { to, messages, last_id: 0, events: Vec::new() }
    }

    /// Sends a command, to the browser or to a page, and returns its number.
    pub(super) fn send(&mut self, session: Option<&str>, method: &str, params: &Value) -> u64 {
        self.last_id += 1;
        let mut message = json!({ "id": self.last_id, "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        // A browser that is gone is seen by the missing answer.
        let _ = self.to.write_all(&bytes).and_then(|()| self.to.flush());
        self.last_id
    }

    /// Sends a command and returns its result.
    #[track_caller]
    #[allow(clippy::needless_pass_by_value, reason = "callers write the parameters in place")]
    pub(super) fn call(&mut self, session: Option<&str>, method: &str, params: Value) -> Value {
        let answer = self.try_call(session, method, &params);
        answer.unwrap_or_else(|error| panic!("{method} {params}: {error}"))
    }

    /// Sends a command and returns its result, or the error message of the browser.
    #[track_caller]
    pub(super) fn try_call(
        &mut self,
        session: Option<&str>,
        method: &str,
        params: &Value,
    ) -> Result<Value, String> {
        let id = self.send(session, method, params);
        let deadline = Instant::now() + PATIENCE;
        loop {
            let mut message = self.next(deadline, method);
            if message["id"] == id {
                return match message.get("error") {
                    Some(error) => Err(error["message"].as_str().unwrap_or_default().to_owned()),
                    None => Ok(message["result"].take()),
                };
            }
        }
    }

    /// Waits for an event that fulfils a condition, beginning with the one of this number.
    #[track_caller]
    pub(super) fn await_event(&mut self, mut from: usize, wanted: impl Fn(&Value) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !self.events[from..].iter().any(&wanted) {
            from = self.events.len();
            self.next(deadline, "an event");
        }
    }

    /// Takes in what has arrived.
    pub(super) fn take_in(&mut self) {
        let waiting = self.messages.try_iter().filter(|message| message.get("method").is_some());
        self.events.extend(waiting);
    }

    #[track_caller]
    fn next(&mut self, deadline: Instant, what: &str) -> Value {
        let left = deadline.saturating_duration_since(Instant::now());
        let Ok(message) = self.messages.recv_timeout(left) else {
            panic!("the browser does not answer: {what}");
        };
        if message.get("method").is_some() {
            self.events.push(message.clone());
        }
        message
    }
}

use std::io::{BufReader, Read};
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

use super::*;
use kyomi_shogi::notation::usi::{parse_move, parse_position_line};

/// A host's end of a pipe: sends lines, waits for answers.
#[derive(Clone, Default)]
struct Pipe(Arc<(Mutex<Lines>, Condvar)>);

#[derive(Default)]
struct Lines {
    bytes: Vec<u8>,
    closed: bool,
}

impl Pipe {
    fn line(&self) -> Option<String> {
        let mut lines = self.0.0.lock();
        loop {
            if let Some(end) = lines.bytes.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = lines.bytes.drain(..=end).collect();
                return Some(String::from_utf8(line).unwrap().trim_end().to_owned());
            }
            if lines.closed {
                return None;
            }
            self.0.1.wait(&mut lines);
        }
    }

    fn lines_until(&self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(line) = self.line() {
            let found = line.starts_with(start);
            lines.push(line);
            if found {
                return lines;
            }
        }
        panic!("no {start} in {lines:?}");
    }

    fn close(&self) {
        self.0.0.lock().closed = true;
        self.0.1.notify_all();
    }
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.0.lock().bytes.extend_from_slice(bytes);
        self.0.1.notify_all();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut lines = self.0.0.lock();
        while lines.bytes.is_empty() && !lines.closed {
            self.0.1.wait(&mut lines);
        }
        let count = buffer.len().min(lines.bytes.len());
        for (slot, byte) in buffer.iter_mut().zip(lines.bytes.drain(..count)) {
            *slot = byte;
        }
        Ok(count)
    }
}

struct Host {
    to_engine: Pipe,
    from_engine: Pipe,
    engine: Option<thread::JoinHandle<io::Result<()>>>,
}

impl Host {
    fn new() -> Self {
        let (to_engine, from_engine) = (Pipe::default(), Pipe::default());
        let (input, output) = (to_engine.clone(), from_engine.clone());
        let settings = Settings { hash_bytes: 1 << 20, ..Settings::default() };
        let engine = thread::spawn(move || {
            let outcome = run(BufReader::new(input), output.clone(), settings);
            output.close();
            outcome
        });
        Self { to_engine, from_engine, engine: Some(engine) }
    }

    /// A host whose engine is ready.
    fn ready() -> Self {
        let mut host = Self::new();
        host.ask("isready", "readyok");
        host
    }

    fn send(&mut self, line: &str) {
        writeln!(self.to_engine, "{line}").unwrap();
    }

    fn ask(&mut self, line: &str, answer: &str) -> Vec<String> {
        self.send(line);
        self.from_engine.lines_until(answer)
    }

    /// Ends the session.
    fn quit(mut self) {
        self.send("quit");
        self.join();
    }

    /// Waits for the engine, which must end without further input.
    fn join(mut self) {
        self.engine.take().unwrap().join().unwrap().unwrap();
    }
}

fn assert_lines_are_legal(position: &str, lines: &[String]) {
    for line in lines {
        let Some((_, pv)) = line.split_once(" pv ") else { continue };
        let mut game = parse_position_line(position).unwrap();
        for word in pv.split_whitespace() {
            game.push(parse_move(word).unwrap()).unwrap();
        }
    }
}

#[test]
fn a_session_from_usi_to_quit() {
    let mut host = Host::new();
    host.ask("usi", "usiok");
    host.send("setoption name USI_Hash value 2");
    host.send("setoption name Threads value 2");
    host.ask("isready", "readyok");
    host.send("usinewgame");
    let position = "position startpos moves 7g7f 3c3d 2g2f 4c4d";
    host.send(position);
    let lines = host.ask("go nodes 20000", "bestmove");
    assert_lines_are_legal(position, &lines);
    let best = lines.last().unwrap().split_whitespace().nth(1).unwrap();
    parse_position_line(&format!("{position} {best}")).unwrap();
    host.send("gameover win");
    host.quit();
}

#[test]
fn an_infinite_search_ends_with_stop() {
    let mut host = Host::ready();
    host.send("position startpos");
    host.send("go infinite");
    host.from_engine.lines_until("info depth");
    host.ask("stop", "bestmove");
    host.quit();
}

#[test]
fn a_stopped_search_is_answered_even_if_the_next_go_comes_at_once() {
    let mut host = Host::ready();
    let cases = [("go infinite", "bestmove"), ("go mate infinite", "checkmate")];
    for (go, answer) in cases {
        host.send("position sfen 4k4/9/9/9/4+R4/9/9/9/4K4 b 2b4g4s4n4l18p 1");
        host.send(go);
        let next = "stop\nposition startpos moves 7g7f\ngo nodes 2000";
        let lines = host.ask(next, answer);
        assert_eq!(lines.iter().filter(|line| line.starts_with(answer)).count(), 1);
        host.from_engine.lines_until("bestmove");
    }
    host.quit();
}

#[test]
fn a_mate_search_is_answered() {
    let mut host = Host::new();
    host.send("position sfen 5B1n1/8k/6Rpp/9/9/9/9/9/9 b rb4g4s3n4l16p 1");
    let lines = host.ask("go mate infinite", "checkmate");
    assert!(lines.last().unwrap().starts_with("checkmate 4a2c 1b1a P*1b"), "{lines:?}");
    host.send("position startpos");
    let lines = host.ask("go mate 1000", "checkmate");
    assert_eq!(lines.last().unwrap(), "checkmate nomate");
    host.send("position sfen 4k4/9/9/9/4+R4/9/9/9/4K4 b 2b4g4s4n4l18p 1");
    host.send("go mate infinite");
    host.ask("stop", "checkmate");
    host.quit();
}

#[test]
fn pondering_is_answered_after_the_hit_and_after_stop() {
    let mut host = Host::ready();
    for end in ["ponderhit", "stop"] {
        host.send("position startpos moves 7g7f 3c3d");
        host.send("go ponder btime 1000 wtime 1000 byoyomi 0");
        let lines = host.from_engine.lines_until("info depth");
        assert!(lines.iter().all(|line| !line.starts_with("bestmove")));
        host.ask(end, "bestmove");
    }
    host.quit();
}

#[test]
fn the_end_of_the_input_quits_during_a_search() {
    let mut host = Host::new();
    host.send("position startpos");
    host.send("go infinite");
    host.from_engine.lines_until("info depth");
    host.to_engine.close();
    host.join();
}

#[test]
fn invalid_utf8_is_ignored() {
    let mut host = Host::new();
    host.to_engine.write_all(b"\xff\xfe\x00go\xf0 x\r\n\r\n").unwrap();
    host.ask("isready", "readyok");
    host.quit();
}

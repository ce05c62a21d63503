//! How long the client takes from the server's line to the engine, and from the engine's answer to the server, while every
//! core computes.
//!
//! `cargo run --release --example turn_latency -- target/release/kyomi 20` plays 20 games of 50 own moves by that program. The
//! server is this process, and the engine is this program again: both note the time at which they write and read. The times
//! thus contain a pipe or a socket and the waking of a process at each end. The load is one busy process for each core at
//! nice 5, the priority of search threads.
//!
//! After each game the same is measured without kyomi: a relay of two threads, which wait for lines and do nothing but pass
//! them on, stands between this process and the engine. What it takes is the share of the system: the difference is kyomi's.

use std::{
    env,
    error::Error,
    fs,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use kyomi_shogi::{
    Position,
    notation::{csa, usi},
};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Number of own moves in a game.
const OWN_MOVES: usize = 50;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.as_slice() {
        [word, notes] if word == "engine" => engine(Path::new(notes)),
        [word, port, notes] if word == "relay" => relay(port.parse()?, notes),
        [kyomi, games] => measure(Path::new(kyomi), games.parse()?),
        _ => Err("turn_latency KYOMI GAMES".into()),
    }
}

/// Processes that end with the measurement.
struct Running(Vec<Child>);

impl Drop for Running {
    fn drop(&mut self) {
        for child in &mut self.0 {
            drop(child.kill());
            drop(child.wait());
        }
    }
}

fn measure(kyomi: &Path, games: usize) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let notes = folder.path().join("engine.txt");
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let mut running = Running(Vec::new());
    for _ in 0..thread::available_parallelism()?.get() {
        let busy = ["-n", "5", "sh", "-c", "while :; do :; done"];
        running.0.push(Command::new("nice").args(busy).spawn()?);
    }
    let settings = [
        "server.host=127.0.0.1".to_owned(),
        format!("server.port={}", listener.local_addr()?.port()),
        "server.name=latency".to_owned(),
        "server.password=latency".to_owned(),
        "server.profile=reference".to_owned(),
        format!("games={games}"),
        "engine.kind=usi".to_owned(),
        format!("engine.path={}", env::current_exe()?.display()),
        format!("engine.args=[\"engine\", {:?}]", notes.display().to_string()),
    ];
    let mut client = Command::new(fs::canonicalize(kyomi)?);
    client.args(["play", "--view", "quiet"]).current_dir(&folder).stdout(Stdio::null());
    for setting in settings {
        client.arg("--set").arg(setting);
    }
    running.0.push(client.spawn()?);
    let relayed_notes = folder.path().join("relayed.txt");
    let relay_port = TcpListener::bind("127.0.0.1:0")?;
    let mut relay = Command::new(env::current_exe()?);
    relay.arg("relay").arg(relay_port.local_addr()?.port().to_string()).arg(&relayed_notes);
    running.0.push(relay.spawn()?);
    let relayed = relay_port.accept()?.0;
    relayed.set_nodelay(true)?;
    let (mut played, mut bare) = (Moments::default(), Moments::default());
    for game in 0..games {
        serve_game(listener.accept()?.0, game, &mut played)?;
        ping(&relayed, &mut bare)?;
    }
    let kinds = [("kyomi", played, notes), ("a relay without kyomi", bare, relayed_notes)];
    for (who, mut moments, notes) in kinds {
        for note in fs::read_to_string(&notes)?.lines() {
            match note.split_once(' ') {
                Some(("go", at)) => moments.begun.push(at.parse()?),
                Some(("bestmove", at)) => moments.answered.push(at.parse()?),
                _ => return Err(format!("not a note of the engine: {note}").into()),
            }
        }
        let Moments { first, mut written, mut begun, answered, read } = moments;
        let turns = begun.len();
        let openings: (Vec<_>, Vec<_>) = (first.iter().rev().filter(|&&at| at < turns))
            .map(|&at| (written.remove(at), begun.remove(at)))
            .unzip();
        if !first.is_empty() {
            report(
                &format!("{who}: from START to the engine's first go"),
                &openings.0,
                &openings.1,
            )?;
        }
        report(&format!("{who}: from the server's move to the engine's go"), &written, &begun)?;
        report(&format!("{who}: from the engine's bestmove to the server"), &answered, &read)?;
    }
    drop(running);
    Ok(())
}

/// When the lines of turns were written and read.
#[derive(Default)]
struct Moments {
    /// The indexes of the first turns of the games, which begin with `START`.
    first: Vec<usize>,
    /// The server wrote the line that begins a turn.
    written: Vec<u64>,
    /// The engine read its `go`.
    begun: Vec<u64>,
    /// The engine wrote its answer.
    answered: Vec<u64>,
    /// The server read it.
    read: Vec<u64>,
}

/// Has the engine behind the relay think as often as in a game, with the same pauses.
fn ping(mut relayed: &TcpStream, moments: &mut Moments) -> Outcome<()> {
    let mut lines = BufReader::new(relayed.try_clone()?);
    for _ in 0..OWN_MOVES {
        moments.written.push(micros());
        relayed.write_all(b"go\n")?;
        lines.read_line(&mut String::new())?;
        moments.read.push(micros());
        thread::sleep(Duration::from_millis(fastrand::u64(5..30)));
    }
    Ok(())
}

/// Passes lines from the socket to an engine and back, each direction in a thread.
fn relay(port: u16, notes: &str) -> Outcome<()> {
    let mut engine = Command::new(env::current_exe()?)
        .args(["engine", notes])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let (mut to_engine, from_engine) =
        (engine.stdin.take().ok_or("no input")?, engine.stdout.take().ok_or("no output")?);
    let mut to_server = TcpStream::connect(("127.0.0.1", port))?;
    to_server.set_nodelay(true)?;
    let from_server = to_server.try_clone()?;
    thread::spawn(move || {
        for line in BufReader::new(from_engine).lines().map_while(Result::ok) {
            if to_server.write_all(format!("{line}\n").as_bytes()).is_err() {
                break;
            }
        }
    });
    for line in BufReader::new(from_server).lines() {
        to_engine.write_all(format!("{}\n", line?).as_bytes())?;
    }
    Ok(())
}

/// Plays one game as the server and notes when the lines that begin the client's turns are written, and its moves read.
fn serve_game(stream: TcpStream, game: usize, moments: &mut Moments) -> Outcome<()> {
    stream.set_nodelay(true)?;
    let mut to_client = stream.try_clone()?;
    let mut lines = BufReader::new(stream).lines();
    let mut line = || -> Outcome<String> {
        loop {
            let line = lines.next().ok_or("the client closed the connection")??;
            if !line.is_empty() {
                return Ok(line);
            }
        }
    };
    line()?;
    write!(
        to_client,
        "LOGIN:latency OK\nBEGIN Game_Summary\nProtocol_Version:1.2\nProtocol_Mode:Server\nFormat:Shogi 1.0\n\
         Game_ID:latency-{game}\nName+:latency\nName-:server\nYour_Turn:+\nRematch_On_Draw:NO\nTo_Move:+\nBEGIN Time\n\
         Time_Unit:1sec\nTotal_Time:600\nByoyomi:10\nLeast_Time_Per_Move:0\nEND Time\nBEGIN Position\nPI\n+\n\
         END Position\nEND Game_Summary\n"
    )?;
    line()?;
    let mut position = Position::startpos();
    let mut begins = format!("START:latency-{game}\n");
    moments.first.push(moments.written.len());
    for _ in 0..OWN_MOVES {
        moments.written.push(micros());
        to_client.write_all(begins.as_bytes())?;
        let answer = line()?;
        moments.read.push(micros());
        let answer = answer.split(',').next().unwrap_or_default();
        let mv = csa::parse_move(&position, answer)?;
        position.do_move(mv);
        // Our own reply is another line and another packet: the echo of the client's move is not what begins its turn.
        to_client.write_all(format!("{answer},T0\n").as_bytes())?;
        let Some(reply) = fastrand::choice(position.legal_moves()) else { break };
        thread::sleep(Duration::from_millis(fastrand::u64(5..30)));
        begins = format!("{},T0\n", csa::format_move(&position, reply));
        position.do_move(reply);
        if position.legal_moves().is_empty() {
            break;
        }
    }
    write!(to_client, "%CHUDAN\n#CHUDAN\n")?;
    // Until the client has left.
    while line().is_ok() {}
    Ok(())
}

/// A USI engine that plays random moves after a few milliseconds and notes when it reads `go` and writes `bestmove`.
fn engine(notes: &Path) -> Outcome<()> {
    let mut notes = fs::OpenOptions::new().create(true).append(true).open(notes)?;
    let mut output = std::io::stdout();
    let mut position = Position::startpos();
    for line in std::io::stdin().lines() {
        let at = micros();
        let line = line?;
        let mut noted = Vec::new();
        let answer = match line.split(' ').next() {
            Some("usi") => "id name latency\nid author kyomi\nusiok\n".to_owned(),
            Some("isready") => "readyok\n".to_owned(),
            Some("position") => {
                position = usi::parse_position_line(&line)?.position().clone();
                continue;
            }
            Some("go") => {
                writeln!(noted, "go {at}")?;
                thread::sleep(Duration::from_millis(fastrand::u64(5..30)));
                let mv = fastrand::choice(position.legal_moves());
                mv.map_or_else(|| "bestmove resign\n".to_owned(), |mv| format!("bestmove {mv}\n"))
            }
            Some("quit") => break,
            _ => continue,
        };
        if !noted.is_empty() {
            writeln!(noted, "bestmove {}", micros())?;
        }
        output.write_all(answer.as_bytes())?;
        output.flush()?;
        notes.write_all(&noted)?;
    }
    Ok(())
}

/// Prints the percentiles of the times between two series of moments.
fn report(what: &str, from: &[u64], to: &[u64]) -> Outcome<()> {
    if from.len() != to.len() || from.is_empty() {
        return Err(format!("{} and {} moments", from.len(), to.len()).into());
    }
    let mut times: Vec<u64> =
        from.iter().zip(to).map(|(from, to)| to.saturating_sub(*from)).collect();
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 1000] as f64 / 1000.0;
    writeln!(
        std::io::stdout(),
        "{what}, {} times: median {:.3} ms, 99 % within {:.3} ms, 99.9 % within {:.3} ms, longest {:.3} ms",
        times.len(),
        at(500),
        at(990),
        at(999),
        at(1000)
    )?;
    Ok(())
}

/// The time of the system's clock, in microseconds, which two processes share.
fn micros() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}

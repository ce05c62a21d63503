//! Servers that send what no server should, whatever the state of the game.

use crate::{
    common::connection::{Desk, Peer, summary},
    game::{Board, last_game, leave, play_on, resign},
    support::Finished,
    trial::{RANDOM, Trial},
};

/// The noise comes while the client waits for a game; then a game is played.
#[track_caller]
fn while_waiting(trial: &Trial, noise: &[u8]) -> Finished {
    let desk = Desk::open();
    let client = trial.play(&desk.config(1, RANDOM));
    let mut peer = desk.welcome();
    peer.send_bytes(noise).unwrap();
    last_game(peer);
    let finished = client.end(trial, 0);
    assert_eq!(finished.all("result"), ["black"]);
    finished
}

/// The noise comes after every single line of a game, which is played all the same.
#[track_caller]
fn in_the_game(noise: &[u8]) {
    let (trial, desk) = (Trial::of_a_flood(), Desk::open());
    let client = trial.play(&desk.config(2, RANDOM));
    let mut peer = desk.welcome();
    let say = |peer: &mut Peer, line: &str| {
        peer.send_bytes(&[line.as_bytes(), b"\n", noise].concat()).unwrap();
    };
    peer.offer("g1", '+', &[], "");
    assert_eq!(peer.line(), "AGREE g1");
    say(&mut peer, "START:g1");
    let mut board = Board::new();
    let own = board.echo(&mut peer);
    let reply = board.reply(&mut peer, &[]);
    peer.send_bytes(noise).unwrap();
    let next = board.take(&mut peer);
    for line in [&format!("{next},T1"), "%TORYO,T1", "#RESIGN", "#WIN"] {
        say(&mut peer, line);
    }
    last_game(peer);
    let finished = client.end(&trial, 0);
    assert_eq!(finished.all("result"), ["black", "black"]);
    let shown: Vec<_> = finished.moves().iter().map(|words| words[1]).take(3).collect();
    assert_eq!(shown, [own, reply, next]);
}

/// Cases with noise, while the client waits and in the game.
macro_rules! noise {
    ($($(#[doc = $doc:literal])+ $name:ident: $noise:expr;)+) => {$(
        $(#[doc = $doc])+
        #[test]
        fn $name() {
            let noise: &[u8] = &$noise[..];
            while_waiting(&Trial::of_a_flood(), noise);
            in_the_game(noise);
        }
    )+};
}

noise! {
    /// Bytes without meaning are ignored.
    garbage: [random_bytes(20_000), b"\n".to_vec()].concat();
    /// NUL characters, alone and in the lines of the protocol, are ignored.
    nul_characters: b"\0\n\0\0\0\n+77\x0076FU,T1\n#WI\0N\nSTART\0:g1\n";
    /// A line of 1 MB is dropped.
    a_line_of_1_mb: [vec![b'#'; 1_000_000], b"\n".to_vec()].concat();
    /// 100,000 empty lines are answers to no question.
    a_hundred_thousand_empty_lines: vec![b'\n'; 100_000];
    /// 20,000 lines of chat are ignored.
    twenty_thousand_lines_of_chat: b"##[CHAT][b] hello, hello, hello\n".repeat(20_000);
    /// Errors of the server at any time are reported, and the game continues.
    errors: b"##[ERROR] out of memory\n##[ERROR]\n##[]\n##[ERROR] \x1b[2Jgone\n";
    /// 10,000 errors and 10,000 lines that make no sense are reported in bounded memory.
    ten_thousand_errors: b"##[ERROR] you are wrong\nLOGOUT:completed\n".repeat(10_000);
    /// Chat with control characters does not reach the terminal.
    control_characters: b"##[CHAT][\x1b[31mb] \x1b]0;x\x07\xc2\x9b2J\n\x1b[2J\x1b[H\n\x08\x08\x08\n";
    /// Bytes of other encodings are ignored.
    other_encodings: b"##[CHAT][b] \x8c\x83\x8e\x77 \xa4\xa2\n\xff\xfe\n\xc0\xaf\xed\xa0\x80\n";
    /// Commands that only a client sends are ignored.
    commands_of_a_client: b"LOGIN a b\nLOGOUT\nAGREE\nREJECT\n%%WHO\n%%GAME x +\n";
    /// Beginnings of lines and lines without their values are ignored.
    halves_of_lines: b"START\nREJECT\nLOGIN\n+\n-\n%\n#\n##\n##[\n+7776\n,T1\nBEGIN\nEND\nEND Position\n";
    /// Answers to a login or a logout that nobody has asked for are ignored.
    answers_to_nothing: b"LOGIN:kyomi OK\nLOGOUT:completed\nLOGIN:incorrect\n";
    /// The start and the rejection of games that nobody has offered are ignored.
    games_that_do_not_exist: b"START:other\nREJECT:other by b\nREJECT:\n";
    /// The state of a game that nobody wants to resume is ignored.
    a_state_of_no_game: b"BEGIN Reconnect_State\nCurrent_Turn:-\nBlack_Time_Remaining_Ms:-1\nEND Reconnect_State\n";
}

fn random_bytes(length: usize) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(7);
    // `#` and `%` can begin lines that end a game.
    let byte = |random: &mut fastrand::Rng| random.u8(..).max(b'-');
    (0..length).map(|_| if random.u8(..80) == 0 { b'\n' } else { byte(&mut random) }).collect()
}

/// A line of 64 MB is dropped while it arrives.
#[test]
fn a_line_of_64_mb() {
    let trial = Trial::of_a_flood();
    let mut noise = vec![b'x'; 64 << 20];
    noise.push(b'\n');
    while_waiting(&trial, &noise);
}

/// Results of no game, before the first one, are ignored.
#[test]
fn results_of_no_game() {
    let trial = Trial::new();
    while_waiting(&trial, b"#WIN\n#LOSE\n#RESIGN\n%TORYO\n#CHUDAN\n+7776FU,T1\n-3334FU,T1\n");
}

/// A server that sends each byte in a packet of its own is understood.
#[test]
fn bytes_one_by_one() {
    let (trial, client, mut peer) = Trial::logging_in(1, RANDOM);
    let slowly = |peer: &mut Peer, text: &str| {
        for byte in text.bytes() {
            peer.send_bytes(&[byte]).unwrap();
        }
    };
    slowly(&mut peer, "LOGIN:kyomi OK\n");
    slowly(&mut peer, &format!("{}\n", summary("g1", '+', &[], "")));
    assert_eq!(peer.line(), "AGREE g1");
    slowly(&mut peer, "START:g1\n");
    let mut board = Board::new();
    let own = board.take(&mut peer);
    slowly(&mut peer, &format!("{own},T1\n"));
    slowly(&mut peer, "%TORYO,T1\n#RESIGN\n#WIN\n");
    leave(peer);
    let finished = client.end(&trial, 0);
    assert_eq!((finished.all("result"), finished.moves().len()), (vec!["black"], 1));
}

/// A server that ends its lines with CR LF is understood.
#[test]
fn lines_with_crlf() {
    let (trial, client, mut peer) = Trial::logging_in(1, RANDOM);
    let say = |peer: &mut Peer, text: &str| {
        peer.send_bytes(format!("{text}\n").replace('\n', "\r\n").as_bytes()).unwrap();
    };
    say(&mut peer, "LOGIN:kyomi OK");
    say(&mut peer, &summary("g1", '+', &[], ""));
    assert_eq!(peer.line(), "AGREE g1");
    say(&mut peer, "START:g1");
    let own = Board::new().take(&mut peer);
    say(&mut peer, &format!("{own},T1\n%TORYO,T1\n#RESIGN\n#WIN"));
    assert_eq!(peer.line(), "LOGOUT");
    say(&mut peer, "LOGOUT:completed");
    assert_eq!(client.end(&trial, 0).all("result"), ["black"]);
}

/// All lines of a game after its agreement in one packet, up to its end, are read one after the other; so are those of the
/// login and the offer.
#[test]
fn everything_in_one_packet() {
    let (trial, desk) = (Trial::new(), Desk::open());
    let client = trial.play(&desk.config(1, RANDOM));
    let mut peer = desk.accept();
    let offer = summary("g1", '-', &["+7776FU"], "");
    peer.send_bytes(format!("LOGIN:kyomi OK\n{offer}\n").as_bytes()).unwrap();
    peer.expect_all(&["LOGIN kyomi secret", "AGREE g1"]);
    let game = b"START:g1\n-3334FU,T1\n#TIME_UP\n#WIN\nLOGOUT:completed\n";
    peer.send_bytes(game).unwrap();
    let finished = client.end(&trial, 0);
    assert_eq!((finished.all("result"), finished.all("reason")), (vec!["white"], vec!["%TIME_UP"]));
}

/// A whole game in one packet with its offer does not begin, since nobody could have agreed to it.
#[test]
fn a_game_in_one_packet_with_its_offer() {
    let (trial, client, mut peer) = Trial::logged_in(1, RANDOM);
    let offer = summary("g1", '-', &["+7776FU"], "");
    let all = format!("{offer}\nSTART:g1\n-3334FU,T1\n#TIME_UP\n#WIN\n");
    peer.send_bytes(all.as_bytes()).unwrap();
    peer.expect("AGREE g1");
    last_game(peer);
    assert_eq!(client.end(&trial, 0).all("result"), ["black"]);
}

/// 100 MB of chat in our turn do not fill the memory, and the move is sent all the same.
#[test]
fn a_flood_of_chat_in_our_turn() {
    use crate::engine::faulty;
    let (trial, desk) = (Trial::of_a_flood(), Desk::open());
    let waits = "go*) touch thinking.mark; while [ ! -e enough.mark ]; do sleep 0.01; done; \
                 echo bestmove $m;;";
    let client = trial.play(&desk.config(1, &faulty(waits)));
    let mut peer = desk.welcome();
    peer.begin("g1", '+');
    trial.await_mark("thinking.mark");
    let chat = format!("##[CHAT][b] {}\n", "spam ".repeat(200)).repeat(1000);
    let rounds = 100_000_000 / chat.len();
    for round in 0..rounds {
        peer.send_bytes(chat.as_bytes()).unwrap();
        if round == rounds / 4 {
            trial.work.write("enough.mark", "");
        }
    }
    let mut board = Board::new();
    assert_eq!(board.echo(&mut peer), "+7776FU");
    assert!(client.memory() < 72 * 1024, "{} KiB", client.memory());
    resign(&mut peer);
    leave(peer);
    assert_eq!(client.end(&trial, 0).all("result"), ["black"]);
}

/// Lines of 60 kB that are no message fill neither the memory nor the log.
#[test]
fn a_flood_of_long_lines() {
    let trial = Trial::of_a_flood();
    let line = format!("{}\n", "what ".repeat(12_000));
    while_waiting(&trial, line.repeat(500).as_bytes());
    assert!(trial.work.log().len() < 4_000_000, "{} bytes of log", trial.work.log().len());
}

/// A result inside another line is no result.
#[test]
fn a_result_inside_a_line() {
    let (trial, client, mut peer) = Trial::logged_in(1, RANDOM);
    peer.begin("g1", '+');
    peer.send("##[CHAT][b] #WIN\r#WIN\u{2028}#WIN");
    play_on(&mut peer);
    leave(peer);
    let finished = client.end(&trial, 0);
    assert_eq!((finished.all("result"), finished.moves().len()), (vec!["black"], 3));
}

//! Servers that disconnect, fall silent or refuse the login, at each stage.

use std::{
    net::{SocketAddr, TcpListener, TcpStream},
    thread,
};

use socket2::{Domain, Socket, Type};

use crate::{
    common::connection::{Desk, Peer, summary},
    engine::faulty,
    game::{Board, last_game, leave, play_on, resign},
    trial::{Client, RANDOM, Trial},
};

/// Where a server stops.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
enum Stage {
    Connected,
    LoggedIn,
    InTheOffer,
    Agreed,
    OurTurn,
    MoveOnTheWire,
    TheirTurn,
    Reason,
    Result,
    Logout,
}

/// Plays the client's games up to this stage. The first game is `g1`, and `games` counts from one.
fn up_to(stage: Stage, desk: &Desk) -> (Peer, Board) {
    let (mut peer, mut board) = (desk.accept(), Board::new());
    let offer = summary("g1", '+', &[], "");
    let half = offer.len() / 2;
    for next in [
        Stage::LoggedIn,
        Stage::InTheOffer,
        Stage::Agreed,
        Stage::OurTurn,
        Stage::MoveOnTheWire,
        Stage::TheirTurn,
        Stage::Reason,
        Stage::Result,
        Stage::Logout,
    ] {
        if next > stage {
            break;
        }
        match next {
            Stage::Connected => {}
            Stage::LoggedIn => {
                assert_eq!(peer.line(), "LOGIN kyomi secret");
                peer.send("LOGIN:kyomi OK");
            }
            Stage::InTheOffer => peer.send_bytes(&offer.as_bytes()[..half]).unwrap(),
            Stage::Agreed => {
                peer.send(&offer[half..]);
                assert_eq!(peer.line(), "AGREE g1");
            }
            Stage::OurTurn => peer.send("START:g1"),
            Stage::MoveOnTheWire => {
                board.take(&mut peer);
            }
            Stage::TheirTurn => peer.send(&format!("{},T1", board.last())),
            Stage::Reason => peer.send("%TORYO,T1\n#RESIGN"),
            Stage::Result => peer.send("#WIN"),
            Stage::Logout => assert_eq!(peer.line(), "LOGOUT"),
        }
    }
    (peer, board)
}

/// The connection is lost at this stage. The client logs in again and plays the next game; a game that was running and
/// is not offered again is recorded as interrupted.
#[track_caller]
fn lost_at(stage: Stage, cut: fn(Peer)) {
    let (trial, desk) = (Trial::new(), Desk::open());
    let client = trial.play(&desk.config(2, RANDOM));
    cut(up_to(stage, &desk).0);
    let mut peer = desk.welcome();
    if stage < Stage::OurTurn {
        peer.begin("g2", '+');
        play_on(&mut peer);
    }
    last_game(peer);
    let finished = client.end(&trial, 0);
    let is_interrupted = stage >= Stage::OurTurn && stage < Stage::Reason;
    let first = if is_interrupted { "none" } else { "black" };
    assert_eq!(finished.all("result"), [first, "black"], "{}", finished.stderr);
}

/// The server says nothing for a while at this stage. The client waits without spinning, and then the game continues.
#[track_caller]
fn silent_at(stage: Stage) {
    let (trial, desk) = (Trial::new(), Desk::open());
    let thinks = "go*) while [ ! -e enough.mark ]; do sleep 0.02; done; echo bestmove $m;;";
    let client =
        trial.play(&desk.config(1, &faulty(if stage == Stage::OurTurn { thinks } else { "" })));
    let (mut peer, mut board) = up_to(stage, &desk);
    client.is_idle();
    trial.work.write("enough.mark", "");
    let offer = summary("g1", '+', &[], "");
    let rest = |peer: &mut Peer| resign(peer);
    match stage {
        Stage::Connected => {
            assert_eq!(peer.line(), "LOGIN kyomi secret");
            peer.send("LOGIN:kyomi OK");
            return played(peer, client, &trial);
        }
        Stage::LoggedIn => return played(peer, client, &trial),
        Stage::InTheOffer => {
            peer.send(&offer[offer.len() / 2..]);
            assert_eq!(peer.line(), "AGREE g1");
            peer.send("START:g1");
            board.echo(&mut peer);
            rest(&mut peer);
        }
        Stage::Agreed => {
            peer.send("START:g1");
            board.echo(&mut peer);
            rest(&mut peer);
        }
        Stage::OurTurn => {
            board.echo(&mut peer);
            rest(&mut peer);
        }
        Stage::MoveOnTheWire => {
            peer.send(&format!("{},T1", board.last()));
            rest(&mut peer);
        }
        Stage::TheirTurn => rest(&mut peer),
        Stage::Reason => peer.send("#WIN"),
        Stage::Result | Stage::Logout => unreachable!("the client leaves by itself"),
    }
    leave(peer);
    assert_eq!(client.end(&trial, 0).all("result"), ["black"]);
}

#[track_caller]
fn played(mut peer: Peer, client: Client, trial: &Trial) {
    peer.begin("g1", '+');
    Board::new().echo(&mut peer);
    resign(&mut peer);
    leave(peer);
    assert_eq!(client.end(trial, 0).all("result"), ["black"]);
}

/// Cases of connections that end at a stage, in the usual way and with a reset.
macro_rules! lost {
    ($($(#[doc = $doc:literal])+ $closed:ident, $reset:ident: $stage:ident;)+) => {$(
        $(#[doc = $doc])+
        #[test]
        fn $closed() {
            lost_at(Stage::$stage, drop);
        }

        $(#[doc = $doc])+
        #[test]
        fn $reset() {
            lost_at(Stage::$stage, Peer::reset);
        }
    )+};
}

/// Cases of silence at a stage.
macro_rules! silence {
    ($($(#[doc = $doc:literal])+ $name:ident: $stage:ident;)+) => {$(
        $(#[doc = $doc])+
        #[test]
        fn $name() {
            silent_at(Stage::$stage);
        }
    )+};
}

lost! {
    /// A server that is gone before the login is tried again.
    closed_before_the_login, reset_before_the_login: Connected;
    /// A server that is gone after the login is tried again.
    closed_after_the_login, reset_after_the_login: LoggedIn;
    /// A server that is gone in the middle of an offer is tried again.
    closed_in_the_offer, reset_in_the_offer: InTheOffer;
    /// A server that is gone after our agreement is tried again; there was no game.
    closed_after_the_agreement, reset_after_the_agreement: Agreed;
    /// A server that is gone in our turn is logged in to again; a game that is not offered again is interrupted.
    closed_in_our_turn, reset_in_our_turn: OurTurn;
    /// A server that is gone with our move on the wire is logged in to again.
    closed_with_our_move_on_the_wire, reset_with_our_move_on_the_wire: MoveOnTheWire;
    /// A server that is gone in the opponent's turn is logged in to again.
    closed_in_their_turn, reset_in_their_turn: TheirTurn;
    /// A server that is gone after the reason has ended the game; the result follows from the reason.
    closed_after_the_reason, reset_after_the_reason: Reason;
    /// A server that is gone after the result has ended the game.
    closed_after_the_result, reset_after_the_result: Result;
}

silence! {
    /// A server that accepts the connection and does not answer the login is waited for.
    silence_before_the_login: Connected;
    /// A server that offers no game is waited for.
    silence_after_the_login: LoggedIn;
    /// A server that stops in the middle of an offer is waited for.
    silence_in_the_offer: InTheOffer;
    /// A server that does not start the game is waited for.
    silence_after_the_agreement: Agreed;
    /// An engine that thinks is waited for.
    silence_in_our_turn: OurTurn;
    /// A server that does not confirm our move is waited for.
    silence_with_our_move_on_the_wire: MoveOnTheWire;
    /// An opponent who thinks is waited for.
    silence_in_their_turn: TheirTurn;
    /// A server that does not say the result is waited for.
    silence_after_the_reason: Reason;
}

/// A server whose queue of new connections is full is waited for.
#[test]
fn a_slow_accept() {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.bind(&"127.0.0.1:0".parse::<SocketAddr>().unwrap().into()).unwrap();
    socket.listen(0).unwrap();
    let listener = TcpListener::from(socket);
    let address = listener.local_addr().unwrap();
    // They fill the queue; those that find no place wait.
    let connect = move || TcpStream::connect(address).map(drop);
    let others: Vec<_> = (0..3).map(|_| thread::spawn(connect)).collect();
    let (trial, desk) = (Trial::new(), Desk(listener));
    let client = trial.play(&desk.config(1, RANDOM));
    client.is_idle();
    let mut connected: Vec<_> = (0..4).map(|_| desk.accept()).collect();
    for other in others {
        other.join().unwrap().unwrap();
    }
    let login = Some("LOGIN kyomi secret".to_owned());
    let at = connected.iter_mut().position(|peer| peer.line_or_end() == login).unwrap();
    let mut peer = connected.swap_remove(at);
    peer.send("LOGIN:kyomi OK");
    played(peer, client, &trial);
}

/// A server that never answers the logout is not waited for long.
#[test]
fn silence_after_the_logout() {
    let (trial, desk) = (Trial::new(), Desk::open());
    let client = trial.play(&desk.config(1, RANDOM));
    let (peer, _) = up_to(Stage::Logout, &desk);
    let finished = client.end(&trial, 0);
    drop(peer);
    assert_eq!(finished.all("result"), ["black"]);
}

/// A game that is cut off on a server that does not resume games is one clear error.
#[test]
fn cut_off_where_nothing_is_resumed() {
    let (trial, desk) = (Trial::new(), Desk::open());
    let client = trial.play(&desk.config(1, RANDOM).replace("wcsc", "reference"));
    let (peer, _) = up_to(Stage::TheirTurn, &desk);
    peer.reset();
    let finished = client.end(&trial, 1);
    assert_eq!((finished.all("result"), finished.all("reason")), (vec!["none"], vec!["%CHUDAN"]));
    assert!(finished.error().contains("lost"), "{}", finished.error());
}

/// A login that is refused is one clear error, without the control characters of the reason.
#[test]
fn a_refused_login() {
    let (trial, client, mut peer) = Trial::logging_in(1, RANDOM);
    peer.send("LOGIN:incorrect \u{1b}[31mtoo \u{7}late\u{202e}");
    let finished = client.end(&trial, 1);
    assert!(finished.error().contains("too late"), "{}", finished.error());
    assert!(!finished.stderr.contains("secret") && !trial.work.log().contains("secret"));
}

/// A login that is refused while several games are wanted is tried again.
#[test]
fn a_login_refused_once() {
    let (trial, desk) = (Trial::new(), Desk::open());
    let client = trial.play(&desk.config(2, RANDOM));
    let mut peer = desk.accept();
    assert_eq!(peer.line(), "LOGIN kyomi secret");
    peer.send("LOGIN:incorrect");
    drop(peer);
    let mut peer = desk.welcome();
    peer.begin("g1", '+');
    play_on(&mut peer);
    last_game(peer);
    assert_eq!(client.end(&trial, 0).all("result"), ["black", "black"]);
}

/// A login that is answered with garbage before its answer is a login.
#[test]
fn a_login_answered_with_garbage() {
    let (trial, client, mut peer) = Trial::logging_in(1, RANDOM);
    peer.send_bytes(
        b"220 ready\n\xff\xfe\0\nLOGIN:\nLOGIN:kyomi\nLOGIN:incorrectly\nHTTP/1.1 400\n",
    )
    .unwrap();
    peer.send("#WIN\nSTART:x\n+7776FU,T1\n##[ERROR] no\nLOGIN:kyomi OK");
    last_game(peer);
    assert_eq!(client.end(&trial, 0).all("result"), ["black"]);
}

/// A server that is no CSA server and closes the connection is one clear line each time, and tried again.
#[test]
fn a_web_server() {
    let (trial, desk) = (Trial::new(), Desk::open());
    let client = trial.play(&desk.config(1, RANDOM));
    let mut peer = desk.accept();
    assert_eq!(peer.line(), "LOGIN kyomi secret");
    peer.send("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n<html>\u{1b}[2J</html>");
    drop(peer);
    last_game(desk.welcome());
    assert_eq!(client.end(&trial, 0).all("result"), ["black"]);
}

/// A login that is confirmed under another name is a login.
#[test]
fn a_login_under_another_name() {
    let (trial, client, mut peer) = Trial::logging_in(1, RANDOM);
    peer.send("LOGIN:\u{1b}[31mother\u{7} OK");
    last_game(peer);
    assert_eq!(client.end(&trial, 0).all("result"), ["black"]);
}

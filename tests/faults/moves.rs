//! Servers that make wrong moves, count impossible times, and end games in odd ways.

use crate::{
    game::{Board, last_game, leave, play_on, resign},
    support::{Finished, end_of, moves_of},
    trial::{RANDOM, Trial},
};

/// The client has black and has made its first move; `OWN` in the lines stands for it. Afterwards another game is
/// played. Returns how the first game ended: its result, its reason, and the moves of its record.
#[track_caller]
fn ended_by(lines: &str) -> (String, String, usize, Finished) {
    let (trial, client, mut peer) = Trial::logged_in(2, RANDOM);
    peer.begin("g1", '+');
    let own = Board::new().take(&mut peer);
    peer.send(&lines.replace("OWN", &own));
    peer.offer("last", '+', &[], "");
    // If the lines contain a move of the opponent, the client may have answered it before it read the rest.
    let answer = peer.line();
    let answer = if answer.starts_with('+') { peer.line() } else { answer };
    assert_eq!(answer, "AGREE last");
    peer.send("START:last");
    play_on(&mut peer);
    leave(peer);
    let finished = client.end(&trial, 0);
    assert_eq!(finished.all("result").len(), 2);
    assert_eq!(finished.all("result")[1], "black");
    let record = trial.work.path().join(finished.all("record")[0]);
    let (result, reason) = (finished.all("result")[0].to_owned(), finished.all("reason")[0]);
    let reason = reason.to_owned();
    assert_eq!(end_of(&record).split(',').next(), Some(reason.as_str()));
    let moves = moves_of(&record).len();
    (result, reason, moves, finished)
}

/// Cases of lines after the client's first move: the result, the end of the record, and the number of its moves.
macro_rules! ends {
    ($($(#[doc = $doc:literal])+ $name:ident: $lines:literal => $result:literal, $reason:literal, $moves:literal;)+) => {$(
        $(#[doc = $doc])+
        #[test]
        fn $name() {
            let (result, reason, moves, finished) = ended_by($lines);
            let stderr = &finished.stderr;
            assert_eq!((result.as_str(), reason.as_str(), moves), ($result, $reason, $moves), "{stderr}");
        }
    )+};
}

ends! {
    /// An illegal move of the opponent stops our play; the result is waited for, and the record keeps the legal moves.
    an_illegal_move_of_the_opponent: "OWN,T1\n-3335FU,T1\n#ILLEGAL_MOVE\n#WIN" => "black", "%ILLEGAL_MOVE", 1;
    /// A move from an empty square is not made.
    a_move_from_an_empty_square: "OWN,T1\n-5554FU,T1\n#ILLEGAL_MOVE\n#WIN" => "black", "%ILLEGAL_MOVE", 1;
    /// A drop of a piece that the opponent does not have is not made.
    a_drop_from_an_empty_hand: "OWN,T1\n-0055KI,T1\n#ILLEGAL_MOVE\n#WIN" => "black", "%ILLEGAL_MOVE", 1;
    /// A move of a square that does not exist is no move.
    a_move_off_the_board: "OWN,T1\n-9999ZZ,T1\n-3334FU,T1\n#TIME_UP\n#LOSE" => "white", "%TIME_UP", 2;
    /// A second move of ours in the opponent's turn is not made.
    a_move_out_of_turn: "OWN,T1\n+9796FU,T1\n#ILLEGAL_ACTION\n#WIN" => "black", "%-ILLEGAL_ACTION", 1;
    /// The confirmation of our move that comes twice counts once.
    a_confirmation_twice: "OWN,T1\nOWN,T1\nOWN,T9\n-3334FU,T1\n#TIME_UP\n#LOSE" => "white", "%TIME_UP", 2;
    /// A game that is started again while it runs continues.
    a_second_start: "OWN,T1\nSTART:g1\n-3334FU,T1\nSTART:g1\n#TIME_UP\n#LOSE" => "white", "%TIME_UP", 2;
    /// A move of the opponent without the confirmation of ours confirms ours.
    a_move_without_confirmation: "-3334FU,T1\n#TIME_UP\n#LOSE" => "white", "%TIME_UP", 2;
    /// A result without a reason ends the game; the record has an end that means this result.
    a_result_without_reason: "OWN,T1\n#WIN" => "black", "%TORYO", 1;
    /// A result before its reason ends the game once.
    a_result_before_its_reason: "OWN,T1\n#WIN\n#RESIGN" => "black", "%TORYO", 1;
    /// Of two results the first one counts.
    two_results: "OWN,T1\n#TIME_UP\n#WIN\n#LOSE\n#WIN" => "black", "%TIME_UP", 1;
    /// A result of another kind after the end of the game changes nothing.
    another_result_after_the_end: "OWN,T1\n#RESIGN\n#WIN\n#TIME_UP\n#LOSE\n#CHUDAN" => "black", "%TORYO", 1;
    /// Of two reasons the first one counts.
    two_reasons: "OWN,T1\n#TIME_UP\n#RESIGN\n#WIN" => "black", "%TIME_UP", 1;
    /// A reason that nobody knows ends the game if a result follows; the record has an end that means this result.
    an_unknown_reason: "OWN,T1\n#THUNDERSTORM\n#WIN" => "black", "%-ILLEGAL_ACTION", 1;
    /// A reason with control characters reaches neither the terminal nor the record.
    a_reason_with_control_characters: "OWN,T1\n#\u{1b}[2JX\u{7}\n#WIN" => "black", "%-ILLEGAL_ACTION", 1;
    /// A reason without a result is completed from the reason when the next game is offered.
    a_reason_without_result: "OWN,T1\n%TORYO,T1\n#RESIGN" => "black", "%TORYO", 1;
    /// A suspended game has no winner.
    a_suspended_game: "OWN,T1\n%CHUDAN,T1\n#CHUDAN" => "none", "%CHUDAN", 1;
    /// A game that the server gives up has no winner.
    an_abnormal_end: "OWN,T1\n#ABNORMAL" => "none", "%ERROR", 1;
    /// A result in our own turn, before our move is confirmed, ends the game without that move.
    a_result_before_the_confirmation: "#TIME_UP\n#LOSE" => "white", "%TIME_UP", 0;
    /// A word of the opponent that ends no game is ignored.
    an_unknown_word: "OWN,T1\n%MATTA,T1\n%FOO\n-3334FU,T1\n#TIME_UP\n#LOSE" => "white", "%TIME_UP", 2;
    /// Moves after the end of the game are ignored.
    moves_after_the_end: "OWN,T1\n#RESIGN\n#WIN\n-3334FU,T1\n+2726FU,T1" => "black", "%TORYO", 1;
    /// A resignation with an absurd time is a resignation.
    a_resignation_with_an_absurd_time: "OWN,T1\n%TORYO,T99999999999999999999\n#RESIGN\n#WIN" => "black", "%TORYO", 1;
}

/// Cases of times of moves: what the server writes after the move.
macro_rules! times {
    ($($(#[doc = $doc:literal])+ $name:ident: $time:literal;)+) => {$(
        $(#[doc = $doc])+
        #[test]
        fn $name() {
            let (result, _, moves, _) =
                ended_by(concat!("OWN", $time, "\n-3334FU", $time, "\n#TIME_UP\n#LOSE"));
            assert_eq!((result.as_str(), moves), ("white", 2));
        }
    )+};
}

times! {
    /// A move without a time costs what we measured.
    no_time: "";
    /// A move with an empty time costs what we measured.
    an_empty_time: ",T";
    /// A move with a negative time costs what we measured.
    a_negative_time_of_a_move: ",T-5";
    /// A move with a time of words costs what we measured.
    a_time_of_a_move_in_words: ",Tsoon";
    /// A time past 64 bits is not believed.
    a_time_of_a_move_past_64_bits: ",T99999999999999999999";
    /// A time longer than the clock is not believed.
    a_time_longer_than_the_clock: ",T999999999999";
    /// A time with a fraction is read.
    a_time_of_a_move_with_a_fraction: ",T1.5";
    /// Of two times the first one counts.
    two_times: ",T1,T600";
    /// A comment with control characters reaches neither the terminal nor the record.
    a_comment_with_control_characters: ",T1,'\u{1b}[2J* 30 -3334FU\u{7}\u{202e}";
    /// A comment that looks like another line is a comment.
    a_comment_like_a_line: ",T1,'%TORYO #WIN,T5";
}

/// A game in which the server makes another move for us is continued from the server's move.
#[test]
fn another_move_than_ours() {
    let (trial, client, mut peer) = Trial::logged_in(1, RANDOM);
    peer.begin("g1", '+');
    let own = Board::new().take(&mut peer);
    let other = if own == "+9796FU" { "+1716FU" } else { "+9796FU" };
    peer.send(&format!("{other},T1"));
    let mut board = Board::new();
    board.make_line(other);
    board.reply(&mut peer, &[]);
    board.echo(&mut peer);
    resign(&mut peer);
    leave(peer);
    let finished = client.end(&trial, 0);
    let record = trial.work.path().join(finished.all("record")[0]);
    assert_eq!(moves_of(&record)[0], other);
    assert!(finished.stderr.contains(&own), "{}", finished.stderr);
}

/// The opponent's move in our turn stops our engine, and the result is waited for.
#[test]
fn a_move_of_the_opponent_in_our_turn() {
    let engine = crate::engine::faulty("go*) touch thinking.mark;;");
    // The engine does not answer `stop`, so that another one has to be ready before the next game is agreed to.
    let (trial, client, mut peer) =
        Trial::logged_in(2, &format!("{engine}[[fallback]]\n{RANDOM}\n"));
    peer.begin("g1", '+');
    trial.await_mark("thinking.mark");
    peer.send("-3334FU,T1");
    trial.work.await_log("waiting for the result");
    peer.send("#ILLEGAL_ACTION\n#WIN");
    peer.offer("g2", '-', &[], "");
    assert_eq!(peer.line(), "AGREE g2");
    peer.send("START:g2\n#CHUDAN");
    leave(peer);
    let finished = client.end(&trial, 0);
    assert_eq!(finished.all("result"), ["black", "none"]);
}

/// The end of a game before its start is ignored; the game is played.
#[test]
fn a_result_before_the_start() {
    let (trial, client, mut peer) = Trial::logged_in(1, RANDOM);
    peer.offer("g1", '+', &[], "");
    assert_eq!(peer.line(), "AGREE g1");
    peer.send("+7776FU,T1\n%TORYO,T1\n#RESIGN\n#WIN\n#CHUDAN\nSTART:g1");
    play_on(&mut peer);
    leave(peer);
    let finished = client.end(&trial, 0);
    assert_eq!((finished.all("result"), finished.moves().len()), (vec!["black"], 3));
}

/// A game that ends before any move is a record without moves.
#[test]
fn a_result_before_any_move() {
    let (trial, client, mut peer) = Trial::logged_in(2, RANDOM);
    peer.begin("g1", '-');
    peer.send("%TORYO,T0\n#RESIGN\n#WIN");
    last_game(peer);
    let finished = client.end(&trial, 0);
    assert_eq!(finished.all("result"), ["white", "black"]);
    assert_eq!(moves_of(&trial.work.path().join(finished.all("record")[0])), [""; 0]);
}

/// An opponent who continues to play after its own resignation has not resigned.
#[test]
fn a_resignation_that_is_taken_back() {
    let (trial, client, mut peer) = Trial::logged_in(1, RANDOM);
    peer.begin("g1", '+');
    let mut board = Board::new();
    board.echo(&mut peer);
    peer.send("%TORYO,T1");
    board.reply(&mut peer, &[]);
    board.echo(&mut peer);
    resign(&mut peer);
    leave(peer);
    let finished = client.end(&trial, 0);
    assert_eq!((finished.all("result"), finished.moves().len()), (vec!["black"], 3));
}

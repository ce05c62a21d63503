//! Engines that answer wrongly, too late, too much or not at all.

use crate::{
    common::connection::{Desk, summary},
    engine::{LONG, SHORT, faulty, games, is_replaced, plays_on},
    game::{Board, leave, resign},
    trial::{RANDOM, Trial},
};

/// Cases in which the engine plays both games itself: its faulty arms.
macro_rules! plays_on {
    ($($(#[doc = $doc:literal])+ $name:ident: $arms:expr;)+) => {$(
        $(#[doc = $doc])+
        #[test]
        fn $name() {
            plays_on(&faulty($arms), LONG);
        }
    )+};
}

/// Cases in which another engine has to play: the faulty arms, the clock, and the words of a warning.
macro_rules! is_replaced {
    ($($(#[doc = $doc:literal])+ $name:ident: $arms:expr, $clock:ident, $words:literal;)+) => {$(
        $(#[doc = $doc])+
        #[test]
        fn $name() {
            is_replaced(&faulty($arms), $clock, $words);
        }
    )+};
}

plays_on! {
    /// The first of two answers counts; the second one is dropped.
    two_answers: "go*) printf 'bestmove %s\\nbestmove 9g9f\\n' $m;;";
    /// Answers before the first game are dropped.
    an_answer_before_the_game: "isready) echo bestmove 1g1f; echo bestmove resign; echo readyok;;";
    /// Answers at the end of the game, where none is expected, are dropped.
    an_answer_after_the_game: "gameover*) echo bestmove resign; echo bestmove win;;";
    /// Garbage before the answer is ignored.
    garbage_before_the_answer: "go*) head -c 20000 /dev/urandom; echo; echo bestmove $m;;";
    /// NUL and other control characters do not reach the terminal, the log or the record.
    control_characters: "usi) printf 'id name \\033[31mX\\000\\007\\302\\233\\n'; echo usiok;; \
        go*) printf 'info string \\033[2J\\007\\n\\000\\n'; echo bestmove $m;;";
    /// A name of 1 MB is shortened.
    a_name_of_1_mb: "usi) printf 'id name '; head -c 1000000 /dev/zero | tr '\\000' x; echo; echo id name y; echo usiok;;";
    /// Depths, nodes and times past 64 bits are left out.
    numbers_past_64_bits: "go*) echo info depth 99999999999999999999 seldepth -1 nodes 99999999999999999999 nps -5 \
        time 99999999999999999999 hashfull 4294967296 multipv 0 score cp 5 pv $m; echo bestmove $m;;";
    /// Scores past 64 bits are left out; those past any sense are cut.
    scores_past_64_bits: "go*) echo info depth 5 score cp 99999999999999999999 pv $m; \
        echo info depth 6 score mate 99999999999999999999 pv $m; echo info depth 7 score cp -9223372036854775808 pv $m; \
        echo info depth 8 score mate 9223372036854775807 pv $m; echo info depth 9 score mate -9223372036854775808 pv $m; \
        echo bestmove $m;;";
    /// A line of play that is illegal is cut where it becomes so.
    an_illegal_line_of_play: "go*) echo info depth 5 score cp 5 pv $m $m $m 9z9z; echo info depth 6 score cp 7 pv 5a5b; \
        echo bestmove $m ponder 5a5b;;";
    /// A line of play of 100,000 moves is cut.
    a_long_line_of_play: "go*) printf 'info depth 5 score cp 5 pv %s' $m; yes ' 8c8d 7f7e' | head -n 50000 | tr -d '\\n'; \
        echo; echo bestmove $m;;";
    /// Malformed options are left out.
    malformed_options: "usi) echo option; echo option name; echo option name type spin; \
        echo option name A type spin default x min 99999999999999999999 max -1; echo option name B type nothing; \
        echo option name C type combo; echo option name D type; echo option type check name E; \
        printf 'option name F\\033[31m type string default \\007\\n'; echo id name x; echo usiok;;";
    /// Of 100,000 options the first 2,000 are kept.
    a_hundred_thousand_options: "usi) yes 'option name X type string default y' | head -n 100000; echo usiok;;";
    /// Options of 60 kB each do not fill the memory.
    options_of_60_kb: "usi) x=$(head -c 60000 /dev/zero | tr '\\000' x); for n in $(seq 2000); do \
        echo \"option name $n$x type string default y\"; done; echo usiok;;";
    /// Standard error that nobody asked for is read all the same.
    a_flood_on_standard_error: "go*) yes 'something went wrong' | head -n 200000 >&2; echo bestmove $m;;";
    /// A few MB of `info` before the answer are read.
    a_flood_of_info: "go*) yes \"info depth 1 seldepth 2 score cp 1 nodes 1 nps 1 time 1 pv $m 3c3d\" | head -n 30000; \
        echo bestmove $m;;";
    /// A line of 10 MB is dropped.
    a_line_of_10_mb: "go*) head -c 10000000 /dev/zero | tr '\\000' x; echo; echo bestmove $m;;";
    /// Lines with CR LF are read.
    lines_with_crlf: "go*) printf 'info depth 3 score cp 5 pv %s\\r\\nbestmove %s\\r\\n' $m $m;;";
    /// Output in single bytes is read.
    bytes_one_by_one: "go*) for c in b e s t m o v e; do printf $c; done; echo \" $m\";;";
    /// Readiness that is declared twice is declared once.
    readiness_twice: "usi) echo usiok; echo usiok;; isready) echo readyok; echo readyok; echo usiok;;";
}

is_replaced! {
    /// An illegal move is not sent; the engine is started again, and then another one plays.
    an_illegal_move: "go*) echo bestmove 5a5b;;", LONG, "answered '5a5b', which is not legal";
    /// A move of the opponent's pieces is not sent.
    a_move_of_the_wrong_side: "go*) echo bestmove 3c3d;;", LONG, "answered '3c3d', which is not legal";
    /// The move of the position before is not sent where it is illegal.
    the_move_of_the_last_position: "go*) echo bestmove 7g7f;;", LONG, "answered '7g7f', which is not legal";
    /// Of answers without end each is checked like any other.
    answers_without_end: "go*) yes 'bestmove 7g7f' & echo $! >> pids.mark;;", LONG, "answered '7g7f', which is not legal";
    /// An answer without a move is no answer.
    an_empty_answer: "go*) echo bestmove;;", LONG, "which is not legal";
    /// The word `none` is no answer where there are legal moves.
    no_move: "go*) echo bestmove none;;", LONG, "answered 'none', which is not legal";
    /// Garbage as an answer is no answer, and its control characters reach nobody.
    a_garbage_answer: "go*) printf 'bestmove \\033[2J\\007\\377x\\n';;", LONG, "which is not legal";
    /// An answer of 1 MB is no answer.
    an_answer_of_1_mb: "go*) printf 'bestmove '; head -c 1000000 /dev/zero | tr '\\000' x; echo;;", SHORT, "no answer in time";
    /// A declaration where none is right is not sent.
    a_wrong_declaration: "go*) echo bestmove win;;", LONG, "answered 'win', which is not legal";
    /// An engine that never answers does not lose on time: the best move known is played at the last safe moment.
    no_answer: "go*) ;;", SHORT, "no answer in time";
    /// Half a line is no answer.
    half_a_line: "go*) printf 'bestmove 7g'; printf '7f' > /dev/null;;", SHORT, "no answer in time";
    /// An engine that only writes to standard error has not answered.
    an_answer_on_standard_error: "go*) echo bestmove $m >&2;;", SHORT, "no answer in time";
}

/// An engine that answers only after `stop` gets `stop` before the flag falls.
#[test]
fn an_answer_after_stop_only() {
    let trial = Trial::new();
    let engine = faulty("go*) ;; stop) touch stopped.mark; echo bestmove $m;;");
    games(&trial, &engine, SHORT, "");
    assert!(trial.mark("stopped.mark").exists());
}

/// An answer that comes before its question is taken for the answer to it, and checked like any other.
#[test]
fn an_answer_before_the_question() {
    let engine = faulty("position*) echo bestmove 1g1f;;");
    let (games, _) = games(&Trial::new(), &engine, LONG, "");
    assert_eq!(games[0][0], "+1716FU");
}

/// `info` without end, many MB a second, does not fill the memory, and a move is played in time.
#[test]
fn info_without_end() {
    let flood = "go*) yes \"info depth 1 score cp 1 nodes 1 pv $m\" & y=$!; echo $y >> pids.mark;; \
                 stop) kill $y; echo; echo bestmove $m;; gameover*) kill $y;;";
    games(&Trial::of_a_flood(), &faulty(flood), SHORT, "");
}

/// An engine that resigns gives the game up, by the configured terms.
#[test]
fn a_resignation() {
    let engine = faulty("go*) echo info score mate -2; echo bestmove resign;;");
    let (trial, client, mut peer) = Trial::logged_in(1, &engine);
    peer.begin("g1", '+');
    assert_eq!(peer.line(), "%TORYO");
    peer.send("%TORYO,T1\n#RESIGN\n#LOSE");
    leave(peer);
    let finished = client.end(&trial, 0);
    assert_eq!((finished.all("result"), finished.all("reason")), (vec!["white"], vec!["%TORYO"]));
}

/// Where resigning is switched off, or the engine's scores do not allow it, its resignation is replaced by a move.
#[test]
fn a_resignation_that_is_not_allowed() {
    let engine = faulty("go*) echo bestmove resign;;");
    for (budget, words) in [
        ("[budget]\nresign_moves = 0\n", "resigning is switched off"),
        ("", "its last scores are not low enough"),
    ] {
        let (_, finished) = games(&Trial::new(), &engine, LONG, budget);
        assert!(finished.stderr.contains(words), "{}", finished.stderr);
    }
}

/// A declaration that is right by the rules, in a game without declarations, is not sent: a move is played.
#[test]
fn a_declaration_in_a_game_without_declarations() {
    let engine = format!("{}[[fallback]]\n{RANDOM}\n", faulty("go*) echo bestmove win;;"));
    let (trial, client, mut peer) = Trial::logged_in(1, &engine);
    peer.send(&entered("").replace("Declaration:Jishogi 1.1\n", ""));
    assert_eq!(peer.line(), "AGREE g1");
    peer.send("START:g1");
    let line = peer.line();
    assert!(line.starts_with('+'), "{line}");
    peer.send("#CHUDAN");
    leave(peer);
    client.end(&trial, 0);
}

/// A declaration is not sent in a game whose rule for entering kings is another or not known: a move is played.
#[test]
fn a_declaration_by_another_rule() {
    for rule in ["NoEnteringKing", "TryRule", "CSARule28"] {
        let engine = format!("{}[[fallback]]\n{RANDOM}\n", faulty("go*) echo bestmove win;;"));
        let (trial, client, mut peer) = Trial::logged_in(1, &engine);
        let stated = format!("Declaration:Jishogi 1.1\nEntering_King_Rule:{rule}\n");
        peer.send(&entered("").replace("Declaration:Jishogi 1.1\n", &stated));
        assert_eq!(peer.line(), "AGREE g1");
        peer.send("START:g1");
        let line = peer.line();
        assert!(line.starts_with('+'), "{rule}: {line}");
        peer.send("#CHUDAN");
        leave(peer);
        let finished = client.end(&trial, 0);
        let warnings = finished.stderr.matches("a rule that is not known").count();
        assert_eq!(warnings, usize::from(rule == "CSARule28"), "{rule}: {}", finished.stderr);
    }
}

/// A declaration that is right is sent.
#[test]
fn a_right_declaration() {
    let (trial, desk) = (Trial::new(), Desk::open());
    let client = trial.play(&desk.config(1, &faulty("go*) echo bestmove win;;")));
    let mut peer = desk.welcome();
    peer.send(&entered(""));
    assert_eq!(peer.line(), "AGREE g1");
    peer.send("START:g1");
    assert_eq!(peer.line(), "%KACHI");
    peer.send("%KACHI,T1\n%KACHI\n#JISHOGI\n#WIN");
    leave(peer);
    let finished = client.end(&trial, 0);
    assert_eq!((finished.all("result"), finished.all("reason")), (vec!["black"], vec!["%KACHI"]));
}

/// An offer in which black's king has entered and black may declare.
fn entered(more: &str) -> String {
    let offer = summary("g1", '+', &[], more);
    let (head, rest) = offer.split_once("BEGIN Position\n").unwrap();
    let (_, tail) = rest.split_once("END Position").unwrap();
    let empty =
        (3..9).map(|row| format!("P{row}{}\n", " * ".repeat(9))).collect::<Vec<_>>().concat();
    let rows = format!(
        "P1+OU+KI+KI+GI+GI+NK+NK+NY+NY\nP2+FU+FU+FU+FU+FU+FU+FU+FU+FU\n{empty}P9{}-OU\n\
         P+00HI00HI00KA00KA\nP-\n+\n",
        " * ".repeat(8)
    );
    format!("{head}BEGIN Position\n{rows}END Position{tail}")
}

/// An expected reply that is illegal is not pondered on.
#[test]
fn pondering_on_an_illegal_move() {
    let engine = format!("{}ponder = true\n", faulty("go*) echo bestmove $m ponder 5i5a;;"));
    plays_on(&engine, LONG);
}

/// An engine that answers while it ponders gives that answer when the opponent's move is the expected one.
#[test]
fn an_answer_while_pondering() {
    let ponders =
        "'go ponder'*) echo bestmove $m ponder 8c8d;; go*) echo bestmove $m ponder 3c3d;;";
    let engine = format!("{}ponder = true\n", faulty(ponders));
    plays_on(&engine, LONG);
}

/// An engine that never answers the `stop` of pondering is started again; the game continues.
#[test]
fn no_answer_to_the_stop_of_pondering() {
    let ponders = "'go ponder'*) ;; stop) ;; go*) echo bestmove $m ponder 1c1d;;";
    let engine = format!("{}ponder = true\n", faulty(ponders));
    is_replaced(&engine, SHORT, "no answer in time");
}

/// Floods on both outputs do not fill the memory, and a move is played in time.
#[test]
fn floods_on_both_outputs() {
    let flood = "go*) yes 'info string x' & y=$!; yes oops >&2 & z=$!; echo $y $z >> pids.mark;; \
                 stop) kill $y $z; echo; echo bestmove $m;; gameover*) kill $y $z;;";
    games(&Trial::of_a_flood(), &faulty(flood), SHORT, "");
}

/// Long lines of play for every first move that can be written do not fill the memory.
#[test]
fn many_lines_of_play() {
    let flood = "go*) for a in 1 2 3 4 5 6 7 8 9; do for b in a b c d e f g h i; do for c in 1 2 3 4 5 6 7 8 9; do \
                 for d in a b c d e f g h i; do printf 'info depth 1 score cp 1 pv %s' $a$b$c$d; echo \"$long\"; done; done; \
                 done; done; echo bestmove $m;;";
    let flood =
        format!("usi) long=$(yes ' 7g7f 3c3d' | head -n 2500 | tr -d '\\n'); echo usiok;; {flood}");
    let (trial, desk) = (Trial::of_a_flood(), Desk::open());
    let client = trial.play(&desk.config(1, &faulty(&flood)));
    let mut peer = desk.welcome();
    peer.begin("g1", '+');
    assert_eq!(Board::new().echo(&mut peer), "+7776FU");
    resign(&mut peer);
    leave(peer);
    client.end(&trial, 0);
}

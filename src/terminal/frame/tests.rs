use expect_test::{Expect, expect};

use std::sync::Arc;

use crate::players::{self, SearchInfo};
use crate::watch::{LiveGame, testing::made};
use kyomi_csa::MoveEvent;
use kyomi_shogi::clock::{Controls, GameClocks, TimeControl};
use kyomi_shogi::{Move, notation::usi};

use super::{
    super::{board::marked_ranks_only, scene::Ending, style::Paint},
    *,
};

/// A game of a few moves. The n-th move took n seconds.
fn displayed(moves: &str, control: TimeControl) -> (DisplayedGame, Instant) {
    let now = Instant::now();
    let mut game_clocks = GameClocks::new(Controls::both(control), Color::Black);
    let mut displayed = DisplayedGame::new(&LiveGame {
        number: 1,
        game_id: String::new(),
        names: ["kyomi".to_owned(), "mallory\u{1b}[2J".to_owned()],
        own: None,
        continued: false,
        start: Arc::default(),
        move_times: Vec::new(),
        start_clocks: *game_clocks.clocks(),
        moves: Vec::new(),
        clocks: *game_clocks.clocks(),
        turn_began: now,
        lines: [None, None],
        end: None,
    });
    for (index, mv) in parse(moves).into_iter().enumerate() {
        let color = displayed.state.position().side_to_move();
        let spent = Duration::from_secs(index as u64 + 1);
        let charge = game_clocks.charge(color, Some(spent), spent);
        let event = MoveEvent {
            spent: charge.spent,
            measured: spent,
            remaining: Some(charge.remaining),
            ..made(index as u32 + 1, mv, color)
        };
        assert!(displayed.add_move(&event, game_clocks.clocks(), now));
    }
    (displayed, now)
}

fn parse(moves: &str) -> Vec<Move> {
    moves.split_whitespace().map(|word| usi::parse_move(word).unwrap()).collect()
}

fn minute() -> TimeControl {
    TimeControl::sudden_death(Duration::from_secs(60))
}

fn text(lines: &[Line], columns: usize) -> String {
    let lines: Vec<_> = lines.iter().map(|line| line.render(columns, Paint::Plain)).collect();
    lines.join("\n")
}

fn shown(displayed: &DisplayedGame, now: Instant, size: (usize, usize)) -> String {
    let footer = Footer { notices: vec!["a warning".to_owned()], help: "Ctrl-C: finish" };
    text(&draw(displayed, &footer, now, size), size.0)
}

fn check(displayed: &DisplayedGame, now: Instant, size: (usize, usize), expected: &Expect) {
    expected.assert_eq(&shown(displayed, now, size));
}

#[test]
fn a_running_game_fills_a_usual_terminal() {
    let (mut displayed, now) = displayed("7g7f 3c3d 8h2b+ 3a2b", minute());
    let info = SearchInfo {
        depth: 9,
        score: Some(players::Score::Cp(-35)),
        nodes: 1_234_567,
        nps: 456_789,
        pv: parse("B*5e B*3c"),
        ..SearchInfo::default()
    };
    let game = displayed.state.clone();
    displayed.update_search(Color::Black, &game, &info);
    check(
        &displayed,
        now + Duration::from_millis(2500),
        (80, 24),
        &expect![[r#"
        kyomi   game 1, 4 moves, ▲ to move
        △ mallory[2J                     0:54        1 ▲７六歩(77)       0:01.0
          持駒 角                                    2 △３四歩(33)       0:02.0
          ９  ８  ７  ６  ５  ４  ３  ２  １         3 ▲２二角成(88)     0:03.0
        +------------------------------------+       4 △同　銀(31)       0:04.0
        |v香 v桂 v銀 v金 v玉 v金 (・)v桂 v香 |一
        | ・ v飛  ・  ・  ・  ・  ・ v銀] ・ |二
        |v歩 v歩 v歩 v歩 v歩 v歩  ・ v歩 v歩 |三
        | ・  ・  ・  ・  ・  ・ v歩  ・  ・ |四
        | ・  ・  ・  ・  ・  ・  ・  ・  ・ |五
        | ・  ・  歩  ・  ・  ・  ・  ・  ・ |六
        | 歩  歩  ・  歩  歩  歩  歩  歩  歩 |七
        | ・  ・  ・  ・  ・  ・  ・  飛  ・ |八
        | 香  桂  銀  金  玉  金  銀  桂  香 |九
        +------------------------------------+
          持駒 角
        ▲ kyomi                          0:53 <
        ▲ score -35  depth 9  1.23M nodes  456.8k/s
          ▲５五角打 △３三角打

        a warning
        Ctrl-C: finish"#]],
    );
}

#[test]
fn the_end_is_shown_even_if_there_is_no_room_for_more() {
    let (mut displayed, now) = displayed("7g7f", minute());
    displayed.ending =
        Some(Ending { result: "black".to_owned(), reason: "%TORYO".to_owned(), record: None });
    let shown = shown(&displayed, now, (50, 17));
    assert_eq!(shown.lines().count(), 17);
    expect![[r#"
        kyomi   game 1, 1 move
        △ mallory[2J                     1:00
          持駒 なし
        | ・  ・ [歩] ・  ・  ・  ・  ・  ・ |六
        | 歩  歩 (・) 歩  歩  歩  歩  歩  歩 |七
          持駒 なし
        result: black   reason: %TORYO"#]]
    .assert_eq(&marked_ranks_only(&shown));
}

#[test]
fn a_tiny_terminal_shows_the_clocks() {
    let (displayed, now) = displayed("7g7f", minute());
    check(
        &displayed,
        now,
        (30, 5),
        &expect![[r#"
        1 ▲７六歩(77)
        ▲ 0:59  △ 1:00<"#]],
    );
    check(&displayed, now, (12, 1), &expect!["1 ▲７六歩(77"]);
}

#[test]
fn no_size_is_too_small_and_no_line_too_many() {
    let (displayed, now) = displayed("7g7f 3c3d 8h2b+ 3a2b", minute());
    for columns in 0..100 {
        for rows in 0..30 {
            let lines = draw(&displayed, &Footer::default(), now, (columns, rows));
            assert!(lines.len() <= rows, "{columns} by {rows}");
            for line in &lines {
                assert!(text::width(&line.render(columns, Paint::Plain)) <= columns);
            }
        }
    }
}

#[test]
fn a_clock_runs_into_its_byoyomi_and_stops_at_nothing() {
    let control = TimeControl::byoyomi(Duration::from_secs(60), Duration::from_secs(10));
    let (displayed, now) = displayed("", control);
    let shown = |seconds| {
        clock_text(displayed.clock_face(Color::Black, now + Duration::from_secs(seconds)))
    };
    assert_eq!(shown(0), "1:00");
    assert_eq!(shown(57), "0:03.0");
    assert_eq!(shown(63), "byoyomi 0:07.0");
    assert_eq!(shown(90), "byoyomi 0:00.0");
    assert_eq!(
        clock_text(displayed.clock_face(Color::White, now + Duration::from_secs(90))),
        "1:00"
    );
}

#[test]
fn an_increment_is_there_from_the_start_of_the_turn() {
    let control = TimeControl::fischer(Duration::from_secs(60), Duration::from_secs(5));
    let (displayed, now) = displayed("", control);
    assert_eq!(
        clock_text(displayed.clock_face(Color::Black, now + Duration::from_secs(2))),
        "1:03"
    );
}

#[test]
fn times_are_rounded_down() {
    assert_eq!(time(Duration::from_millis(9_999)), "0:09.9");
    assert_eq!(time(Duration::from_millis(59_999)), "0:59");
    assert_eq!(time(Duration::from_secs(3_723)), "1:02:03");
}

#[test]
fn large_numbers_are_short() {
    let numbers = [0, 9_999, 12_345, 1_234_567, 2_000_000_000].map(short);
    assert_eq!(numbers, ["0", "9999", "12.3k", "1.23M", "2.00G"]);
}

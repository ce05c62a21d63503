use expect_test::expect;

use kyomi_record::{Analysis, EndKind, Header, RecordMove};
use kyomi_shogi::{Score, notation::usi};

use super::super::board::marked_ranks_only;
use super::*;

const PIPE: Surroundings = Surroundings { terminal: false, colour: true };

fn record(line: &str) -> Record {
    let game = usi::parse_position_line(line).unwrap();
    let mut record = Record::new(Header::default(), game.start().clone());
    record.moves = game.moves().iter().map(|mv| RecordMove::new(*mv)).collect();
    record
}

fn record_with_details() -> Record {
    let mut record = record("position startpos moves 7g7f 3c3d 8h2b+");
    record.header.black = Some("Alice\u{1b}[31m".to_owned());
    record.header.white = Some("ボブ".to_owned());
    record.header.event = Some("League\r\nround 3".to_owned());
    record.header.comments = vec!["a quiet room".to_owned()];
    let last = &mut record.moves[2];
    last.time = Some(Duration::from_millis(72_500));
    last.comments = vec!["an exchange\nof bishops \u{1b}[2J".to_owned()];
    let pv = vec![usi::parse_move("3a2b").unwrap(), usi::parse_move("B*5e").unwrap()];
    last.analysis = Some(Analysis { score: Some(Score::Cp(12)), pv, ..Analysis::default() });
    record.end = Some(End::new(EndKind::Resign));
    record
}

fn shown(record: &Record, ply: usize, script: Script) -> String {
    diagram(&Moment::at(record, ply).unwrap(), script, PIPE)
}

#[test]
fn the_end_of_a_game() {
    expect![[r#"
        Leagueround 3
        △後手 ボブ   to move
          持駒 なし
        | ・ v飛  ・  ・  ・  ・  ・ [馬] ・ |二
        | ・ (・) ・  ・  ・  ・  ・  飛  ・ |八
          持駒 角
        ▲先手 Alice[31m

        ply 3 of 3   ▲２二角成(88)   1:12.5
        score +12   △同　銀(31) ▲５五角打
          an exchange
          of bishops [2J
        result: black   reason: %TORYO
    "#]]
    .assert_eq(&marked_ranks_only(&shown(&record_with_details(), 3, Script::Japanese)));
}

#[test]
fn the_end_of_a_game_in_letters() {
    expect![[r#"
        Leagueround 3
        White ボブ   to move
          hand -
        | .  r  .  .  .  .  . +B] . |b
        | . (.) .  .  .  .  .  R  . |h
          hand B
        Black Alice[31m

        ply 3 of 3   8h2b+   1:12.5
        score +12   3a2b B*5e
          an exchange
          of bishops [2J
        result: black   reason: %TORYO
    "#]]
    .assert_eq(&marked_ranks_only(&shown(&record_with_details(), 3, Script::Letters)));
}

#[test]
fn the_start_of_a_handicap_game() {
    let record = record("sfen lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1");
    let shown = shown(&record, 0, Script::Japanese);
    expect![[r#"
        △上手   to move
          持駒 なし
          持駒 なし
        ▲下手

        ply 0 of 0   start position
    "#]]
    .assert_eq(&marked_ranks_only(&shown));
    assert!(shown.contains("\n| ・  ・  ・  ・  ・  ・  ・  ・  ・ |二\n"), "{shown}");
}

#[test]
fn full_hands_and_no_kings() {
    let record = record("sfen 9/9/9/9/9/9/9/9/9 b 2R2B4G4S4N4L18P 1");
    let text = shown(&record, 0, Script::Japanese);
    assert!(text.contains("  持駒 飛二 角二 金四 銀四 桂四 香四 歩十八\n"), "{text}");
    let text = shown(&record, 0, Script::Letters);
    assert!(text.contains("  hand 2R 2B 4G 4S 4N 4L 18P\n"), "{text}");
}

#[test]
fn the_comments_of_the_game_are_shown_at_its_start() {
    let text = shown(&record_with_details(), 0, Script::Japanese);
    assert!(text.ends_with("ply 0 of 3   start position\n  a quiet room\n"), "{text}");
}

#[test]
fn a_result_without_a_reason_is_shown() {
    let mut record = record_with_details();
    record.end = Some(End::new(EndKind::Decided(Winner::Draw)));
    let text = shown(&record, 3, Script::Japanese);
    assert!(text.ends_with("\nresult: draw\n"), "{text}");
}

#[test]
fn colours_are_written_to_terminals_with_colours_only() {
    let record = record_with_details();
    let moment = Moment::at(&record, 3).unwrap();
    for (terminal, colour) in [(false, false), (false, true), (true, false), (true, true)] {
        let text = diagram(&moment, Script::Japanese, Surroundings { terminal, colour });
        assert_eq!(text.contains('\u{1b}'), terminal && colour);
    }
}

#[test]
fn times_are_as_exact_as_the_record() {
    let text = |millis| spent(Duration::from_millis(millis));
    assert_eq!(text(9_000), "0:09");
    assert_eq!(text(1_500), "0:01.5");
    assert_eq!(text(61_001), "1:01.001");
    assert_eq!(text(3_723_000), "1:02:03");
}

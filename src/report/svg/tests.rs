use expect_test::expect_file;

use kyomi_shogi::notation::usi;

use super::*;

fn picture(line: &str, options: &BoardOptions) -> String {
    let game = usi::parse_position_line(line).unwrap();
    board_svg(game.position(), game.moves().last().copied(), options)
}

/// The contents of the `<text>` elements, in order.
fn texts(svg: &str) -> Vec<&str> {
    svg.split("<text ")
        .skip(1)
        .map(|element| element.split_once('>').unwrap().1.split_once('<').unwrap().0)
        .collect()
}

#[test]
fn a_small_picture() {
    let options = BoardOptions {
        names: [Some("Alice".to_owned()), Some("ボブ & <b>".to_owned())],
        caption: Some("△５八金打".to_owned()),
        ..BoardOptions::default()
    };
    let line = "position sfen 4k4/9/9/9/9/9/9/1+R7/9 w g18P 1 moves G*5h";
    expect_file!["tests/drop.svg"].assert_eq(&picture(line, &options));
}

#[test]
fn the_origin_has_a_dashed_frame_and_the_destination_a_solid_one() {
    let svg = picture("startpos moves 7g7f", &BoardOptions::default());
    let marks: Vec<_> = svg.lines().filter(|line| line.contains(MARK)).collect();
    assert_eq!(marks.len(), 2, "{marks:?}");
    assert!(marks[0].contains("x=\"171.6\" y=\"321.6\"") && marks[0].contains("dasharray"));
    assert!(marks[1].contains("x=\"171.6\" y=\"278.6\"") && !marks[1].contains("dasharray"));
    let start = picture("startpos", &BoardOptions::default());
    assert!(!start.contains(MARK));
}

#[test]
fn hands_are_counted_and_one_piece_needs_no_count() {
    let svg = picture("sfen 4k4/9/9/9/9/9/9/9/4K4 b R4G18Pb 1", &BoardOptions::default());
    let shown = texts(&svg);
    assert_eq!(shown[..8], ["手番", "▲先手", "飛", "金", "4", "歩", "18", "△後手"]);
    assert_eq!(shown[8], "角");
}

#[test]
fn the_sides_of_a_handicap_game_have_special_names() {
    let options = BoardOptions { is_handicap: true, ..BoardOptions::default() };
    let svg = picture("sfen 4k4/9/9/9/9/9/9/9/4K4 w - 1", &options);
    let shown = texts(&svg);
    assert_eq!(shown[..3], ["▲下手", "手番", "△上手"]);
}

#[test]
fn with_letters_nothing_is_japanese() {
    let options = BoardOptions { script: Script::Letters, ..BoardOptions::default() };
    let svg = picture("startpos moves 7g7f 3c3d 8h2b+", &options);
    assert!(texts(&svg).iter().all(|text| text.is_ascii()));
    assert!(texts(&svg).contains(&"+B"));
    assert!(svg.contains("<title>Shogi position, white to move</title>"), "{svg}");
}

#[test]
fn the_height_follows_the_width() {
    let options = BoardOptions { width: Some(275), ..BoardOptions::default() };
    let svg = picture("startpos", &options);
    assert!(svg.contains("width=\"275\" height=\"246\" viewBox=\"0 0 550 491\""), "{svg}");
}

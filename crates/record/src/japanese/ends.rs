//! How a game ended, in Japanese: the word in place of a move in KIF, and the result line `まで113手で先手の勝ち` of KIF and
//! KI2.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::{EndKind, Winner};
use kyomi_shogi::Color;
use kyomi_shogi::notation::japanese::side_name;

use super::numerals::{is_blank, number, trim};
use super::words::{begins_move, side_mark};

/// The word of an end with `to_move` to move. Not every word is read as the same end.
pub(crate) fn end_word(kind: &EndKind, to_move: Color) -> Cow<'_, str> {
    Cow::Borrowed(match kind {
        EndKind::Resign => "投了",
        EndKind::Interrupted => "中断",
        EndKind::Sennichite => "千日手",
        EndKind::TimeUp => "切れ負け",
        EndKind::IllegalMove => "反則負け",
        EndKind::IllegalAction(offender) if *offender == to_move => "反則負け",
        EndKind::IllegalAction(_) => "反則勝ち",
        EndKind::Jishogi => "持将棋",
        EndKind::Declaration => "入玉勝ち",
        EndKind::DrawDeclared => "引き分け",
        EndKind::TakeBack => "待った",
        EndKind::Mate => "詰み",
        EndKind::NoMate => "不詰",
        EndKind::MaxMoves => "最大手数",
        EndKind::Error => "エラー",
        EndKind::Decided(Winner::Side(Color::Black)) => "先手の勝ち",
        EndKind::Decided(Winner::Side(Color::White)) => "後手の勝ち",
        EndKind::Decided(Winner::Draw) => "引分",
        EndKind::Unknown(word) => {
            let printed: String = word.chars().filter(|c| !c.is_control()).collect();
            return Cow::Owned(trim(&printed).to_owned());
        }
    })
}

/// The end of a word with `to_move` to move; [`EndKind::Unknown`] for any other.
pub(crate) fn end_from_word(word: &str, to_move: Color) -> EndKind {
    match word {
        "投了" => EndKind::Resign,
        "中断" | "指し掛け" | "指掛け" => EndKind::Interrupted,
        "千日手" | "千日手成立" => EndKind::Sennichite,
        "切れ負け" | "切れ負" | "時間切れ" | "時間切れ負け" => EndKind::TimeUp,
        "反則負け" | "反則負" | "反則" | "反則手" => EndKind::IllegalMove,
        _ if names_offence(word) => EndKind::IllegalMove,
        "反則勝ち" | "反則勝" => EndKind::IllegalAction(!to_move),
        "持将棋" | "持将棋成立" => EndKind::Jishogi,
        "入玉勝ち" | "入玉勝" | "入玉宣言" | "入玉宣言勝ち" | "勝ち宣言" | "宣言勝ち" => {
            EndKind::Declaration
        }
        "引き分け" => EndKind::DrawDeclared,
        "待った" => EndKind::TakeBack,
        "詰み" | "詰" => EndKind::Mate,
        "不詰" | "不詰み" => EndKind::NoMate,
        "最大手数" => EndKind::MaxMoves,
        "エラー" => EndKind::Error,
        "引分" | "引分け" | "無勝負" => EndKind::Decided(Winner::Draw),
        "先手の勝ち" | "先手勝ち" | "下手の勝ち" | "下手勝ち" => {
            EndKind::Decided(Winner::Side(Color::Black))
        }
        "後手の勝ち" | "後手勝ち" | "上手の勝ち" | "上手勝ち" => {
            EndKind::Decided(Winner::Side(Color::White))
        }
        "不戦勝" | "不戦勝ち" => EndKind::Decided(Winner::Side(to_move)),
        "不戦敗" => EndKind::Decided(Winner::Side(!to_move)),
        _ => english_end(word).unwrap_or_else(|| EndKind::Unknown(word.to_owned())),
    }
}

/// Whether a word names the offence itself.
pub(super) fn names_offence(word: &str) -> bool {
    OFFENCES.contains(&word)
}

const OFFENCES: [&str; 6] = ["二歩", "王手放置", "打ち歩詰め", "打歩詰め", "打歩詰", "二手指し"];

/// The end of an English word, as 81Dojo and others write it, in any case and with any of `-`, `_` and blanks between
/// its parts.
pub(crate) fn english_end(word: &str) -> Option<EndKind> {
    if word.len() > LONGEST_ENGLISH || !word.is_ascii() {
        return None;
    }
    let letters = word.chars().filter(|c| !matches!(c, '-' | '_' | ' ' | '.' | '!'));
    let letters: String = letters.map(|c| c.to_ascii_lowercase()).collect();
    Some(match letters.as_str() {
        "toryo" | "resign" | "resigns" | "resigned" | "resignation" => EndKind::Resign,
        "timeup" | "timeout" | "timeisup" | "timeover" | "outoftime" | "lossontime"
        | "lostontime" | "flagfall" | "timeexpired" => EndKind::TimeUp,
        "illegal" | "illegalmove" | "foul" | "foulmove" | "illegalaction" | "nifu" | "twopawns" => {
            EndKind::IllegalMove
        }
        "repetition" | "fourfoldrepetition" | "drawbyrepetition" | "sennichite" => {
            EndKind::Sennichite
        }
        "impasse" | "drawbyimpasse" | "jishogi" => EndKind::Jishogi,
        "declaration" | "declarationwin" | "winbydeclaration" | "enteringking" | "nyugyoku"
        | "kachi" => EndKind::Declaration,
        "checkmate" | "mate" | "mated" | "tsumi" | "stalemate" => EndKind::Mate,
        "nomate" | "fuzumi" => EndKind::NoMate,
        "draw" | "drawn" | "hikiwake" => EndKind::DrawDeclared,
        "suspend" | "suspended" | "suspension" | "interrupt" | "interrupted" | "interruption"
        | "adjourn" | "adjourned" | "adjournment" | "paused" | "aborted" | "abort" | "chudan" => {
            EndKind::Interrupted
        }
        "maxmoves" | "movelimit" => EndKind::MaxMoves,
        "matta" | "takeback" => EndKind::TakeBack,
        "error" => EndKind::Error,
        "blackwin" | "blackwins" | "sentewin" | "sentewins" => {
            EndKind::Decided(Winner::Side(Color::Black))
        }
        "whitewin" | "whitewins" | "gotewin" | "gotewins" => {
            EndKind::Decided(Winner::Side(Color::White))
        }
        _ => return None,
    })
}

/// Whether a word says that one side repeated the position by giving check.
pub(super) fn is_perpetual_check(word: &str) -> bool {
    let letters: String = word.chars().filter(char::is_ascii_alphabetic).collect();
    word.starts_with("連続王手") || letters.eq_ignore_ascii_case("perpetualcheck")
}

/// Reads the end at the beginning of a text, before a time or the mark of a variation, and returns its words. A
/// known end is one word; of an unknown end all words are kept.
pub(crate) fn read_word(text: &str, to_move: Color) -> (EndKind, &str) {
    let before = |is_end: fn(char) -> bool| &text[..text.find(is_end).unwrap_or(text.len())];
    let is_mark = |c: char| matches!(c, '(' | '（' | '+');
    let first = before(|c| is_blank(c) || matches!(c, '(' | '（' | '+'));
    let all = trim(before(is_mark));
    match (end_from_word(first, to_move), end_from_word(all, to_move)) {
        (EndKind::Unknown(_), kind) => (kind, all),
        // Illegal move, Draw by repetition.
        (_, kind) if first.is_ascii() && !matches!(kind, EndKind::Unknown(_)) => (kind, all),
        (kind, _) => (kind, first),
    }
}

/// As [`read_word`], but the mark of the side that it is about may precede a known end, as in `▲投了`. The mark is
/// part of the words returned. `None` for a text that begins like a move and is not such an end.
pub(super) fn read_marked(text: &str, to_move: Color) -> Option<(EndKind, &str)> {
    if !text.starts_with(begins_move) {
        return Some(read_word(text, to_move));
    }
    let side = text.chars().next().and_then(side_mark)?;
    let phrase = text.trim_start_matches(|c| side_mark(c).is_some() || is_blank(c));
    let (kind, word) = read_word(phrase, side);
    let all = &text[..text.len() - phrase.len() + word.len()];
    let winner = kind.winner(side);
    match kind {
        EndKind::Unknown(_) => None,
        EndKind::IllegalMove if side != to_move => Some((EndKind::IllegalAction(side), all)),
        kind => match winner {
            Some(winner) if kind.winner(to_move) != Some(winner) => {
                Some((EndKind::Decided(winner), all))
            }
            _ => Some((kind, all)),
        },
    }
}

/// The text of a result line after `まで…手で`.
pub(crate) fn result(kind: &EndKind, to_move: Color, is_handicap: bool) -> String {
    let name = |side| side_name(side, is_handicap);
    match kind {
        EndKind::Resign => format!("{}の勝ち", name(!to_move)),
        EndKind::TimeUp => format!("時間切れにより{}の勝ち", name(!to_move)),
        EndKind::Declaration => format!("{}の入玉勝ち", name(to_move)),
        EndKind::IllegalMove => format!("{}の反則負け", name(to_move)),
        EndKind::IllegalAction(offender) if *offender == to_move => {
            format!("{}の反則負け", name(to_move))
        }
        EndKind::IllegalAction(_) => format!("{}の反則勝ち", name(to_move)),
        EndKind::Decided(Winner::Side(winner)) => format!("{}の勝ち", name(*winner)),
        _ => end_word(kind, to_move).into_owned(),
    }
}

/// The end that a result line names; `None` if it names none. The line may contain the players' `names`, black's
/// first.
pub(crate) fn end_from_result(
    line: &str,
    to_move: Color,
    names: [Option<&str>; 2],
) -> Option<EndKind> {
    let text: String = line.chars().filter(|c| !c.is_whitespace()).collect();
    let text = text.strip_prefix("まで").unwrap_or(&text);
    let text = text.strip_prefix('、').unwrap_or(text);
    let phrase = number(text).and_then(|(_, length)| text[length..].strip_prefix('手'));
    let phrase = phrase.unwrap_or(text);
    let phrase = phrase.strip_prefix('で').unwrap_or(phrase);
    if phrase.is_empty() {
        return None;
    }
    let words = last_words(line, phrase.chars().count());
    let phrase = phrase.strip_suffix("成立").unwrap_or(phrase);
    let side = named(phrase).or_else(|| begins_with_name(phrase, names));
    let winner = side.map(|side| if phrase.contains('勝') { side } else { !side });
    let offence = |offender: Color| {
        if offender == to_move { EndKind::IllegalMove } else { EndKind::IllegalAction(offender) }
    };
    // The side that the line names has won, whoever is to move.
    let with = |kind: EndKind, winner: Option<Color>| match winner.map(Winner::Side) {
        Some(winner) if kind.winner(to_move) != Some(winner) => EndKind::Decided(winner),
        _ => kind,
    };
    let ends = |words: &[&str]| words.iter().any(|word| phrase.ends_with(word));
    let is_perpetual = phrase.contains("連続王手");
    let mut offences = OFFENCES.iter().chain(&["反則"]);
    let names_offence = offences.any(|word| phrase.contains(word));
    let is_offence = names_offence && ends(&["勝ち", "勝", "負け", "負", "反則"]);
    let is_time = ["時間切れ", "切れ負け", "切れ勝ち"].iter().any(|word| phrase.contains(word));
    Some(if let Some(winner) = winner.filter(|_| is_perpetual) {
        EndKind::IllegalAction(!winner)
    } else if is_time {
        with(EndKind::TimeUp, winner)
    } else if let Some(winner) = winner.filter(|_| is_offence) {
        offence(!winner)
    } else if ends(&["入玉勝ち"]) || phrase.contains("宣言") {
        // The side that declares has won.
        with(EndKind::Declaration, if phrase.contains('負') { winner } else { side })
    } else if let Some(winner) = winner.filter(|_| ends(&["不戦勝", "不戦勝ち", "不戦敗"]))
    {
        EndKind::Decided(Winner::Side(winner))
    } else if winner.is_some() && ends(&["勝ち", "勝", "負け", "負", "投了"]) {
        // No reason is given: the side to move has resigned, or has won in some way.
        with(EndKind::Resign, winner)
    } else if phrase == "勝ち" {
        EndKind::Resign
    } else {
        match end_from_word(phrase, to_move) {
            EndKind::Unknown(_) => EndKind::Unknown(words.to_owned()),
            kind => kind,
        }
    })
}

/// The number of moves in a result line.
pub(super) fn number_of_moves(line: &str) -> Option<usize> {
    let text: String = line.chars().take(30).filter(|c| !c.is_whitespace()).collect();
    let text = text.strip_prefix("まで")?;
    let (number, length) = number(text.strip_prefix('、').unwrap_or(text))?;
    let text = text.strip_prefix('、').unwrap_or(text);
    text.get(length..)?.starts_with('手').then(|| usize::try_from(number).unwrap_or(usize::MAX))
}

/// The end of a line, from the last `length` characters that are not spaces.
fn last_words(line: &str, length: usize) -> &str {
    let mut inner = line.char_indices().rev().filter(|(_, c)| !c.is_whitespace());
    let begin = length.checked_sub(1).and_then(|before| inner.nth(before));
    begin.map_or("", |(at, _)| trim(&line[at..]))
}

/// Whether a result line names a side.
pub(super) fn names_side(line: &str) -> bool {
    named(line).is_some()
}

/// The side that a result line names: the last one before `勝`, else the last one in the line.
fn named(phrase: &str) -> Option<Color> {
    let before = phrase.rfind('勝').and_then(|at| phrase.get(..at)).unwrap_or(phrase);
    let names = [
        ("先手", Color::Black),
        ("下手", Color::Black),
        ("後手", Color::White),
        ("上手", Color::White),
    ];
    let last = names.into_iter().filter_map(|(name, side)| Some((before.rfind(name)?, side)));
    last.max_by_key(|(at, _)| *at).map(|(_, side)| side)
}

/// The side whose name the text begins with; the longer name if both match.
fn begins_with_name(phrase: &str, names: [Option<&str>; 2]) -> Option<Color> {
    let lengths = names.map(|name| {
        let mut rest = phrase;
        for c in name?.chars().filter(|c| !c.is_whitespace()) {
            rest = rest.strip_prefix(c)?;
        }
        Some(phrase.len() - rest.len()).filter(|length| *length > 0)
    });
    match lengths[0].cmp(&lengths[1]) {
        Ordering::Greater => Some(Color::Black),
        Ordering::Less => Some(Color::White),
        Ordering::Equal => None,
    }
}

const LONGEST_ENGLISH: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_lines_are_read() {
        let black = Color::Black;
        let white_won = || Some(EndKind::Decided(Winner::Side(Color::White)));
        for (line, end) in [
            ("まで112手で後手の勝ち", Some(EndKind::Resign)),
            ("まで、112手で上手の勝ち", Some(EndKind::Resign)),
            ("　まで112手で先手の勝ち", Some(EndKind::Decided(Winner::Side(black)))),
            ("まで112手で時間切れにより後手の勝ち", Some(EndKind::TimeUp)),
            ("まで112手で先手の反則負け", Some(EndKind::IllegalMove)),
            ("まで112手で後手の反則勝ち", Some(EndKind::IllegalMove)),
            ("まで112手で先手の反則勝ち", Some(EndKind::IllegalAction(Color::White))),
            ("まで112手で先手の入玉勝ち", Some(EndKind::Declaration)),
            ("まで112手で後手の入玉勝ち", white_won()),
            ("まで112手で後手の宣言勝ち", white_won()),
            ("まで112手で時間切れにより先手の勝ち", Some(EndKind::Decided(Winner::Side(black)))),
            (
                "まで112手で後手の時間切れにより先手の勝ち",
                Some(EndKind::Decided(Winner::Side(black))),
            ),
            ("まで112手で先手の切れ負け", Some(EndKind::TimeUp)),
            ("まで112手で後手の時間切れ", Some(EndKind::Decided(Winner::Side(black)))),
            ("まで112手で時間切れ", Some(EndKind::TimeUp)),
            ("まで112手で後手投了", Some(EndKind::Decided(Winner::Side(black)))),
            ("まで112手で先手投了", Some(EndKind::Resign)),
            ("まで112手で先手の勝", Some(EndKind::Decided(Winner::Side(black)))),
            ("まで112手で後手勝", Some(EndKind::Resign)),
            ("まで112手で先手の負け", Some(EndKind::Resign)),
            ("まで112手で先手の反則により後手の勝ち", Some(EndKind::IllegalMove)),
            ("まで112手で反則負け", Some(EndKind::IllegalMove)),
            ("まで112手で千日手", Some(EndKind::Sennichite)),
            ("まで百十二手で持将棋", Some(EndKind::Jishogi)),
            ("まで7手詰", Some(EndKind::Mate)),
            ("まで7手で詰み", Some(EndKind::Mate)),
            ("まで112手", None),
            ("まで", None),
            ("まで112手で後手の切れ勝ち", Some(EndKind::TimeUp)),
            ("まで112手で二歩により後手の勝ち", Some(EndKind::IllegalMove)),
            (
                "まで112手で連続王手の千日手により先手の負け",
                Some(EndKind::IllegalAction(Color::Black)),
            ),
            ("まで112手で無勝負", Some(EndKind::Decided(Winner::Draw))),
            ("まで112手で雨", Some(EndKind::Unknown("雨".into()))),
            ("まで 112 手で foo  bar ", Some(EndKind::Unknown("foo  bar".into()))),
            ("まで112手で雨　成立", Some(EndKind::Unknown("雨　成立".into()))),
        ] {
            assert_eq!(end_from_result(line, black, [None, None]), end, "{line}");
        }
    }

    #[test]
    fn a_player_who_did_not_appear_has_lost() {
        let won = |side| Some(EndKind::Decided(Winner::Side(side)));
        for (line, winner) in [
            ("まで2手で先手の不戦敗", Color::White),
            ("まで2手で後手の不戦敗", Color::Black),
            ("まで2手で先手の不戦勝", Color::Black),
            ("まで2手で後手の不戦勝ち", Color::White),
            ("まで2手で不戦敗", Color::White),
        ] {
            assert_eq!(end_from_result(line, Color::Black, [None, None]), won(winner), "{line}");
        }
        assert_eq!(end_from_word("不戦敗", Color::White), won(Color::Black).unwrap());
        assert_eq!(end_from_word("不戦勝ち", Color::White), won(Color::White).unwrap());
    }

    #[test]
    fn result_lines_may_name_the_players_and_say_that_a_draw_is_one() {
        let won = |side| Some(EndKind::Decided(Winner::Side(side)));
        let read = |line| end_from_result(line, Color::Black, [Some("甲　乙"), Some("甲 乙丙")]);
        assert_eq!(read("まで2手で甲乙の勝ち"), won(Color::Black));
        assert_eq!(read("まで2手で甲乙丙の勝ち"), Some(EndKind::Resign));
        assert_eq!(read("まで2手で甲乙丙の負け"), won(Color::Black));
        assert_eq!(read("まで2手で甲　乙の反則負け"), Some(EndKind::IllegalMove));
        assert_eq!(read("まで2手で丁の勝ち"), Some(EndKind::Unknown("丁の勝ち".into())));
        assert_eq!(read("まで2手で千日手成立"), Some(EndKind::Sennichite));
        assert_eq!(read("まで2手で持将棋成立"), Some(EndKind::Jishogi));
    }

    #[test]
    fn an_end_may_have_the_mark_of_a_side() {
        let read = |text| read_marked(text, Color::Black);
        let white = EndKind::Decided(Winner::Side(Color::White));
        let black = EndKind::Decided(Winner::Side(Color::Black));
        assert_eq!(read("▲投了"), Some((EndKind::Resign, "▲投了")));
        assert_eq!(read("△ 投了 (0:01)"), Some((black, "△ 投了")));
        assert_eq!(read("△中断"), Some((EndKind::Interrupted, "△中断")));
        assert_eq!(read("△反則負け"), Some((EndKind::IllegalAction(Color::White), "△反則負け")));
        assert_eq!(read("△入玉勝ち"), Some((white, "△入玉勝ち")));
        assert_eq!((read("▲雨"), read("７投了"), read("▲")), (None, None, None));
    }
}

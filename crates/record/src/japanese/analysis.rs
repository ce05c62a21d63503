//! Reads the analyses that engines leave in comments, in the forms of four programs.
//!
//! | program | comment, without the first `*` |
//! |---|---|
//! | `ShogiGUI` and others | `*対局 時間 00:00.8 深さ 22/28 ノード数 744743 評価値 88 読み筋 ▲３四飛(24) …` |
//! | `ShogiHome` | a line each: `*評価値=82`, `*読み筋=△３四歩▲２六歩`, `*深さ=10`, `*ノード数=123`, `*詰み=先手勝ち:15手`; with `#` those of an analysis after the game |
//! | K-Shogi, Piyo Shogi | `#指し手[62]△７五歩  ▲３三桂成  △同金`, `#形勢[62]…` |
//! | floodgate, converted from CSA | `* 30 -3334FU +2726FU`, with one star or two |
//!
//! The first two forms are read without the `*` too, if they begin exactly so and have a score or a continuation. A
//! comment of floodgate must have at least one move, and only moves, end words and nodes after the score, because
//! people begin notes with stars and numbers.
//!
//! All scores are from black's side, except in lines of the second form after a line `info`: those are from a
//! program that takes the side that moved. Only the first analysis of a move counts. Other analyses, second
//! candidates and lines that are not understood stay comments. So does a line with a part that has no field, such as
//! a time or an engine's name. The first form is written, because most programs read it, with `*詰み=` where a mate
//! has a length. Nothing is written where the comments already contain the whole analysis.

use crate::csa_analysis::read_analysis as read_csa_comment;
use crate::score::{MATE, from_number, mate};
use crate::{Analysis, EndKind, RecordMove};
use kyomi_shogi::notation::usi;
use kyomi_shogi::{Color, Move, Position, Score};

use super::numerals::{digits, trim};
use super::relative::find;
use super::words::scan;

/// Which form the analysis of the last move has. Analyses of other forms are comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommentSource {
    /// Everything in one line.
    OneLine,
    /// A line for each value, with this mark or none. The flag says that scores are from the side that moved.
    Lines { mark: Option<char>, is_movers: bool },
}

/// Reads a comment on the move that led to `position` into its analysis. Returns `false` if it must stay a comment
/// as well: it has no analysis, or more than was read.
pub(crate) fn read(
    made: &mut RecordMove,
    source: &mut Option<CommentSource>,
    position: &Position,
    comment: &str,
) -> bool {
    let Some((mark, text)) = mark_and_text(comment) else { return false };
    if let Some((key, value)) = text.split_once('=') {
        return read_line(made, source, position, mark, key, value);
    }
    if source.is_some() {
        return false;
    }
    let found = match mark {
        Some('#') => read_bracket(text, made.mv, position),
        Some(_) => {
            read_one_line(text, made.mv, position).or_else(|| read_csa(comment, made.mv, position))
        }
        None => read_one_line(text, made.mv, position),
    };
    let Some(ParsedComment { analysis, is_complete }) = found else { return false };
    made.analysis = Some(analysis);
    *source = Some(CommentSource::OneLine);
    is_complete
}

/// Whether a comment may be an analysis.
pub(crate) fn may_be_analysis(comment: &str) -> bool {
    mark_and_text(comment).is_some()
}

/// The mark and the text of a comment that may be an analysis.
fn mark_and_text(comment: &str) -> Option<(Option<char>, &str)> {
    if let Some(mark @ ('*' | '#')) = comment.chars().next() {
        return Some((Some(mark), &comment[1..]));
    }
    let is_line = ["評価値=", "読み筋="].iter().any(|key| comment.starts_with(key));
    let is_words = || {
        ["対局 ", "解析 "].iter().any(|word| comment.starts_with(word))
            && (comment.contains("評価値") || comment.contains("読み筋"))
    };
    (is_line || is_words()).then_some((None, comment))
}

/// The analysis of a comment, and whether that is all of the comment.
#[derive(Default)]
struct ParsedComment {
    analysis: Analysis,
    is_complete: bool,
}

/// `*評価値=82`: one value in a line.
fn read_line(
    made: &mut RecordMove,
    source: &mut Option<CommentSource>,
    position: &Position,
    mark: Option<char>,
    key: &str,
    value: &str,
) -> bool {
    let value = trim(value);
    let mover = !position.side_to_move();
    let has_info = made.comments.last().is_some_and(|comment| comment == INFO);
    let same = match *source {
        None => CommentSource::Lines { mark, is_movers: mark == Some('*') && has_info },
        // The line of this program for the length of a mate.
        Some(CommentSource::Lines { mark: before, is_movers }) if before == mark => {
            CommentSource::Lines { mark, is_movers }
        }
        // Such a line after the one-line form.
        Some(_) if mark == Some('*') && key == "詰み" => CommentSource::OneLine,
        Some(_) => return false,
    };
    let mut is_complete = true;
    let is_movers = matches!(same, CommentSource::Lines { is_movers: true, .. });
    let turn = |score: i64| {
        if is_movers && mover == Color::White { score.saturating_neg() } else { score }
    };
    let old = made.analysis.as_ref();
    match key {
        "評価値" if old.is_none_or(|old| old.score.is_none()) => {
            let Some(score) = integer(value) else { return false };
            made.analysis.get_or_insert_default().score = Some(from_number(turn(score)));
            is_complete = is_exact(score);
        }
        "詰み" => {
            let length = match integer(value).filter(|_| is_movers) {
                Some(plies) => {
                    let winner = if turn(plies) < 0 { Color::White } else { Color::Black };
                    Some(mate(winner, u32::try_from(plies.unsigned_abs()).ok()))
                }
                None => read_mate(value),
            };
            let Some(length) = length else { return false };
            if !may_replace(old.and_then(|old| old.score), length, same) {
                return false;
            }
            made.analysis.get_or_insert_default().score = Some(length);
        }
        "深さ" if old.is_none_or(|old| old.depth.is_none()) => {
            let Some((depth, is_exact)) = depth(value) else { return false };
            made.analysis.get_or_insert_default().depth = Some(depth);
            is_complete = is_exact;
        }
        "ノード数" if old.is_none_or(|old| old.nodes.is_none()) => {
            let Some(nodes) = count(value) else { return false };
            made.analysis.get_or_insert_default().nodes = Some(nodes);
        }
        "読み筋" if old.is_none_or(|old| old.pv.is_empty() && old.pv_rest.is_empty()) => {
            let mut analysis = Analysis::default();
            read_moves(&mut analysis, value, made.mv, position);
            if analysis == Analysis::default() {
                return false;
            }
            let info = made.analysis.get_or_insert_default();
            (info.pv, info.pv_rest) = (analysis.pv, analysis.pv_rest);
        }
        _ => return false,
    }
    if source.is_none() && is_movers {
        made.comments.pop();
    }
    *source = Some(same);
    is_complete
}

/// Whether the length of a mate replaces the score that was read before it.
fn may_replace(old: Option<Score>, mate: Score, source: CommentSource) -> bool {
    match (old, mate) {
        (None | Some(Score::Cp(_)), _) => source != CommentSource::OneLine,
        (Some(Score::Win(None)), Score::Win(Some(_)))
        | (Some(Score::Loss(None)), Score::Loss(Some(_))) => true,
        _ => false,
    }
}

/// `対局 深さ 22 評価値 88 読み筋 …`: words and their values, in any order.
fn read_one_line(text: &str, made: Move, position: &Position) -> Option<ParsedComment> {
    let mut rest = text;
    let mut analysis = Analysis::default();
    let (mut has_begun, mut says_anything, mut is_complete) = (false, false, true);
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            says_anything &= analysis != Analysis::default();
            return says_anything.then_some(ParsedComment { analysis, is_complete });
        }
        let (word, after) = next_word(rest);
        let (value, further) = next_word(after);
        rest = after;
        match word {
            "評価値" => {
                let parsed = read_score(value, further)?;
                is_complete &= parsed.is_exact && analysis.score.is_none();
                analysis.score = Some(parsed.score);
                rest = parsed.after;
            }
            "深さ" => {
                let (depth, is_exact) = depth(value)?;
                is_complete &= is_exact && analysis.depth.is_none();
                analysis.depth = Some(depth);
                rest = further;
            }
            "ノード数" => {
                is_complete &= analysis.nodes.is_none();
                analysis.nodes = Some(count(value)?);
                rest = further;
            }
            "時間" => {
                rest = further;
                (has_begun, is_complete) = (true, false);
                continue;
            }
            "読み筋" => {
                read_moves(&mut analysis, after, made, position);
                rest = "";
            }
            _ if word.starts_with("+詰") || word.starts_with("-詰") => {
                let parsed = read_score(word, after)?;
                is_complete &= analysis.score.is_none();
                analysis.score = Some(parsed.score);
                rest = parsed.after;
            }
            "対局" if !has_begun => continue,
            _ => {
                // Names are written before the first value. A word after it is a person's.
                let candidate = word.strip_prefix("候補");
                if has_begun || candidate.is_some_and(|number| count(number) != Some(1)) {
                    return None;
                }
                is_complete = false;
                continue;
            }
        }
        (has_begun, says_anything) = (true, true);
    }
}

fn next_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()))
}

struct ParsedScore<'a> {
    score: Score,
    /// Whether it has no further meaning, unlike a score with an arrow.
    is_exact: bool,
    after: &'a str,
}

/// Reads a score, and returns what follows it: `88`, `-47↑`, `+詰 15`, `-詰7`.
fn read_score<'a>(word: &str, after: &'a str) -> Option<ParsedScore<'a>> {
    let (winner, length) = if let Some(length) = word.strip_prefix("+詰") {
        (Color::Black, length)
    } else if let Some(length) = word.strip_prefix("-詰") {
        (Color::White, length)
    } else {
        // An arrow marks a bound.
        let number = word.trim_end_matches(['↑', '↓']);
        let score = integer(number)?;
        let is_exact = number.len() == word.len() && is_exact(score);
        return Some(ParsedScore { score: from_number(score), is_exact, after });
    };
    let found = |plies, after| {
        let score = mate(winner, plies);
        Some(ParsedScore { score, is_exact: true, after })
    };
    if !length.is_empty() {
        return found(Some(u32::try_from(count(length)?).ok()?), after);
    }
    let (next, further) = next_word(after);
    match count(next).and_then(|plies| u32::try_from(plies).ok()) {
        Some(plies) => found(Some(plies), further),
        None => found(None, after),
    }
}

/// `* 30 -3334FU +2726FU`
fn read_csa(comment: &str, made: Move, position: &Position) -> Option<ParsedComment> {
    let line = comment.trim_start_matches('*');
    if comment.len() - line.len() > 2 || !line.starts_with(' ') {
        return None;
    }
    let mut words = line.split_ascii_whitespace().skip(1);
    if !words.clone().any(is_csa_move) || !words.all(is_csa_word) {
        return None;
    }
    let piece = position.piece_on(made.to())?;
    let square = |square: Option<kyomi_shogi::Square>| {
        square.map_or_else(|| "00".to_owned(), |it| format!("{}{}", it.file(), it.rank()))
    };
    let (from, to) = (square(made.from()), square(Some(made.to())));
    let sign = if piece.color() == Color::Black { '+' } else { '-' };
    let word = kyomi_shogi::notation::csa::piece_word(piece.kind());
    let analysis =
        read_csa_comment(&format!("**{line}"), position, &format!("{sign}{from}{to}{word}"))?;
    let is_complete = matches!(analysis.score, Some(Score::Cp(_)));
    Some(ParsedComment { analysis, is_complete })
}

/// Whether a word has the form of a move: sign, two squares, piece.
fn is_csa_move(word: &str) -> bool {
    let digits = word.strip_prefix(['+', '-']).and_then(|rest| rest.get(..4));
    digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
        && word.get(5..).and_then(kyomi_shogi::notation::csa::word_piece).is_some()
}

/// Whether a word may be part of a floodgate comment: a move, an end, a number of nodes.
fn is_csa_word(word: &str) -> bool {
    let is_end = |word: &str| !matches!(EndKind::from_word(word), EndKind::Unknown(_));
    is_csa_move(word)
        || word.strip_prefix('#').is_some_and(|nodes| nodes.parse::<u64>().is_ok())
        || is_end(word.strip_prefix('%').unwrap_or(word))
}

/// `指し手[62]△７五歩  ▲３三桂成`
fn read_bracket(line: &str, made: Move, position: &Position) -> Option<ParsedComment> {
    let line = line.strip_prefix("指し手[").or_else(|| line.strip_prefix("形勢["))?;
    let (score, moves) = line.split_once(']')?;
    let score = integer(score)?;
    let mut analysis = Analysis { score: Some(from_number(score)), ..Analysis::default() };
    read_moves(&mut analysis, moves, made, position);
    Some(ParsedComment { analysis, is_complete: is_exact(score) })
}

/// `先手勝ち:15手`
fn read_mate(value: &str) -> Option<Score> {
    let (side, length) = value.split_once(':').unwrap_or((value, ""));
    let winner = match side {
        "先手勝ち" => Color::Black,
        "後手勝ち" => Color::White,
        _ => return None,
    };
    let plies = match length {
        "" => None,
        _ => Some(u32::try_from(count(length.strip_suffix('手')?)?).ok()?),
    };
    Some(mate(winner, plies))
}

/// Reads the continuation after `made`, in Japanese or in USI. Some programs begin it with that move itself.
fn read_moves(analysis: &mut Analysis, text: &str, made: Move, position: &Position) {
    let mut position = position.clone();
    let mut before = Some(made.to());
    let mut rest = trim(text);
    if let Some((written, length)) = scan(rest)
        && written.mark == Some(!position.side_to_move())
        && written.to.is_none_or(|to| to == made.to())
        && written.from.is_none_or(|from| Some(from) == made.from())
    {
        rest = rest[length..].trim_start();
    } else if next_word(rest).0 == made.to_string() {
        rest = next_word(rest).1.trim_start();
    }
    while !rest.is_empty() {
        let (found, length) = if let Some((written, length)) = scan(rest) {
            let is_turn = written.mark.is_none_or(|mark| mark == position.side_to_move());
            let found = if is_turn { find(&position, &written, before).ok() } else { None };
            (found, length)
        } else {
            let (word, _) = next_word(rest);
            let mv = usi::parse_move(word).ok().filter(|mv| position.is_legal(*mv));
            (mv, word.len())
        };
        let Some(mv) = found else { break };
        before = Some(mv.to());
        position.do_move(mv);
        analysis.pv.push(mv);
        rest = rest[length..].trim_start();
    }
    analysis.pv_rest = rest.split_whitespace().collect::<Vec<_>>().join(" ");
}

/// Whether [`from_number`] keeps the whole meaning of a score.
fn is_exact(score: i64) -> bool {
    score.saturating_abs() <= MATE
}

fn integer(text: &str) -> Option<i64> {
    text.parse().ok()
}

/// A number with or without commas.
fn count(text: &str) -> Option<u64> {
    let plain: String = text.chars().filter(|c| *c != ',').take(30).collect();
    let (number, length) = digits(&plain)?;
    (length == plain.len() && number < u64::MAX).then_some(number)
}

/// `22` or `22/28`, and whether it has only the first part.
fn depth(text: &str) -> Option<(u32, bool)> {
    let depth = text.split_once('/').map_or(text, |(depth, _)| depth);
    Some((u32::try_from(count(depth)?).ok()?, depth.len() == text.len()))
}

/// The comment that says that scores in the following lines are from the side that moved.
pub(super) const INFO: &str = "info";

#[cfg(test)]
mod tests {
    use super::*;

    /// The analysis in these comments after 7g7f 3c3d, and the comments that stay.
    fn read_all(comments: &[&str]) -> (Option<Analysis>, Vec<String>) {
        let mut position = Position::startpos();
        position.do_move(usi::parse_move("7g7f").unwrap());
        let mv = usi::parse_move("3c3d").unwrap();
        position.do_move(mv);
        let mut made = RecordMove::new(mv);
        let mut source = None;
        for comment in comments {
            if !read(&mut made, &mut source, &position, comment) {
                made.comments.push((*comment).to_owned());
            }
        }
        (made.analysis, made.comments)
    }

    fn score(comments: &[&str]) -> Option<Score> {
        read_all(comments).0.and_then(|analysis| analysis.score)
    }

    fn line(comment: &str) -> String {
        let analysis = read_all(&[comment]).0.unwrap();
        analysis.pv.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn all_programs_are_understood() {
        for comment in [
            "*対局 時間 00:00.8 深さ 22/28 ノード数 744,743 評価値 -88 読み筋 △３四歩(33) ▲２六歩(27) △８四歩(83)",
            "*解析 0 △ 候補1 時間 00:00.0 深さ 22 ノード数 744743 評価値 -88↑ 読み筋 ▲２六歩(27) △８四歩(83)",
            "* Engine suisho Version Suisho5/YaneuraOu-V7.50 候補1 深さ 22/19 ノード数 744743 評価値 -88 読み筋 ▲２六歩(27) △８四歩(83)",
        ] {
            let (analysis, comments) = read_all(&[comment]);
            let analysis = analysis.expect(comment);
            assert_eq!(analysis.score, Some(Score::Cp(-88)), "{comment}");
            assert_eq!((analysis.depth, analysis.nodes), (Some(22), Some(744743)));
            // Comments with times, engine names and selective depths stay.
            assert_eq!((line(comment).as_str(), comments), ("2g2f 8c8d", vec![comment.to_owned()]));
        }
        let plain = "*対局 深さ 22 ノード数 744743 評価値 -88 読み筋 ▲２六歩(27) △８四歩(83)";
        assert_eq!(read_all(&[plain]).1.len(), 0);
        assert_eq!(line("#指し手[-88]▲２六歩  △８四歩"), "2g2f 8c8d");
        assert_eq!(line("#形勢[+88]△３四歩 ▲２六歩  △８四歩"), "2g2f 8c8d");
        assert_eq!(score(&["#形勢[+88]"]), Some(Score::Cp(88)));
        assert_eq!(line("* -88 -3334FU +2726FU -8384FU"), "2g2f 8c8d");
        assert_eq!(line("** -88 +2726FU -8384FU #12"), "2g2f 8c8d");
        let lines = ["互角", "*評価値=-88", "*読み筋=▲２六歩△８四歩", "*深さ=22", "*ノード数=9"];
        let (analysis, comments) = read_all(&lines);
        let analysis = analysis.unwrap();
        assert_eq!((analysis.depth, analysis.nodes), (Some(22), Some(9)));
        assert_eq!((analysis.pv.len(), comments), (2, vec!["互角".to_owned()]));
        assert_eq!(line("*読み筋=2g2f 8c8d"), "2g2f 8c8d");
    }

    #[test]
    fn the_least_number_is_a_loss_of_its_side() {
        // After a move of white the score is white's.
        for key in ["評価値", "詰み"] {
            let least = format!("*{key}={}", i64::MIN);
            let score = score(&["info", &least]);
            assert!(matches!(score, Some(Score::Win(_))), "{key}: {score:?}");
        }
    }

    #[test]
    fn forms_without_their_second_star_are_understood() {
        let (analysis, comments) = read_all(&["評価値=-88", "読み筋=▲２六歩△８四歩", "深さ=3"]);
        let analysis = analysis.unwrap();
        assert_eq!((analysis.score, analysis.pv.len()), (Some(Score::Cp(-88)), 2));
        assert_eq!(comments, ["深さ=3"], "what anybody may have written");
        for comment in [
            "対局 時間 00:00.8 深さ 22/28 ノード数 744743 評価値 -88 読み筋 △３四歩(33) ▲２六歩(27) △８四歩(83)",
            "解析 0 △ 候補1 時間 00:00.0 深さ 22 評価値 -88 読み筋 ▲２六歩(27) △８四歩(83)",
        ] {
            let (analysis, comments) = read_all(&[comment]);
            let analysis = analysis.expect(comment);
            assert_eq!((analysis.score, analysis.depth), (Some(Score::Cp(-88)), Some(22)));
            assert_eq!((line(comment).as_str(), comments), ("2g2f 8c8d", vec![comment.to_owned()]));
        }
        let (analysis, comments) = read_all(&["対局 評価値 88 読み筋 ▲２六歩(27)", "*評価値=5"]);
        assert_eq!(analysis.unwrap().score, Some(Score::Cp(88)));
        assert_eq!(comments, ["*評価値=5"]);
    }

    #[test]
    fn ends_may_occur_in_the_continuation_of_a_server() {
        assert_eq!(line("** 30 +2726FU %TORYO"), "2g2f");
        assert_eq!(line("* 30 -3334FU +2726FU #12"), "2g2f");
    }

    #[test]
    fn mates_are_understood() {
        let expected = |winner, plies| Some(mate(winner, plies));
        assert_eq!(score(&["*詰み=先手勝ち"]), expected(Color::Black, None));
        assert_eq!(score(&["#詰み=後手勝ち:8手"]), expected(Color::White, Some(8)));
        assert_eq!(score(&["*対局 評価値 +詰 15"]), expected(Color::Black, Some(15)));
        assert_eq!(score(&["*対局 深さ 3 -詰15"]), expected(Color::White, Some(15)));
        assert_eq!(score(&["*対局 評価値 -詰 読み筋 ▲２六歩"]), expected(Color::White, None));
        let own = ["*対局 評価値 30000", "*詰み=先手勝ち:7手"];
        assert_eq!(score(&own), expected(Color::Black, Some(7)));
        assert_eq!(
            score(&["*評価値=31000", "*詰み=先手勝ち:7手"]),
            expected(Color::Black, Some(7))
        );
    }

    #[test]
    fn scores_for_the_side_that_moved_are_recognised_by_the_first_line() {
        let (analysis, comments) = read_all(&["info", "*評価値=+88", "*深さ=3", "*NPS=5"]);
        let analysis = analysis.unwrap();
        assert_eq!(analysis.score, Some(Score::Cp(-88)), "white moved");
        assert_eq!((analysis.depth, comments), (Some(3), vec!["*NPS=5".to_owned()]));
    }

    #[test]
    fn a_comment_with_more_than_an_analysis_is_kept_too() {
        for comment in [
            "*対局 時間 00:00.8 評価値 88",
            "*対局 深さ 22/28 評価値 88",
            "*対局 評価値 88↓",
            "*この局面の 評価値 88",
            "*Engine a 評価値 88",
            "*候補1 評価値 88",
            "*評価値 87 評価値 88",
            "*深さ=22/28",
            "*評価値=30001",
            "#形勢[-30001]",
        ] {
            let (analysis, comments) = read_all(&[comment]);
            assert!(analysis.is_some(), "{comment}");
            assert_eq!(comments, [comment]);
        }
        let none = read_all(&["*評価値=-9223372036854775808"]).0.unwrap().score;
        assert_eq!(none, Some(Score::Loss(None)));
    }

    #[test]
    fn only_the_first_analysis_counts() {
        let (analysis, comments) =
            read_all(&["*評価値=80", "", "#評価値=-60", "*評価値=70", "*対局 評価値 5"]);
        assert_eq!(analysis.unwrap().score, Some(Score::Cp(80)));
        assert_eq!(comments.len(), 4);
        let (analysis, comments) = read_all(&["*解析 候補2 評価値 5", "*対局 評価値 6"]);
        assert_eq!(analysis.unwrap().score, Some(Score::Cp(6)));
        assert_eq!(comments.len(), 1);
    }

    #[test]
    fn unknown_comments_are_kept() {
        for comment in [
            "",
            "*",
            "#",
            "評価値 5",
            "深さ=5",
            "この評価値=5",
            "評価値=互角",
            "対局 5 良い手",
            "対局 評価値 が高い",
            "*評価値=",
            "*評価値=5.x",
            "*対局",
            "*対局 評価値",
            "*対局 読み筋 △３四歩(33)",
            "*読み筋=",
            "*詰み=7",
            "*対局 深さ x",
            "*対局 ノード数 99999999999999999999",
            "*詰み=先手勝ち:x手",
            "#指し手[",
            "*良い手",
            "*** 30 +2726FU",
            "* 3 手目が疑問だった",
            "* 3 good moves here",
            "** 3 +2726FU was good",
            "* 3",
            "** 3",
            "** 3 #5",
            "** 3 +2726XX",
            "** 3 +27２6FU",
            "*深さ=4294967296",
            "#形勢[x]",
        ] {
            assert_eq!(read_all(&[comment]), (None, vec![comment.to_owned()]), "{comment}");
        }
    }

    #[test]
    fn a_continuation_that_cannot_be_played_is_kept_as_text() {
        let analysis = read_all(&["*評価値=1"]).0.unwrap();
        assert_eq!(analysis.pv_rest, "");
        let analysis = read_all(&["*読み筋=▲２六歩△投了  ▲１六歩"]).0.unwrap();
        assert_eq!((analysis.pv.len(), analysis.pv_rest.as_str()), (1, "△投了 ▲１六歩"));
    }
}

//! Writes analyses as comments that [`analysis`](super::analysis) reads again, and the comments of people so that
//! they are not read as analyses.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::score::to_number;
use crate::{Omission, Omissions, RecordMove};
use kyomi_shogi::notation::csa::RawMove;
use kyomi_shogi::notation::japanese::{file, rank, side_mark};
use kyomi_shogi::{Move, Piece, Position, Score};

use super::analysis::{CommentSource, INFO, may_be_analysis, read};
use super::piece_word;

/// How a format holds comments and analyses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommentStyle {
    /// Comments of one line each, with analyses.
    Kif,
    /// Comments of one line each. Analyses are omitted, unless the comments contain them.
    Ki2,
    /// Comments of any number of lines, with analyses. A comment with line ends is never an analysis.
    Jkf,
}

/// The analysis of a move made in `before`, as comments, and the other comments on it. Another comment that would be
/// read as an analysis gets a space in front, which is counted as an omission.
pub(crate) fn engine_comments<'a>(
    before: &Position,
    made: &'a RecordMove,
    medium: CommentStyle,
    omissions: &mut Omissions,
) -> (Vec<String>, Cow<'a, [String]>) {
    let comments = made.comments.as_slice();
    if made.analysis.is_some() && is_in_comments(before, made) {
        return (Vec::new(), Cow::Borrowed(comments));
    }
    let analysis = if medium == CommentStyle::Ki2 {
        omit_analysis(omissions, made);
        Vec::new()
    } else {
        analysis_lines(before, made)
    };
    if !comments.iter().flat_map(|comment| comment.split('\n')).any(may_be_analysis) {
        return (analysis, Cow::Borrowed(comments));
    }
    let mut position = before.clone();
    position.do_move(made.mv);
    let mut reader =
        CommentReader { made: RecordMove::new(made.mv), source: None, position: &position };
    for line in &analysis {
        if !read(&mut reader.made, &mut reader.source, reader.position, line) {
            reader.made.comments.push(line.clone());
        }
    }
    let mut protected = |line: &str| {
        let is_other = reader.takes(line.replace(char::is_control, " "));
        omissions.add_many(Omission::Comments, usize::from(is_other));
        if is_other { format!(" {line}") } else { line.to_owned() }
    };
    let comments = comments.iter().map(|comment| match medium {
        CommentStyle::Jkf if comment.contains(char::is_control) => comment.clone(),
        CommentStyle::Jkf => protected(comment),
        _ => comment.split('\n').map(&mut protected).collect::<Vec<_>>().join("\n"),
    });
    (analysis, comments.collect())
}

/// Reads the comments as they are written, to know how the next one would be read.
struct CommentReader<'a> {
    made: RecordMove,
    source: Option<CommentSource>,
    position: &'a Position,
}

impl CommentReader<'_> {
    /// Whether a comment would be read as an analysis. The comment is added with a space in front then, so that it
    /// is not.
    fn takes(&mut self, line: String) -> bool {
        let (state, source, count) = (self.state(), self.source, self.made.comments.len());
        let is_taken = may_be_analysis(&line)
            && (read(&mut self.made, &mut self.source, self.position, &line)
                || (self.state(), self.source) != (state, source));
        if is_taken {
            self.source = source;
            self.take_back(state);
            if self.made.comments.len() < count {
                self.made.comments.push(INFO.to_owned());
            }
        }
        self.made.comments.push(if is_taken { format!(" {line}") } else { line });
        is_taken
    }

    /// Everything that reading a comment can change: values that were missing, and the length of a mate.
    fn state(&self) -> Option<AnalysisState> {
        let analysis = self.made.analysis.as_ref()?;
        let has_moves = !analysis.pv.is_empty() || !analysis.pv_rest.is_empty();
        Some((analysis.score, analysis.depth, analysis.nodes, has_moves))
    }

    fn take_back(&mut self, state: Option<AnalysisState>) {
        let Some((score, depth, nodes, had_moves)) = state else {
            self.made.analysis = None;
            return;
        };
        let analysis = self.made.analysis.get_or_insert_default();
        (analysis.score, analysis.depth, analysis.nodes) = (score, depth, nodes);
        if !had_moves {
            analysis.pv.clear();
            analysis.pv_rest.clear();
        }
    }
}

/// Score, depth, nodes, and whether there is a continuation.
type AnalysisState = (Option<Score>, Option<u32>, Option<u64>, bool);

/// Whether the comments on a move made in `before` contain its whole analysis, and all stay when they are read.
fn is_in_comments(before: &Position, made: &RecordMove) -> bool {
    if !made.comments.iter().any(|comment| may_be_analysis(comment))
        || made.comments.iter().any(|comment| comment.contains(char::is_control))
    {
        return false;
    }
    let mut position = before.clone();
    position.do_move(made.mv);
    let mut again = RecordMove::new(made.mv);
    let mut source = None;
    for comment in &made.comments {
        if !read(&mut again, &mut source, &position, comment) {
            again.comments.push(comment.clone());
        }
    }
    again.analysis == made.analysis && again.comments == made.comments
}

/// The comments for the analysis of a move made in `before`.
fn analysis_lines(before: &Position, made: &RecordMove) -> Vec<String> {
    let mut lines = Vec::new();
    let Some(analysis) = &made.analysis else { return lines };
    let mut line = String::new();
    if let Some(depth) = analysis.depth {
        let _ = write!(line, " 深さ {depth}");
    }
    if let Some(nodes) = analysis.nodes {
        let _ = write!(line, " ノード数 {nodes}");
    }
    if let Some(score) = analysis.score {
        let _ = write!(line, " 評価値 {}", to_number(score));
    }
    let rest = analysis.pv_rest.replace(char::is_control, " ");
    let rest: Vec<&str> = rest.split_whitespace().collect();
    if !analysis.pv.is_empty() || !rest.is_empty() {
        // Programs that write this form begin the continuation with the move itself.
        let _ = write!(line, " 読み筋 {}", marked_move(before, made.mv, None));
        let mut position = before.clone();
        position.do_move(made.mv);
        let mut last = made.mv;
        for &mv in &analysis.pv {
            // The engine may be any program, and its line illegal.
            if !position.is_legal(mv) {
                break;
            }
            let _ = write!(line, " {}", marked_move(&position, mv, Some(last)));
            position.do_move(mv);
            last = mv;
        }
        for word in rest {
            let _ = write!(line, " {word}");
        }
    }
    if !line.is_empty() {
        lines.push(format!("*対局{line}"));
    }
    if let Some(score @ (Score::Win(Some(plies)) | Score::Loss(Some(plies)))) = analysis.score {
        let winner = if matches!(score, Score::Win(_)) { "先手勝ち" } else { "後手勝ち" };
        lines.push(format!("*詰み={winner}:{plies}手"));
    }
    lines
}

/// A move of a continuation: `▲７六歩(77)`, `△同　角成(88)`, `▲５五角打`.
fn marked_move(position: &Position, mv: Move, last: Option<Move>) -> String {
    let mut text = side_mark(position.side_to_move()).to_owned();
    text.push_str(&move_word(position, mv, last));
    text
}

/// A move as KIF writes it, without a mark.
pub(crate) fn move_word(position: &Position, mv: Move, last: Option<Move>) -> String {
    let mut text = target_word(mv, last);
    if let Some(kind) = mv.dropped() {
        text.push_str(piece_word(kind));
        text.push('打');
    } else if let Some(from) = mv.from() {
        if let Some(piece) = position.piece_on(from) {
            text.push_str(piece_word(piece.kind()));
        }
        if mv.is_promotion() {
            text.push('成');
        }
        let _ = write!(text, "({}{})", from.file(), from.rank());
    }
    text
}

/// The target square of a move: `７六`, or `同　` for that of the move before.
pub(crate) fn target_word(mv: Move, last: Option<Move>) -> String {
    let to = mv.to();
    if last.is_some_and(|last| last.to() == to) {
        return "同　".to_owned();
    }
    [file(to.file()), rank(to.rank())].concat()
}

/// A move that need not be legal, with the square it comes from, so that it is read again whatever the board is.
pub(crate) fn foul_word(position: &Position, mv: RawMove) -> String {
    let mut text = String::new();
    if mv.color != position.side_to_move() {
        text.push_str(side_mark(mv.color));
    }
    text.push_str(file(mv.to.file()));
    text.push_str(rank(mv.to.rank()));
    let moved = mv.from.and_then(|from| position.piece_on(from)).map(Piece::kind);
    match moved.filter(|kind| kind.promoted() == Some(mv.kind)) {
        Some(kind) => {
            text.push_str(piece_word(kind));
            text.push('成');
        }
        None => text.push_str(piece_word(mv.kind)),
    }
    match mv.from {
        Some(from) => {
            let _ = write!(text, "({}{})", from.file(), from.rank());
        }
        None => text.push('打'),
    }
    text
}

/// Counts the omissions where an analysis is not written.
fn omit_analysis(omissions: &mut Omissions, made: &RecordMove) {
    let Some(analysis) = &made.analysis else { return };
    for (part, is_there) in [
        (Omission::Scores, analysis.score.is_some()),
        (Omission::Depths, analysis.depth.is_some()),
        (Omission::Nodes, analysis.nodes.is_some()),
        (Omission::Continuations, !analysis.pv.is_empty() || !analysis.pv_rest.is_empty()),
    ] {
        omissions.add_many(part, usize::from(is_there));
    }
}

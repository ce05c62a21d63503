//! Comments on a move: text, or what an engine reported in one of several forms.

use crate::RecordMove;
use crate::japanese::{self, CommentSource};
use kyomi_shogi::Position;

use crate::csa_analysis::{read_analysis, read_info};

/// How the comments on a move are read.
#[derive(Clone, Debug, Default)]
pub(super) struct Commented {
    /// The move as it was written.
    played: String,
    /// The form of its analysis, where that is one of other programs.
    source: Option<CommentSource>,
}

impl Commented {
    /// Before the first comment on this move.
    pub(super) fn on(played: &str) -> Self {
        Self { played: played.to_owned(), source: None }
    }

    /// Whether a comment (without `'`) may be an analysis.
    pub(super) fn may_be_analysis(comment: &str) -> bool {
        japanese::may_be_analysis(comment)
    }

    /// Reads a comment (without `'`) on the move that led to `position`.
    pub(super) fn read(&mut self, made: &mut RecordMove, position: &Position, comment: &str) {
        if !self.read_analysis(made, position, comment) {
            made.comments.push(plain_comment(comment).to_owned());
        }
    }

    /// Returns whether the comment is an analysis and nothing else.
    fn read_analysis(&mut self, made: &mut RecordMove, position: &Position, comment: &str) -> bool {
        if read_info(&mut made.analysis, comment, position, &self.played) {
            return true;
        }
        if made.analysis.is_none() {
            made.analysis = read_analysis(comment, position, &self.played);
            if made.analysis.is_some() {
                self.source = Some(CommentSource::OneLine);
                return true;
            }
        }
        let text = plain_comment(comment);
        japanese::read_analysis(made, &mut self.source, position, comment)
            || text != comment && japanese::read_analysis(made, &mut self.source, position, text)
    }
}

/// The text of a comment (without `'`). A star marks comments that programs read; it is not part of the text.
pub fn plain_comment(comment: &str) -> &str {
    match comment.strip_prefix('*') {
        Some(text) => text.strip_prefix(' ').unwrap_or(text),
        None => comment,
    }
}

//! What forms lose that keep little but the moves.

use super::{Header, Losses, LostPart, Record};
use crate::shogi::Score;

/// Tells what is lost where only the start and the moves of the main line are kept; of the analyses
/// everything but the scores is told.
pub(super) fn lose_all_but_scores(record: &Record, losses: &mut Losses) {
    lose_header(&record.header, losses);
    losses.add_many(LostPart::Variations, record.variations.len());
    for made in &record.moves {
        losses.add_many(LostPart::Times, usize::from(made.time.is_some()));
        losses.add_many(LostPart::Comments, made.comments.len());
        if let Some(analysis) = &made.analysis {
            let has_line = !analysis.pv.is_empty() || !analysis.pv_rest.is_empty();
            losses.add_many(LostPart::Continuations, usize::from(has_line));
            losses.add_many(LostPart::Nodes, usize::from(analysis.nodes.is_some()));
            losses.add_many(LostPart::Depths, usize::from(analysis.depth.is_some()));
        }
    }
    if let Some(end) = &record.end {
        losses.add_many(LostPart::Times, usize::from(end.time.is_some()));
        losses.add_many(LostPart::Comments, end.comments.len());
    }
}

/// Tells what is lost where nothing but the start and the moves of the main line are kept.
pub(super) fn lose_all_but_moves(record: &Record, losses: &mut Losses) {
    lose_all_but_scores(record, losses);
    for analysis in record.moves.iter().filter_map(|made| made.analysis.as_ref()) {
        losses.add_many(LostPart::Scores, usize::from(analysis.score.is_some()));
        let is_counted = matches!(analysis.score, Some(Score::Win(Some(_)) | Score::Loss(Some(_))));
        losses.add_many(LostPart::MateLengths, usize::from(is_counted));
    }
    losses.add_many(LostPart::End, usize::from(record.end.is_some()));
}

/// Tells every header as lost.
fn lose_header(header: &Header, losses: &mut Losses) {
    losses.add_header("black", header.black.as_ref());
    losses.add_header("white", header.white.as_ref());
    losses.add_header("event", header.event.as_ref());
    losses.add_header("site", header.site.as_ref());
    losses.add_header("start time", header.start_time.as_ref());
    losses.add_header("end time", header.end_time.as_ref());
    losses.add_header("time control", header.controls.as_ref());
    losses.add_header("opening", header.opening.as_ref());
    losses.add_header("move limit", header.max_moves.as_ref());
    losses.add_header("jishogi rule", header.jishogi.as_ref());
    losses.add_header("note", header.note.as_ref());
    for (key, _) in &header.other {
        losses.add(LostPart::Header(key.clone()));
    }
    losses.add_many(LostPart::Comments, header.comments.len());
}

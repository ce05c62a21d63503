//! What is omitted by formats that keep little more than the moves.

use super::{Header, Omission, Omissions, Record};
use kyomi_shogi::Score;

/// Counts what is omitted where only the start, the moves of the main line and their scores are kept.
pub(super) fn omit_all_but_scores(record: &Record, omissions: &mut Omissions) {
    omit_header(&record.header, omissions);
    omissions.add_many(Omission::Variations, record.variations.len());
    for made in &record.moves {
        omissions.add_many(Omission::Times, usize::from(made.time.is_some()));
        omissions.add_many(Omission::Comments, made.comments.len());
        if let Some(analysis) = &made.analysis {
            let has_line = !analysis.pv.is_empty() || !analysis.pv_rest.is_empty();
            omissions.add_many(Omission::Continuations, usize::from(has_line));
            omissions.add_many(Omission::Nodes, usize::from(analysis.nodes.is_some()));
            omissions.add_many(Omission::Depths, usize::from(analysis.depth.is_some()));
        }
    }
    if let Some(end) = &record.end {
        omissions.add_many(Omission::Times, usize::from(end.time.is_some()));
        omissions.add_many(Omission::Comments, end.comments.len());
        if let Some(foul) = &end.foul {
            omissions.add(Omission::IllegalMove);
            omissions.add_many(Omission::Times, usize::from(foul.time.is_some()));
            omissions.add_many(Omission::Comments, foul.comments.len());
        }
    }
}

/// Counts what is omitted where only the start and the moves of the main line are kept.
pub(super) fn omit_all_but_moves(record: &Record, omissions: &mut Omissions) {
    omit_all_but_scores(record, omissions);
    for analysis in record.moves.iter().filter_map(|made| made.analysis.as_ref()) {
        omissions.add_many(Omission::Scores, usize::from(analysis.score.is_some()));
        let is_counted = matches!(analysis.score, Some(Score::Win(Some(_)) | Score::Loss(Some(_))));
        omissions.add_many(Omission::MateLengths, usize::from(is_counted));
    }
    omissions.add_many(Omission::End, usize::from(record.end.is_some()));
}

/// Counts every header as omitted.
fn omit_header(header: &Header, omissions: &mut Omissions) {
    omissions.add_header("black", header.black.as_ref());
    omissions.add_header("white", header.white.as_ref());
    omissions.add_header("event", header.event.as_ref());
    omissions.add_header("site", header.site.as_ref());
    omissions.add_header("start time", header.start_time.as_ref());
    omissions.add_header("end time", header.end_time.as_ref());
    omissions.add_header("time control", header.controls.as_ref());
    omissions.add_header("opening", header.opening.as_ref());
    omissions.add_header("move limit", header.max_moves.as_ref());
    omissions.add_header("jishogi rule", header.jishogi.as_ref());
    omissions.add_header("note", header.note.as_ref());
    for (key, _) in &header.other {
        omissions.add(Omission::Header(key.clone()));
    }
    omissions.add_many(Omission::Comments, header.comments.len());
}

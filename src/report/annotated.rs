//! A record with the analysis in its comments.

use super::{
    GameReport,
    analysis::{Searched, chance},
    words::{Language, verdict},
};
use kyomi_record::{Analysis, Record, RecordMove, Variation};
use kyomi_shogi::{Color, Move, Position, Score, Square, notation::japanese};

/// The programs for which the comments are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnnotatedForm {
    /// For CSA: the lines of `ShogiHome`, and the official comment of score and line where the record has none.
    Csa,
    /// For KIF: the line of `ShogiGUI` and those of `ShogiHome`, and better lines as variations.
    Kif,
}

/// The record with the analysis in its comments.
///
/// Each position gets score, line, depth, nodes and engine, the score from black's side; a marked move gets its name
/// and the better move. What players reported of their own searches is kept. A move without such a report gets the
/// score and the line of the analysis in its place, because many programs read nothing else.
pub fn annotated(report: &GameReport<'_>, form: AnnotatedForm, language: Language) -> Record {
    let mut record = report.record.clone();
    record.header.comments.insert(0, format!("kyomi analyze: {}", report.analysis.settings));
    if let Some(found) = report.analysis.positions.first().and_then(Option::as_ref) {
        record.header.comments.extend(comments(report, 0, found, form, language));
    }
    let has_reports = report.record.moves.iter().any(|made| made.analysis.is_some());
    for index in 0..report.plies() {
        let ply = index + 1;
        let Some(found) = report.analysis.positions.get(ply).and_then(Option::as_ref) else {
            continue;
        };
        let more = comments(report, ply, found, form, language);
        let Some(made) = record.moves.get_mut(index) else { break };
        if made.analysis.is_none() && !(has_reports && form == AnnotatedForm::Csa) {
            made.analysis = Some(as_analysis(found, &report.positions[ply]));
        }
        // The line of the analysis comes first, because programs read the first one.
        made.comments.splice(0..0, more);
    }
    if form == AnnotatedForm::Kif {
        record.variations.extend(better_lines(report));
        record.sort_variations();
    }
    record
}

/// The result for a position, in the form of a report by the player who moved there.
fn as_analysis(found: &Searched, position: &Position) -> Analysis {
    Analysis {
        score: Some(black_score(found.score(), position)),
        pv: found.lines.first().map_or_else(Vec::new, |line| line.moves.clone()),
        pv_rest: String::new(),
        nodes: Some(found.nodes),
        depth: Some(found.depth),
    }
}

fn black_score(score: Score, position: &Position) -> Score {
    if position.side_to_move() == Color::Black { score } else { -score }
}

/// The comments on the position of a ply.
fn comments(
    report: &GameReport<'_>,
    ply: usize,
    found: &Searched,
    form: AnnotatedForm,
    language: Language,
) -> Vec<String> {
    let position = &report.positions[ply];
    let last = ply.checked_sub(1).and_then(|index| report.record.moves.get(index));
    let before = last.map(|made| made.mv.to());
    let mut lines = Vec::new();
    if form == AnnotatedForm::Kif {
        for (at, line) in found.lines.iter().enumerate() {
            lines.push(one_line(found, at, line.score, &line.moves, position, before));
        }
    }
    let score = black_score(found.score(), position);
    let judged =
        ply.checked_sub(1).and_then(|index| report.analysis.judgement.moves.get(index)?.as_ref());
    if let Some(judged) = judged {
        if let Some(mark) = judged.mark {
            lines.push(format!("【{}】", mark.japanese()));
        }
        if let Some(words) = verdict(judged, report.better_at(ply).as_ref()) {
            lines.push(words.text(language).to_owned());
        }
        lines.extend(report.why_words(ply).iter().map(|words| words.text(language).to_owned()));
    }
    lines.push(match language {
        Language::Japanese => format!("先手の勝率 {:.0}%", chance(score) * 100.0),
        Language::English => format!("black's chance {:.0}%", chance(score) * 100.0),
    });
    if let Score::Win(plies) | Score::Loss(plies) = score {
        let winner = if matches!(score, Score::Win(_)) { "先手勝ち" } else { "後手勝ち" };
        lines.push(match plies {
            Some(plies) => format!("#詰み={winner}:{plies}手"),
            None => format!("#詰み={winner}"),
        });
    } else {
        lines.push(format!("#評価値={}", score.centipawns()));
    }
    if let Some(line) = found.lines.first().filter(|line| !line.moves.is_empty()) {
        let words = japanese::line(position, &line.moves, before);
        lines.push(format!("#読み筋={}", words.replace([' ', '　'], "")));
    }
    lines.push(format!("#深さ={}", found.depth));
    lines.push(format!("#ノード数={}", found.nodes));
    lines.push(format!("#エンジン={}", report.analysis.engine));
    lines
}

/// The line of `ShogiGUI`: `*解析 0 ▲ 候補1 時間 00:01.0 深さ 9/20 ノード数 20000 評価値 -35 読み筋 …`.
fn one_line(
    found: &Searched,
    at: usize,
    score: Score,
    moves: &[Move],
    position: &Position,
    before: Option<Square>,
) -> String {
    let mark = japanese::side_mark(position.side_to_move());
    let milliseconds = found.time.as_millis();
    let (minutes, seconds) = (milliseconds / 60_000, milliseconds / 1000 % 60);
    let tenths = milliseconds / 100 % 10;
    let score = match black_score(score, position) {
        Score::Cp(centipawns) => centipawns.to_string(),
        Score::Win(plies) => format!("+詰 {}", plies.unwrap_or(0)),
        Score::Loss(plies) => format!("-詰 {}", plies.unwrap_or(0)),
    };
    let line = japanese::line(position, moves, before);
    format!(
        "*解析 0 {mark} 候補{} 時間 {minutes:02}:{seconds:02}.{tenths} 深さ {}/{} ノード数 {} 評価値 {score} 読み筋 {line}",
        at + 1,
        found.depth,
        found.seldepth,
        found.nodes,
    )
}

/// The better lines of marked moves as variations.
fn better_lines(report: &GameReport<'_>) -> Vec<Variation> {
    let marked = |ply: &usize| {
        let judged = report.analysis.judgement.moves.get(ply - 1).and_then(Option::as_ref);
        judged.is_some_and(|judged| judged.mark.is_some() || judged.mate.is_some())
    };
    (1..=report.plies())
        .filter(marked)
        .filter_map(|ply| {
            let line = report.better_line(ply);
            let moves: Vec<RecordMove> = line.into_iter().map(RecordMove::new).collect();
            (!moves.is_empty()).then_some(Variation { parent: None, ply, moves, end: None })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::analysis::{GameAnalysis, SearchedLine};
    use kyomi_record::{Encoding, End, EndKind, Format, Header, Omissions};
    use kyomi_shogi::notation::usi;

    fn moves(text: &str) -> Vec<Move> {
        text.split_whitespace().map(|word| usi::parse_move(word).unwrap()).collect()
    }

    #[expect(clippy::unnecessary_wraps, reason = "the writer takes what may be missing")]
    fn found(score: Score, line: &str) -> Option<Searched> {
        let lines = vec![SearchedLine { score, moves: moves(line) }];
        Some(Searched { lines, nodes: 20, depth: 3, ..Searched::decided(score) })
    }

    /// The analysed game 7g7f 3c3d 2g2f, in which white's move is a mistake.
    fn written(format: Format, form: AnnotatedForm, has_reports: bool) -> String {
        let mut record = Record::new(Header::default(), Position::startpos());
        record.moves = moves("7g7f 3c3d 2g2f").into_iter().map(RecordMove::new).collect();
        record.end = Some(End::new(EndKind::Resign));
        if has_reports {
            record.moves[0].analysis =
                Some(Analysis { score: Some(Score::Cp(7)), ..Analysis::default() });
        }
        let positions = vec![
            found(Score::Cp(0), "7g7f"),
            found(Score::Cp(300), "8c8d 2g2f"),
            found(Score::Cp(300), "2g2f"),
            found(Score::Loss(Some(4)), "8c8d"),
        ];
        let better = vec![None, None, None];
        let judgement = crate::report::analysis::judge(&record, &positions, &better);
        let (engine, settings) = ("engine".to_owned(), "settings".to_owned());
        let analysis = GameAnalysis {
            positions,
            better,
            judgement,
            engine,
            settings,
            searches: [4, 0],
            effort: (0, std::time::Duration::ZERO),
        };
        let report = GameReport::new(&record, &analysis);
        let record = annotated(&report, form, Language::Japanese);
        let bytes = format.write(&record, Encoding::Utf8, &mut Omissions::new());
        let text = String::from_utf8(bytes.clone()).unwrap();
        let again = format.read_each(&bytes).next().unwrap().unwrap();
        assert!(again.fault.is_none() && again.record.moves.len() == 3, "{text}");
        text
    }

    #[test]
    fn csa_has_the_lines_of_shogihome_and_the_official_comment() {
        let text = written(Format::Csa3, AnnotatedForm::Csa, false);
        for line in [
            "'*#評価値=-300\n",
            "'*#読み筋=△８四歩(83)▲２六歩(27)\n",
            "'*【悪手】\n",
            "'*#詰み=先手勝ち:4手\n",
            "'** -300 -8384FU +2726FU #20\n",
        ] {
            assert!(text.contains(line), "{line} is missing:\n{text}");
        }
        let text = written(Format::Csa3, AnnotatedForm::Csa, true);
        assert!(text.contains("'** 7\n") && !text.contains("'** -300"), "{text}");
    }

    #[test]
    fn kif_has_the_forms_of_both_programs_and_the_better_line() {
        let text = written(Format::Kif, AnnotatedForm::Kif, false).replace('\r', "");
        for line in [
            "**解析 0 △ 候補1 時間 00:00.0 深さ 3/0 ノード数 20 評価値 -300 読み筋 △８四歩(83) ▲２六歩(27)\n",
            "*#評価値=-300\n",
            "変化：2手\n",
        ] {
            assert!(text.contains(line), "{line} is missing:\n{text}");
        }
        assert!(!text.contains("*対局"), "what a player reported is not made up:\n{text}");
    }
}

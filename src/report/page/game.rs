//! The page of one analysed game.

use std::fmt::Write as _;

use super::{
    data,
    shell::{both, buttons, page, spans},
};
use crate::report::{
    BoardOptions, GameReport, GraphLabels, Moment, Script,
    analysis::{Mark, MoveJudgement},
    board_svg, chance_graph, time_bars,
    words::{Both, mark_number, side_words, verdict},
};
use kyomi_record::html::{escaped, json_in_script};
use kyomi_shogi::Color;

/// The page of an analysed game.
pub fn game_page(report: &GameReport<'_>) -> String {
    let header = &report.record.header;
    let name = |name: &Option<String>, side| match name.as_deref().map(str::trim) {
        None | Some("") => side_words(side),
        Some(name) => Both::new(name, name),
    };
    let names = [name(&header.black, Color::Black), name(&header.white, Color::White)];
    let title = format!("{} - {}", names[0].en, names[1].en);
    let mut body = String::new();
    head(&mut body, report, &names);
    body.push_str("<main>\n<div id=\"app\" hidden>\n");
    board_card(&mut body, report, &names);
    position_card(&mut body);
    moves_card(&mut body, report);
    body.push_str("</div>\n");
    body.push_str("<noscript><p class=\"card\">This page steps through the game by a script. / 局面の再生にはスクリプトが必要です。</p></noscript>\n");
    graphs(&mut body, report);
    figures(&mut body, report, &names);
    moments(&mut body, report);
    body.push_str("</main>\n");
    foot(&mut body, report);
    let data = json_in_script(&data::object(report).to_string());
    let _ = write!(body, "<script type=\"application/json\" id=\"game\">{data}</script>");
    page(&title, &body, &[include_str!("board.js"), include_str!("page.js")])
}

fn head(out: &mut String, report: &GameReport<'_>, names: &[Both; 2]) {
    let header = &report.record.header;
    let _ = write!(
        out,
        "<header><div class=\"names\"><h1>▲ {} <span aria-hidden=\"true\">–</span> △ {}</h1><p class=\"about-game\">",
        both(&names[0]),
        both(&names[1])
    );
    let mut parts: Vec<String> = Vec::new();
    parts.extend(header.event.as_deref().map(escaped));
    parts.extend(header.start_time.map(|time| escaped(&time.to_string())));
    parts.extend(report.opening.as_ref().map(both));
    let plies = report.plies();
    let result = match report.record.winner() {
        Some(kyomi_record::Winner::Side(side)) => {
            let side = side_words(side);
            Both::new(
                format!("{plies}手で{}の勝ち", side.ja),
                format!("{} won in {plies} moves", side.en),
            )
        }
        Some(kyomi_record::Winner::Draw) => {
            Both::new(format!("{plies}手で引き分け"), format!("drawn in {plies} moves"))
        }
        None => Both::new(format!("{plies}手、勝敗不明"), format!("{plies} moves, no result")),
    };
    parts.push(both(&result));
    if let Some(end) = &report.record.end
        && !end.kind.word().is_empty()
    {
        parts.push(escaped(end.kind.word()));
        parts.extend(end.foul.as_ref().map(|foul| escaped(&foul.mv.to_string())));
    }
    let _ = writeln!(out, "{}</p></div>{}</header>", parts.join(" · "), buttons());
    if !report.analysis.is_complete() {
        let words = spans(
            "解析は途中で止められました。同じコマンドで続きから解析します。",
            "The analysis was stopped before its end. The same command continues it.",
        );
        let _ = writeln!(out, "<p class=\"card\"><strong>{words}</strong></p>");
    }
}

fn board_card(out: &mut String, report: &GameReport<'_>, names: &[Both; 2]) {
    let side = |side: Color, id: &str, name: &Both| {
        let mark = if side == Color::Black { "▲" } else { "△" };
        format!(
            "<div class=\"player\" id=\"side-{id}\"><span class=\"name\">{mark} {}</span><span class=\"clock\" id=\"clock-{id}\"></span></div>",
            both(name)
        )
    };
    let button = |id: &str, sign: &str, ja: &str, en: &str| {
        format!(
            "<button type=\"button\" id=\"{id}\"><span aria-hidden=\"true\">{sign}</span><span class=\"hidden-text\">{}</span></button>",
            spans(ja, en)
        )
    };
    let _ = writeln!(
        out,
        "<section class=\"card\" id=\"board-place\" tabindex=\"0\" aria-label=\"Board\">\n<div id=\"above\">{}</div>\n\
         <svg id=\"board\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"\" viewBox=\"0 0 480 425\" font-family=\"sans-serif\"></svg>\n\
         <div id=\"below\">{}</div>\n<p id=\"board-text\" class=\"hidden-text\"></p>\n<div class=\"controls\">{}{}{}{}{}{}{}</div>\n\
         <label class=\"hidden-text\" for=\"slider\">{}</label><input id=\"slider\" type=\"range\" min=\"0\" max=\"{}\" value=\"0\">\n\
         <div class=\"choices\"><label><input type=\"checkbox\" id=\"arrows\" checked> {}</label>\
         <label><input type=\"checkbox\" id=\"letters\"> {}</label></div>\n</section>",
        side(Color::White, "white", &names[1]),
        side(Color::Black, "black", &names[0]),
        button("first", "|◀", "最初", "First position"),
        button("previous", "◀", "一手戻る", "One move back"),
        button("next", "▶", "一手進む", "One move on"),
        button("last", "▶|", "最後", "Last position"),
        button("previous-mistake", "?◀", "前の悪手", "Mistake before"),
        button("next-mistake", "▶?", "次の悪手", "Next mistake"),
        button("flip", "↕", "盤を反転", "Turn the board"),
        spans("手数", "Move number"),
        report.plies(),
        spans("読み筋の矢印", "Arrows"),
        spans("英字の駒", "Letters"),
    );
}

fn position_card(out: &mut String) {
    let _ = writeln!(
        out,
        "<section class=\"card\" aria-label=\"Position\">\n<div aria-live=\"polite\"><p id=\"caption\"></p><p id=\"facts\"></p></div>\n\
         <svg id=\"chance-bar\" role=\"img\" viewBox=\"0 0 100 5\" preserveAspectRatio=\"none\" xmlns=\"http://www.w3.org/2000/svg\">\
         <rect id=\"chance-black\" x=\"0\" y=\"0\" width=\"50\" height=\"5\"></rect></svg>\n<div id=\"notes\"></div>\n\
         <ul id=\"lines\"></ul>\n<button type=\"button\" id=\"back-to-game\" hidden>{}</button>\n<p class=\"about-game\">{}</p>\n</section>",
        spans("本譜に戻る", "Back to the game"),
        spans(
            "盤か棋譜を選んで：←→ 一手、↑↓ 盤では悪手へ、棋譜では一手、Home End 両端、F 反転",
            "Keys, with the board or the moves selected: ← → one move, ↑ ↓ to mistakes (in the moves: one move), Home End, F turns the board"
        ),
    );
}

fn moves_card(out: &mut String, report: &GameReport<'_>) {
    let _ = writeln!(
        out,
        "<section class=\"card\" id=\"moves-place\"><h2>{}</h2>\n<ol id=\"moves\" start=\"0\">",
        spans("棋譜", "Moves")
    );
    let judgement = &report.analysis.judgement;
    for ply in 0..=report.plies() {
        let words = report.move_at(ply).unwrap_or_else(|| Both::new("開始局面", "Start position"));
        let judged = ply.checked_sub(1).and_then(|index| judgement.moves.get(index)?.as_ref());
        let percent = judgement
            .chances
            .get(ply)
            .copied()
            .flatten()
            .map_or(String::new(), |chance| format!("{:.0}%", chance * 100.0));
        let _ = writeln!(
            out,
            "<li><button type=\"button\" data-ply=\"{ply}\"><span class=\"number\">{ply}</span><span>{}</span>{}<span class=\"percent\">{percent}</span></button></li>",
            both(&words),
            sign(judged)
        );
    }
    out.push_str("</ol></section>\n");
}

/// The sign beside a move, with its name for screen readers.
fn sign(judged: Option<&MoveJudgement>) -> String {
    let number = mark_number(judged.and_then(|judged| judged.mark));
    let Some(mark) = judged.and_then(|judged| judged.mark) else {
        return "<span class=\"sign\"></span>".to_owned();
    };
    format!(
        "<span class=\"sign sign-{number}\"><span aria-hidden=\"true\">{}</span><span class=\"hidden-text\">{}</span></span>",
        mark.sign(),
        spans(mark.japanese(), mark.english())
    )
}

fn graphs(out: &mut String, report: &GameReport<'_>) {
    let _ = write!(
        out,
        "<section class=\"card wide\"><h2>{}</h2>\n<div class=\"graph\" tabindex=\"0\" role=\"group\" aria-label=\"Graph\">{}",
        spans("先手の勝率", "Black's chance to win"),
        chance_graph(report.analysis, report.record, GraphLabels::Both)
    );
    if let Some(bars) = time_bars(report.record, GraphLabels::Both) {
        let _ = write!(
            out,
            "<h2>{}</h2>{bars}",
            spans("消費時間（上が先手）", "Time of each move (black above)")
        );
    }
    out.push_str("</div></section>\n");
}

fn figures(out: &mut String, report: &GameReport<'_>, names: &[Both; 2]) {
    let _ = writeln!(
        out,
        "<section class=\"card wide\"><h2>{}</h2><div class=\"scroll\"><table><thead><tr><th></th><th class=\"name\">▲ {}</th><th class=\"name\">△ {}</th></tr></thead><tbody>",
        spans("まとめ", "Summary"),
        both(&names[0]),
        both(&names[1])
    );
    let sides = &report.analysis.judgement.sides;
    let mut row = |name: &str, cells: [String; 2]| {
        let _ = writeln!(
            out,
            "<tr><th scope=\"row\">{name}</th><td>{}</td><td>{}</td></tr>",
            cells[0], cells[1]
        );
    };
    let percent =
        |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.1}%"));
    row(&spans("正確さ", "Accuracy"), [0, 1].map(|at| percent(sides[at].accuracy)));
    row(
        &spans("一手あたりの勝率の損", "Mean loss of a move"),
        [0, 1].map(|at| percent(sides[at].mean_loss.map(|loss| loss * 100.0))),
    );
    row(
        &spans("最善手", "Best moves"),
        [0, 1].map(|at| format!("{}/{}", sides[at].best, sides[at].moves)),
    );
    for mark in Mark::ALL {
        let name = format!("{} {}", spans(mark.japanese(), mark.english()), mark.sign());
        row(&name, [0, 1].map(|at| sides[at].marks[mark as usize].to_string()));
    }
    row(&spans("逃した詰み", "Missed mates"), [0, 1].map(|at| sides[at].missed_mates.to_string()));
    if report.castles.iter().any(|castles| !castles.is_empty()) {
        let castles = report.castles.each_ref().map(|castles| {
            let links: Vec<String> = castles
                .iter()
                .map(|(ply, castle)| {
                    format!("{} {}", spans(castle.japanese, castle.english), link(*ply))
                })
                .collect();
            if links.is_empty() { "–".to_owned() } else { links.join("<br>") }
        });
        row(&spans("囲い", "Castle"), castles);
    }
    out.push_str("</tbody></table></div>");
    if let Some(ply) = report.analysis.judgement.turning_point {
        let _ = write!(
            out,
            "<p>{} {}</p>",
            spans("勝負の分かれ目：", "The winner was ahead to the end from move"),
            link(ply)
        );
    }
    out.push_str("</section>\n");
}

/// A link to a ply.
fn link(ply: usize) -> String {
    format!("<a href=\"#{ply}\" data-ply=\"{ply}\">{ply}</a>")
}

/// The critical moments: the positions before the moves that mattered most.
fn moments(out: &mut String, report: &GameReport<'_>) {
    let judgement = &report.analysis.judgement;
    if judgement.critical.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "<section class=\"card wide\"><h2>{}</h2><div class=\"moments\">",
        spans("勝負どころ", "Critical moments")
    );
    for &ply in &judgement.critical {
        let (Some(judged), Some(words)) =
            (judgement.moves.get(ply - 1).and_then(Option::as_ref), report.move_at(ply))
        else {
            continue;
        };
        let Ok(moment) = Moment::at(report.record, ply) else { continue };
        let options =
            // The words below the picture are in both languages.
            BoardOptions {
                width: Some(300),
                caption: None,
                ..BoardOptions::of(&moment, Script::Japanese)
            };
        let picture = board_svg(moment.position(), moment.last().map(|last| last.mv), &options);
        let sentence = verdict(judged, report.better_at(ply).as_ref()).unwrap_or_default();
        let mut why = String::new();
        for line in report.why_words(ply) {
            let _ = write!(why, "<p class=\"why\">{}</p>", both(&line));
        }
        let _ = writeln!(
            out,
            "<figure>{picture}<figcaption><strong>{} {}</strong>: {}{why}</figcaption></figure>",
            link(ply),
            both(&words),
            both(&sentence)
        );
    }
    out.push_str("</div></section>\n");
}

fn foot(out: &mut String, report: &GameReport<'_>) {
    let why = spans(
        "興味はその手をどれだけ先に読むかを示す点数、費用はその手が読みの深さの限度から使う量で、打ち切りは残りが次の手の費用に足りなくなった所です。\
         局面の数は、それぞれの手の先で調べた局面の数です。",
        "Interest is the search's first estimate of a move, by which moves are ordered; the cost of a move is taken from the limit of its \
         line, which is cut where what is left no longer pays for a move. Nodes are the positions searched below each move.",
    );
    let has_why = (0..=report.plies()).any(|ply| !report.why_words(ply).is_empty());
    let why = if has_why { format!("<p>{why}</p>") } else { String::new() };
    let _ = writeln!(
        out,
        "<footer><p>{}: {}</p><p>{}</p>{why}</footer>",
        spans("解析", "Analysed by"),
        escaped(&report.analysis.settings),
        spans(
            "勝率は 1/(1+e^(−評価値/600))。損が5%以上で緩手、10%で疑問手、20%で悪手、50%で大悪手。正確さは各手の e^(−5×損) の平均。",
            "The chance to win is 1/(1+e^(−score/600)). A move that loses 5 points of it or more is an inaccuracy, \
             10 a dubious move, 20 a mistake, 50 a blunder. Accuracy is the mean of e^(−5·loss) over the moves."
        ),
    );
}

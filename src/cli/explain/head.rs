//! The head of a table or a page: the board, and beside it the results of the search.

use std::fmt::Write as _;

use super::{format, view::ExplanationView};
use crate::report::Script;
use crate::terminal::{Line, Style, draw_board, grid::wrapped, hand};
use kyomi_engine::search::explain::{CostFormulaKind, NodeView};
use kyomi_shogi::{Color, Game, text::counted};

/// The board with the facts beside it, or below it if there is not enough width.
pub(super) fn lines(explained: &ExplanationView<'_>, game: &Game, width: usize) -> Vec<Line> {
    let node = &explained.explanation.node;
    let position = &node.position;
    let last = node.line.last().or_else(|| game.moves().last()).copied();
    let mut left = vec![side(node, Color::White)];
    left.extend(draw_board(position, last, Script::Letters));
    left.push(side(node, Color::Black));
    let width_beside = width.saturating_sub(BOARD + 2);
    let facts = facts(explained, width_beside.max(40));
    if width_beside < 40 {
        left.push(Line::default());
        left.extend(facts);
        return left;
    }
    let rows = left.len().max(facts.len());
    let mut facts = facts.into_iter();
    let mut left = left.into_iter();
    (0..rows)
        .map(|_| {
            let board = left.next().unwrap_or_default();
            board.beside(BOARD + 2, facts.next().unwrap_or_default())
        })
        .collect()
}

/// The width of the board in columns.
const BOARD: usize = 30;

/// `White  hand 2P S   to move`
fn side(node: &NodeView, color: Color) -> Line {
    let name = if color == Color::Black { "Black" } else { "White" };
    let style = if node.position.side_to_move() == color { Style::Strong } else { Style::Plain };
    let line = Line::styled(style, name);
    let held = hand(node.position.hand(color), Script::Letters);
    line.beside(name.len(), held)
}

fn facts(explained: &ExplanationView<'_>, width: usize) -> Vec<Line> {
    let (search, node) = (&explained.explanation.search, &explained.explanation.node);
    let mut facts = LabelledLines { lines: Vec::new(), width };
    let side = match node.position.side_to_move() {
        Color::Black => "Black",
        Color::White => "White",
    };
    let check = if node.position.in_check() { ", in check" } else { "" };
    facts.add("to move", &format!("{side}, {} legal moves{check}", node.moves.len()));
    let limits = &search.limits;
    let done = match (limits.last(), search.unfinished) {
        (None, _) => "no iteration was completed".to_owned(),
        (Some(limit), unfinished) => {
            let more = unfinished.map_or(String::new(), |limit| format!(" ({limit} was begun)"));
            let (count, depth) = (limits.len(), search.depth);
            format!(
                "{} up to limit {limit}{more}, nominal depth {depth}, longest line {}",
                counted(count, "iteration"),
                search.seldepth
            )
        }
    };
    facts.add("searched", &format!("{} nodes, {done}", format::grouped(search.nodes)));
    if node.line.is_empty() {
        let pv = format::moves(&search.pv);
        let late = if search.best_proven {
            ", a mate that the mate search beside the iterations has proven"
        } else if search.best_is_substitute {
            ", which stands for a move that the mate search beside the iterations has proven to lose"
        } else if search.best_unfinished {
            ", found in the incomplete iteration"
        } else {
            ""
        };
        facts.add("best", &format!("{} for {pv}{late}", format::score(search.score)));
    } else {
        facts.add(
            "root",
            &format!("{} for {}", format::score(search.score), format::moves(&search.pv)),
        );
        facts.add("node", &format!("after {}", format::moves(&node.line)));
        let kind = if node.pv { "principal variation" } else { "null window" };
        facts
            .add("window", &format!("{} of the side to move, {kind}", format::window(node.window)));
        let score = node.score.map_or_else(|| "not completed".to_owned(), format::bounded);
        facts.add("score", &format!("{score} after {} nodes", format::grouped(node.nodes)));
    }
    if let Some(eval) = node.eval {
        facts.add("evaluation", &format!("{eval:+} before any move"));
    }
    facts.add(
        "budgets",
        &format!("{} units for the side to move, {} for the other", node.budgets.0, node.budgets.1),
    );
    facts.add("interest", &format!("{} points over all moves", format::sum_points(node.sum)));
    facts.add("cost", &cost(node));
    if node.penalty_pause {
        facts.add("penalties", "left out in this iteration");
    }
    for early in &node.early {
        facts.add("ends", &format::early(*early));
    }
    facts.lines
}

/// How the node computes the cost of a move.
fn cost(node: &NodeView) -> String {
    let formula = &node.formula;
    let (least, most) = formula.bounds;
    let bounds = format!("within {least} and {most}");
    let mut text = match formula.kind {
        CostFormulaKind::Reciprocal => format!("{} / thousandths of interest, {bounds}", formula.k),
        CostFormulaKind::Paper => "9000 / interest in points, without bounds".to_owned(),
        CostFormulaKind::Plain => "the same for every move except checks and captures".to_owned(),
    };
    if formula.kind != CostFormulaKind::Plain {
        if formula.depth != 256 && formula.kind != CostFormulaKind::Paper {
            let factor = f64::from(formula.depth) / 256.0;
            let _ = write!(text, "; what is over 100 times {factor:.2} at these budgets");
        }
        if formula.beyond != 1600 {
            let factor = f64::from(formula.beyond) / 1600.0;
            let _ = write!(text, "; times {factor:.2} beyond the nominal depth");
        }
        if let Some(cap) = formula.cap {
            let _ = write!(text, "; at the root {cap} at most");
        }
        if node.score_fell {
            text += "; dull moves cheaper after a fall of the score";
        }
    }
    text
}

/// Lines of the form `name  text`, wrapped.
struct LabelledLines {
    lines: Vec<Line>,
    width: usize,
}

impl LabelledLines {
    fn add(&mut self, name: &str, text: &str) {
        let width = self.width.saturating_sub(NAME);
        for (at, part) in wrapped(text, width, 0).into_iter().enumerate() {
            let name = if at == 0 { name } else { "" };
            let mut line = Line::styled(Style::Faint, format!("{name:<NAME$}"));
            line.push(Style::Plain, part);
            self.lines.push(line);
        }
    }
}

/// The width of a label in columns.
const NAME: usize = 12;

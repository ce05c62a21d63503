//! The page of one move, with everything about it.

use super::{format, view::ExplanationView};
use crate::terminal::grid::{self, Column, Row, wrapped};
use crate::terminal::{Line, Style};
use kyomi_engine::search::{
    Exchange,
    explain::{CostFormula, CostFormulaKind, CostView, MoveStatus, MoveView, NodeView, Run},
};

/// The lines of the page.
pub(super) fn lines(explained: &ExplanationView<'_>, view: &MoveView, width: usize) -> Vec<Line> {
    let node = &explained.explanation.node;
    let mut page = Page { lines: Vec::new(), width };
    page.title(view, node);
    page.generators(view);
    page.interest(view, node);
    page.cost(view, node);
    page.searches(view, node);
    page.lines
}

struct Page {
    lines: Vec<Line>,
    width: usize,
}

impl Page {
    fn heading(&mut self, text: &str) {
        self.lines.push(Line::default());
        self.lines.push(Line::styled(Style::Strong, text));
    }

    fn text(&mut self, text: &str) {
        for line in wrapped(text, self.width, 4) {
            self.lines.push(Line::plain(line));
        }
    }

    fn title(&mut self, view: &MoveView, node: &NodeView) {
        let (rank, of) = (view.rank, node.moves.len());
        let by = view.interest_rank;
        self.lines.push(Line::styled(
            Style::Strong,
            format!("{}   rank {rank} of {of}, by interest {by}", view.mv),
        ));
        let result_text = view.result().map_or(String::new(), |run| {
            let reply =
                view.reply.map_or(String::new(), |mv| format!(", the table's reply is {mv}"));
            let result = format::bounded((run.score, run.bound));
            let before = if matches!(view.status, MoveStatus::Proven(_)) {
                "searched before that: "
            } else {
                ""
            };
            format!(
                "; {before}{result} after {} nodes at limit {}{reply}",
                format::grouped(run.nodes),
                run.limit
            )
        });
        self.text(&format!("{}{result_text}", format::status_sentence(view, node)));
    }

    fn generators(&mut self, view: &MoveView) {
        self.heading("As a plausible move");
        if view.generators.is_empty() {
            self.text("  no generator makes it");
        }
        for (id, description) in &view.generators {
            self.lines.push(Line::plain(format!("  {id}  {description}")));
        }
        self.text(&format!("  merit {:+} points", view.merit));
    }

    fn interest(&mut self, view: &MoveView, node: &NodeView) {
        self.heading("Interest, in points");
        let bad = view.exchange == Exchange::Bad;
        let mut rows = Vec::new();
        let (mut good_sum, mut bad_sum) = (0, 0);
        for part in &view.parts {
            let figure = |before: i32, figure: i32| {
                if part.term.is_factor() && before != 0 {
                    format!("×{:.2}", f64::from(before + figure) / f64::from(before))
                } else {
                    format::signed_points(figure)
                }
            };
            let (good, if_bad) = (figure(good_sum, part.good), figure(bad_sum, part.bad));
            good_sum += part.good;
            bad_sum += part.bad;
            let name = part.term.name().replace('_', " ");
            let counts = view.amount(part) != 0;
            let style = if counts { Style::Plain } else { Style::Faint };
            rows.push(Row::Cells(vec![
                (Style::Faint, part.term.number().to_owned()),
                (style, name),
                (if bad { Style::Faint } else { style }, good),
                (if bad { style } else { Style::Faint }, if_bad),
                (Style::Faint, part.term.meaning().to_owned()),
            ]));
        }
        rows.push(Row::Cells(vec![
            (Style::Plain, String::new()),
            (Style::Strong, "sum".to_owned()),
            (if bad { Style::Faint } else { Style::Strong }, format::points(good_sum)),
            (if bad { Style::Strong } else { Style::Faint }, format::points(bad_sum)),
            (Style::Plain, String::new()),
        ]));
        self.lines.extend(grid::lines(&TERMS, &rows, self.width));
        let see = view.see;
        self.text(&match view.exchange {
            Exchange::Safe => {
                "Nothing can be lost by exchange, so the column of good moves counts.".to_owned()
            }
            Exchange::Good => format!(
                "The exchange on its square comes to {see:+}: it loses nothing, the column of good moves counts."
            ),
            Exchange::Bad => format!(
                "The exchange on its square comes to {see:+}: it loses material, the column of bad moves counts."
            ),
        });
        if view.effective != view.interest {
            let (from, to) = (format::points(view.interest), format::points(view.effective));
            self.text(&format!(
                "Similar moves were searched before it: {from} points become {to}."
            ));
        }
        if node.formula.kind == CostFormulaKind::Plain {
            self.text("With these options interest only orders the moves.");
        }
    }

    /// The step of term 15.
    fn beyond(&mut self, cost: &CostView, formula: &CostFormula) {
        if cost.cost != cost.scaled {
            let factor = f64::from(formula.beyond) / 1600.0;
            self.step(
                i64::from(cost.cost),
                &format!("beyond the nominal depth of the iteration: times {factor:.2}"),
            );
        }
    }

    fn cost(&mut self, view: &MoveView, node: &NodeView) {
        self.heading("Cost, in units (100 are one nominal ply)");
        let (formula, cost) = (&node.formula, &view.cost);
        let (least, most) = formula.bounds;
        let thousandths = 1000.0 * f64::from(view.effective) / node.sum.max(1) as f64;
        let interest = format::points(view.effective);
        match formula.kind {
            CostFormulaKind::Plain => {
                self.text("  every move costs the same, except checks and captures");
            }
            CostFormulaKind::Paper => {
                self.step(cost.raw, &format!("9000 / {interest} points"));
                self.beyond(cost, formula);
            }
            CostFormulaKind::Reciprocal => {
                let sum = format::sum_points(node.sum);
                self.text(&format!(
                    "  {interest} of the node's {sum} points are {thousandths:.1} thousandths: its normalised interest"
                ));
                self.step(cost.raw, &format!("{} / {thousandths:.1}", formula.k));
                if i64::from(cost.base) != cost.raw {
                    self.step(i64::from(cost.base), &format!("within {least} and {most}"));
                }
                if cost.scaled != cost.base {
                    let factor = f64::from(formula.depth) / 256.0;
                    self.step(
                        i64::from(cost.scaled),
                        &format!("depth scale: what is over 100 times {factor:.2}"),
                    );
                }
                self.beyond(cost, formula);
            }
        }
        if cost.taken != cost.cost && formula.kind != CostFormulaKind::Plain {
            let why = match formula.cap {
                Some(cap) if cap == cost.taken => "at the root no more than half the limit",
                _ => {
                    "from the transposition table's entry: the move was searched before the others were listed"
                }
            };
            self.step(i64::from(cost.taken), why);
        } else if formula.kind == CostFormulaKind::Plain {
            self.step(i64::from(cost.taken), "");
        }
        if let Some(run) = view.result() {
            // At the root the reported search may be of a later iteration than the node.
            let root = node.line.is_empty();
            let (us, them) = if root { (run.limit, run.limit) } else { node.budgets };
            let (left, other) = run.after;
            self.text(&format!(
                "  charged {}: the side to move has {us} − {} = {left} left, the other one {them} − {} % of it = {other}",
                run.charge, run.charge, formula.cross
            ));
            if !root && run.siblings_cost > 0 {
                let (cost, sibling_surcharge) = (run.cost, run.sibling_surcharge);
                let reach = if cost + sibling_surcharge <= us { "within" } else { "over" };
                self.text(&format!(
                    "  the cost of {cost} plus {sibling_surcharge}, which is {:.1} % of the total cost {} of the moves before it, is {reach} the budget of {us}",
                    f64::from(formula.ply_weight) / 10.0, run.siblings_cost
                ));
            }
        }
    }

    fn step(&mut self, value: i64, how: &str) {
        let line = format!("  {value:>6}  {how}");
        self.lines.push(Line::plain(line.trim_end().to_owned()));
    }

    fn searches(&mut self, view: &MoveView, node: &NodeView) {
        let root = node.line.is_empty();
        self.heading(if root { "Iteration by iteration" } else { "Its search" });
        if view.runs.is_empty() {
            self.text("  it was not searched");
            return;
        }
        let rows: Vec<Row> = view.runs.iter().map(|run| Row::Cells(cells(run))).collect();
        self.lines.extend(grid::lines(
            if root { &RUNS } else { &RUNS[2..] },
            &without_iterations(rows, root),
            self.width,
        ));
        if view.runs.iter().any(|run| run.steps.len() > 1) {
            let research = node
                .formula
                .research
                .map_or(String::new(), |most| format!(" at a charge of {most} at most"));
            self.text(&format!(
                "A move that raises the value is searched again{research}; open: for its score, not only for a yes or no."
            ));
        }
    }
}

/// The rows of an inner node without the columns of iteration and limit, since it has one iteration only.
fn without_iterations(rows: Vec<Row>, root: bool) -> Vec<Row> {
    if root {
        return rows;
    }
    rows.into_iter()
        .map(|row| match row {
            Row::Cells(cells) => Row::Cells(cells.into_iter().skip(2).collect()),
            rule @ Row::Rule(_) => rule,
        })
        .collect()
}

const TERMS: [Column; 5] = [
    Column::number("term", 0),
    Column::word("", 0),
    Column::number("good", 0),
    Column::number("bad", 0),
    Column::text("", 1, 20),
];

const RUNS: [Column; 9] = [
    Column::number("it.", 0),
    Column::number("limit", 0),
    Column::number("place", 3),
    Column::word("window", 4),
    Column::number("charge", 0),
    Column::word("score", 0),
    Column::number("nodes", 0),
    Column::number("left after", 5),
    Column::text("searches", 2, 18),
];

fn cells(run: &Run) -> Vec<(Style, String)> {
    let style = if run.complete { Style::Plain } else { Style::Faint };
    let texts = [
        run.iteration.to_string(),
        run.limit.to_string(),
        run.place.to_string(),
        format::window(run.window),
        run.charge.to_string(),
        format::bounded((run.score, run.bound)),
        format::count(run.nodes),
        format::budgets(run.after),
        format::steps(run),
    ];
    texts.into_iter().map(|text| (style, text)).collect()
}

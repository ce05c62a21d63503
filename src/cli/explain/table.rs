//! The table of all moves of a node.

use super::{format, view::ExplanationView};
use crate::terminal::{Column, Line, Row, Style, table_lines};
use kyomi_engine::search::{
    Bound, Part,
    explain::{CostFormulaKind, MoveStatus, MoveView, NodeView},
};

/// The lines of the table.
pub(super) fn lines(explained: &ExplanationView<'_>, width: usize) -> Vec<Line> {
    let node = &explained.explanation.node;
    let moves = explained.moves();
    let root = node.line.is_empty();
    let rows = rows(node, moves, root);
    let mut lines = table_lines(if root { &ROOT } else { &INNER }, &rows, width);
    let hidden = node.moves.len() - moves.len();
    if hidden > 0 {
        lines.push(Line::styled(Style::Faint, format!("and {hidden} more moves")));
    }
    lines
}

const ROOT: [Column; 14] = [
    Column::number("#", 0),
    Column::word("move", 0),
    Column::number("score", 0),
    Column::number("nodes", 2),
    Column::number("limit", 9),
    Column::number("interest", 0),
    Column::number("by", 7),
    Column::number("share", 3),
    Column::number("cost", 0),
    Column::number("left after", 6),
    Column::word("reply", 5),
    Column::number("merit", 4),
    Column::text("generators", 1, 11),
    Column::text("largest terms", 8, 20),
];

const INNER: [Column; 13] = [
    Column::number("#", 0),
    Column::word("move", 0),
    Column::word("what", 0),
    Column::number("score", 0),
    Column::number("nodes", 3),
    Column::number("interest", 2),
    Column::number("similar", 7),
    Column::number("share", 4),
    Column::number("cost", 0),
    Column::number("+late", 0),
    Column::number("merit", 5),
    Column::text("generators", 1, 11),
    Column::text("largest terms", 8, 20),
];

fn rows(node: &NodeView, moves: &[MoveView], root: bool) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut group = Group::Searched;
    for view in moves {
        let next = Group::of(view.status);
        if next != group {
            group = next;
            rows.push(Row::Rule(group.title(view, node)));
        }
        let cells = if root { root_cells(view, node) } else { inner_cells(view, node) };
        rows.push(Row::Cells(cells));
    }
    rows
}

/// A group of moves with the same kind of status, separated from the others by rules.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    Searched,
    Unaffordable,
    Unreached,
    Reserve,
    Ended,
    Stopped,
}

impl Group {
    const fn of(status: MoveStatus) -> Self {
        match status {
            MoveStatus::Searched(_) | MoveStatus::Proven(_) => Self::Searched,
            MoveStatus::Unaffordable { .. } => Self::Unaffordable,
            MoveStatus::Unreached(_) => Self::Unreached,
            MoveStatus::NeedlessNonPromotion | MoveStatus::Implausible => Self::Reserve,
            MoveStatus::NodeEnded => Self::Ended,
            MoveStatus::Stopped => Self::Stopped,
        }
    }

    /// The text of the rule above the group; `first` is its first move.
    fn title(self, first: &MoveView, node: &NodeView) -> String {
        match (self, first.status) {
            (Self::Searched, _) => "searched".to_owned(),
            (Self::Unaffordable, MoveStatus::Unaffordable { sibling_surcharge }) => format!(
                "the cut: {} for {} and {sibling_surcharge} for the moves before it are over the budget of {}",
                first.cost.taken, first.mv, node.budgets.0
            ),
            (Self::Unreached, MoveStatus::Unreached(Some(by))) => {
                format!("not reached: {by} is good enough")
            }
            (Self::Unaffordable | Self::Unreached, _) => "not reached".to_owned(),
            (Self::Reserve, _) => {
                "the reserve: searched only if everything else loses by force".to_owned()
            }
            (Self::Stopped, _) => "not reached: the search was stopped".to_owned(),
            (Self::Ended, _) => "not searched, with the costs they would have".to_owned(),
        }
    }
}

fn root_cells(view: &MoveView, node: &NodeView) -> Vec<(Style, String)> {
    let best = view.rank == 1;
    let strong = if best { Style::Strong } else { Style::Plain };
    let run = view.result();
    let score = match view.status {
        MoveStatus::Proven(proven) => format::bounded((proven, Bound::Exact)),
        _ => run.map_or(String::new(), |run| format::bounded((run.score, run.bound))),
    };
    let cell = |text: String| (Style::Plain, text);
    vec![
        (Style::Faint, view.rank.to_string()),
        (strong, view.mv.to_string()),
        (strong, score),
        cell(run.map_or(String::new(), |run| format::count(run.nodes))),
        (Style::Faint, run.map_or(String::new(), |run| run.limit.to_string())),
        cell(format::points(view.interest)),
        (Style::Faint, view.interest_rank.to_string()),
        cell(format::share(view, node)),
        cell(view.cost.taken.to_string()),
        cell(run.map_or(String::new(), |run| format::budgets(run.after))),
        cell(view.reply.map_or(String::new(), |mv| mv.to_string())),
        cell(format!("{:+}", view.merit)),
        cell(generators(view)),
        (Style::Faint, largest(view)),
    ]
}

fn inner_cells(view: &MoveView, node: &NodeView) -> Vec<(Style, String)> {
    let run = view.runs.last();
    let searched = run.is_some();
    let style = if searched { Style::Plain } else { Style::Faint };
    let cell = |text: String| (style, text);
    let reserve = Group::of(view.status) == Group::Reserve;
    let sibling_surcharge = match (view.status, run) {
        (MoveStatus::Unaffordable { sibling_surcharge }, _) => sibling_surcharge.to_string(),
        (_, Some(run)) => run.sibling_surcharge.to_string(),
        _ => String::new(),
    };
    let similar = match view.effective {
        effective if effective == view.interest || reserve => String::new(),
        effective => format!("×{:.2}", f64::from(effective) / f64::from(view.interest.max(1))),
    };
    let cost = if reserve && !searched { String::new() } else { view.cost.taken.to_string() };
    let share = match node.formula.kind {
        _ if reserve => String::new(),
        CostFormulaKind::Plain => String::new(),
        _ => format::share(view, node),
    };
    vec![
        (Style::Faint, view.rank.to_string()),
        (if searched { Style::Strong } else { style }, view.mv.to_string()),
        cell(format::status(view.status).to_owned()),
        cell(run.map_or(String::new(), |run| format::bounded((run.score, run.bound)))),
        cell(run.map_or(String::new(), |run| format::count(run.nodes))),
        cell(format::points(view.interest)),
        cell(similar),
        cell(share),
        cell(cost),
        cell(sibling_surcharge),
        cell(format!("{:+}", view.merit)),
        cell(generators(view)),
        (Style::Faint, largest(view)),
    ]
}

/// The generators that make the move: `G1 T2 P6`.
fn generators(view: &MoveView) -> String {
    view.generators.iter().map(|(id, _)| *id).collect::<Vec<_>>().join(" ")
}

/// The largest terms, except the share that all moves have: `capture 190, promotion 300`.
fn largest(view: &MoveView) -> String {
    let mut parts: Vec<&Part> =
        view.parts.iter().filter(|part| part.term.number() != "1").collect();
    parts.sort_by_key(|part| std::cmp::Reverse(view.amount(part).abs()));
    let text = |part: &&Part| {
        let name = part.term.name().replace('_', " ");
        format!("{name} {}", format::points(view.amount(part)).trim_end_matches(".0"))
    };
    parts
        .iter()
        .take(3)
        .filter(|part| view.amount(part) != 0)
        .map(text)
        .collect::<Vec<_>>()
        .join(", ")
}

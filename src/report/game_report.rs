//! The data of the report on one analysed game.

use super::{
    analysis::{AnalysisStore, GameAnalysis, Mark, Why, WhyLimits, why},
    words::{Both, move_words},
};
use kyomi_record::{Castle, Opening, Record, castles};
use kyomi_shogi::{Color, Game, Move, Position, Square};

/// The data of the report on one analysed game, for all output formats.
#[derive(Debug)]
pub struct GameReport<'a> {
    /// The game.
    pub record: &'a Record,
    /// The analysis of its main line.
    pub analysis: &'a GameAnalysis,
    /// For each move, why another one was better; only for marked moves.
    pub why: Vec<Option<Why>>,
    /// The name of the opening.
    pub opening: Option<Both>,
    /// The castles of black and white, with the ply at which each was complete.
    pub castles: [Vec<(usize, Castle)>; 2],
    /// The positions of the game, from the start position to that after the last move.
    pub positions: Vec<Position>,
}

impl<'a> GameReport<'a> {
    /// The report of a game, without explanations.
    pub fn new(record: &'a Record, analysis: &'a GameAnalysis) -> Self {
        let mut game = Game::new(record.start.clone());
        let mut positions = vec![game.position().clone()];
        let mut tried = 0;
        for made in &record.moves {
            tried += 1;
            if game.push(made.mv).is_err() {
                break;
            }
            positions.push(game.position().clone());
        }
        let moves = record.moves.iter().take(tried).map(|made| made.mv);
        let opening = Some(Opening::of(&record.start, moves))
            .filter(|opening| !matches!(opening, Opening::Unknown | Opening::Static))
            .map(|opening| Both::new(opening.japanese(), opening.to_string()));
        let castles = Color::ALL.map(|side| castles(&positions, side));
        Self { record, analysis, why: vec![None; tried], opening, castles, positions }
    }

    /// Explains dubious moves and worse ones, until the limits are stopped. `on_progress` gets the number of moves
    /// explained so far and the number of moves to explain. Returns the number of nodes searched.
    pub fn explain(
        &mut self,
        limits: &WhyLimits,
        store: &mut dyn AnalysisStore,
        mut on_progress: impl FnMut(usize, usize),
    ) -> u64 {
        let better = |index: usize| {
            let judged = self.analysis.judgement.moves.get(index)?.as_ref()?;
            judged.better.filter(|_| judged.mark >= Some(Mark::Dubious))
        };
        let of = (0..self.why.len()).filter(|index| better(*index).is_some()).count();
        let (mut done, mut nodes) = (0, 0);
        let mut game = Game::new(self.record.start.clone());
        for (index, (slot, made)) in self.why.iter_mut().zip(&self.record.moves).enumerate() {
            if limits.is_stopped() {
                break;
            }
            if let Some(better) = better(index) {
                let found = why(&game, better, made.mv, limits, store);
                nodes += found.as_ref().map_or(0, |(_, nodes)| *nodes);
                *slot = found.map(|(why, _)| why);
                done += 1;
                on_progress(done, of);
            }
            if game.push(made.mv).is_err() {
                break;
            }
        }
        nodes
    }

    /// Number of moves.
    pub fn plies(&self) -> usize {
        self.positions.len() - 1
    }

    /// The text of the move that led to this ply, from 1.
    pub fn move_at(&self, ply: usize) -> Option<Both> {
        let index = ply.checked_sub(1)?;
        let mv = self.record.moves.get(index)?.mv;
        Some(move_words(self.positions.get(index)?, mv, self.square_before(index)))
    }

    /// The text of the better move instead of this ply's.
    pub fn better_at(&self, ply: usize) -> Option<Both> {
        let index = ply.checked_sub(1)?;
        let judged = self.analysis.judgement.moves.get(index)?.as_ref()?;
        let better = judged.better?;
        Some(move_words(self.positions.get(index)?, better, self.square_before(index)))
    }

    /// The line that begins with the better move, as far as it is known.
    pub fn better_line(&self, ply: usize) -> Vec<Move> {
        let Some(index) = ply.checked_sub(1) else { return Vec::new() };
        let judged = self.analysis.judgement.moves.get(index).and_then(Option::as_ref);
        if judged.is_none_or(|judged| judged.better.is_none()) {
            return Vec::new();
        }
        let found = self.analysis.positions.get(index).and_then(Option::as_ref);
        found.and_then(|found| found.lines.first()).map_or_else(Vec::new, |line| line.moves.clone())
    }

    /// The destination of the move before the one with this index.
    fn square_before(&self, index: usize) -> Option<Square> {
        Some(self.record.moves.get(index.checked_sub(1)?)?.mv.to())
    }

    /// Sentences that explain why the better move was preferred.
    pub fn why_words(&self, ply: usize) -> Vec<Both> {
        let Some(index) = ply.checked_sub(1) else { return Vec::new() };
        let (Some(why), Some(position)) =
            (self.why.get(index).and_then(Option::as_ref), self.positions.get(index))
        else {
            return Vec::new();
        };
        let before = self.square_before(index);
        let mut sentences: Vec<Both> = [&why.better, &why.played]
            .into_iter()
            .map(|it| {
                let name = move_words(position, it.mv, before);
                let (interest, rank, moves) = (it.interest, it.rank, why.moves);
                let (cost, limit, nodes) = (it.cost, why.limit, it.nodes);
                Both::new(
                    format!(
                        "{}：興味 {interest:.1} 点（{moves}手中{rank}位）、費用 {cost}（限度 {limit}）、{nodes} 局面",
                        name.ja
                    ),
                    format!(
                        "{}: interest {interest:.1} points (rank {rank} of {moves}), cost {cost} of a limit of {limit} units, \
                         {nodes} nodes",
                        name.en
                    ),
                )
            })
            .collect();
        if let Some(cut) = &why.cut {
            let mut end = position.clone();
            for &mv in &cut.line {
                end.do_move(mv);
            }
            let (plies, left) = (cut.line.len(), cut.left);
            let last = cut.line.last().map(|mv| mv.to());
            sentences.push(match cut.next {
                Some((mv, cost)) => {
                    let next = move_words(&end, mv, last);
                    Both::new(
                        format!(
                            "その読み筋は{plies}手で打ち切り：残り {left} に対し、次の {} の費用は {cost}",
                            next.ja
                        ),
                        format!(
                            "Its line was cut after {plies} plies: {left} units were left, and the next move, {}, costs {cost}",
                            next.en
                        ),
                    )
                }
                None => Both::new(
                    format!("その読み筋は{plies}手で打ち切り：残り {left} ではどの手も費用が足りない"),
                    format!(
                        "Its line was cut after {plies} plies: the {left} units left there afford no move"
                    ),
                ),
            });
        }
        sentences
    }
}

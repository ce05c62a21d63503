//! One game, from the choice of its start to its end.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use kyomi::matches::ScoreHistory;
use kyomi_engine::search::{SearchResult, Searcher, StopFlag};
use kyomi_shogi::{EndReason, Game, Winner};

use super::starts::SampledStart;
use super::{PlayedMove, SelfplayGame, SelfplaySettings, game};

/// Plays the games of one thread, one after the other.
pub(super) struct GamePlayer<'a> {
    pub(super) settings: &'a SelfplaySettings,
    pub(super) searcher: &'a mut Searcher,
}

/// The result of playing a game.
pub(super) enum Played {
    Game(Box<SelfplayGame>),
    /// The user abandoned the game.
    Abandoned,
    /// No suitable start was found.
    NoStart,
}

impl GamePlayer<'_> {
    /// Plays the game with this number, from the first suitable one of these starts. The game follows from the starts
    /// only. `is_abandoned` is called before each move and ends the game without a result when it returns true.
    pub(super) fn play(
        &mut self,
        seed: u64,
        number: u32,
        starts: impl Iterator<Item = SampledStart>,
        is_abandoned: impl Fn() -> bool,
    ) -> Played {
        let started = Instant::now();
        for sampled in starts {
            if is_abandoned() {
                return Played::Abandoned;
            }
            let mut game = Game::new(sampled.position.clone());
            self.searcher.new_game();
            let first = self.search(&game);
            if first.score.centipawns().abs() > self.settings.start_score {
                continue;
            }
            let Some((end, winner, moves)) = self.moves(&mut game, first, &is_abandoned) else {
                return Played::Abandoned;
            };
            let SampledStart { position: start, source, random_plies } = sampled;
            let ended = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
            let took_ms = u32::try_from(started.elapsed().as_millis()).unwrap_or(u32::MAX);
            return Played::Game(Box::new(SelfplayGame {
                seed,
                number,
                start,
                source,
                random_plies,
                winner,
                end,
                ended,
                took_ms,
                moves,
            }));
        }
        Played::NoStart
    }

    /// Makes moves until the game is over; `None` if it was abandoned.
    fn moves(
        &mut self,
        game: &mut Game,
        first: SearchResult,
        is_abandoned: &impl Fn() -> bool,
    ) -> Option<(EndReason, Winner, Vec<PlayedMove>)> {
        let mut score_history = ScoreHistory::default();
        let mut moves = Vec::new();
        let mut next_result = Some(first);
        loop {
            if is_abandoned() {
                return None;
            }
            let side = game.position().side_to_move();
            let result = next_result.take().unwrap_or_else(|| self.search(game));
            let score = result.score.centipawns();
            // There is a move: a mate would have ended the game after the move before.
            let mv = result.best?;
            game.push(mv).ok()?;
            score_history.add(side, Some(score));
            moves.push(PlayedMove {
                mv,
                score: score.clamp(-32_000, 32_000) as i16,
                limit: u16::try_from(result.limit).unwrap_or(u16::MAX),
            });
            let by_rule = game::over(game);
            if let Some((end, winner)) = &by_rule
                && *end != EndReason::Declaration
            {
                return Some((end.clone(), *winner, moves));
            }
            if game.position().ply() > self.settings.max_moves {
                return Some((EndReason::MaxMoves, Winner::Draw, moves));
            }
            if let Some(winner) = score_history.winner(&self.settings.win) {
                return Some((EndReason::AgreedWin, Winner::Side(winner), moves));
            }
            if let Some((end, winner)) = by_rule {
                return Some((end, winner, moves));
            }
        }
    }

    fn search(&mut self, game: &Game) -> SearchResult {
        let limits = self.settings.limits(game.start().ply());
        self.searcher.search(game, &limits, &StopFlag::new(), |_| {})
    }
}

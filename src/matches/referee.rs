//! The referee of one game between two players, with our own rules and clock.

use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use crate::players::{Answer, Choice, EngineError, MoveLimit};
use kyomi_record::{Analysis, BOOK_MOVE, RecordMove};
use kyomi_shogi::clock::{Controls, GameClocks, judge};
use kyomi_shogi::{
    Adjudicator, Color, EndReason, Finding, Game, GameEnd, Outcome, Score, Winner, notation::usi,
};

use super::{
    MatchControl, Rules, Turn,
    adjudication::ScoreHistory,
    match_player::{MatchPlayer, RequestOutcome},
};

/// A finished game.
#[derive(Debug)]
pub(super) struct RefereedEnd {
    pub(super) end: GameEnd,
    /// Why the game ended, as a sentence.
    pub(super) explanation: String,
    /// The game with its opening and all moves.
    pub(super) game: Game,
    pub(super) turns: Vec<Turn>,
    /// The moves: first those of the opening, then those played, with times and analysis.
    pub(super) moves: Vec<RecordMove>,
    pub(super) ponders: [u32; 2],
    pub(super) ponder_hits: [u32; 2],
    /// The time of a last turn without a move.
    pub(super) last_time: Option<Duration>,
    /// What the player said of its search in that turn.
    pub(super) last_analysis: Option<Analysis>,
    /// The side whose player failed and must be restarted.
    pub(super) failed_side: Option<Color>,
}

/// Plays one game from the end of `opening`; both players are prepared. Returns `None` if the game was abandoned.
pub(super) async fn play(
    players: [&mut MatchPlayer; 2],
    opening: &Game,
    rules: &Rules,
    abandon: &CancellationToken,
) -> Option<RefereedEnd> {
    let mut game = RefereedGame::new(players, opening, rules);
    let verdict = loop {
        tokio::select! {
            biased;
            verdict = game.turn() => if let Some(verdict) = verdict { break Some(verdict) },
            () = abandon.cancelled() => break None,
        }
    };
    let result = |color: Color| match verdict.as_ref().map(|verdict| verdict.winner) {
        Some(winner) => winner.outcome_for(color),
        None => Outcome::None,
    };
    for color in Color::ALL {
        game.player(color).game_over(result(color));
    }
    verdict.map(|verdict| game.end(verdict))
}

/// The decision that ends a game, before it is combined with the moves.
struct Verdict {
    winner: Winner,
    reason: EndReason,
    explanation: String,
    last_time: Option<Duration>,
    last_analysis: Option<Analysis>,
    failed_side: Option<Color>,
}

impl Verdict {
    fn new(winner: Winner, reason: EndReason, explanation: String) -> Self {
        Self {
            winner,
            reason,
            explanation,
            last_time: None,
            last_analysis: None,
            failed_side: None,
        }
    }
}

struct RefereedGame<'a> {
    players: [&'a mut MatchPlayer; 2],
    rules: &'a Rules,
    game: Game,
    game_clocks: GameClocks,
    began: Instant,
    score_history: ScoreHistory,
    turns: Vec<Turn>,
    moves: Vec<RecordMove>,
    ponders: [u32; 2],
    ponder_hits: [u32; 2],
}

impl<'a> RefereedGame<'a> {
    fn new(players: [&'a mut MatchPlayer; 2], opening: &Game, rules: &'a Rules) -> Self {
        let [black, white] = [0, 1].map(|side: usize| players[side].contestant.control.clock());
        let first = opening.position().side_to_move();
        Self {
            rules,
            game: opening.clone(),
            game_clocks: GameClocks::new(Controls { black, white }, first),
            began: Instant::now(),
            score_history: ScoreHistory::default(),
            turns: Vec::new(),
            moves: opening.moves().iter().map(|mv| RecordMove::new(*mv)).collect(),
            ponders: [0; 2],
            ponder_hits: [0; 2],
            players,
        }
    }

    fn player(&mut self, color: Color) -> &mut MatchPlayer {
        self.players[color.index()]
    }

    /// Plays one turn; `Some` if it ends the game. Cancelling it is allowed only to abandon the game.
    async fn turn(&mut self) -> Option<Verdict> {
        let color = self.game.position().side_to_move();
        let control = self.players[color.index()].contestant.control;
        let clock = *self.game_clocks.clocks().of(color);
        let (allowed, limit) = self.allowed(color);
        let sent = Instant::now();
        let hit = self.players[color.index()].think(&self.game, self.game_clocks.clocks(), sent);
        self.ponder_hits[color.index()] += u32::from(hit);

        let contestant = &self.players[color.index()].contestant;
        let wait_limit =
            if contestant.nodes_per_second.is_some() { self.rules.patience } else { limit };
        let outcome =
            tokio::time::timeout(wait_limit, self.player(color).outcome_of_request()).await;
        let received = sent.elapsed();
        let took = self.time_on_clock(color, &outcome).unwrap_or(received);
        let charge = self.game_clocks.charge(color, None, took);
        let on_clock = matches!(control, MatchControl::Clock(_));
        let mut turn = Turn {
            side: if color == Color::Black { 'b' } else { 'w' },
            answer: String::new(),
            clock_ms: on_clock.then(|| millis(clock.remaining)),
            sent_us: micros(sent.duration_since(self.began)),
            received_us: micros(sent.duration_since(self.began) + received),
            spent_ms: on_clock.then(|| millis(charge.spent)),
            over_us: allowed.and_then(|allowed| took.checked_sub(allowed)).map(micros),
            score: None,
            depth: None,
            nodes: None,
        };
        // A late answer counts as no answer.
        let answer = match outcome {
            Ok(RequestOutcome::Answer(answer)) if took <= limit => answer,
            Ok(RequestOutcome::Failed(error)) => {
                let verdict = self.player_failure(color, &error, &turn);
                self.turns.push(turn);
                return Some(verdict);
            }
            Ok(RequestOutcome::Answer(_)) | Err(_) => {
                let explanation =
                    self.time_loss_explanation(color, &control, &turn, took, outcome.is_ok());
                self.turns.push(turn);
                let mut verdict = lost(color, EndReason::TimeUp, explanation);
                verdict.last_time = Some(charge.spent);
                return Some(verdict);
            }
        };
        turn.answer = match answer.choice {
            Choice::Move(mv) => mv.to_string(),
            Choice::Resign => "resign".to_owned(),
            Choice::Declare => "win".to_owned(),
        };
        turn.score = answer.finding.score.map(Score::centipawns);
        turn.depth = answer.finding.depth;
        turn.nodes = answer.finding.nodes;
        self.score_history.add(color, turn.score);
        self.turns.push(turn);
        let spent = if on_clock { charge.spent } else { took };
        let mut verdict = self.apply(color, &answer, spent);
        if verdict.is_none() {
            self.start_pondering(color, &answer);
        } else if let Some(verdict) = &mut verdict
            && !matches!(answer.choice, Choice::Move(_))
        {
            verdict.last_time = Some(whole_millis(spent));
            verdict.last_analysis = analysis(color, &answer);
        }
        verdict
    }

    /// The time of an answer whose player's clock is counted in nodes.
    fn time_on_clock(
        &self,
        color: Color,
        outcome: &Result<RequestOutcome, tokio::time::error::Elapsed>,
    ) -> Option<Duration> {
        let Ok(RequestOutcome::Answer(answer)) = outcome else { return None };
        self.players[color.index()].contestant.time_by_nodes(answer.finding.nodes.unwrap_or(0))
    }

    /// The time allowed for the turn, if there is one, and the time after which the game is lost on time.
    fn allowed(&self, color: Color) -> (Option<Duration>, Duration) {
        let side = self.game_clocks.clocks().of(color);
        let allowed = match self.players[color.index()].contestant.control {
            MatchControl::Clock(control) => judge::flag_after(&control, side.remaining),
            MatchControl::Each(MoveLimit::Time(time)) => Some(time),
            MatchControl::Each(_) => None,
        };
        let limit = allowed.map_or(self.rules.patience, |allowed| allowed + self.rules.margin);
        (allowed, limit)
    }

    /// Applies the answer of `color` to the game. Returns the end of the game, if it ends.
    fn apply(&mut self, color: Color, answer: &Answer, spent: Duration) -> Option<Verdict> {
        let name = &self.players[color.index()].contestant.name;
        match answer.choice {
            Choice::Resign => {
                let explanation = format!("{name} resigned");
                Some(lost(color, EndReason::Resignation, explanation))
            }
            Choice::Declare => {
                let declaration = self.game.position().declaration(self.rules.entering_king);
                match declaration.fault {
                    None => {
                        let explanation =
                            format!("{name} declared with {} points", declaration.points);
                        Some(won(color, EndReason::Declaration, explanation))
                    }
                    Some(why) => {
                        let explanation = format!("{name} made a wrong declaration: {why}");
                        Some(lost(color, EndReason::WrongDeclaration, explanation))
                    }
                }
            }
            Choice::Move(mv) => {
                let mut record_move = RecordMove::timed(mv, whole_millis(spent));
                record_move.analysis = analysis(color, answer);
                if answer.book.is_some() {
                    record_move.comments.push(BOOK_MOVE.to_owned());
                }
                if let Err(error) = self.game.push(mv) {
                    let explanation = format!("{name}: {error}");
                    return Some(lost(color, EndReason::IllegalMove, explanation));
                }
                self.moves.push(record_move);
                self.after_move(color)
            }
        }
    }

    fn name(&self, color: Color) -> &str {
        &self.players[color.index()].contestant.name
    }

    fn adjudicator(&self) -> Adjudicator {
        let Rules { entering_king, max_moves, .. } = *self.rules;
        Adjudicator { entering_king, max_moves, ..Adjudicator::default() }
    }

    /// The end of the game by the move that `color` just made, if it ended the game.
    fn after_move(&self, color: Color) -> Option<Verdict> {
        if let Some(GameEnd { winner: Some(winner), reason, .. }) =
            self.adjudicator().end(&self.game)
        {
            let explanation = match (&reason, winner) {
                (EndReason::Try, _) => format!("the king of {} came through", self.name(color)),
                (EndReason::Mate, _) => format!("{} mated", self.name(color)),
                (EndReason::PerpetualCheck, Winner::Side(winner)) => {
                    format!("{} gave perpetual check", self.name(!winner))
                }
                (EndReason::Sennichite, _) => "the fourth time in one position".to_owned(),
                _ => "the move limit was reached".to_owned(),
            };
            return Some(Verdict::new(winner, reason, explanation));
        }
        if let Some(rule) = &self.rules.win
            && let Some(winner) = self.score_history.winner(rule)
        {
            return Some(won(winner, EndReason::AgreedWin, format!("by the rule {rule}")));
        }
        if let Some(rule) = &self.rules.draw
            && self.score_history.is_drawn(rule, self.game.len())
        {
            let explanation = format!("by the rule {rule}");
            return Some(Verdict::new(Winner::Draw, EndReason::AgreedDraw, explanation));
        }
        None
    }

    fn start_pondering(&mut self, color: Color, answer: &Answer) {
        let Some(reply) = answer.ponder else { return };
        if !self.players[color.index()].contestant.ponder {
            return;
        }
        let mut expected = self.game.clone();
        if expected.push(reply).is_ok() && expected.position().has_legal_move() {
            let mut clocks = *self.game_clocks.clocks();
            clocks.turn = color;
            self.ponders[color.index()] += 1;
            self.player(color).ponder(expected, &clocks, Instant::now());
        }
    }

    fn player_failure(&self, color: Color, error: &EngineError, turn: &Turn) -> Verdict {
        let name = &self.players[color.index()].contestant.name;
        let reason = match error {
            EngineError::Illegal { .. } => EndReason::IllegalMove,
            _ => EndReason::Crash,
        };
        let after = turn.took_us() as f64 / 1e6;
        let position = usi::format_position_line(&self.game);
        let explanation = format!(
            "{name} in move {}, {after:.3} s after the request: {error}; in {position}",
            self.game.len() + 1
        );
        Verdict { failed_side: Some(color), ..lost(color, reason, explanation) }
    }

    /// The explanation of a loss on time.
    fn time_loss_explanation(
        &self,
        color: Color,
        control: &MatchControl,
        turn: &Turn,
        took: Duration,
        answered: bool,
    ) -> String {
        let name = &self.players[color.index()].contestant.name;
        let took = took.as_secs_f64();
        let answer = if answered {
            format!("the answer came {took:.3} s later")
        } else {
            format!("no answer after {took:.3} s")
        };
        let requested = turn.sent_us as f64 / 1e6;
        let before = self.turns.last().map_or(0, |last| last.received_us);
        let overhead = turn.sent_us.saturating_sub(before) as f64 / 1e3;
        let allowed = match control {
            MatchControl::Clock(clock) => format!(
                "the clock had {:.3} s of main time and {:.3} s for the move, the margin is {:.3} s",
                turn.clock_ms.unwrap_or_default() as f64 / 1e3,
                (clock.byoyomi + clock.increment).as_secs_f64(),
                self.rules.margin.as_secs_f64()
            ),
            MatchControl::Each(MoveLimit::Time(_)) => {
                format!("{control} and a margin of {:.3} s", self.rules.margin.as_secs_f64())
            }
            MatchControl::Each(_) => format!(
                "its limit was {control}, which it may not support; the referee waits for at most {:.0} s",
                self.rules.patience.as_secs_f64()
            ),
        };
        format!(
            "{name} in move {}: requested {requested:.3} s after the start of the game ({overhead:.3} ms after the \
            move before), {answer}; {allowed}",
            self.game.len() + 1
        )
    }

    fn end(self, verdict: Verdict) -> RefereedEnd {
        RefereedEnd {
            end: GameEnd {
                winner: Some(verdict.winner),
                reason: verdict.reason,
                side_to_move: self.game.position().side_to_move(),
            },
            explanation: verdict.explanation,
            game: self.game,
            turns: self.turns,
            moves: self.moves,
            ponders: self.ponders,
            ponder_hits: self.ponder_hits,
            last_time: verdict.last_time,
            last_analysis: verdict.last_analysis,
            failed_side: verdict.failed_side,
        }
    }
}

fn won(winner: Color, reason: EndReason, explanation: String) -> Verdict {
    Verdict::new(Winner::Side(winner), reason, explanation)
}

fn lost(color: Color, reason: EndReason, explanation: String) -> Verdict {
    won(!color, reason, explanation)
}

fn analysis(color: Color, answer: &Answer) -> Option<Analysis> {
    answer.finding.score?;
    let found = answer.finding.clone().from_black(color);
    let pv = found.pv.get(1..).unwrap_or_default().to_vec();
    Some(Finding { pv, ..found }.into())
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Rounds down to milliseconds, the resolution of records.
fn whole_millis(time: Duration) -> Duration {
    Duration::from_millis(millis(time))
}

#[cfg(test)]
mod tests;

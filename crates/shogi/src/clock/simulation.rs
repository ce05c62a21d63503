//! Tests in simulated time: clocks, delay estimator and budget together, with the judge's arithmetic.
//!
//! Each game has a time control, a length and a network. A turn takes the player's thinking time and the delays of both
//! directions. The answer to each line (login, echo) lets the estimator measure one round trip. A player that answers
//! at once is simulated with the same delays first; if it does not lose on time, our player must not either.

use std::time::Duration;

use fastrand::Rng;

use super::{
    BudgetInput, Clocks, Controls, DelayEstimator, DelayPolicy, GameClocks, Rounding, Signals,
    TimeControl, budget, judge,
};
use crate::Color;

/// A network. The delay of each direction is half of `base + jitter * u^skew`, with `u` uniform.
#[derive(Clone, Copy, Debug)]
struct Network {
    base: f64,
    jitter: f64,
    skew: i32,
}

impl Network {
    fn one_way_delay(&self, rng: &mut Rng) -> Duration {
        Duration::from_secs_f64(f64::midpoint(self.base, self.jitter * rng.f64().powi(self.skew)))
    }
}

/// One game, with all random numbers drawn in advance.
#[derive(Debug)]
struct Setting {
    control: TimeControl,
    max_moves: Option<u32>,
    /// For each own move the delays to us and back to the server.
    delays: Vec<(Duration, Duration)>,
    network: Network,
    /// Whether the server is known to be near.
    near: bool,
}

impl Setting {
    fn delay(&self, index: usize) -> Duration {
        self.delays[index].0 + self.delays[index].1
    }

    /// Whether a player that answers immediately never loses on time.
    fn instant_player_survives(&self) -> bool {
        let mut remaining = self.control.main_time();
        (0..self.delays.len()).all(|index| {
            let turn = judge::charge_turn(&self.control, remaining, self.delay(index));
            remaining = turn.remaining;
            !turn.flag_fell
        })
    }
}

#[derive(Debug)]
struct Outcome {
    lost_at: Option<usize>,
    clocks: Clocks,
}

/// Plays the game with our budget. The opponent's turns take no time.
fn play(setting: &Setting, rng: &mut Rng) -> Outcome {
    let mut network = DelayEstimator::new(DelayPolicy::Auto);
    network.set_near(setting.near);
    for _ in 0..3 {
        network.observe_round_trip(
            setting.network.one_way_delay(rng) + setting.network.one_way_delay(rng),
        );
    }
    let mut game_clocks =
        GameClocks::with_network(Controls::both(setting.control), Color::Black, network);
    for (index, (_, out)) in setting.delays.iter().enumerate() {
        let ply = 2 * index as u32 + 1;
        let input =
            BudgetInput::new(game_clocks.clocks(), ply, setting.max_moves).forced(rng.f64() < 0.08);
        let thinking = think(&input, rng);
        let elapsed = thinking + setting.delay(index);
        let before = game_clocks.remaining(Color::Black);
        let turn = judge::charge_turn(&setting.control, before, elapsed);
        if turn.flag_fell {
            return Outcome { lost_at: Some(index), clocks: *game_clocks.clocks() };
        }
        let charge = game_clocks.charge(Color::Black, Some(turn.spent), thinking);
        assert_eq!(charge.remaining, turn.remaining);
        game_clocks.observe_own_turn(&charge);
        game_clocks.observe_round_trip(*out + setting.network.one_way_delay(rng));
        game_clocks.charge(Color::White, Some(Duration::ZERO), Duration::ZERO);
    }
    Outcome { lost_at: None, clocks: *game_clocks.clocks() }
}

/// The time of a search with random signals that stops a little late.
fn think(input: &BudgetInput, rng: &mut Rng) -> Duration {
    let budget = budget::plan(input);
    let signals = match rng.u32(..10) {
        0 => Signals { obvious: true, stable: 5, ..Signals::default() },
        1 | 2 => Signals { stable: rng.u32(4..12), ..Signals::default() },
        3 => Signals { best_changes: rng.u32(1..4), ..Signals::default() },
        4 => Signals {
            score_fall: rng.i32(20..300),
            best_changes: rng.u32(..3),
            ..Signals::default()
        },
        _ => Signals { stable: rng.u32(..4), ..Signals::default() },
    };
    let deadline = budget.deadline(&signals);
    assert!(deadline <= budget.hard && budget.soft <= budget.hard, "{input:?} {budget:?}");
    if deadline.is_zero() {
        Duration::ZERO
    } else {
        deadline + Duration::from_micros(rng.u64(..5_000))
    }
}

fn random_control(rng: &mut Rng) -> TimeControl {
    let seconds =
        |rng: &mut Rng, choices: &[u64]| Duration::from_secs(*rng.choice(choices).unwrap());
    let total = seconds(rng, &[0, 5, 10, 30, 60, 60, 90, 180, 300, 600, 900, 1200, 1500, 3600]);
    let mut control = TimeControl::sudden_death(total);
    match rng.u32(..8) {
        0 | 1 => control.byoyomi = seconds(rng, &[1, 2, 3, 5, 10, 15, 30, 60]),
        2 | 3 => control.increment = seconds(rng, &[1, 2, 3, 5, 10, 20]),
        4 => {
            control.byoyomi = seconds(rng, &[1, 3, 10]);
            control.increment = seconds(rng, &[1, 3, 10]);
        }
        _ => {}
    }
    match rng.u32(..12) {
        0 => control.unit = Duration::from_millis(*rng.choice(&[1, 10, 100]).unwrap()),
        1 => control.rounding = Rounding::Up,
        2 => control.least = Duration::from_secs(1),
        3 => control.delay = Duration::from_secs(rng.u64(1..6)),
        4 => control = TimeControl::stop_watch(total * 4, Duration::from_secs(60)),
        _ => {}
    }
    control
}

fn random_setting(rng: &mut Rng) -> Setting {
    let mut control = random_control(rng);
    let jitter = rng.f64() * rng.choice([0.002, 0.05, 0.3, 1.0, 3.0]).unwrap();
    let base = rng.f64() * rng.choice([0.001, 0.05, 0.5f64]).unwrap().min(3.0 - jitter);
    let network = Network { base, jitter, skew: rng.i32(1..=2) };
    let own_moves = rng.usize(1..=256);
    let mut delays: Vec<_> =
        (0..own_moves).map(|_| (network.one_way_delay(rng), network.one_way_delay(rng))).collect();
    // One outlying delay, with clocks that can hold a reserve for it.
    let byoyomi = control.byoyomi.as_secs();
    if rng.u32(..5) == 0 && (byoyomi == 0 || byoyomi >= 10) && control.main_time().as_secs() >= 60 {
        let index = rng.usize(..own_moves);
        let way = &mut delays[index].0;
        *way = (*way).max(Duration::from_secs_f64(rng.f64() * 1.5));
        delays[index].1 = delays[index].1.max(Duration::from_secs_f64(rng.f64() * 1.5));
    }
    if rng.u32(..8) == 0 {
        // The hardest clock: a player that answers at once just survives.
        let spent: Duration = delays.iter().map(|way| judge::charge(&control, way.0 + way.1)).sum();
        let income = control.increment * (own_moves as u32 - 1);
        let total = spent.saturating_sub(income) + Duration::from_secs(rng.u64(1..10));
        control.total = Some(total);
    }
    let plies = 2 * own_moves as u32;
    let limits = [None, Some(512), Some(plies), Some(256), Some(320)];
    let max_moves = rng.choice(limits).unwrap().map(|limit| limit.max(plies));
    Setting { control, max_moves, delays, network, near: false }
}

#[test]
fn no_game_is_lost_on_time_unless_an_instant_player_loses_it() {
    let mut rng = random(20_260_801);
    let (mut instant, mut lost) = (0, Vec::new());
    let games = games();
    for game in 0..games {
        let mut rng = rng.fork();
        let setting = random_setting(&mut rng);
        if !setting.instant_player_survives() {
            continue;
        }
        instant += 1;
        let outcome = play(&setting, &mut rng);
        if let Some(index) = outcome.lost_at {
            lost.push((
                game,
                index,
                setting.control.to_string(),
                setting.network,
                setting.delays.len(),
                setting.max_moves,
            ));
        }
    }
    println!("{games} games, {instant} survived by an instant player, {} lost", lost.len());
    assert!(lost.is_empty(), "{:#?}", &lost[..lost.len().min(20)]);
}

#[test]
fn sudden_death_uses_its_clock() {
    let mut rng = random(19_950_321);
    let (mut least, mut sum, mut longest_wall) = (1.0f64, 0.0, 0.0f64);
    let games = games() / 5;
    for game in 0..games {
        let mut rng = rng.fork();
        let total =
            *rng.choice(&[60, 75, 90, 120, 180, 240, 300, 600, 900, 1200, 1800, 3600]).unwrap();
        let mut control = TimeControl::sudden_death(Duration::from_secs(total));
        if total >= 1200 && rng.bool() {
            control.unit = Duration::from_millis(*rng.choice(&[1, 100]).unwrap());
        }
        let jitter = rng.f64() * rng.choice([0.001, 0.05, 0.3]).unwrap();
        let network = Network { base: rng.f64() * (0.3 - jitter), jitter, skew: rng.i32(1..=2) };
        let own_moves = rng.usize(61..=160);
        let delays = (0..own_moves)
            .map(|_| (network.one_way_delay(&mut rng), network.one_way_delay(&mut rng)))
            .collect();
        let max_moves = rng.choice([None, Some(320), Some(2 * own_moves as u32)]).unwrap();
        let setting = Setting { control, max_moves, delays, network, near: false };
        let outcome = play(&setting, &mut rng);
        assert_eq!(outcome.lost_at, None, "game {game}: {control}, {network:?}");
        let side = outcome.clocks.black;
        let used = 1.0 - side.remaining.as_secs_f64() / total as f64;
        assert!(
            used >= 0.85,
            "game {game}: used {used} of {control}, {own_moves} moves, {network:?}"
        );
        least = least.min(used);
        sum += used;
        if total < 300 {
            longest_wall = longest_wall.max(side.measured.as_secs_f64() / total as f64);
        }
    }
    println!(
        "{games} games: least use {least:.3}, mean {:.3}; real time of short clocks at most {longest_wall:.3}",
        sum / games as f64
    );
    assert!(longest_wall < 1.0, "{longest_wall}");
}

#[test]
fn short_time_controls_are_used_with_a_near_server() {
    let mut rng = random(20_020_202);
    let games = games() / 10;
    let (mut least, mut longest_wall) = (1.0f64, 0.0f64);
    for game in 0..games {
        let mut rng = rng.fork();
        let total = *rng.choice(&[3, 5, 10, 20, 30]).unwrap();
        let control = TimeControl::sudden_death(Duration::from_secs(total));
        // A busy machine on the same network.
        let network =
            Network { base: rng.f64() * 0.002, jitter: rng.f64() * 0.02, skew: rng.i32(1..=6) };
        let own_moves = rng.usize(61..=160);
        let delays = (0..own_moves)
            .map(|_| (network.one_way_delay(&mut rng), network.one_way_delay(&mut rng)))
            .collect();
        let setting = Setting { control, max_moves: Some(320), delays, network, near: true };
        let outcome = play(&setting, &mut rng);
        assert_eq!(outcome.lost_at, None, "game {game}: {control}, {network:?}");
        let side = outcome.clocks.black;
        let measured = side.measured.as_secs_f64() / total as f64;
        let charged = 1.0 - side.remaining.as_secs_f64() / total as f64;
        let used = measured.max(charged);
        assert!(
            used >= 0.5,
            "game {game}: used {used} of {control}, {own_moves} moves, {network:?}"
        );
        least = least.min(used);
        longest_wall = longest_wall.max(side.measured.as_secs_f64() - total as f64);
    }
    println!(
        "{games} games: least use {least:.3}, real time at most {longest_wall:.3} s beyond the clock"
    );
    // Ten milliseconds a move are used in any case, and they cost nothing.
    assert!(longest_wall < 2.5, "{longest_wall}");
}

/// The number of games; the variables `KYOMI_SIMULATED_GAMES` and `KYOMI_SIMULATION_SEED` set other numbers and seeds.
const GAMES: usize = 100_000;

fn games() -> usize {
    number("KYOMI_SIMULATED_GAMES").map_or(GAMES, |games| games as usize)
}

fn random(default_seed: u64) -> Rng {
    Rng::with_seed(number("KYOMI_SIMULATION_SEED").unwrap_or(default_seed))
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

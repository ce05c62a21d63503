//! Optimising without games: the player is a function with noise.

use std::fs;
use tempfile::TempDir;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use kyomi::matches::{LabError, StoreError};

use super::spsa::Spsa;
use super::*;

/// A player that decides games at random: the side nearer to the best values wins more often.
struct NoisyQuadratic {
    best: Vec<f64>,
    /// The loss in height at a distance of a hundred from the best value.
    steep: f64,
    /// The number of pairs to play before the user stops.
    left: usize,
}

impl NoisyQuadratic {
    fn height(&self, values: &[i32]) -> f64 {
        let far = |(value, best): (&i32, &f64)| ((f64::from(*value) - best) / 100.0).powi(2);
        -self.steep * values.iter().zip(&self.best).map(far).sum::<f64>()
    }

    fn game(&self, games: &IterationGames<'_>, number: usize) -> i32 {
        let mut random = fastrand::Rng::with_seed(number as u64 ^ 0x5eed);
        let better = self.height(games.plus) - self.height(games.minus);
        let wins = 1.0 / (1.0 + (-better).exp());
        if random.f64() < 0.1 {
            0
        } else if random.f64() < wins {
            1
        } else {
            -1
        }
    }
}

impl PairPlayer for NoisyQuadratic {
    fn plan(&self) -> Value {
        json!({ "best": self.best })
    }

    fn play(
        &mut self,
        games: &IterationGames<'_>,
        on_pair: &mut dyn FnMut(PairResult) -> Result<(), StoreError>,
    ) -> Result<(), LabError> {
        // In reverse: the order must not matter.
        for &pair in games.pairs.iter().rev() {
            if self.left == 0 {
                return Ok(());
            }
            self.left -= 1;
            let number = 2 * (games.first + pair);
            let results = [self.game(games, number), self.game(games, number + 1)];
            on_pair(PairResult { pair, results, ends: Vec::new(), plies: Vec::new() })?;
        }
        Ok(())
    }
}

fn tuned(name: &str, start: f64) -> Tuned {
    Tuned { name: name.to_owned(), start, min: 0, max: 200, c_end: 10.0, r_end: 0.02 }
}

fn settings(iterations: u64, pairs: usize) -> TuneSettings {
    TuneSettings {
        parameters: vec![tuned("A_One", 40.0), tuned("A_Two", 120.0), tuned("Three", 100.0)],
        iterations,
        pairs,
        seed: 7,
        rounding: Rounding::Stochastic,
    }
}

fn quadratic(left: usize) -> NoisyQuadratic {
    NoisyQuadratic { best: vec![90.0, 60.0, 100.0], steep: 8.0, left }
}

/// The folder of one test.
struct TestFolder(TempDir);

impl TestFolder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn lines(&self) -> String {
        fs::read_to_string(self.0.path().join("pairs.jsonl")).unwrap()
    }
}

fn tune(
    settings: &TuneSettings,
    folder: &TestFolder,
    mut player: NoisyQuadratic,
) -> Result<TuneReport, LabError> {
    run(settings, folder.0.path(), &mut player, &CancellationToken::new(), |_| {})
}

#[test]
fn the_maximum_of_a_noisy_function_is_found() {
    let folder = TestFolder::new();
    let report = tune(&settings(3000, 1), &folder, quadratic(usize::MAX)).unwrap();
    assert!(report.is_done() && report.games.games() == 6000);
    for (value, best) in report.values.iter().zip([90.0, 60.0, 100.0]) {
        assert!((value.value - best).abs() < 12.0, "{report}");
    }
}

#[test]
fn an_interrupted_run_gives_the_same_result() {
    for pairs in [1, 3] {
        let settings = settings(40, pairs);
        let (whole, interrupted) = (TestFolder::new(), TestFolder::new());
        let expected = tune(&settings, &whole, quadratic(usize::MAX)).unwrap();
        for left in [0, 1, 7, 20] {
            let so_far = tune(&settings, &interrupted, quadratic(left)).unwrap();
            assert!(!so_far.is_done());
            assert_eq!(report(interrupted.0.path()).unwrap(), so_far);
        }
        // An incomplete last line, as after a kill.
        let torn = interrupted.lines() + "{\"iteration\":10,\"pa";
        fs::write(interrupted.0.path().join("pairs.jsonl"), torn).unwrap();
        let found = tune(&settings, &interrupted, quadratic(usize::MAX)).unwrap();
        assert_eq!(found, expected);
        assert_eq!(interrupted.lines(), whole.lines());
        assert!(whole.lines().lines().last().unwrap().contains("\"theta\":{\"A_One\":"));
    }
}

#[test]
fn another_run_and_changed_lines_are_refused() {
    let (folder, settings) = (TestFolder::new(), settings(10, 1));
    tune(&settings, &folder, quadratic(4)).unwrap();
    let other = TuneSettings { seed: 8, ..settings.clone() };
    let error = tune(&other, &folder, quadratic(1)).unwrap_err().to_string();
    assert!(error.contains("another tuning: tuning.seed was 7 and is 8"), "{error}");
    let lines = folder.lines();
    for (from, to, part) in [
        (
            "\"iteration\":3",
            "\"iteration\":5",
            "line 3: pair 1 of iteration 5 is out of place: the first one missing is pair 1 of iteration 3",
        ),
        ("\"plus\":[", "\"plus\":[1", "line 1: the values do not follow"),
        ("\"results\":[", "\"results\":[9,", "line 1"),
    ] {
        assert!(lines.contains(from), "{from}");
        fs::write(folder.0.path().join("pairs.jsonl"), lines.replacen(from, to, 1)).unwrap();
        let error = report(folder.0.path()).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn a_plan_with_impossible_numbers_is_refused() {
    let folder = TestFolder::new();
    tune(&settings(10, 1), &folder, quadratic(4)).unwrap();
    let plan = fs::read_to_string(folder.0.path().join("tune.json")).unwrap();
    for (from, to, part) in [
        ("\"max\": 200", "\"max\": -7", "A_One: 0 to -7 is not a valid range"),
        ("\"start\": 40.0", "\"start\": -1.0", "A_One: the start -1 is outside 0 to 200"),
        ("\"c_end\": 10.0", "\"c_end\": -10.0", "A_One: c_end=-10 must be above 0"),
        ("\"r_end\": 0.02", "\"r_end\": 0.0", "A_One: r_end=0 must be above 0"),
        (
            "\"pairs\": 1",
            "\"pairs\": 0",
            "0 pairs of games in each iteration; expected 1 to 1000000",
        ),
        ("\"A_One\"", &format!("\"{}\"", "A".repeat(65_536)), "a name of 65536 characters"),
        ("\"A_One\"", "\"\"", "a name of 0 characters; expected 1 to 100"),
        ("\"pairs\": 1", "\"pairs\": 1000001", "1000001 pairs of games in each iteration"),
        ("\"pairs\": 1", "\"pairs\": 18446744073709551615", "18446744073709551615 pairs"),
    ] {
        assert!(plan.contains(from), "{from} in {plan}");
        fs::write(folder.0.path().join("tune.json"), plan.replacen(from, to, 1)).unwrap();
        let error = report(folder.0.path()).unwrap_err().to_string();
        assert!(error.contains(part) && error.contains("tune.json"), "{error}");
    }
}

#[test]
fn a_large_iteration_is_added_up_in_time() {
    let count = 200_000;
    let mut state = settings(2, count).state();
    assert_eq!(state.missing().len(), count);
    for pair in (0..count).rev() {
        let results = [1, 0];
        let result = PairResult { pair, results, ends: Vec::new(), plies: Vec::new() };
        let mut line = state.line(result);
        state.add(&mut line).unwrap();
        if pair == count / 2 {
            let error = state.add(&mut line).unwrap_err();
            assert!(error.ends_with("the first one missing is pair 1 of iteration 1"), "{error}");
        }
    }
    assert_eq!((state.iteration(), state.wdl.games()), (2, 2 * count as u64));
}

#[test]
fn numbers_stay_within_their_ranges() {
    let parameters = vec![tuned("A", 0.0), tuned("B", 200.0)];
    let mut spsa = Spsa::new(parameters, 50, 3, Rounding::Stochastic);
    for _ in 0..50 {
        let now = spsa.perturbation();
        for value in now.plus.iter().chain(&now.minus) {
            assert!((0..=200).contains(value), "{now:?}");
        }
        // Both values are driven outwards.
        let margin = if now.up[0] { -2 } else { 2 };
        spsa.update(&[now.up[0], !now.up[0]], margin);
        assert_eq!(spsa.theta(), [0.0, 200.0]);
    }
}

#[test]
fn one_step_equals_a_calculation_by_hand() {
    let mut spsa = Spsa::new(vec![tuned("A", 100.0)], 100, 1, Rounding::Nearest);
    let now = spsa.perturbation();
    // 10 * 100^0.101 = 15.92.
    let (high, low) = (now.plus[0].max(now.minus[0]), now.plus[0].min(now.minus[0]));
    assert_eq!((high, low, now.up[0]), (116, 84, now.plus[0] == 116));
    // 0.02 * 10 * 3.99945 / 1.59221 for each game of the margin.
    spsa.update(&now.up, 2);
    let expected = 2.0 * 0.50238 * if now.up[0] { 1.0 } else { -1.0 };
    assert!((spsa.theta()[0] - 100.0 - expected).abs() < 1e-3, "{:?}", spsa.theta());
}

#[test]
fn stochastic_rounding_is_unbiased_and_keeps_the_distance() {
    // A step of less than a half: c is 0.4 at the end.
    let number = Tuned { start: 30.25, c_end: 0.4, ..tuned("A", 0.0) };
    let (mut sum, mut apart) = (0, 0);
    let count = 4000;
    for seed in 0..count {
        let mut spsa = Spsa::new(vec![number.clone()], 1, seed, Rounding::Stochastic);
        let now = spsa.perturbation();
        assert_eq!(now, spsa.perturbation(), "it follows from the seed");
        sum += now.plus[0] + now.minus[0];
        apart += (now.plus[0] - now.minus[0]).abs();
        spsa.update(&now.up, 0);
        assert_eq!(spsa.theta(), [30.25]);
    }
    let mean = |sum: i32| f64::from(sum) / count as f64;
    assert!((mean(sum) / 2.0 - 30.25).abs() < 0.03, "{}", mean(sum));
    assert!((mean(apart) - 0.8).abs() < 0.03, "{}", mean(apart));
}

#[test]
fn the_report_has_the_options_of_a_player() {
    let folder = TestFolder::new();
    let settings = settings(10, 1);
    let mut seen = Vec::new();
    let mut player = quadratic(3);
    let stop = CancellationToken::new();
    let report =
        run(&settings, folder.0.path(), &mut player, &stop, |now| seen.push(now.to_string()));
    let report = report.unwrap();
    let names = report.options.split(' ').map(|option| option.split_once('=').unwrap().0);
    assert_eq!(names.collect::<Vec<_>>(), ["A_One", "A_Two", "Three"]);
    assert_eq!(seen.len(), 4);
    assert!(seen[0].starts_with("0/10  0 games  One 40.0  Two 120.0  Three 100.0"), "{seen:?}");
    assert!(seen[3].starts_with("3/10  6 games") && seen[3].contains("games/min"), "{seen:?}");
    let text = report.to_string();
    assert!(text.contains("3 of 10 iterations, 6 games") && text.contains("options: A_One="));
}

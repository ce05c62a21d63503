mod agreement;
mod clocks;

use proptest::prelude::*;

use super::*;
use kyomi_record::Header;
use kyomi_shogi::EnteringKingRule;
use kyomi_shogi::clock::{Rounding, TimeControl};

const BLACK: Color = Color::Black;
const WHITE: Color = Color::White;

/// A hosted game and a simulated clock.
struct Harness {
    game: HostedGame,
    now: Instant,
}

impl Harness {
    fn offered(control: TimeControl, rules: GameRules, start: Position) -> Self {
        let now = Instant::now();
        let names = ["b".to_owned(), "w".to_owned()];
        let until = now + Duration::from_secs(120);
        let game =
            HostedGame::new("id".to_owned(), names, Controls::both(control), start, rules, until);
        Self { game, now }
    }

    fn begun(control: TimeControl, rules: GameRules, start: Position) -> Self {
        let mut harness = Self::offered(control, rules, start);
        assert_eq!(harness.send(BLACK, "AGREE"), []);
        let effects = harness.send(WHITE, "AGREE id");
        assert_eq!(lines_to(&effects, BLACK), ["START:id"]);
        assert_eq!(lines_to(&effects, WHITE), ["START:id"]);
        harness
    }

    /// An even game without limits.
    fn even() -> Self {
        Self::begun(TimeControl::UNLIMITED, GameRules::default(), Position::startpos())
    }

    fn at(sfen: &str, rules: GameRules) -> Self {
        Self::begun(TimeControl::UNLIMITED, rules, Position::from_sfen(sfen).unwrap())
    }

    fn clocked(control: TimeControl) -> Self {
        Self::begun(control, GameRules::default(), Position::startpos())
    }

    fn wait(&mut self, ms: u64) -> &mut Self {
        self.now += Duration::from_millis(ms);
        self
    }

    fn send(&mut self, color: Color, line: &str) -> Vec<Effect> {
        self.game.line(color, line, self.now, self.now)
    }

    /// Plays a move. Returns the lines sent to black.
    fn play(&mut self, word: &str) -> Vec<String> {
        let color = if word.starts_with('+') { BLACK } else { WHITE };
        lines_to(&self.send(color, word), BLACK)
    }

    fn play_all(&mut self, words: &str) -> Vec<String> {
        words.split_whitespace().map(|word| self.play(word)).last().unwrap_or_default()
    }
}

fn lines_to(effects: &[Effect], color: Color) -> Vec<String> {
    effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Send(to, line) if *to == color => Some(line.clone()),
            _ => None,
        })
        .collect()
}

fn end_of(effects: &[Effect]) -> Option<GameEnd> {
    effects.iter().find_map(|effect| match effect {
        Effect::Over { end, .. } => Some(end.clone()),
        _ => None,
    })
}

fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

// ---- moves

#[test]
fn anything_but_a_legal_move_loses() {
    let illegal = [
        ("startpos", "+7775FU"),
        ("startpos", "-3334FU"),
        ("startpos", "+5554FU"),
        ("startpos", "+7776KI"),
        ("startpos", "+0055FU"),
        ("startpos", "+7776FU '* 30"),
        ("startpos", "+7776"),
        ("startpos", "+"),
        ("startpos", "-"),
        ("startpos", "+７７７６ＦＵ"),
        ("startpos", "%CHUDANX"),
        ("startpos", "%MATTA"),
        ("startpos", "%"),
        // Two pawns on a file.
        ("lnsgkgsnl/1r5b1/pppp1pppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b P 1", "+0055FU"),
        // Mate by a dropped pawn.
        ("7nk/9/8G/9/9/9/9/9/4K4 b P 1", "+0012FU"),
        // The own king is left in check.
        ("4k4/9/9/9/4r4/9/9/4G4/4K4 b - 1", "+5848KI"),
        // A check is not answered.
        ("4k4/9/9/9/4r4/9/9/9/G3K4 b - 1", "+9998KI"),
        // A piece that could never move again.
        ("4k4/P8/9/9/9/9/9/9/4K4 b - 1", "+9291FU"),
    ];
    for (start, line) in illegal {
        let start =
            if start == "startpos" { Position::startpos().to_sfen() } else { start.to_owned() };
        let mut harness = Harness::at(&start, GameRules::default());
        let effects = harness.send(BLACK, line);
        assert_eq!(lines_to(&effects, BLACK), ["#ILLEGAL_MOVE", "#LOSE"], "{line}");
        assert_eq!(lines_to(&effects, WHITE), ["#ILLEGAL_MOVE", "#WIN"], "{line}");
        let Some(Effect::Over { illegal_line, .. }) = effects.last() else { panic!("{line}") };
        assert_eq!(illegal_line.as_deref(), Some(line));
    }
}

/// The record of a running game is in memory.
#[test]
fn comments_of_a_game_are_kept_up_to_a_limit() {
    let mut random = fastrand::Rng::with_seed(1);
    let (mut harness, mut game) = (Harness::even(), Game::new(Position::startpos()));
    let (mut kept, mut plies) = (0, 0);
    while plies < 140 {
        let position = game.position();
        let moves = position.legal_moves();
        let mv = moves[random.usize(..moves.len())];
        let line = format!(
            "{},'{}",
            kyomi_shogi::notation::csa::format_move(position, mv),
            "x".repeat(8000)
        );
        let effects = harness.send(position.side_to_move(), &line);
        assert!(lines_to(&effects, BLACK)[0].starts_with(&line[..7]), "{effects:?}");
        kept += effects
            .iter()
            .map(|effect| match effect {
                Effect::Move { comment: Some(comment), .. } => comment.len(),
                _ => 0,
            })
            .sum::<usize>();
        game.push(mv).unwrap();
        plies += 1;
    }
    assert!((130_000..=128 * 1024).contains(&kept), "{kept}");
}

#[test]
fn both_sides_receive_a_move_without_its_comment() {
    let mut harness = Harness::even();
    let effects = harness.send(BLACK, "+7776FU,'* 30 -3334FU +2726FU, and\u{7} more");
    assert_eq!(lines_to(&effects, BLACK), ["+7776FU,T0"]);
    assert_eq!(lines_to(&effects, WHITE), ["+7776FU,T0"]);
    let recorded = effects.iter().find_map(|effect| match effect {
        Effect::Move { comment, .. } => comment.clone(),
        _ => None,
    });
    assert_eq!(recorded.as_deref(), Some("* 30 -3334FU +2726FU, and more"));
    assert_eq!(harness.play("-3334FU,T5"), ["-3334FU,T0"]);
}

#[test]
fn both_sides_together_suspend_a_game() {
    let mut harness = Harness::even();
    let notice = "##[CHUDAN] w proposes to suspend the game; %CHUDAN agrees";
    let effects = harness.send(WHITE, "%CHUDAN");
    assert_eq!(lines_to(&effects, BLACK), [notice]);
    assert_eq!(lines_to(&effects, WHITE), [notice]);
    // Only the first one is announced; the other side may play on.
    assert_eq!(harness.send(WHITE, "%CHUDAN"), []);
    assert_eq!(harness.play("+7776FU"), ["+7776FU,T0"]);
    // The proposer's next move withdraws the proposal.
    harness.play("-3334FU");
    assert_eq!(lines_to(&harness.send(BLACK, "%CHUDAN"), WHITE).len(), 1);
    let effects = harness.send(WHITE, "%CHUDAN");
    assert_eq!(lines_to(&effects, BLACK), ["#CHUDAN"]);
    assert_eq!(lines_to(&effects, WHITE), ["#CHUDAN"]);
    assert_eq!(end_of(&effects), Some(GameEnd::without_result(EndReason::Adjourned, BLACK)));
}

#[test]
fn a_proposal_does_not_stop_the_clock() {
    let mut harness = Harness::clocked(TimeControl::sudden_death(secs(60)));
    harness.send(BLACK, "%CHUDAN");
    let effects = harness.wait(60_000).send(WHITE, "%CHUDAN");
    assert_eq!(end_of(&effects), Some(GameEnd::lost(BLACK, EndReason::TimeUp, BLACK)));
}

#[test]
fn a_game_after_set_up_moves_begins_with_full_clocks() {
    let control = TimeControl::fischer(secs(60), secs(5));
    let mut setup = Game::new(Position::startpos());
    for word in ["+7776FU", "-3334FU", "+2726FU"] {
        let mv = kyomi_shogi::notation::csa::parse_move(setup.position(), word).unwrap();
        setup.push(mv).unwrap();
    }
    let names = ["b".to_owned(), "w".to_owned()];
    let (controls, rules, now) = (Controls::both(control), GameRules::default(), Instant::now());
    let game = HostedGame::new("id".to_owned(), names, controls, Position::startpos(), rules, now);
    let mut harness = Harness { game: game.with_setup(setup.moves().to_vec()), now };
    let offer = harness.game.offer_lines(WHITE).join("\n");
    assert!(offer.contains("\n+\n+7776FU,T5\n-3334FU,T5\n+2726FU,T5\nEND Position"), "{offer}");
    assert!(offer.contains("To_Move:-\n"), "{offer}");
    harness.send(BLACK, "AGREE");
    harness.send(WHITE, "AGREE");
    let shown = harness.game.show_lines().join("\n");
    let state = "Remaining_Time+:60\nRemaining_Time-:60\nLast_Move:\nCurrent_Turn:3\nEND Time\n";
    assert!(shown.contains(state), "{shown}");
    let record = harness.game.record_lines(&Header::default()).join("\n");
    assert!(record.ends_with("\n+7776FU\nT5\n-3334FU\nT5\n+2726FU\nT5"), "{record}");
    assert_eq!(lines_to(&harness.wait(7000).send(WHITE, "-8384FU"), BLACK), ["-8384FU,T7"]);
    let shown = harness.game.show_lines().join("\n");
    assert!(
        shown.contains("Remaining_Time-:58\nLast_Move:-8384FU,T7\nCurrent_Turn:4\n"),
        "{shown}"
    );
}

#[test]
fn a_resignation_is_sent_as_by_the_reference_server() {
    let mut harness = Harness::clocked(TimeControl::sudden_death(secs(60)));
    let effects = harness.wait(4500).send(BLACK, "%TORYO");
    assert_eq!(lines_to(&effects, BLACK), ["%TORYO", "#RESIGN", "#LOSE"]);
    assert_eq!(lines_to(&effects, WHITE), ["%TORYO", "#RESIGN", "#WIN"]);
    // The record contains the time.
    assert!(
        matches!(effects.last(), Some(Effect::Over { spent: Some(spent), .. }) if spent.time == secs(4))
    );
}

#[test]
fn lines_that_are_not_moves_change_nothing() {
    let mut harness = Harness::even();
    for line in ["hello", "AGREE", "%%WHO", "CHALLENGE", "'comment"] {
        let effects = harness.send(BLACK, line);
        assert!(lines_to(&effects, BLACK)[0].starts_with("##[ERROR] "), "{line}");
        assert_eq!(effects.len(), 1);
    }
    assert_eq!(harness.play("+7776FU"), ["+7776FU,T0"]);
}

// ---- early lines

#[test]
fn an_early_move_waits_for_its_turn() {
    let mut harness = Harness::clocked(TimeControl::sudden_death(secs(60)));
    assert_eq!(harness.send(WHITE, "-3334FU"), []);
    let effects = harness.wait(5000).send(BLACK, "+7776FU");
    assert_eq!(lines_to(&effects, BLACK), ["+7776FU,T5", "-3334FU,T0"]);
    // A resignation in the opponent's turn takes effect later, too.
    assert_eq!(harness.send(WHITE, "%TORYO"), []);
    let effects = harness.send(BLACK, "+2726FU");
    assert_eq!(lines_to(&effects, WHITE), ["+2726FU,T0", "%TORYO", "#RESIGN", "#LOSE"]);
}

#[test]
fn a_repeated_line_is_dropped_until_the_other_side_has_moved() {
    let mut harness = Harness::even();
    harness.play("+7776FU");
    assert_eq!(harness.send(BLACK, "+7776FU"), []);
    assert_eq!(harness.send(BLACK, "+7776FU,'* 1"), []);
    assert_eq!(harness.play("-3334FU"), ["-3334FU,T0"]);
    assert_eq!(harness.play("+7776FU"), ["#ILLEGAL_MOVE", "#LOSE"]);
}

#[test]
fn too_many_early_lines_lose() {
    let mut harness = Harness::even();
    for _ in 0..MAX_EARLY_LINES {
        assert_eq!(harness.send(WHITE, "-3334FU"), []);
    }
    let effects = harness.send(WHITE, "-3334FU");
    assert_eq!(lines_to(&effects, BLACK), ["#ILLEGAL_ACTION", "#WIN"]);
}

// ---- repetition

const BACK_AND_FORTH: &str = "+2838HI -8272HI +3828HI -7282HI ";

#[test]
fn the_start_position_does_not_count() {
    let mut harness = Harness::even();
    let cycles = BACK_AND_FORTH.repeat(3);
    assert_eq!(harness.play_all(&cycles), ["-7282HI,T0"]);
    assert_eq!(harness.play("+2838HI"), ["+2838HI,T0", "#SENNICHITE", "#DRAW"]);
}

#[test]
fn the_start_position_counts_if_the_rules_say_so() {
    let rules = GameRules { repetition_counts_start: true, ..GameRules::default() };
    let mut harness = Harness::begun(TimeControl::UNLIMITED, rules, Position::startpos());
    let cycles = BACK_AND_FORTH.repeat(3);
    assert_eq!(harness.play_all(&cycles), ["-7282HI,T0", "#SENNICHITE", "#DRAW"]);
}

#[test]
fn perpetual_check_loses() {
    let mut harness = Harness::at("4k4/9/9/9/R8/9/9/9/4K4 b - 1", GameRules::default());
    let cycle = "-5141OU +5545HI -4151OU +4555HI ";
    assert_eq!(harness.play("+9555HI"), ["+9555HI,T0"]);
    let last = harness.play_all(&cycle.repeat(3));
    assert_eq!(last, ["+4555HI,T0", "#OUTE_SENNICHITE", "#LOSE"]);
}

// ---- declaration

const MAY_DECLARE: &str = "RB1K5/PPPPPPPPP/9/9/9/9/9/9/4k4 b RB 1";

#[test]
fn a_right_declaration_wins() {
    let mut harness = Harness::at(MAY_DECLARE, GameRules::default());
    let effects = harness.wait(8000).send(BLACK, "%KACHI");
    assert_eq!(lines_to(&effects, BLACK), ["%KACHI,T8", "#JISHOGI", "#WIN"]);
    assert_eq!(lines_to(&effects, WHITE), ["%KACHI,T8", "#JISHOGI", "#LOSE"]);
}

#[test]
fn a_wrong_declaration_loses() {
    let mut harness = Harness::even();
    assert_eq!(
        lines_to(&harness.send(BLACK, "%KACHI"), BLACK),
        ["%KACHI,T0", "#ILLEGAL_MOVE", "#LOSE"]
    );
    // 29 points.
    for (rule, stated) in [
        (EnteringKingRule::None, "Entering_King_Rule:NoEnteringKing"),
        (EnteringKingRule::Points24, "Entering_King_Rule:CSARule24"),
        (EnteringKingRule::Try, "Entering_King_Rule:TryRule"),
    ] {
        let rules = GameRules { declaration: rule, ..GameRules::default() };
        let mut harness = Harness::at(MAY_DECLARE, rules);
        let lines = harness.game.offer_lines(BLACK);
        assert!(lines.iter().any(|line| line == stated), "{lines:?}");
        assert!(!lines.iter().any(|line| line.starts_with("Declaration")), "{lines:?}");
        assert_eq!(
            lines_to(&harness.send(BLACK, "%KACHI"), BLACK),
            ["%KACHI,T0", "#ILLEGAL_MOVE", "#LOSE"]
        );
    }
}

#[test]
fn a_king_that_reaches_its_square_wins_by_the_try_rule() {
    let start = "9/4K4/9/9/9/9/9/8k/9 b - 1";
    for (declaration, max_moves, lines) in [
        (EnteringKingRule::Try, 0, &["+5251OU,T0", "#JISHOGI", "#WIN"][..]),
        // Even with the last move of the game.
        (EnteringKingRule::Try, 1, &["+5251OU,T0", "#JISHOGI", "#WIN"]),
        (EnteringKingRule::Points27, 0, &["+5251OU,T0"]),
    ] {
        let rules = GameRules { max_moves, declaration, ..GameRules::default() };
        let mut harness = Harness::at(start, rules);
        assert_eq!(lines_to(&harness.send(BLACK, "+5251OU"), BLACK), lines);
    }
}

// ---- move limit

fn limited(max_moves: u32) -> GameRules {
    GameRules { max_moves, ..GameRules::default() }
}

#[test]
fn the_last_move_ends_the_game_without_a_winner() {
    let mut harness = Harness::begun(TimeControl::UNLIMITED, limited(2), Position::startpos());
    harness.play("+7776FU");
    assert_eq!(harness.play("-3334FU"), ["-3334FU,T0", "#MAX_MOVES", "#CENSORED"]);
}

#[test]
fn mate_by_the_last_move_is_not_a_win() {
    let mut harness = Harness::at("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", limited(1));
    assert_eq!(harness.play("+0052KI"), ["+0052KI,T0", "#MAX_MOVES", "#CENSORED"]);
}

#[test]
fn a_declaration_instead_of_the_last_move_wins() {
    let mut harness = Harness::at(MAY_DECLARE, limited(1));
    assert_eq!(lines_to(&harness.send(BLACK, "%KACHI"), BLACK), ["%KACHI,T0", "#JISHOGI", "#WIN"]);
}

#[test]
fn repetition_is_checked_before_the_limit() {
    let mut harness = Harness::begun(TimeControl::UNLIMITED, limited(13), Position::startpos());
    harness.play_all(&BACK_AND_FORTH.repeat(3));
    assert_eq!(harness.play("+2838HI"), ["+2838HI,T0", "#SENNICHITE", "#DRAW"]);
}

#[test]
fn no_limit_is_no_limit() {
    let mut harness = Harness::begun(TimeControl::UNLIMITED, limited(0), Position::startpos());
    assert!(harness.game.offer_lines(BLACK).contains(&"Max_Moves:0".to_owned()));
    assert_eq!(harness.play("+7776FU"), ["+7776FU,T0"]);
}

// ---- leaving

#[test]
fn leaving_loses_immediately() {
    let mut harness = Harness::even();
    let effects = harness.game.left(BLACK, harness.now);
    assert_eq!(lines_to(&effects, WHITE), ["%TORYO", "#RESIGN", "#WIN"]);
    let mut harness = Harness::even();
    let effects = harness.game.left(WHITE, harness.now);
    assert_eq!(lines_to(&effects, BLACK), ["#ILLEGAL_ACTION", "#WIN"]);
}

#[test]
fn an_aborted_game_has_no_result() {
    let mut harness = Harness::even();
    let effects = harness.game.abort();
    assert_eq!(lines_to(&effects, BLACK), ["#CHUDAN"]);
    assert_eq!(end_of(&effects), Some(GameEnd::without_result(EndReason::Adjourned, BLACK)));
}

// ---- any lines at all

proptest! {
    /// Whatever two peers send, the game handles it and ends at most once, with results for both sides.
    #[test]
    fn random_lines_end_the_game_at_most_once(
        lines in prop::collection::vec(
            (any::<bool>(), 0u64..3000, prop_oneof![
                Just("AGREE".to_owned()), Just("AGREE id".to_owned()), Just("REJECT".to_owned()),
                Just("+7776FU".to_owned()), Just("-3334FU".to_owned()), Just("%TORYO".to_owned()),
                "[+-][0-9]{4}(FU|KI|OU|UM)", "[+%#',-].{0,12}", ".{0,40}",
            ]), 0..40),
    ) {
        let control = TimeControl::byoyomi(secs(10), secs(2));
        let mut harness = Harness::offered(control, GameRules::default(), Position::startpos());
        let mut ends = 0;
        let mut results = [0, 0];
        for (black, pause, line) in lines {
            let color = if black { BLACK } else { WHITE };
            let mut effects = harness.wait(pause).send(color, &line);
            effects.extend(harness.game.tick(harness.now));
            for effect in effects {
                match effect {
                    Effect::Over { .. } | Effect::Rejected(_) => ends += 1,
                    Effect::Send(color, line) if ["#WIN", "#LOSE", "#DRAW"].contains(&line.as_str()) => {
                        results[color.index()] += 1;
                    }
                    Effect::Send(_, line) => prop_assert!(!line.contains('\n')),
                    _ => {}
                }
            }
            prop_assert!(ends <= 1);
            prop_assert_eq!(results[0], results[1]);
        }
    }
}

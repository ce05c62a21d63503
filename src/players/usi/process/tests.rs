//! Tests with real child processes: small shell scripts as correct and faulty engines.

use std::path::Path;

use super::*;
use crate::players::{
    Answer, Choice, EngineError, GameInfo, PlayerCommand, PlayerEvent, PlayerHandle, ThinkRequest,
};
use kyomi_shogi::clock::{Controls, GameClocks, TimeControl};
use kyomi_shogi::{Color, EnteringKingRule, Game, Position};

/// Reached only if something is broken.
const PATIENCE: Duration = Duration::from_secs(60);

/// An engine whose body answers the lines after `usi` and `isready`, as `case` arms on `$line`.
fn engine(arms: &str) -> UsiSpec {
    script(&format!(
        "while read -r line; do case \"$line\" in
           usi) echo id name script; echo usiok;;
           isready) echo readyok;;
           {arms}
           quit) exit 0;;
         esac; done"
    ))
}

fn script(text: &str) -> UsiSpec {
    UsiSpec {
        path: "sh".into(),
        args: vec!["-c".to_owned(), text.to_owned()],
        working_dir: None,
        ready_timeout: PATIENCE,
        ponder: false,
        clocks_at_ponder_hit: false,
        hash_mib: 16,
        options: Vec::new(),
        resign: None,
        stop_at_flag: true,
        book: None,
    }
}

fn think(id: u64) -> PlayerCommand {
    let control = TimeControl::sudden_death(Duration::from_secs(600));
    PlayerCommand::Think(ThinkRequest {
        id,
        game: Game::new(Position::startpos()),
        clocks: *GameClocks::new(Controls::both(control), Color::Black).clocks(),
        turn_started: Instant::now().into_std(),
        limit: None,
    })
}

fn new_game() -> PlayerCommand {
    PlayerCommand::NewGame(GameInfo {
        color: Color::Black,
        entering_king: EnteringKingRule::Points27,
        max_moves: None,
    })
}

async fn event(player: &mut PlayerHandle) -> PlayerEvent {
    loop {
        match timeout(PATIENCE, player.event()).await.expect("an event").expect("the player runs") {
            PlayerEvent::Identified => {}
            event => return event,
        }
    }
}

async fn answer(player: &mut PlayerHandle) -> (u64, Answer) {
    loop {
        match event(player).await {
            PlayerEvent::Answer { id, answer } => return (id, answer),
            PlayerEvent::Failed(error) => panic!("{error}"),
            _ => {}
        }
    }
}

fn move_of(answer: &Answer) -> String {
    match answer.choice {
        Choice::Move(mv) => mv.to_string(),
        other => format!("{other:?}"),
    }
}

#[tokio::test]
async fn a_small_engine_plays() {
    let mut player = start(engine("go*) echo info score cp 5 pv 7g7f 3c3d; echo bestmove 7g7f;;"));
    assert_eq!(player.ready().await.unwrap(), "script");
    player.send(new_game());
    player.send(think(7));
    let (id, answer) = answer(&mut player).await;
    assert_eq!((id, move_of(&answer).as_str(), answer.finding.pv.len()), (7, "7g7f", 2));
    player.quit().await;
}

#[tokio::test]
async fn invalid_output_and_floods_are_ignored() {
    let flood = "head -c 100000000 /dev/zero | tr '\\0' x; echo; printf '\\377\\376\\001\\n'";
    let mut player = start(engine(&format!(
        "go*) {flood}; printf 'info string \\303\\050\\n'; printf 'bestmove 7g7f\\r\\n';;"
    )));
    player.ready().await.unwrap();
    player.send(new_game());
    player.send(think(1));
    assert_eq!(move_of(&answer(&mut player).await.1), "7g7f");
    player.quit().await;
}

#[tokio::test]
async fn a_crash_restarts_the_engine_once_and_then_it_resigns() {
    let mut player = start(engine("go*) echo no more memory >&2; exit 3;;"));
    player.ready().await.unwrap();
    player.send(new_game());
    assert!(matches!(event(&mut player).await, PlayerEvent::Prepared));
    player.send(think(1));
    match event(&mut player).await {
        PlayerEvent::Restarted(EngineError::Ended { status, stderr, .. }) => {
            assert_eq!((status.as_str(), stderr), ("exit code 3", vec!["no more memory".into()]));
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(event(&mut player).await, PlayerEvent::Ready { .. }));
    assert!(matches!(event(&mut player).await, PlayerEvent::Prepared));
    assert!(matches!(event(&mut player).await, PlayerEvent::GaveUp(_)));
    assert_eq!(move_of(&answer(&mut player).await.1), "Resign");
    player.quit().await;
}

#[tokio::test]
async fn a_failed_start_reports_its_reason() {
    let mut player = start(UsiSpec { path: "no/such/engine".into(), ..script("") });
    let error = player.ready().await.unwrap_err().to_string();
    assert!(error.starts_with("cannot start the engine no/such/engine: "), "{error}");
    player.quit().await;
    let mut player = start(UsiSpec { working_dir: Some("no/such/dir".into()), ..engine("") });
    let error = player.ready().await.unwrap_err().to_string();
    assert!(error.contains("working directory no/such/dir does not exist"), "{error}");
    let mut player = start(script("echo this is no engine >&2; exit 1"));
    let error = player.ready().await.unwrap_err().to_string();
    assert!(error.contains("exit code 1") && error.contains("this is no engine"), "{error}");
}

#[tokio::test]
async fn the_working_directory_is_that_of_the_spec() {
    let dir = env::temp_dir().canonicalize().unwrap();
    let text = "echo id name $(pwd); echo usiok; echo readyok; cat >/dev/null";
    let spec = UsiSpec { working_dir: Some(dir.clone()), ..script(text) };
    let mut player = start(spec);
    assert_eq!(player.ready().await.unwrap(), dir.to_string_lossy());
    player.quit().await;
}

/// The engine neither quits nor ends its child; both are killed, and no zombie is left.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn at_the_end_the_whole_process_group_is_killed() {
    let text = "sleep 1000 & echo id name $$ $!; echo usiok; trap '' TERM;
                while :; do read -r line || sleep 1; [ \"$line\" = isready ] && echo readyok; done";
    let mut player = start(script(text));
    let name = player.ready().await.unwrap();
    player.quit().await;
    for pid in name.split(' ') {
        let status = Path::new("/proc").join(pid).join("status");
        // The orphan is reaped by the process that inherits it; until then it is a zombie.
        let gone = || match std::fs::read_to_string(&status) {
            Err(_) => true,
            Ok(text) => text.lines().any(|line| line.starts_with("State:") && line.contains('Z')),
        };
        let all_gone = async {
            while !gone() {
                tokio::task::yield_now().await;
            }
        };
        timeout(PATIENCE, all_gone).await.expect("the process is gone");
    }
    let own: Vec<_> = name.split(' ').take(1).collect();
    assert!(!Path::new("/proc").join(own[0]).exists(), "a zombie");
}

#[test]
fn the_engine_does_not_see_our_settings() {
    let mut command = Command::new("engine");
    let names = ["KYOMI_SERVER_PASSWORD", "PATH", "KYOMI_ENGINE_THREADS"];
    hide_settings(&mut command, names.into_iter().map(OsString::from));
    let removed: Vec<_> = command.as_std().get_envs().collect();
    let expected = ["KYOMI_ENGINE_THREADS", "KYOMI_SERVER_PASSWORD"];
    assert_eq!(removed, expected.map(|name| (std::ffi::OsStr::new(name), None)));
}

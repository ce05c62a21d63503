//! The opponent of an account: a scripted player that speaks the protocol line by line.

use std::time::Duration;

use tokio::{
    io::{
        AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf,
        WriteHalf, split,
    },
    time::{Instant, sleep, sleep_until},
};

use kyomi_csa::{GameSummary, ReadOptions};
use kyomi_shogi::{Color, Game, notation::csa};

use super::{
    moves::choose,
    network::connect,
    plan::seconds,
    world::{World, game_name, other_name},
};

/// Plays one game after another with an account, with pauses between.
pub(super) async fn oppose(world: World, account: usize) {
    let mut random = world.random(account as u64);
    loop {
        sleep(pause_between_games(&mut random)).await;
        loop {
            let seat = Seat::take(&world, account, &mut random).await;
            let Some(seat) = seat else {
                sleep(seconds(&mut random, 2..60)).await;
                continue;
            };
            match seat.play().await {
                Left::GameOver => break,
                Left::Lost => sleep(seconds(&mut random, 2..60)).await,
            }
        }
    }
}

/// Mostly some minutes, sometimes hours.
fn pause_between_games(random: &mut fastrand::Rng) -> Duration {
    if random.f64() < 0.015 { seconds(random, 3600..5 * 3600) } else { seconds(random, 10..6000) }
}

/// Why a connection of the opponent is over.
enum Left {
    GameOver,
    Lost,
}

/// A logged-in opponent.
struct Seat<'a> {
    world: &'a World,
    account: usize,
    random: &'a mut fastrand::Rng,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    offer: Option<Vec<String>>,
    table: Option<Table>,
    think_until: Option<Instant>,
}

/// The game of an opponent.
struct Table {
    game: Game,
    color: Color,
    rule: kyomi_shogi::EnteringKingRule,
    left: Duration,
    started: bool,
}

impl<'a> Seat<'a> {
    /// Connects and logs in.
    async fn take(world: &'a World, account: usize, random: &'a mut fastrand::Rng) -> Option<Self> {
        let name = other_name(account);
        let stream = connect(world.clone(), name.clone(), false).await.ok()?;
        let (reader, writer) = split(stream);
        let lines = BufReader::new(reader).lines();
        let mut seat = Self {
            world,
            account,
            random,
            lines,
            writer,
            offer: None,
            table: None,
            think_until: None,
        };
        seat.send(&format!("LOGIN {name} {},x", game_name(account))).await;
        let answer = tokio::time::timeout(Duration::from_secs(60), seat.lines.next_line()).await;
        answer.ok()?.ok()??.ends_with(" OK").then_some(seat)
    }

    async fn send(&mut self, line: &str) {
        let _ = self.writer.write_all(format!("{line}\n").as_bytes()).await;
    }

    async fn play(mut self) -> Left {
        let mut silent = 0;
        loop {
            let think_until = self.think_until;
            tokio::select! {
                line = self.lines.next_line() => {
                    silent = 0;
                    let Ok(Some(line)) = line else { return Left::Lost };
                    if let Some(left) = self.line(&line).await {
                        return left;
                    }
                }
                () = async {
                    match think_until {
                        Some(at) => sleep_until(at).await,
                        None => std::future::pending().await,
                    }
                } => {
                    self.think_until = None;
                    if let Some(left) = self.act().await {
                        return left;
                    }
                }
                () = sleep(Duration::from_secs(50)) => {
                    silent += 1;
                    if silent > 3 {
                        return Left::Lost;
                    }
                    self.send("").await;
                }
            }
        }
    }

    async fn line(&mut self, line: &str) -> Option<Left> {
        if let Some(offer) = &mut self.offer {
            offer.push(line.to_owned());
            if line == "END Game_Summary" {
                self.agree().await;
            }
        } else if line == "BEGIN Game_Summary" {
            self.offer = Some(Vec::new());
        } else if line.starts_with("START:") {
            if let Some(table) = &mut self.table {
                table.started = true;
            }
            self.next_turn();
        } else if line.starts_with("REJECT:") {
            self.table = None;
        } else if line.starts_with(['+', '-']) {
            self.moved(line);
        } else if ["#WIN", "#LOSE", "#DRAW", "#CENSORED", "#CHUDAN"].contains(&line) {
            self.send("LOGOUT").await;
            let _ = tokio::time::timeout(Duration::from_secs(3), self.lines.next_line()).await;
            return Some(Left::GameOver);
        }
        None
    }

    async fn agree(&mut self) {
        let offer = self.offer.take().unwrap_or_default();
        let lines = offer.iter().map(String::as_str);
        let summary =
            GameSummary::parse(lines, ReadOptions::default()).expect("our server's offer");
        let game = summary.game().expect("a game");
        if game.is_empty() {
            let repeats = self.random.f64() < 0.05;
            self.world.state().repeating[self.account] = repeats;
        }
        let color = summary.your_turn;
        let left = summary.time(color).total.unwrap_or_default();
        let rule = summary.entering_king();
        self.table = Some(Table { game, color, rule, left, started: false });
        self.send(&format!("AGREE {}", summary.game_id)).await;
    }

    fn moved(&mut self, line: &str) {
        let Some(table) = &mut self.table else { return };
        let (word, spent) = line.split_once(",T").unwrap_or((line, "0"));
        let Ok(mv) = csa::parse_move(table.game.position(), word) else { return };
        if table.game.position().side_to_move() == table.color {
            table.left = table.left.saturating_sub(Duration::from_secs(spent.parse().unwrap_or(0)));
        }
        if table.game.push(mv).is_ok() {
            self.next_turn();
        }
    }

    /// Thinks for a few hundredths of what is left, if it is our turn.
    fn next_turn(&mut self) {
        let Some(table) = &self.table else { return };
        if table.started && table.game.position().side_to_move() == table.color {
            let share = 0.04 * self.random.f64() * self.random.f64();
            let time = Duration::from_millis(20) + table.left.mul_f64(share);
            self.think_until = Some(Instant::now() + time);
        }
    }

    /// Acts in its turn.
    async fn act(&mut self) -> Option<Left> {
        let table = self.table.as_ref()?;
        let position = table.game.position().clone();
        let (plies, can_declare) = (table.game.len(), position.can_declare(table.rule));
        let repeats = self.world.state().repeating[self.account];
        if std::mem::take(&mut self.world.state().suspending[self.account]) {
            self.send("%CHUDAN").await;
        }
        match self.random.u32(..1000) {
            _ if can_declare => self.send("%KACHI").await,
            // It lets its time run out.
            0..3 => self.world.count("opponent fell silent"),
            3..5 => self.send("+9999OU").await,
            5..9 => return Some(Left::Lost),
            // It comes back too late.
            9..10 => return Some(Left::GameOver),
            10..40 if plies > 16 && !repeats => self.send("%TORYO").await,
            _ => match choose(&position, self.random, repeats) {
                Some(mv) => self.send(&csa::format_move(&position, mv)).await,
                None => self.send("%TORYO").await,
            },
        }
        None
    }
}

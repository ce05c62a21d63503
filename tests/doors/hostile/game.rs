//! Players who move at once, for games with as many lines as possible.

use std::io;

use futures_util::FutureExt as _;
use kyomi_shogi::{Color, Game, Position, notation::csa};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use super::super::crowd::Visit;
use super::Attack;

/// Plays one game against the next number, with long comments.
pub(super) fn play_fast(visit: Visit) -> Attack {
    async move {
        let mut intruder = visit.connect().await?;
        let (pair, number) = (visit.number / 2, visit.number);
        intruder.send(format!("LOGIN fast{number} fast{pair}-60-0,x\n")).await?;
        let mut random = fastrand::Rng::with_seed(number as u64);
        let mut lines = BufReader::new(&mut intruder.stream).lines();
        let mut game = Game::new(Position::startpos());
        let mut own = Color::Black;
        while let Some(line) = lines.next_line().await? {
            if let Some(id) = line.strip_prefix("START:") {
                visit.note_game(id);
            }
            match line.as_bytes() {
                b"Your_Turn:-" => own = Color::White,
                b"END Game_Summary" => lines.get_mut().write_all(b"AGREE\n").await?,
                [b'+' | b'-', b'0'..=b'9', ..] => {
                    let mv = csa::parse_move(game.position(), line.split(',').next().unwrap());
                    game.push(mv.map_err(io::Error::other)?).map_err(io::Error::other)?;
                }
                [b'#', ..] if line != "##[ERROR]" => return Ok(()),
                _ => {}
            }
            let has_begun = line.starts_with("START:") || line.starts_with(['+', '-']);
            if has_begun && game.position().side_to_move() == own {
                let moves = game.position().legal_moves();
                let Some(mv) = moves.get(random.usize(..moves.len().max(1))) else {
                    return Ok(());
                };
                let word = csa::format_move(game.position(), *mv);
                let comment = "7g7f ".repeat(1500);
                lines.get_mut().write_all(format!("{word},'* 30 {comment}\n").as_bytes()).await?;
            }
        }
        Ok(())
    }
    .boxed()
}

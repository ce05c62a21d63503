//! A player that plays from a book, and forwards requests to another player where the book has no move.

use tokio::sync::mpsc::UnboundedReceiver;

use kyomi_record::book::{BookSpec, OpeningBook};
use kyomi_shogi::{EnteringKingRule, Game};

use super::{Answer, EventSender, PlayerCommand, PlayerEvent, PlayerHandle, pair};

/// Wraps a player with a book. If the book cannot be opened, the player plays without it, after a warning.
///
/// Call it inside a tokio runtime.
pub(super) fn with_book(player: PlayerHandle, spec: &BookSpec) -> PlayerHandle {
    let (handle, port) = pair();
    let book = match OpeningBook::open(spec) {
        Ok((book, faults)) => {
            if let Some(text) = faults.summary() {
                tracing::warn!("{}: {text}", spec.source);
            }
            Some(book)
        }
        Err(error) => {
            port.events.send(PlayerEvent::Warning(format!("{error}; playing without it")));
            None
        }
    };
    let entering_king = EnteringKingRule::None;
    let player_with_book = BookPlayer { player, events: port.events, book, entering_king };
    tokio::spawn(player_with_book.run(port.commands));
    handle
}

struct BookPlayer {
    player: PlayerHandle,
    events: EventSender,
    book: Option<OpeningBook>,
    /// How an entered king wins in this game.
    entering_king: EnteringKingRule,
}

impl BookPlayer {
    async fn run(mut self, mut commands: UnboundedReceiver<PlayerCommand>) {
        loop {
            tokio::select! {
                command = commands.recv() => match command {
                    Some(command) => self.handle_command(command),
                    // The player ends when its handle is dropped.
                    None => break,
                },
                event = self.player.event() => match event {
                    Some(event) => self.events.send(event),
                    None => break,
                },
            }
        }
    }

    fn handle_command(&mut self, command: PlayerCommand) {
        match &command {
            PlayerCommand::NewGame(info) => {
                self.entering_king = info.entering_king;
                if let Some(book) = &mut self.book {
                    book.new_game();
                }
            }
            PlayerCommand::Think(request) => {
                if let Some(answer) = self.answer(&request.game) {
                    self.player.send(PlayerCommand::Stop);
                    return self.events.send(PlayerEvent::Answer { id: request.id, answer });
                }
            }
            // The answer will come from the book.
            PlayerCommand::Ponder(request) if self.answer(&request.game).is_some() => {
                return self.player.send(PlayerCommand::Stop);
            }
            _ => {}
        }
        self.player.send(command);
    }

    fn answer(&self, game: &Game) -> Option<Answer> {
        if game.position().entering_king_win(self.entering_king).is_some() {
            return None;
        }
        self.book.as_ref()?.choose(game).map(|chosen| Answer::of_book(&chosen))
    }
}

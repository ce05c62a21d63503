//! What a correct server does before and after a fault.

use std::time::Duration;

use kyomi_shogi::{Game, Position, notation::csa};
use socket2::SockRef;

use crate::common::connection::Peer;

impl Peer {
    /// Cuts the connection off with a reset, so that what the client sends fails.
    pub(crate) fn reset(self) {
        SockRef::from(&self.writer).set_linger(Some(Duration::ZERO)).unwrap();
    }
}

/// The server's board.
pub(crate) struct Board(Game);

impl Board {
    pub(crate) fn new() -> Self {
        Self(Game::new(Position::startpos()))
    }

    /// Reads the client's move, which must be legal. Returns it without a comment.
    #[track_caller]
    pub(crate) fn take(&mut self, peer: &mut Peer) -> String {
        let line = peer.line();
        let word = line.split(',').next().unwrap().to_owned();
        self.make(&word, &line);
        word
    }

    /// Reads the client's move and confirms it.
    #[track_caller]
    pub(crate) fn echo(&mut self, peer: &mut Peer) -> String {
        let word = self.take(peer);
        peer.send(&format!("{word},T0"));
        word
    }

    /// Sends the opponent's move: the first of these that is legal, or else any.
    #[track_caller]
    pub(crate) fn reply(&mut self, peer: &mut Peer, wanted: &[&str]) -> String {
        let position = self.0.position();
        let words = position.legal_moves().into_iter().map(|mv| csa::format_move(position, mv));
        let words: Vec<_> = words.collect();
        let wanted = wanted.iter().find(|wanted| words.iter().any(|word| word == *wanted));
        let word = wanted.map_or_else(|| words[0].clone(), |word| (*word).to_owned());
        self.make(&word, &word);
        peer.send(&format!("{word},T1"));
        word
    }

    /// Makes a move of the server.
    #[track_caller]
    pub(crate) fn make_line(&mut self, word: &str) {
        self.make(word, word);
    }

    /// The last move.
    pub(crate) fn last(&self) -> String {
        let moves = self.0.moves();
        let mut before = Game::new(self.0.start().clone());
        for mv in &moves[..moves.len() - 1] {
            before.push(*mv).unwrap();
        }
        csa::format_move(before.position(), moves[moves.len() - 1])
    }

    #[track_caller]
    fn make(&mut self, word: &str, line: &str) {
        let mv = csa::parse_move(self.0.position(), word);
        let mv = mv.unwrap_or_else(|error| panic!("{line:?}: {error}"));
        self.0.push(mv).unwrap_or_else(|error| panic!("{line:?}: {error:?}"));
    }
}

/// The opponent resigns.
pub(crate) fn resign(peer: &mut Peer) {
    peer.send("%TORYO,T1\n#RESIGN\n#WIN");
}

/// Plays two moves of the client, who has black, and lets it win. The game has begun.
#[track_caller]
pub(crate) fn play_on(peer: &mut Peer) {
    let mut board = Board::new();
    board.echo(peer);
    board.reply(peer, &[]);
    board.echo(peer);
    resign(peer);
}

/// A correct game, and the client's leave: it still plays as it should.
#[track_caller]
pub(crate) fn last_game(mut peer: Peer) {
    peer.begin("last", '+');
    play_on(&mut peer);
    leave(peer);
}

/// The client leaves after its last game.
#[track_caller]
pub(crate) fn leave(mut peer: Peer) {
    assert_eq!(peer.line(), "LOGOUT");
    peer.send("LOGOUT:completed");
}

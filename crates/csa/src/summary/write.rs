//! Writing an offer.

use std::fmt;

use kyomi_shogi::Game;
use kyomi_shogi::notation::csa::{self, sign};

use super::keys::is_other_key;
use super::{GameSummary, time};

impl GameSummary {
    /// The lines of the offer from `BEGIN Game_Summary` to `END Game_Summary`. Entries of [`GameSummary::other`]
    /// that would be read as something else are left out.
    pub fn to_lines(&self) -> Vec<String> {
        let mut lines = vec!["BEGIN Game_Summary".to_owned()];
        let mut key = |name: &str, value: &dyn fmt::Display| lines.push(format!("{name}:{value}"));
        let mut optional = |name: &str, value: &Option<String>| {
            if let Some(value) = value {
                key(name, value);
            }
        };
        optional("Protocol_Version", &self.protocol_version);
        optional("Protocol_Mode", &self.protocol_mode);
        optional("Format", &self.format);
        optional("Declaration", &self.declaration);
        key("Game_ID", &self.game_id);
        key("Name+", &self.names[0]);
        key("Name-", &self.names[1]);
        key("Your_Turn", &sign(self.your_turn));
        if let Some(rematch) = self.rematch_on_draw {
            key("Rematch_On_Draw", &if rematch { "YES" } else { "NO" });
        }
        key("To_Move", &sign(self.to_move()));
        if let Some(max_moves) = self.max_moves {
            key("Max_Moves", &max_moves);
        }
        if let Some(rule) = &self.entering_king_rule {
            key("Entering_King_Rule", rule);
        }
        if let Some(token) = &self.reconnect_token {
            key("Reconnect_Token", &token.expose());
        }
        for (name, value) in self.other.iter().filter(|(name, _)| is_other_key(name)) {
            key(name, value);
        }
        if self.times.are_equal() {
            time::format("Time", &self.times.black, &mut lines);
        } else {
            time::format("Time+", &self.times.black, &mut lines);
            time::format("Time-", &self.times.white, &mut lines);
        }
        self.format_position(&mut lines);
        lines.push("END Game_Summary".to_owned());
        lines
    }

    fn format_position(&self, lines: &mut Vec<String>) {
        lines.push("BEGIN Position".to_owned());
        let block = csa::format_position(&self.start);
        // The lines of the hands are written even when they are empty, as by every known server.
        let (mut hands, mut side) = (["P+", "P-"], sign(self.start.side_to_move()).to_string());
        for line in block.lines() {
            match line.as_bytes() {
                [b'P', b'+', ..] => hands[0] = line,
                [b'P', b'-', ..] => hands[1] = line,
                [b'P', ..] => lines.push(line.to_owned()),
                _ => line.clone_into(&mut side),
            }
        }
        lines.extend(hands.map(str::to_owned));
        lines.push(side);
        let mut game = Game::new(self.start.clone());
        for setup in &self.moves {
            let word = csa::format_move(game.position(), setup.mv);
            if game.push(setup.mv).is_err() {
                break;
            }
            lines
                .push(setup.spent.map_or_else(|| word.clone(), |spent| format!("{word},T{spent}")));
        }
        lines.push("END Position".to_owned());
    }
}

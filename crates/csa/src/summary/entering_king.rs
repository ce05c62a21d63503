//! The rule for entering kings of an offer.
//!
//! The protocol has `Declaration:Jishogi 1.1` for the 27-point rule. `Entering_King_Rule` (rshogi) names a rule by its
//! value of the USI option `EnteringKingRule`, and goes before it. By a rule that is not known no win is declared: a
//! declaration by another rule would lose the game.

use kyomi_shogi::EnteringKingRule;

use super::GameSummary;
use super::keys::JISHOGI;

impl GameSummary {
    /// The rule by which an entered king wins; none if the stated one is not known.
    pub fn entering_king(&self) -> EnteringKingRule {
        self.stated_rule().unwrap_or(EnteringKingRule::None)
    }

    /// States a rule. That of 27 points is stated by `Declaration` alone, which every client knows.
    pub fn set_entering_king(&mut self, rule: EnteringKingRule) {
        let is_usual = rule == EnteringKingRule::Points27;
        self.declaration = is_usual.then(|| JISHOGI.to_owned());
        self.entering_king_rule = (!is_usual).then(|| rule.name().to_owned());
    }

    /// The rule that the offer states.
    ///
    /// # Errors
    /// The key and the value of a rule that is not known.
    pub(super) fn stated_rule(&self) -> Result<EnteringKingRule, (&'static str, &str)> {
        if let Some(name) = &self.entering_king_rule {
            let rule = EnteringKingRule::from_name(name.trim());
            return rule.ok_or(("Entering_King_Rule", name));
        }
        match self.declaration.as_deref().map(str::trim) {
            None | Some("") => Ok(EnteringKingRule::None),
            Some(JISHOGI) => Ok(EnteringKingRule::Points27),
            Some(other) => Err(("Declaration", other)),
        }
    }
}

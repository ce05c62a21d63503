//! The options sent to an engine: the user's options, and those for the rules of the game.

use crate::players::EngineOption;
use kyomi_csa::text::nearest_word;
use kyomi_shogi::EnteringKingRule;

use super::{
    super::{
        super::{GameInfo, PlayerEvent},
        parser::{AnnouncedOption, OptionKind},
    },
    Driver,
    stderr_tail::printable,
};

impl Driver {
    pub(super) fn set_options(&mut self) {
        let spec = self.spec.clone();
        let given = |name: &str| spec.options.iter().any(|option| is_name(&option.name, name));
        // Both are set even if they are not announced, since engines rely on it.
        if !given("USI_Hash") {
            self.set_option("USI_Hash", &spec.hash_mib.to_string());
        }
        if !given("USI_Ponder") {
            self.set_option("USI_Ponder", if spec.ponder { "true" } else { "false" });
        }
        for EngineOption { name, value } in &spec.options {
            let known = self.options.iter().find(|known| is_name(&known.name, name)).cloned();
            if !self.options_checked {
                self.check_option(known.as_ref(), name, value);
            }
            let exact = known.as_ref().map_or(name.as_str(), |known| known.name.as_str());
            match known.as_ref().map(|known| &known.kind) {
                Some(OptionKind::Button) if value == "false" => {}
                Some(OptionKind::Button) => self.send(&format!("setoption name {exact}")),
                _ => self.set_option(exact, value),
            }
        }
        self.options_checked = true;
    }

    fn check_option(&mut self, known: Option<&AnnouncedOption>, name: &str, value: &str) {
        let always = ["USI_Hash", "USI_Ponder"].iter().any(|always| is_name(always, name));
        let title = self.spec.title();
        let name = printable(name);
        match known {
            None if !always => {
                let names = self.options.iter().map(|known| known.name.as_str());
                let names = names.filter(|known| known.len() <= LONGEST_NAME);
                let near = nearest_word(&name, names).map_or_else(String::new, |near| {
                    format!("; did you mean {}?", printable(near))
                });
                self.event(PlayerEvent::Warning(format!(
                    "engine.options: the engine {title} has no option {name}; it is sent nevertheless{near}"
                )));
            }
            Some(option) => {
                if let Some(fault) = option.fault(value) {
                    let value = printable(value);
                    self.event(PlayerEvent::Warning(format!(
                        "engine.options: {name} = {value} is not valid for the engine {title}: {fault}"
                    )));
                }
            }
            None => {}
        }
    }

    /// Sends the rules of the game if the engine has options for them with other values and the user has not set those.
    /// Returns whether anything was sent.
    pub(super) fn set_rules(&mut self, info: GameInfo) -> bool {
        let rule = self.rule_to_set(info.entering_king);
        let limit = info.max_moves.unwrap_or(0).to_string();
        let mut changed = false;
        for (name, value) in [(RULE, rule), ("MaxMovesToDraw", limit.as_str())] {
            let by_user = self.by_user(name).is_some();
            let known = self.options.iter_mut().find(|known| is_name(&known.name, name));
            if let Some(known) = known
                && !by_user
                && known.fault(value).is_none()
                && known.default.as_deref() != Some(value)
            {
                // It stays at this value in the following games.
                known.default = Some(value.to_owned());
                let name = known.name.clone();
                self.set_option(&name, value);
                changed = true;
            }
        }
        changed
    }

    /// The value of the option for the rule of the game. An engine that does not know the rule gets `NoEnteringKing`, so
    /// that it does not declare a win by another. Warns of that, and of a rule of the user's that is not that of the
    /// game, once for each rule.
    fn rule_to_set(&mut self, rule: EnteringKingRule) -> &'static str {
        let title = self.spec.title();
        let known = self.options.iter().find(|known| is_name(&known.name, RULE));
        let is_unknown = known.is_some_and(|known| known.fault(rule.name()).is_some());
        let warning = match self.by_user(RULE) {
            Some(set) if set == rule.name() => None,
            Some(set) => Some(format!(
                "engine.options: {RULE} = {}, but the rule of the game is {}; no win is declared that \
                 does not count by that",
                printable(set),
                rule.name()
            )),
            None if is_unknown => Some(format!(
                "the engine {title} does not know the rule {} for entering kings",
                rule.name()
            )),
            None => None,
        };
        if self.warned_of_rule.replace(rule) != Some(rule)
            && let Some(warning) = warning
        {
            self.event(PlayerEvent::Warning(warning));
        }
        if is_unknown { EnteringKingRule::None.name() } else { rule.name() }
    }

    /// The value that the user gives an option.
    fn by_user(&self, name: &str) -> Option<&str> {
        let given = self.spec.options.iter().find(|option| is_name(&option.name, name));
        given.map(|option| option.value.as_str())
    }

    fn set_option(&mut self, name: &str, value: &str) {
        self.send(&format!("setoption name {name} value {value}"));
    }
}

/// The option for the rule by which an entered king wins.
const RULE: &str = "EnteringKingRule";

/// The length of the longest name that is suggested.
const LONGEST_NAME: usize = 64;

fn is_name(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b)
}

//! All parameters of the search by name, in one table. USI `option` lines show them, `setoption` sets them, and presets
//! give values to all of them (docs/search.md, section 6.1). Numbers in parentheses are sections of that page.

mod kind;
mod table;

pub use kind::{ParameterError, ParameterKind, Preset};
pub use table::{Parameter, Parameters, TABLE};

impl Default for Parameters {
    fn default() -> Self {
        Self::preset(Preset::Tournament)
    }
}

impl Parameters {
    /// Those of the preset `interest`.
    pub const fn interest() -> Self {
        Self::preset(Preset::Interest)
    }

    /// Interest search with the costs before games tuned them (docs/search.md, section 1.1), and all weights of
    /// interest that are in use at 100 percent. Fits of the weights and tests use it.
    pub fn untuned() -> Self {
        Self {
            cost_k: 9000,
            cost_min: 50,
            cost_max: 350,
            cross_charge: 50,
            ply_weight: 30,
            research: 150,
            beyond: 100,
            even: 100,
            hash: 100,
            killer: 100,
            reply: 100,
            follow_on: 100,
            capture: 100,
            recapture: 100,
            check: 100,
            attacks: 100,
            hangs: 100,
            promotion: 100,
            best_quiet: 100,
            king_zone: 100,
            development: 100,
            drops: 100,
            history: 100,
            learned: 0,
            bad_quiet: 40,
            staged: 0,
            ..Self::interest()
        }
    }
}

/// The name of the option that sets all parameters at once.
pub const PRESET: &str = "Preset";

impl Parameters {
    /// Sets one parameter by its name (in any case), or all by `Preset`.
    ///
    /// # Errors
    /// When no parameter has this name, or when it does not accept this value.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), ParameterError> {
        let value = value.trim();
        if name.eq_ignore_ascii_case(PRESET) {
            let preset = Preset::by_name(value).ok_or_else(|| ParameterError::Value {
                name: PRESET,
                found: value.chars().filter(|c| !c.is_control()).take(40).collect(),
                expected: Preset::ALL.map(Preset::name).join(" or "),
            })?;
            *self = Self::preset(preset);
            return Ok(());
        }
        let parameter = TABLE
            .iter()
            .find(|parameter| parameter.name.eq_ignore_ascii_case(name))
            .ok_or_else(|| ParameterError::Unknown(name.chars().take(40).collect()))?;
        let value = parameter.parse(value)?;
        (parameter.write)(self, value);
        Ok(())
    }

    /// The preset that these parameters are equal to, if any.
    pub fn as_preset(&self) -> Option<Preset> {
        Preset::ALL.into_iter().find(|preset| Self::preset(*preset) == *self)
    }

    /// The USI `option` lines of all parameters, beginning with `Preset`.
    pub fn usi_lines(&self) -> Vec<String> {
        let preset = self.as_preset().unwrap_or(Preset::Tournament).name();
        let names = Preset::ALL.map(Preset::name).join(" var ");
        let first = format!("option name {PRESET} type combo default {preset} var {names}");
        let rest = TABLE.iter().map(|parameter| parameter.usi_line(self));
        std::iter::once(first).chain(rest).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::{table::PERCENT, *};

    #[test]
    fn every_parameter_accepts_its_values_and_no_others() {
        for preset in Preset::ALL {
            let parameters = Parameters::preset(preset);
            for parameter in TABLE {
                let mut copy = Parameters::default();
                copy.set(&parameter.name.to_uppercase(), &parameter.value(&parameters)).unwrap();
                assert_eq!(parameter.value(&copy), parameter.value(&parameters));
                assert!(copy.set(parameter.name, "nonsense").is_err(), "{}", parameter.name);
                assert!(!parameter.doc.is_empty());
            }
            let mut copy = Parameters::default();
            copy.set("preset", preset.name()).unwrap();
            assert_eq!(copy.as_preset(), Some(preset));
        }
    }

    #[test]
    fn former_names_of_values_are_accepted() {
        let mut parameters = Parameters::default();
        parameters.set("Interest_Cost", "Letter").unwrap();
        parameters.set("Penalty_Mode", "letter").unwrap();
        assert_eq!((parameters.cost, parameters.penalties), (1, 2));
        assert!(parameters.set("Plausible_Mode", "letter").is_err());
    }

    #[test]
    fn unknown_names_and_wrong_values_are_reported() {
        let mut names: Vec<_> = TABLE.iter().map(|p| p.name.to_lowercase()).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), TABLE.len());
        let mut parameters = Parameters::default();
        let error = |e: Result<(), ParameterError>| e.unwrap_err().to_string();
        assert_eq!(error(parameters.set("Interest_Nothing", "1")), "no option 'Interest_Nothing'");
        assert_eq!(
            error(parameters.set("Interest_CostMin", "5000")),
            "Interest_CostMin: '5000' is not a valid value; expected a whole number from 10 to 200"
        );
        assert!(error(parameters.set("Preset", "x")).contains("tournament or interest"));
    }

    #[test]
    fn the_documentation_of_the_options_is_up_to_date() {
        let mut page = String::from(
            "# Options of the search\n\n\
             Written by a test from the table in `crates/engine/src/search/parameters/table.rs` (`UPDATE_EXPECT=1`). Numbers in parentheses\n\
             are sections of [search.md](search.md). `Preset` sets all of them at once.\n\n\
             | option | values | tournament | interest | paper | full | lmr | what it does |\n|---|---|---|---|---|---|---|---|\n",
        );
        for parameter in TABLE {
            let values = match parameter.kind {
                ParameterKind::Check => "true, false".to_owned(),
                ParameterKind::Spin(least, most) => format!("{least} to {most}"),
                ParameterKind::Combo(words) => words.join(", "),
            };
            let of = Preset::ALL.map(|preset| parameter.value(&Parameters::preset(preset)));
            let (name, doc) = (parameter.name, parameter.doc.trim());
            writeln!(page, "| `{name}` | {values} | {} | {doc} |", of.join(" | ")).unwrap();
        }
        expect_test::expect_file!["../../../../docs/search-options.md"].assert_eq(&page);
    }

    #[test]
    fn untuned_weights_are_whole_or_off() {
        let untuned = Parameters::untuned();
        let weights: Vec<_> = TABLE
            .iter()
            .filter(|parameter| parameter.kind == PERCENT && parameter.doc.contains("percent"))
            .map(|parameter| (parameter.name, parameter.value(&untuned)))
            .collect();
        assert!(weights.len() > 20, "{weights:?}");
        let off: Vec<_> =
            weights.iter().filter(|(_, value)| value != "100").map(|(name, _)| *name).collect();
        assert_eq!(off, ["Interest_Target", "Interest_Learned"], "{weights:?}");
    }

    #[test]
    fn option_lines_show_range_and_default() {
        let lines = Parameters::default().usi_lines();
        assert_eq!(lines.len(), TABLE.len() + 1);
        assert!(lines.contains(
            &"option name Interest_Fork type spin default 100 min 0 max 1000".to_owned()
        ));
        assert!(lines.contains(&"option name Search_MateInOne type check default true".to_owned()));
        assert!(lines[0].starts_with("option name Preset type combo default tournament var"));
    }
}

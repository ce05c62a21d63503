//! The rule for entering kings in messages and plans: `true` is the 27-point rule and `false` none, any other has its name.

use serde::{Deserialize, Deserializer, Serialize as _, Serializer, de::Error as _};
use serde_json::Value;

use kyomi_shogi::EnteringKingRule;

/// The rule in JSON.
pub fn value(rule: EnteringKingRule) -> Value {
    match rule {
        EnteringKingRule::Points27 => true.into(),
        EnteringKingRule::None => false.into(),
        other => other.name().into(),
    }
}

/// Writes a rule.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<S: Serializer>(rule: &EnteringKingRule, to: S) -> Result<S::Ok, S::Error> {
    value(*rule).serialize(to)
}

/// Reads a rule.
///
/// # Errors
/// The rule is not known: it must not be taken for another.
pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<EnteringKingRule, D::Error> {
    let rule = match Value::deserialize(from)? {
        Value::Bool(true) => Some(EnteringKingRule::Points27),
        Value::Bool(false) => Some(EnteringKingRule::None),
        Value::String(name) => EnteringKingRule::from_name(&name),
        _ => None,
    };
    rule.ok_or_else(|| D::Error::custom("a rule for entering kings that is not known"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_read_again_and_others_are_refused() {
        for rule in EnteringKingRule::ALL {
            assert_eq!(deserialize(value(rule)).unwrap(), rule);
        }
        for other in [Value::Null, 27.into(), "CSARule28".into()] {
            assert!(deserialize(other.clone()).is_err(), "{other}");
        }
    }
}

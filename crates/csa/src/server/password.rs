//! The salted digests of passwords that the server stores.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::text::unguessable;

/// The salted SHA-256 digest of a password.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PasswordDigest {
    salt: u64,
    digest: [u8; 32],
}

impl PasswordDigest {
    /// The digest of a password, with a new salt.
    pub fn of(password: &str) -> Self {
        let salt = u64::from_le_bytes(unguessable());
        Self { salt, digest: digest(salt, password) }
    }

    /// Whether this is the password. The comparison takes constant time.
    pub fn matches(&self, password: &str) -> bool {
        let given = digest(self.salt, password);
        self.digest.iter().zip(&given).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
    }
}

impl std::fmt::Debug for PasswordDigest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}

fn digest(salt: u64, password: &str) -> [u8; 32] {
    Sha256::new().chain_update(salt.to_le_bytes()).chain_update(password).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_known_again() {
        let known = PasswordDigest::of("x-60-0-B,trip");
        assert!(known.matches("x-60-0-B,trip"));
        for other in ["", "x-60-0-B,tri", "x-60-0-B,trip2", "x-60-0-W,trip"] {
            assert!(!known.matches(other), "{other}");
        }
        let text = serde_json::to_string(&known).unwrap();
        assert!(!text.contains("trip"), "{text}");
        let read: PasswordDigest = serde_json::from_str(&text).unwrap();
        assert!(read.matches("x-60-0-B,trip"));
    }
}

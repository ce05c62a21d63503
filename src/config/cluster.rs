//! The addresses of brokers, and the login there.

use std::{fmt, path::PathBuf};

use kyomi_csa::text::Secret;

/// How to log in to a broker.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum BrokerLogin {
    /// Not at all.
    #[default]
    None,
    /// By user and password.
    Password {
        /// The user.
        user: String,
        /// The password.
        password: Secret,
    },
    /// By a token.
    Token(Secret),
    /// By a file with a key (`.creds`).
    Credentials(PathBuf),
}

/// The address of a broker, without user and password: `nats://HOST:PORT` or, encrypted, `tls://HOST:PORT`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokerAddress {
    is_encrypted: bool,
    /// Host and port.
    place: String,
}

impl BrokerAddress {
    /// Whether the connection is encrypted.
    pub const fn is_encrypted(&self) -> bool {
        self.is_encrypted
    }

    /// Reads an address, and the login in it. The error does not contain the login.
    ///
    /// # Errors
    /// It is no address of a broker.
    pub fn parse(text: &str) -> Result<(Self, BrokerLogin), String> {
        let wrong = || {
            "it is no address of a broker; write it as nats://HOST:4222, or encrypted as tls://HOST:4222".to_owned()
        };
        let text = text.trim();
        let (scheme, rest) = text.split_once("://").unwrap_or(("nats", text));
        let is_encrypted = match scheme {
            "nats" => false,
            "tls" => true,
            _ => return Err(wrong()),
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (login, place) = match rest.rsplit_once('@') {
            Some((login, place)) => (Some(login), place),
            None => (None, rest),
        };
        let place = place_of(place).ok_or_else(wrong)?;
        let login = login.map_or(Ok(BrokerLogin::None), login_of)?;
        Ok((Self { is_encrypted, place }, login))
    }
}

impl fmt::Display for BrokerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_encrypted { "tls" } else { "nats" };
        write!(f, "{scheme}://{}", self.place)
    }
}

/// Host and port; the port is 4222 if there is none.
fn place_of(text: &str) -> Option<String> {
    let (host, port) = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, "")) => (format!("[{host}]"), "4222"),
        Some((host, port)) => (format!("[{host}]"), port.strip_prefix(':')?),
        None => {
            let (host, port) = text.rsplit_once(':').unwrap_or((text, "4222"));
            (host.to_owned(), port)
        }
    };
    let port: u16 = port.parse().ok().filter(|port| *port > 0)?;
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    let is_host = if let Some(inner) = host.strip_prefix('[') {
        inner.trim_end_matches(']').parse::<std::net::Ipv6Addr>().is_ok()
    } else {
        !host.is_empty() && host.bytes().all(fits)
    };
    is_host.then(|| format!("{host}:{port}"))
}

fn login_of(text: &str) -> Result<BrokerLogin, String> {
    let fits = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'%' | b'/' | b'@');
    let (user, password) = match text.split_once(':') {
        Some((user, password)) => (user, Some(password)),
        None => (text, None),
    };
    if !text.bytes().all(fits) || user.is_empty() || password == Some("") {
        return Err(
            "the login in the address has characters with a meaning there; write user and password of [cluster]"
                .to_owned(),
        );
    }
    Ok(match password {
        Some(password) => {
            BrokerLogin::Password { user: user.to_owned(), password: Secret::new(password) }
        }
        None => BrokerLogin::Token(Secret::new(user)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_shown_without_their_login() {
        for (text, shown) in [
            ("nats://broker", "nats://broker:4222"),
            ("broker:4333", "nats://broker:4333"),
            ("tls://a:b@10.0.0.1:4222/", "tls://10.0.0.1:4222"),
            ("nats://word@[::1]", "nats://[::1]:4222"),
        ] {
            assert_eq!(BrokerAddress::parse(text).unwrap().0.to_string(), shown);
        }
        let (_, login) = BrokerAddress::parse("nats://anna:hush@broker").unwrap();
        assert!(matches!(&login, BrokerLogin::Password { user, .. } if user == "anna"));
        assert!(!format!("{login:?}").contains("hush"));
    }

    #[test]
    fn an_invalid_address_is_refused_without_its_login() {
        for text in [
            "http://broker",
            "nats://",
            "nats://a:hush@",
            "nats://a:hush@broker:0",
            "nats://a:hush@bro ker",
            "nats://a:hu%sh@broker",
            "nats://broker/hush",
            "nats://[hush]:4222",
            "nats://broker\u{1b}[31m",
        ] {
            let fault = BrokerAddress::parse(text).unwrap_err();
            assert!(!fault.contains("hush") && !fault.contains('\u{1b}'), "{fault}");
        }
    }
}

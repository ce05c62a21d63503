//! Access control of the page.
//!
//! - `Host` must be an IP address or a known name, so that a page of another site cannot reach this one under that
//!   site's name (DNS rebinding).
//! - `Origin`, if present, must be this page; requests made by other sites are refused.
//! - If a token is configured, a viewer must send it. Its browser then gets a session cookie with a random value.

use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, StatusCode, header};

use crate::config::DashboardConfig;
use kyomi_csa::text::{Secret, unguessable_word};

/// The checks of one page.
#[derive(Debug)]
pub(super) struct Guard {
    token: Option<Secret>,
    host: Option<String>,
    cookie: String,
    session: Secret,
}

/// What to do with a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is answered.
    Allowed,
    /// The token is right, but part of the URL: the viewer gets the cookie and is redirected to the URL without the
    /// token.
    Enter,
    /// The viewer has to enter the token.
    AsksForToken,
    /// It is refused.
    Refused(StatusCode, &'static str),
}

impl Guard {
    pub(super) fn new(config: &DashboardConfig, address: SocketAddr) -> Self {
        Self {
            token: config.token.clone(),
            host: config.host.as_ref().map(|host| host.to_ascii_lowercase()),
            // Cookies of one host are shared by all its ports.
            cookie: format!("kyomi-{}", address.port()),
            session: Secret::new(unguessable_word()),
        }
    }

    /// Checks a request by its headers and the query of its URL.
    pub(super) fn check(&self, headers: &HeaderMap, query: Option<&str>) -> Verdict {
        let Some(host) = text(headers, header::HOST.as_str()) else {
            return Verdict::Refused(StatusCode::BAD_REQUEST, "the request names no host");
        };
        if !self.knows_host(host) {
            let why = "this host name is unknown here; ask for an address, or set dashboard.host";
            return Verdict::Refused(StatusCode::MISDIRECTED_REQUEST, why);
        }
        if let Some(origin) = headers.get(header::ORIGIN) {
            let origin = origin.to_str().unwrap_or_default();
            let own = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
            if own != Some(host) {
                return Verdict::Refused(StatusCode::FORBIDDEN, "the request is of another site");
            }
        }
        let is_foreign = text(headers, "sec-fetch-site") == Some("cross-site");
        if is_foreign && text(headers, "sec-fetch-mode") != Some("navigate") {
            return Verdict::Refused(StatusCode::FORBIDDEN, "the request is of another site");
        }
        self.check_token(headers, query)
    }

    fn check_token(&self, headers: &HeaderMap, query: Option<&str>) -> Verdict {
        let Some(token) = &self.token else { return Verdict::Allowed };
        let bearer = text(headers, header::AUTHORIZATION.as_str())
            .and_then(|value| value.strip_prefix("Bearer "));
        if bearer.is_some_and(|given| token.matches(given)) {
            return Verdict::Allowed;
        }
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|it| it.to_str().ok());
        let mut pairs =
            cookies.flat_map(|line| line.split(';')).filter_map(|it| it.trim().split_once('='));
        if pairs.any(|(name, value)| name == self.cookie && self.session.matches(value)) {
            return Verdict::Allowed;
        }
        let named = query.unwrap_or_default().split('&').find_map(|it| it.strip_prefix("token="));
        if named.is_some_and(|given| token.matches(given)) {
            return Verdict::Enter;
        }
        Verdict::AsksForToken
    }

    /// The header that gives a viewer the cookie.
    pub(super) fn set_cookie(&self) -> String {
        let (name, session) = (&self.cookie, self.session.expose());
        // Lax: a link on another site ends in a redirect, which has to send the cookie. Other requests of foreign sites
        // are refused anyway.
        format!("{name}={session}; Path=/; HttpOnly; SameSite=Lax")
    }

    fn knows_host(&self, host: &str) -> bool {
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
            _ => host,
        };
        let name = name.to_ascii_lowercase();
        let address = name.strip_prefix('[').and_then(|it| it.strip_suffix(']')).unwrap_or(&name);
        match address.parse::<IpAddr>() {
            // DNS rebinding needs a name, so an address is safe. Without a token only loopback addresses are allowed.
            Ok(address) => address.is_loopback() || self.token.is_some(),
            Err(_) => name == "localhost" || self.host.as_ref() == Some(&name),
        }
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn guard(token: Option<&str>, host: Option<&str>) -> Guard {
        let config = DashboardConfig {
            address: None,
            token: token.map(Secret::new),
            host: host.map(str::to_owned),
        };
        Guard::new(&config, ([127, 0, 0, 1], 8080).into())
    }

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &str)| {
            (header::HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn names_of_other_sites_are_refused() {
        let (open, closed) = (guard(None, Some("Shogi.local")), guard(Some("0123456789ab"), None));
        let asked = |guard: &Guard, host: &str| guard.check(&headers(&[("host", host)]), None);
        for host in
            ["127.0.0.1:8080", "localhost:8080", "[::1]:8080", "shogi.local", "SHOGI.local:80"]
        {
            assert_eq!(asked(&open, host), Verdict::Allowed, "{host}");
        }
        for host in [
            "evil.example",
            "evil.example:8080",
            "192.168.1.5:8080",
            "127.0.0.1.evil.example",
            "localhost.",
            "",
        ] {
            assert!(matches!(asked(&open, host), Verdict::Refused(..)), "{host}");
        }
        assert_eq!(asked(&closed, "192.168.1.5:8080"), Verdict::AsksForToken);
        assert!(matches!(asked(&closed, "shogi.local"), Verdict::Refused(..)));
        assert!(matches!(open.check(&HeaderMap::new(), None), Verdict::Refused(..)));
    }

    #[test]
    fn requests_of_other_sites_are_refused() {
        let guard = guard(None, None);
        let asked = |more: &[(&'static str, &str)]| {
            guard.check(&headers(&[&[("host", "127.0.0.1:8080")], more].concat()), None)
        };
        assert_eq!(asked(&[("origin", "http://127.0.0.1:8080")]), Verdict::Allowed);
        for origin in
            ["http://evil.example", "null", "http://127.0.0.1:9090", "http://127.0.0.1:8080.evil"]
        {
            assert!(matches!(asked(&[("origin", origin)]), Verdict::Refused(..)), "{origin}");
        }
        assert!(matches!(asked(&[("sec-fetch-site", "cross-site")]), Verdict::Refused(..)));
        let link = [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")];
        assert_eq!(asked(&link), Verdict::Allowed);
    }

    #[test]
    fn a_token_is_named_once_and_then_a_cookie_is_enough() {
        let guard = guard(Some("0123456789ab"), None);
        let host = ("host", "192.168.1.5:8080");
        let asked = |more: &[(&'static str, &str)], query| {
            guard.check(&headers(&[&[host], more].concat()), query)
        };
        assert_eq!(asked(&[], Some("token=0123456789ab")), Verdict::Enter);
        for query in [
            None,
            Some("token="),
            Some("token=0123456789ac"),
            Some("token=0123456789abc"),
            Some("x"),
        ] {
            assert_eq!(asked(&[], query), Verdict::AsksForToken, "{query:?}");
        }
        let cookie = guard.set_cookie();
        assert!(cookie.contains("HttpOnly; SameSite=Lax") && !cookie.contains("0123456789ab"));
        let pair = cookie.split(';').next().unwrap();
        assert_eq!(asked(&[("cookie", &format!("a=b; {pair}"))], None), Verdict::Allowed);
        assert_eq!(asked(&[("cookie", "kyomi-8080=0123456789ab")], None), Verdict::AsksForToken);
        assert_eq!(asked(&[("authorization", "Bearer 0123456789ab")], None), Verdict::Allowed);
        assert!(!format!("{guard:?}").contains("0123456789ab"));
    }
}

//! `[dashboard]`.

use crate::config::{
    DashboardConfig,
    exposure::exposure,
    raw::{Origin, RawDashboard},
};
use kyomi_csa::text::Secret;

use super::{Check, address, first_line, server::host};

impl Check<'_> {
    pub(super) fn dashboard(&mut self, raw: RawDashboard) -> DashboardConfig {
        let place = raw.address.as_ref().map(|field| self.place(&field.origin));
        let both = raw.token_file.as_ref().filter(|_| raw.token.is_some());
        if let Some(place) = both.map(|field| self.place(&field.origin)) {
            let problem = "there is a token as well; keep one of the two";
            self.fault(place, "dashboard.token_file", problem);
        }
        let with_token = match (&raw.token, &raw.token_file) {
            (Some(field), _) if matches!(field.origin, Origin::File(_)) => {
                Some(self.document.label().to_owned())
            }
            (None, Some(path)) => Some(path.value.clone()),
            _ => None,
        };
        let at = self.take(
            "dashboard.address",
            raw.address,
            || None,
            |text| match text.trim() {
                "" => Ok(None),
                text => address(text).map(Some),
            },
        );
        let inline = self.take("dashboard.token", raw.token, || None, |text| token(text).map(Some));
        let filed = self.take(
            "dashboard.token_file",
            raw.token_file,
            || None,
            |path| {
                let line = first_line(path.as_ref())?;
                token(line)
                    .map(Some)
                    .map_err(|problem| format!("the first line of the file: {problem}"))
            },
        );
        let token = filed.or(inline);
        let host = self.take("dashboard.host", raw.host, || None, |text| host(text).map(Some));
        if let (Some(at), Some(place), None) = (at, place, &token)
            && !at.ip().is_loopback()
        {
            let problem = format!(
                "{at} is reached from other machines, and there is no token; write 127.0.0.1:{}, or set dashboard.token_file",
                at.port()
            );
            self.fault(place, "dashboard.address", problem);
        }
        if token.is_some()
            && let Some(path) = with_token
        {
            self.warnings.extend(exposure(path.as_ref()));
        }
        DashboardConfig { address: at, token, host }
    }
}

/// The characters need no escape in an address.
fn token(text: String) -> Result<Secret, String> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
    if !(12..=128).contains(&text.len()) || !text.bytes().all(fits) {
        return Err("a token has 12 to 128 letters, digits, -, ., _ or ~".to_owned());
    }
    Ok(Secret::new(text))
}

#[cfg(test)]
mod tests {
    use crate::config::{Config, ConfigError};

    fn read(keys: &str) -> Result<Config, ConfigError> {
        Config::from_text("test", &format!("[dashboard]\n{keys}"), [], &[]).map(|it| it.config)
    }

    #[test]
    fn other_machines_need_a_token() {
        let page = read("address = \"127.0.0.1:8080\"").unwrap().dashboard;
        assert_eq!(page.address.map(|at| at.port()), Some(8080));
        assert!(
            read("address = \"[::1]:0\"").is_ok() && read("").unwrap().dashboard.address.is_none()
        );
        let fault = read("address = \"0.0.0.0:8080\"").unwrap_err().to_string();
        assert!(fault.contains("test:2") && fault.contains("dashboard.token_file"), "{fault}");
        let fault =
            read("address = \"0.0.0.0:80\"\ntoken = \"short secret\"").unwrap_err().to_string();
        assert!(fault.contains("12 to 128") && !fault.contains("short secret"), "{fault}");
        let page = read("address = \":8080\"\ntoken = \"0123456789ab\"").unwrap();
        assert!(!format!("{page:?}").contains("0123456789ab"));
    }
}

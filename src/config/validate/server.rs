//! Checks of `[server]`.

use std::time::Duration;

use kyomi_csa::Profile;
use kyomi_csa::text::Secret;

use super::super::{
    ColorChoice, ServerConfig, ServerMode, TlsConfig, defaults,
    exposure::exposure,
    raw::{Field, Origin, RawServer},
    value::DurationText,
};
use super::{Check, between, choice, file_path, first_line, login_name, whole};

impl Check<'_> {
    pub(super) fn server(&mut self, raw: RawServer) -> ServerConfig {
        let host = self.take("server.host", raw.host, defaults::host, host);
        let port = self.take("server.port", raw.port, defaults::port, |n| whole(n, 1..=65_535));
        let password = self.password(raw.password, raw.password_file);
        let name = self.take("server.name", raw.name, defaults::player_name, login_name);
        let game = self.take("server.game", raw.game, || None, |text| game_name(text).map(Some));
        let colour = self
            .take("server.colour", raw.colour, ColorChoice::default, |text| choice(&text, COLOURS));
        let challenge = self.take("server.challenge", raw.challenge, || false, Ok);
        let profile = self
            .take("server.profile", raw.profile, Profile::default, |text| choice(&text, PROFILES));
        let mode =
            self.take("server.mode", raw.mode, ServerMode::default, |text| choice(&text, MODES));
        let comments = self.take("server.comments", raw.comments, || None, |on| Ok(Some(on)));
        let keep_alive =
            self.take("server.keep_alive", raw.keep_alive, defaults::keep_alive, |text| {
                between(&text, Duration::from_secs(35), Duration::from_secs(3600))
            });
        let handicap =
            |text: DurationText| between(&text, Duration::ZERO, Duration::from_secs(86_400));
        let handicap_black =
            self.take("server.handicap_black", raw.handicap_black, || Duration::ZERO, handicap);
        let handicap_white =
            self.take("server.handicap_white", raw.handicap_white, || Duration::ZERO, handicap);
        let tls = self.take("server.tls", raw.tls, || false, Ok);
        let ca_origin = raw.tls_ca.as_ref().map(|field| field.origin.clone());
        let authorities =
            self.take("server.tls_ca", raw.tls_ca, || None, |text| file_path(text).map(Some));
        if let Some(origin) = ca_origin
            && !tls
        {
            let place = self.place(&origin);
            self.fault(place, "server.tls_ca", "it has no effect without `tls = true`");
        }
        ServerConfig {
            host,
            port,
            name,
            password,
            game,
            colour,
            challenge,
            profile,
            mode,
            comments,
            keep_alive,
            handicap: [handicap_black, handicap_white],
            tls: tls.then_some(TlsConfig { authorities }),
            practice_opponent: false,
        }
    }

    /// The password from `password` or `password_file`, whichever comes from the later layer. Both in the same layer
    /// are a fault.
    fn password(&mut self, password: Option<Field<String>>, file: Option<Field<String>>) -> Secret {
        let from_file = |field: &Field<String>| matches!(field.origin, Origin::File(_));
        let (password, file) = match (password, file) {
            (Some(text), Some(file)) if from_file(&text) == from_file(&file) => {
                let place = self.place(&file.origin);
                let problem = "there is a password as well; keep one of the two";
                self.fault(place, "server.password_file", problem);
                return Secret::default();
            }
            (Some(text), Some(file)) if from_file(&text) => (None, Some(file)),
            (Some(text), _) => (Some(text), None),
            (None, file) => (None, file),
        };
        if password.is_none() && file.is_none() {
            let problem = "it is missing; write password or password_file into [server], \
                           or set KYOMI_SERVER_PASSWORD";
            self.fault(self.document.label().to_owned(), "server.password", problem);
        }
        let with_password = match (&password, &file) {
            (Some(text), _) if from_file(text) => Some(self.document.label().to_owned()),
            (None, Some(path)) => Some(path.value.clone()),
            _ => None,
        };
        let inline = self.take("server.password", password, Secret::default, secret);
        let filed = self.take("server.password_file", file, Secret::default, |path| {
            let line = first_line(path.as_ref())
                .map_err(|problem| format!("{problem}; a password itself belongs into password"))?;
            secret(line).map_err(|problem| format!("the first line of the file: {problem}"))
        });
        let password = if filed.expose().is_empty() { inline } else { filed };
        if !password.expose().is_empty()
            && let Some(path) = with_password
        {
            self.warnings.extend(exposure(path.as_ref()));
        }
        password
    }
}

pub(super) fn host(text: String) -> Result<String, String> {
    if text.is_empty() || text.contains(|c: char| c.is_whitespace() || c.is_control() || c == '/') {
        return Err(format!("{text:?} is no host; write a name or an address, the port apart"));
    }
    let port_inside = text.parse::<std::net::IpAddr>().is_err() && text.contains(':');
    if port_inside {
        return Err(format!("{text:?} is no host; the port goes into server.port"));
    }
    Ok(text)
}

/// A game name. Errors show nothing after a comma, since a password may follow it.
fn game_name(text: String) -> Result<String, String> {
    if let Some((name, _)) = text.split_once(',') {
        return Err(format!("write {name:?} alone; what follows the comma belongs in password"));
    }
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic()) {
        Ok(text)
    } else {
        Err(format!(
            "{text:?} is no game name; write it as floodgate-300-10F, without blank or comma"
        ))
    }
}

/// A password. The error messages never contain it.
fn secret(text: String) -> Result<Secret, String> {
    if text.is_empty() {
        Err("it is empty; servers require at least one letter".to_owned())
    } else if text.bytes().all(|b| b.is_ascii_graphic()) {
        Ok(Secret::new(text))
    } else {
        Err("a password is of printable ASCII without blanks".to_owned())
    }
}

const PROFILES: &[(&str, Profile)] = &[
    ("auto", Profile::Auto),
    ("reference", Profile::Reference),
    ("floodgate", Profile::Floodgate),
    ("wcsc", Profile::Wcsc),
    ("denryu", Profile::Denryu),
    ("rshogi", Profile::Rshogi),
    ("kyomi", Profile::Kyomi),
];
const MODES: &[(&str, ServerMode)] =
    &[("plain", ServerMode::Plain), ("extended", ServerMode::Extended)];
const COLOURS: &[(&str, ColorChoice)] =
    &[("any", ColorChoice::Any), ("black", ColorChoice::Black), ("white", ColorChoice::White)];

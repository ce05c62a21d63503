//! `[cluster]`.

use super::{Check, file_path, first_line};
use crate::config::{
    BrokerAddress, BrokerLogin, ClusterConfig,
    exposure::exposure,
    raw::{Field, Origin, RawCluster},
};
use kyomi_csa::text::Secret;

impl Check<'_> {
    /// `None` without servers, which is the normal case.
    pub(super) fn cluster(&mut self, raw: RawCluster) -> Option<ClusterConfig> {
        let place = raw.servers.as_ref().map(|field| self.place(&field.origin));
        let servers_in_file = raw.servers.as_ref().is_some_and(is_in_file);
        let read = self.take("cluster.servers", raw.servers, Vec::new, |texts| {
            texts.iter().map(|text| BrokerAddress::parse(text)).collect()
        });
        let place = place.unwrap_or_else(|| self.document.label().to_owned());
        let mut in_address = BrokerLogin::None;
        for (_, login) in &read {
            if *login == BrokerLogin::None || *login == in_address {
                continue;
            }
            if in_address != BrokerLogin::None {
                let problem = "the addresses hold different logins; one login is for all servers";
                self.fault(place.clone(), "cluster.servers", problem);
            }
            in_address = login.clone();
        }
        if servers_in_file && in_address != BrokerLogin::None {
            self.warnings.extend(exposure(self.document.label().as_ref()));
        }
        let user = self.take("cluster.user", raw.user, || None, |text| word(text).map(Some));
        let password = self.broker_password(raw.password, raw.password_file);
        let in_file = raw.token.as_ref().is_some_and(is_in_file);
        let token = self.take("cluster.token", raw.token, || None, |text| secret(text).map(Some));
        if in_file && token.is_some() {
            self.warnings.extend(exposure(self.document.label().as_ref()));
        }
        let credentials = self.take(
            "cluster.credentials",
            raw.credentials,
            || None,
            |text| file_path(text).map(Some),
        );
        let mut logins: Vec<BrokerLogin> = Vec::new();
        match (user, password) {
            (Some(user), Some(password)) => logins.push(BrokerLogin::Password { user, password }),
            (Some(_), None) => {
                let problem = "it is missing beside user; write password or password_file into \
                               [cluster], or set KYOMI_CLUSTER_PASSWORD";
                self.fault(place.clone(), "cluster.password", problem);
            }
            (None, Some(_)) if !read.is_empty() => {
                self.fault(place.clone(), "cluster.user", "it is missing beside password");
            }
            (None, _) => {}
        }
        logins.extend(token.map(BrokerLogin::Token));
        logins.extend(credentials.map(BrokerLogin::Credentials));
        logins.extend(Some(in_address).filter(|login| *login != BrokerLogin::None));
        if logins.len() > 1 {
            let problem = "there are several logins (user and password, token, credentials, or in \
                           an address); keep one of them";
            self.fault(place, "cluster", problem);
        }
        let room = self.take("cluster.room", raw.room, || DEFAULT_ROOM.to_owned(), room);
        let authorities =
            self.take("cluster.tls_ca", raw.tls_ca, || None, |text| file_path(text).map(Some));
        let name = self.take("cluster.name", raw.name, || None, |text| label(&text).map(Some));
        let servers: Vec<_> = read.into_iter().map(|(address, _)| address).collect();
        (!servers.is_empty()).then(|| ClusterConfig {
            servers,
            room,
            login: logins.pop().unwrap_or_default(),
            authorities,
            name,
        })
    }

    fn broker_password(
        &mut self,
        password: Option<Field<String>>,
        file: Option<Field<String>>,
    ) -> Option<Secret> {
        let file = match (&password, file) {
            (Some(text), Some(file)) if is_in_file(text) == is_in_file(&file) => {
                let place = self.place(&file.origin);
                let problem = "there is a password as well; keep one of the two";
                self.fault(place, "cluster.password_file", problem);
                None
            }
            // The environment and the command line override the file.
            (Some(text), Some(_)) if !is_in_file(text) => None,
            (_, file) => file,
        };
        let exposed = match (&password, &file) {
            (_, Some(path)) => Some(path.value.clone()),
            (Some(text), None) if is_in_file(text) => Some(self.document.label().to_owned()),
            _ => None,
        };
        let inline =
            self.take("cluster.password", password, || None, |text| secret(text).map(Some));
        let filed = self.take(
            "cluster.password_file",
            file,
            || None,
            |path| {
                let line = first_line(path.as_ref())?;
                secret(line)
                    .map(Some)
                    .map_err(|problem| format!("the first line of the file: {problem}"))
            },
        );
        let password = filed.or(inline)?;
        if let Some(path) = exposed {
            self.warnings.extend(exposure(path.as_ref()));
        }
        Some(password)
    }
}

fn is_in_file<T>(field: &Field<T>) -> bool {
    matches!(field.origin, Origin::File(_))
}

fn room(text: String) -> Result<String, String> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if (1..=32).contains(&text.len()) && text.bytes().all(fits) {
        Ok(text)
    } else {
        Err(format!("{text:?} is no name of a room; use 1 to 32 letters, digits, - and _"))
    }
}

fn word(text: String) -> Result<String, String> {
    if !text.is_empty() && text.len() <= 256 && text.bytes().all(|byte| byte.is_ascii_graphic()) {
        Ok(text)
    } else {
        Err("it is of printable ASCII without blanks".to_owned())
    }
}

/// The error does not contain the text.
fn secret(text: String) -> Result<Secret, String> {
    word(text).map(Secret::new)
}

fn label(text: &str) -> Result<String, String> {
    let text = text.trim();
    if (1..=60).contains(&text.chars().count()) && !text.contains(char::is_control) {
        Ok(text.to_owned())
    } else {
        Err("a name has 1 to 60 characters on one line".to_owned())
    }
}

const DEFAULT_ROOM: &str = "kyomi";

#[cfg(test)]
mod tests {
    use crate::config::{BrokerLogin, ClusterConfig, Config, ConfigError};

    fn read(keys: &str) -> Result<Option<ClusterConfig>, ConfigError> {
        let text = format!("[cluster]\n{keys}");
        Config::from_text("test", &text, [], &[]).map(|it| it.config.cluster)
    }

    #[test]
    fn without_servers_there_is_no_cluster() {
        assert!(read("").unwrap().is_none());
        assert!(read("room = \"evening\"").unwrap().is_none());
        let secret = [("KYOMI_CLUSTER_PASSWORD".into(), "hush".into())];
        let alone = Config::from_text("test", "", secret, &[]).unwrap();
        assert!(alone.config.cluster.is_none());
    }

    #[test]
    fn servers_and_login_are_read() {
        let cluster = read(
            "servers = [\"nats://a\", \"tls://b:4333\"]\nuser = \"anna\"\npassword = \"hush\"\nname = \"big one\"",
        )
        .unwrap()
        .unwrap();
        assert_eq!(cluster.shown_servers(), "nats://a:4222, tls://b:4333");
        assert_eq!(cluster.room, "kyomi");
        assert!(!format!("{cluster:?}").contains("hush"));
        let cluster = read("servers = [\"nats://word@a\"]").unwrap().unwrap();
        assert!(matches!(cluster.login, BrokerLogin::Token(_)));
        assert!(!format!("{cluster:?}").contains("word"));
    }

    #[test]
    fn faults_name_the_key_and_hide_the_secret() {
        for (keys, words) in [
            ("servers = [\"http://anna:hush@a\"]", "cluster.servers"),
            ("servers = [\"nats://a\"]\nuser = \"anna\"", "KYOMI_CLUSTER_PASSWORD"),
            ("servers = [\"nats://a\"]\npassword = \"hush\"", "cluster.user"),
            ("servers = [\"nats://a:hush@b\"]\ntoken = \"hush\"", "several logins"),
            ("servers = [\"nats://a:hush@b\", \"nats://a:hush2@c\"]", "different logins"),
            ("servers = [\"nats://a\"]\nroom = \"a.b\"", "no name of a room"),
            ("servers = [\"nats://a\"]\ntoken = \"hu sh\"", "cluster.token"),
        ] {
            let fault = read(keys).unwrap_err().to_string();
            assert!(fault.contains(words) && !fault.contains("hush"), "{fault}");
        }
    }
}

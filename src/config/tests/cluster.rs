//! `[cluster]`.

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

#[cfg(unix)]
#[test]
fn a_file_with_the_login_of_the_broker_that_others_can_read_is_warned_about() {
    use std::os::unix::fs::PermissionsExt as _;
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().display();
    let text = format!("[cluster]\nservers = [\"nats://a\"]\ncredentials = \"{path}\"\n");
    for (mode, warned) in [(0o644, true), (0o600, false)] {
        let rights = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(file.path(), rights).unwrap();
        let loaded = Config::from_text("test", &text, [], &[]).unwrap();
        let warning = "contains the login of the broker, and other users can read it";
        let has = loaded.warnings.iter().any(|it| it.text.contains(warning));
        assert_eq!(has, warned, "{:?}", loaded.warnings);
    }
}

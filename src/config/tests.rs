mod accounts;
mod cluster;
mod dashboard;
mod faults;
pub(super) mod local_toml;
mod notify;

use std::{ffi::OsString, fs, path::Path, time::Duration};

use expect_test::{Expect, expect};
use tempfile::NamedTempFile;

use super::*;

/// A temporary file of one test. Its name is in the messages.
fn test_file(name: &str, text: &str) -> NamedTempFile {
    let start = format!("kyomi-config-{}-{name}", std::process::id());
    let file = tempfile::Builder::new().prefix(&start).suffix(".toml").rand_bytes(0).tempfile();
    let file = file.unwrap();
    fs::write(file.path(), text).unwrap();
    file
}

fn load_with(
    name: &str,
    text: &str,
    environment: &[(&str, &str)],
    overrides: &[Override],
) -> Result<Loaded, ConfigError> {
    let file = test_file(name, text);
    let environment = environment.iter().map(|(k, v)| (OsString::from(k), OsString::from(v)));
    Config::load(Some(file.path()), environment, overrides)
}

fn load(name: &str, text: &str) -> Config {
    load_with(name, text, &[], &[]).unwrap().config
}

fn refused(name: &str, text: &str, expected: &Expect) {
    let error = load_with(name, text, &[], &[]).unwrap_err().to_string();
    expected.assert_eq(&without_path(&error));
}

/// The message without the name of the temporary folder.
fn without_path(error: &str) -> String {
    let folder = std::env::temp_dir().join(format!("kyomi-config-{}-", std::process::id()));
    error.replace(&folder.display().to_string(), "")
}

const PASSWORD: (&str, &str) = ("KYOMI_SERVER_PASSWORD", "from-the-environment");

#[test]
fn an_empty_file_is_the_defaults() {
    assert_eq!(load("empty", ""), Config::default());
}

#[test]
fn local_toml_is_the_defaults() {
    let text = include_str!("../../config/local.toml");
    assert_eq!(load("local", text), Config::default());
}

fn config_files() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("config");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().extension().is_some_and(|it| it == "toml"))
        .map(|entry| {
            let name = entry.file_name().to_str().unwrap().trim_end_matches(".toml").to_owned();
            (name, fs::read_to_string(entry.path()).unwrap())
        })
        .collect();
    files.sort();
    files
}

/// Takes the `#` from `#key = …` and `#[table]`; other comments have a blank after it.
fn uncommented(text: &str) -> String {
    let bare = |line: &str| {
        line.strip_prefix('#')
            .filter(|rest| {
                rest.starts_with('[') || rest.starts_with(|c: char| c.is_ascii_alphabetic())
            })
            .unwrap_or(line)
            .to_owned()
    };
    text.lines().map(bare).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_file_of_the_config_folder_loads() {
    let names: Vec<_> = config_files().into_iter().map(|(name, _)| name).collect();
    assert_eq!(
        names,
        ["cluster", "denryu", "floodgate", "lan-server", "local", "usi-bridge", "wcsc"]
    );
    for (name, text) in config_files() {
        let loaded = load_with(&name, &text, &[PASSWORD], &[]).unwrap();
        // A build without the feature warns that the table has no effect.
        let expected = usize::from(name == "cluster" && !cfg!(feature = "cluster"));
        assert_eq!(loaded.warnings.len(), expected, "{name}: {:?}", loaded.warnings);
    }
}

#[test]
fn every_file_of_the_config_folder_loads_with_its_commented_keys_enabled() {
    for (name, text) in config_files() {
        let name = format!("{name}-uncommented");
        load_with(&name, &uncommented(&text), &[PASSWORD], &[]).unwrap();
    }
}

#[test]
fn a_whole_server_table_is_read() {
    let config = load(
        "server",
        r#"
        games = 0
        [server]
        host = "wdoor.c.u-tokyo.ac.jp"
        name = "kyomi_test"
        password = "trip"
        game = "floodgate-300-10F"
        profile = "floodgate"
        mode = "extended"
        comments = false
        keep_alive = "1m"
        "#,
    );
    let server = config.server.unwrap();
    assert_eq!(server.port, 4081);
    assert_eq!(server.login_password().expose(), "trip");
    let plain = ServerConfig { mode: ServerMode::Plain, ..server.clone() };
    assert_eq!(plain.login_password().expose(), "floodgate-300-10F,trip");
    let black = ServerConfig { colour: Some(kyomi_shogi::Color::Black), ..plain };
    assert_eq!(black.login_password().expose(), "floodgate-300-10F-B,trip");
    assert_eq!(server.profile, kyomi_csa::Profile::Floodgate);
    assert_eq!(server.mode, ServerMode::Extended);
    assert_eq!(server.comments, Some(false));
    assert_eq!(server.keep_alive, Duration::from_secs(60));
}

#[test]
fn engine_options_take_any_scalar_and_keep_their_order() {
    let config = load(
        "options",
        r#"
        [engine]
        kind = "usi"
        path = "engines/x"
        args = ["--nn", "a b"]
        [engine.options]
        USI_Hash = 1024
        "Book File" = "standard.db"
        PvInterval = 0.5
        Ponder_Early = true
        "#,
    );
    let options: Vec<_> =
        config.engine.options.iter().map(|it| (it.name.as_str(), it.value.as_str())).collect();
    assert_eq!(
        options,
        [
            ("USI_Hash", "1024"),
            ("Book File", "standard.db"),
            ("PvInterval", "0.5"),
            ("Ponder_Early", "true")
        ]
    );
    assert_eq!(config.engine.args, ["--nn", "a b"]);
}

#[test]
fn without_an_opponent_the_same_engine_plays_both_sides() {
    let config = load("same", "[engine]\nthreads = 3\n");
    let opponent = config.local_opponent();
    assert_eq!(opponent.engine, config.engine);
    assert_ne!(opponent.name, config.player_name());
}

#[test]
fn later_layers_override_earlier_ones() {
    let text = "games = 2\n[engine]\nthreads = 2\n[view]\nstyle = \"quiet\"\n";
    let environment = [("KYOMI_ENGINE_THREADS", "3"), ("KYOMI_VIEW_STYLE", "lines")];
    let overrides = [Override::new("--view", "view.style", "live")];
    let config = load_with("layers", text, &environment, &overrides).unwrap().config;
    assert_eq!(config.games, 2);
    assert_eq!(config.engine.threads.unwrap().get(), 3);
    assert_eq!(config.view.style, ViewStyle::Live);
}

#[test]
fn a_whole_time_control_replaces_all_of_the_files() {
    let text = "[time]\ntotal = \"10m\"\nbyoyomi = \"10s\"\n";
    let overrides = [Override::new("--time", "time", "60+1.5")];
    let time = load_with("time", text, &[], &overrides).unwrap().config.time;
    assert_eq!(time.total, Duration::from_secs(60));
    assert_eq!(time.byoyomi, Duration::ZERO);
    assert_eq!(time.increment, Duration::from_millis(1500));
}

#[test]
fn overrides_reach_lists_and_engine_options() {
    let overrides = [
        Override::new("--set", "engine.args", "-a -b"),
        Override::new("--set", "opponent.args", "[\"-a\", \"b c\"]"),
        Override::new("--set", "engine.options.Threads", "4"),
    ];
    let config = load_with("set", "", &[], &overrides).unwrap().config;
    assert_eq!(config.engine.args, ["-a", "-b"]);
    assert_eq!(config.opponent.unwrap().engine.args, ["-a", "b c"]);
    assert_eq!(config.engine.options[0].value, "4");
}

#[test]
fn the_environment_sets_the_password_but_does_not_select_a_server() {
    let config = load_with("no-server", "", &[PASSWORD], &[]).unwrap().config;
    assert_eq!(config.server, None);
    let text = "[server]\npassword = \"in-the-file\"\n";
    let config = load_with("env-password", text, &[PASSWORD], &[]).unwrap().config;
    assert_eq!(config.server.unwrap().password.expose(), "from-the-environment");
    let environment = [PASSWORD, ("KYOMI_SERVER_HOST", "localhost")];
    let config = load_with("env-host", "", &environment, &[]).unwrap().config;
    assert_eq!(config.server.unwrap().host, "localhost");
}

#[test]
fn a_password_file_is_its_first_line() {
    let secret = test_file("password-text", "trip-of-mine\r\nsecond line\n");
    let text = format!("[server]\npassword_file = '{}'\n", secret.path().display());
    assert_eq!(load("file", &text).server.unwrap().password.expose(), "trip-of-mine");
    let loaded = load_with("file-env", &text, &[PASSWORD], &[]).unwrap();
    assert_eq!(loaded.config.server.unwrap().password.expose(), "from-the-environment");
}

#[test]
fn unknown_kyomi_variables_warn_and_other_variables_are_ignored() {
    let environment = [
        ("KYOMI_ENGINE_THREAD", "2"),
        ("KYOMI_COLOUR", "red"),
        ("KYOMI_TEST_DATA", "x"),
        ("HOME", "/"),
    ];
    let warnings = load_with("unknown-env", "", &environment, &[]).unwrap().warnings;
    expect![[r#"
        [
            "unknown environment variable KYOMI_ENGINE_THREAD is ignored; did you mean KYOMI_ENGINE_THREADS?",
            "unknown environment variable KYOMI_COLOUR is ignored",
        ]
    "#]]
    .assert_debug_eq(&warnings.iter().map(ToString::to_string).collect::<Vec<_>>());
}

mod properties {
    use proptest::prelude::*;

    use super::*;

    const SECRET: &str = "correcthorsebattery";

    /// A file with a password and a typing error.
    fn mistyped() -> impl Strategy<Value = String> {
        let text = format!(
            "games = 1\n[server]\nhost = \"localhost\"\npassword = \"{SECRET}\"\nport = 4081\n\
             [engine.options]\nThreads = 2\n"
        );
        let edit = (0..text.len(), 0..3_u8, prop::sample::select(b"\"'=[]{}#\n\\., x".to_vec()));
        prop::collection::vec(edit, 1..5).prop_map(move |edits| {
            let mut bytes = text.clone().into_bytes();
            for (at, kind, byte) in edits {
                let at = at.min(bytes.len() - 1);
                match kind {
                    0 => bytes[at] = byte,
                    1 => bytes.insert(at, byte),
                    _ => drop(bytes.remove(at)),
                }
            }
            String::from_utf8(bytes).unwrap()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        #[test]
        fn no_typing_error_reveals_a_password(text in mistyped()) {
            let document = document::Document::new("my.toml".to_owned(), text);
            let shown = match document.parse() {
                Ok(raw) => match validate::check(raw, &document, Vec::new(), Vec::new()) {
                    Ok(loaded) => format!("{:?}{loaded:?}", loaded.warnings),
                    Err(error) => format!("{error}{error:?}"),
                },
                Err(fault) => format!("{fault}{fault:?}"),
            };
            // Not even eight letters of the password may be shown.
            for part in SECRET.as_bytes().windows(8) {
                prop_assert!(!shown.contains(std::str::from_utf8(part).unwrap()), "{shown}");
            }
        }

        #[test]
        fn no_text_makes_reading_panic(text in ".{0,200}") {
            let _ = document::Document::new(String::new(), text.clone()).parse();
            let _ = text.parse::<kyomi_shogi::clock::GameTime>();
            let _ = value::duration(&text);
            let _ = value::size(&text);
        }
    }
}

#[test]
fn ponder_is_off_or_the_named_reply_or_the_pv() {
    for (value, ponder) in
        [("true", Ponder::Named), ("false", Ponder::Off), ("\"pv\"", Ponder::NamedOrPv)]
    {
        let text = format!("[engine]\nponder = {value}\n[opponent]\nponder = {value}\n");
        let config = load("ponder", &text);
        assert_eq!(config.engine.ponder, ponder);
        assert_eq!(config.local_opponent().engine.ponder, ponder);
    }
    assert_eq!(load("no-ponder", "").engine.ponder, Ponder::Off);
    for (value, ponder) in [
        ("true", Ponder::Named),
        (" false ", Ponder::Off),
        ("pv", Ponder::NamedOrPv),
        ("early", Ponder::Early),
    ] {
        let variables = [("KYOMI_ENGINE_PONDER", value)];
        let loaded = load_with("ponder", "", &variables, &[]).unwrap();
        assert_eq!(loaded.config.engine.ponder, ponder);
    }
}

#[test]
fn the_value_of_an_engine_option_is_kept_as_it_is() {
    let value = |loaded: Result<Loaded, ConfigError>| {
        loaded.map(|loaded| loaded.config.engine.options[0].value.clone())
    };
    let text = "[engine.options]\nSeed = 18446744073709551615\n";
    assert_eq!(value(load_with("option", text, &[], &[])).unwrap(), "18446744073709551615");
    let set = |text: &str| {
        let options = [Override::new("--set", "engine.options.Name", text)];
        value(load_with("option", "", &[], &options))
    };
    assert_eq!(set(" two words ").unwrap(), " two words ");
    assert!(set("two\n").is_err());
}

#[test]
fn an_unknown_ponder_value_is_refused_with_the_known_ones() {
    refused(
        "odd-ponder",
        "[engine]\nponder = \"on\"\n",
        &expect![[
            r#"odd-ponder.toml:2: engine.ponder: "on" is unknown; known are true, false, pv or early"#
        ]],
    );
    refused(
        "ponder-number",
        "[engine]\nponder = 1\n",
        &expect![[
            r#"ponder-number.toml:2: engine.ponder: expected true, false, "pv" or "early", found a whole number"#
        ]],
    );
}

#[test]
fn a_schedule_is_parsed_and_its_faults_are_reported() {
    let config = load(
        "schedule",
        "[schedule]\nwindows = [\"18:00-23:00\", \"sat,sun 9:00-24:00\"]\ngames = 3\npause = \"1m\"\n",
    );
    let schedule = config.schedule;
    assert_eq!((schedule.windows.len(), schedule.games), (2, 3));
    assert_eq!(schedule.pause, Duration::from_secs(60));
    refused(
        "schedule",
        "[schedule]\nwindows = [\"18:00-18:00\"]\ngames = -1\npause = \"8 days\"\n",
        &expect![[
            r#"schedule.toml:2: schedule.windows: "18:00-18:00" is no window; write "18:00-23:00", "sat,sun 9:00-24:00", "2027-05-03 9:00-17:30" or "2027-05-03 18:00 - 2027-05-05 9:00"; schedule.toml:3: schedule.games: -1 is out of range; 0 to 1000000000 is right; schedule.toml:4: schedule.pause: "8 days" is not a duration; write it with a unit, such as "60s" or "1h 30m""#
        ]],
    );
}

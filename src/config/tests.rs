use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use expect_test::{Expect, expect};

use super::{
    raw::{LISTS, TABLES},
    *,
};

/// A temporary file of one test.
struct TestFile(PathBuf);

impl TestFile {
    fn new(name: &str, text: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("kyomi-config-{}-{name}.toml", std::process::id()));
        fs::write(&path, text).unwrap();
        Self(path)
    }
}

impl Drop for TestFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn load_with(
    name: &str,
    text: &str,
    environment: &[(&str, &str)],
    overrides: &[Override],
) -> Result<Loaded, ConfigError> {
    let file = TestFile::new(name, text);
    let environment = environment.iter().map(|(k, v)| (OsString::from(k), OsString::from(v)));
    Config::load(Some(&file.0), environment, overrides)
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
fn the_compiled_in_file_is_the_defaults() {
    let text = include_str!("../../config/local.toml");
    assert_eq!(load("compiled", text), Config::default());
}

fn config_files() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("config");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
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
    assert_eq!(names, ["denryu", "floodgate", "lan-server", "local", "usi-bridge", "wcsc"]);
    for (name, text) in config_files() {
        let loaded = load_with(&name, &text, &[PASSWORD], &[]).unwrap();
        assert_eq!(loaded.warnings, [""; 0], "{name}");
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
fn local_toml_names_every_key_in_its_table() {
    let text = include_str!("../../config/local.toml");
    let mut table = String::new();
    let mut seen = Vec::new();
    for line in text.lines() {
        let line = line.trim_start_matches('#');
        if let Some(name) = line.strip_prefix('[') {
            name.trim_start_matches('[').split(']').next().unwrap().clone_into(&mut table);
        } else if let Some((key, _)) = line.split_once(" = ") {
            seen.push(document::dotted(&table, key));
        }
    }
    let accounts = LISTS.iter().filter(|(table, _)| *table == "account");
    for (table, keys) in TABLES.iter().chain(accounts) {
        for key in *keys {
            let path = document::dotted(table, key);
            assert!(seen.contains(&path), "{path} is missing in config/local.toml");
        }
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
    let black = ServerConfig { colour: ColorWish::Black, ..plain };
    assert_eq!(black.login_password().expose(), "floodgate-300-10F-B,trip");
    assert_eq!(server.profile, ProfileName::Floodgate);
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
fn later_layers_win() {
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
    let secret = TestFile::new("password-text", "trip-of-mine\r\nsecond line\n");
    let text = format!("[server]\npassword_file = '{}'\n", secret.0.display());
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
    .assert_debug_eq(&warnings);
}

#[test]
fn a_misspelt_key_is_named_with_its_line_and_the_right_one() {
    refused(
        "typo",
        "games = 1\n\n[server]\nhost = \"a\"\nprot = 4081\n",
        &expect!["typo.toml:5: server.prot: unknown key; did you mean `port`?"],
    );
    refused(
        "typo-table",
        "[sever]\nhost = \"a\"\n",
        &expect!["typo-table.toml:1: sever: unknown key; did you mean [server]?"],
    );
    refused(
        "misplaced",
        "[time]\nthreads = 2\n",
        &expect!["misplaced.toml:2: time.threads: unknown key; `threads` belongs into [engine]"],
    );
    refused(
        "stranger",
        "[view]\npicture = \"red\"\n",
        &expect!["stranger.toml:2: view.picture: unknown key; known are style"],
    );
    refused(
        "inline",
        "view = { stile = \"live\" }\n",
        &expect!["inline.toml:1: view.stile: unknown key; did you mean `style`?"],
    );
}

#[test]
fn a_wrong_type_names_the_expected_one() {
    refused(
        "type",
        "[server]\nport = \"4081\"\n",
        &expect!["type.toml:2: server.port: expected a whole number, found a text"],
    );
    refused(
        "type-duration",
        "[time]\ntotal = 60\n",
        &expect![[
            r#"type-duration.toml:2: time.total: expected a duration in quotes, such as "60s", found a whole number"#
        ]],
    );
    refused(
        "type-table",
        "server = \"localhost\"\n",
        &expect!["type-table.toml:1: server: expected a table, such as [server], found a text"],
    );
    refused(
        "type-list",
        "[engine]\nargs = \"-a\"\n",
        &expect![[
            r#"type-list.toml:2: engine.args: expected a list, such as ["-a", "-b"], found a text"#
        ]],
    );
    refused(
        "type-option",
        "[engine.options]\nThreads = [1]\n",
        &expect![
            "type-option.toml:2: engine.options.Threads: expected a text, a number, true or false, found a list"
        ],
    );
}

#[test]
fn broken_syntax_has_its_line() {
    refused(
        "syntax",
        "games = 1\n[time\ntotal = \"1s\"\n",
        &expect!["syntax.toml:2: time: unclosed table, expected `]`"],
    );
    refused("twice", "games = 1\ngames = 2\n", &expect!["twice.toml:2: games: duplicate key"]);
}

#[test]
fn value_faults_are_reported_together() {
    refused(
        "values",
        r#"games = -1
[server]
host = "example.org:4081"
port = 70000
name = "two words"
password = "x"
profile = "flodgate"
keep_alive = "5s"
[time]
total = "0s"
[engine]
kind = "usi"
hash = "12"
threads = 0
[records]
name = "{date}_{black}"
[listen]
address = "4081"
"#,
        &expect![[
            r#"values.toml:1: games: -1 is out of range; 0 to 1000000000 is right; values.toml:3: server.host: "example.org:4081" is no host; the port goes into server.port; values.toml:4: server.port: 70000 is out of range; 1 to 65535 is right; values.toml:5: server.name: "two words" is no login name; 1 to 32 of A-Z a-z 0-9 _ @ . - are right; values.toml:7: server.profile: "flodgate" is unknown; did you mean "floodgate"? (known are auto, reference, floodgate, wcsc, denryu, rshogi or kyomi); values.toml:8: server.keep_alive: "5s" is out of range; 35s to 3600s is right; values.toml:10: time: total, byoyomi and increment are all zero; neither side could move; values.toml:12: engine.path: it is missing; a USI engine needs the path of its program; values.toml:14: engine.threads: 0 is out of range; 1 to 1024 is right; values.toml:13: engine.hash: "12" is not a size; write it with a unit, such as "256MiB"; values.toml:18: listen.address: "4081" is no address; write it as 0.0.0.0:4081, [::]:4081 or :4081"#
        ]],
    );
}

#[test]
fn the_error_of_a_missing_password_names_its_keys() {
    refused(
        "no-password",
        "[server]\nhost = \"localhost\"\n",
        &expect![
            "no-password.toml: server.password: it is missing; write password or password_file into [server], or set KYOMI_SERVER_PASSWORD"
        ],
    );
}

#[test]
fn faults_outside_the_file_name_their_source() {
    let environment = [("KYOMI_ENGINE_THREADS", "many")];
    let overrides = [
        Override::new("--time", "time", "fast"),
        Override::new("--games", "games", "-3"),
        Override::new("--set", "engine.thread", "2"),
    ];
    let error = load_with("outside", "", &environment, &overrides).unwrap_err();
    expect![[r#"environment variable KYOMI_ENGINE_THREADS: engine.threads: expected a whole number; --time: "fast" is not a time control; write 1200, 60+1 (increment) or 600,byoyomi=10; --set: engine.thread: unknown key; did you mean `threads`?; --games: games: -3 is out of range; 0 to 1000000000 is right"#]]
    .assert_eq(&error.to_string());
}

#[test]
fn no_fault_contains_a_password() {
    let broken = [
        "[server]\npassword = hunter2\n",
        "[server]\npassword = \"hunter2\n",
        "[server]\npassword = 'hunter2\"\n",
        "[server]\npassword = \"hunter2\" hunter2\n",
        "[server]\npassword = \"a\\hunter2\"\n",
        "[server]\npassword = [\"hunter2\"]\n",
        "[server]\npassword = \"hunter2 hunter2\"\n",
        "[server]\npasword = \"hunter2\"\n",
        "[server]\npassword = \"x\n[hunter2\"\n",
        "[server]\npassword = \"x\nhunter2 = \"\n",
        "[server]\npassword = \"hunter2\"\npassword = \"hunter2\"\n",
        "[server]\npassword = \"\"\"\nhunter2\"\"\" x\n",
        "server = \"hunter2\"\n",
        "server = { password = hunter2 }\n",
        "server = { password = \"hunter2\", prot = 1 }\n",
        "[server]\nport = \"hunter2\"\npassword = \"hunter2\"\n",
        "password = \"hunter2\"\n",
        "[server]\npassword = \"hunter2\"\nport = 0\n",
        "[server]\npassword = \"hunter2\"\npassword_file = \"x\"\n",
    ];
    for (n, text) in broken.into_iter().enumerate() {
        let error = load_with(&format!("secret-{n}"), text, &[], &[]).unwrap_err();
        for printed in [format!("{error}"), format!("{error:?}")] {
            assert!(!printed.contains("hunter2"), "{text}\n{printed}");
        }
    }
    let number = load_with("secret-number", "[server]\npassword = 20261121\n", &[], &[]);
    assert!(!format!("{:?}", number.unwrap_err()).contains("20261121"));
    let config = load("secret", "[server]\npassword = \"hunter2\"\n");
    assert!(!format!("{config:?}").contains("hunter2"));
}

#[test]
fn a_missing_file_is_named() {
    let error = Config::load(Some(Path::new("config/nowhere.toml")), [], &[]).unwrap_err();
    assert_eq!(error.to_string(), "reading config/nowhere.toml");
    assert!(error.hint().is_some());
}

#[test]
fn the_two_sides_of_a_local_game_need_two_names() {
    refused(
        "names",
        "[opponent]\nname = \"kyomi\"\n",
        &expect![[r#"names.toml: opponent.name: "kyomi" is our own name; the two sides need two"#]],
    );
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
            let _ = text.parse::<TimeConfig>();
            let _ = value::duration(&text);
            let _ = value::size(&text);
        }
    }
}

#[test]
fn pondering_is_off_or_on_what_the_engine_names_or_on_its_line() {
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
fn accounts_take_what_they_do_not_say_from_the_file() {
    let config = load(
        "accounts",
        r#"
        games = 0
        [server]
        host = "wdoor.c.u-tokyo.ac.jp"
        password = "one"
        game = "floodgate-300-10F"
        [budget]
        resign_moves = 5
        [engine]
        kind = "usi"
        path = "a"
        hash = "1GiB"
        [engine.options]
        Threads = 4
        [[fallback]]
        kind = "random"
        [[account]]
        [account.server]
        name = "first"
        [account.engine.options]
        Threads = 2
        EvalDir = "x"
        [account.budget]
        resign_score = -500
        [[account]]
        label = "other"
        games = 3
        memory = "64MiB"
        fallback = []
        [account.server]
        host = "example.org"
        port = 4082
        name = "second"
        password = "two"
        [account.engine]
        kind = "builtin"
        threads = 2
        "#,
    );
    assert_eq!((config.server.as_ref(), config.accounts.len()), (None, 2));
    let [first, second] = config.accounts.clone().try_into().unwrap();
    assert_eq!((first.label.as_str(), first.games), ("first", 0));
    assert_eq!(first.server.host, "wdoor.c.u-tokyo.ac.jp");
    assert_eq!(first.server.login_password().expose(), "floodgate-300-10F,one");
    assert_eq!((first.budget.resign_moves, first.budget.resign_score), (5, -500));
    assert_eq!((first.engine.kind, first.cores, first.memory), (EngineKind::Usi, None, None));
    let options: Vec<_> = first.engine.options.iter().map(|option| option.value.as_str()).collect();
    assert_eq!(options, ["2", "x"]);
    assert_eq!(first.fallback.unwrap()[0].kind, EngineKind::Random);
    assert_eq!((second.label.as_str(), second.games, second.server.port), ("other", 3, 4082));
    assert_eq!(second.server.password.expose(), "two");
    assert_eq!((second.engine.path, second.engine.hash), (None, 64 << 20));
    assert_eq!(second.cores.map(usize::from), Some(2));
    assert_eq!(second.fallback, Some(Vec::new()));
    let alone = config.for_account(&config.accounts[1]);
    assert_eq!((alone.games, alone.server.unwrap().name), (3, "second".to_owned()));
}

#[test]
fn hostile_accounts_are_refused() {
    let twice = "[server]\npassword = \"x\"\n[[account]]\n[account.server]\nname = \"a\"\n\
                 [[account]]\n[account.server]\nname = \"a\"\n";
    let expected = expect![[
        r#"same.toml: account: two accounts log in as "a" at 127.0.0.1; each needs its own server.name"#
    ]];
    refused("same", twice, &expected);
    let wrong = r#"
[[account]]
label = "two words"
cores = 0
memory = "12"
games = -1
[account.server]
port = 99999
[[account]]
lable = "b"
"#;
    let expected = expect!["form.toml:10: account.lable: unknown key; did you mean `label`?"];
    refused("form", wrong, &expected);
    let expected = expect![[
        r#"values.toml:4: account.cores: 0 is out of range; 1 to 1024 is right; values.toml:5: account.memory: "12" is not a size; write it with a unit, such as "256MiB"; values.toml:8: account.server.port: 99999 is out of range; 1 to 65535 is right; values.toml: account.server.password: it is missing; write password or password_file into [server], or set KYOMI_SERVER_PASSWORD; values.toml:3: account.label: "two words" is no login name; 1 to 32 of A-Z a-z 0-9 _ @ . - are right; values.toml:6: account.games: -1 is out of range; 0 to 1000000000 is right"#
    ]];
    refused("values", &wrong.replace("[[account]]\nlable = \"b\"\n", ""), &expected);
    let many = "[[account]]\n".repeat(2000);
    let error = load_with("many", &many, &[PASSWORD], &[]).unwrap_err().to_string();
    assert!(error.contains("2000 accounts; 64 at most are right"), "{error}");
}

#[test]
fn a_notification_goes_to_a_command_and_a_hook() {
    let config = load(
        "notify",
        r#"
        sleep = true
        [notify]
        command = ["notify-send", "-u", "low"]
        url = "https://ptb.discord.com/api/webhooks/1/hidden"
        on = ["game", "summary"]
        summary = "23:05"
        "#,
    );
    assert!(config.sleep && config.notify.is_on());
    let notify = config.notify;
    assert_eq!(notify.command, ["notify-send", "-u", "low"]);
    assert!(!format!("{notify:?}").contains("hidden"));
    let hook = notify.hook.clone().unwrap();
    assert_eq!(hook.form, HookForm::Discord);
    assert!(hook.url.expose().ends_with("/hidden"));
    assert!(notify.has(NotifyKind::Game) && !notify.has(NotifyKind::Engine));
    assert_eq!(notify.summary, Some(jiff::civil::time(23, 5, 0, 0)));
    for (url, form) in [
        ("https://hooks.slack.com/services/x", HookForm::Slack),
        ("https://discord.com.example.org/x", HookForm::Json),
        ("http://127.0.0.1:8080/x", HookForm::Json),
    ] {
        let loaded = load_with("form", "", &[("KYOMI_NOTIFY_URL", url)], &[]).unwrap();
        assert_eq!(loaded.config.notify.hook.unwrap().form, form, "{url}");
    }
}

#[test]
fn a_fault_in_notify_never_shows_the_address() {
    for text in [
        "url = \"ftp://host/hidden\"",
        "url = \"https://\"",
        "url = \"https://user:hidden@host/\"",
        "url = \"https://host/hidden here\"",
        "url = \"https://host/hidden\\u001b[2J\"",
        "url = https://host/hidden",
        "url = [\"https://host/hidden\"]",
        "url_file = \"https://host/hidden\"",
        "url = \"https://host/hidden\"\nurl_file = \"x\"",
    ] {
        let text = format!("[notify]\n{text}\n");
        let error = load_with("hidden", &text, &[], &[]).unwrap_err().to_string();
        assert!(!without_path(&error).replace("hidden.toml", "").contains("hidden"), "{error}");
    }
    for text in [
        "command = [\"\"]",
        "command = \"notify-send\"",
        "command = [\"a\\u0000b\"]",
        "on = [\"games\"]",
        "form = \"irc\"",
        "summary = \"25:00\"",
    ] {
        let text = format!("[notify]\n{text}\n");
        let error = load_with("wrong", &text, &[], &[]).unwrap_err().to_string();
        assert!(error.contains("wrong.toml:2: notify."), "{error}");
    }
    let url = format!("https://host/{}", "x".repeat(100_000));
    assert!(load_with("long", "", &[("KYOMI_NOTIFY_URL", &url)], &[]).is_err());
}

#[test]
fn a_schedule_is_read_and_its_faults_are_named() {
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

//! Faults of a configuration: what is wrong, where, and what is right.

use super::*;

#[test]
fn a_misspelt_key_is_reported_with_its_line_and_a_suggestion() {
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
fn a_syntax_error_is_reported_with_its_line() {
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
            r#"values.toml:1: games: -1 is out of range; 0 to 1000000000 is right; values.toml:3: server.host: "example.org:4081" is no host; the port goes into server.port; values.toml:4: server.port: 70000 is out of range; 1 to 65535 is right; values.toml:5: server.name: "two words" is no login name; 1 to 32 of A-Z a-z 0-9 _ @ . - are right; values.toml:7: server.profile: "flodgate" is unknown; did you mean "floodgate"? (known are auto, reference, floodgate, wcsc, denryu, rshogi or kyomi); values.toml:8: server.keep_alive: "5s" is out of range; 35s to 3600s is right; values.toml:10: time: total, byoyomi and increment are all zero; neither side could move; values.toml:12: engine.path: it is missing; a USI engine needs the path of its program; values.toml:13: engine.hash: "12" is not a size; write it with a unit, such as "256MiB"; values.toml:14: engine.threads: 0 is out of range; 1 to 1024 is right; values.toml:18: listen.address: "4081" is no address; write it as 0.0.0.0:4081, [::]:4081 or :4081"#
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
fn a_missing_file_is_reported() {
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

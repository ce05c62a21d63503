//! `[[account]]`.

use super::*;

#[test]
fn accounts_inherit_missing_keys_from_the_file() {
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
        r#"values.toml:3: account.label: "two words" is no login name; 1 to 32 of A-Z a-z 0-9 _ @ . - are right; values.toml:4: account.cores: 0 is out of range; 1 to 1024 is right; values.toml:5: account.memory: "12" is not a size; write it with a unit, such as "256MiB"; values.toml:6: account.games: -1 is out of range; 0 to 1000000000 is right; values.toml:8: account.server.port: 99999 is out of range; 1 to 65535 is right; values.toml: account.server.password: it is missing; write password or password_file into [server], or set KYOMI_SERVER_PASSWORD"#
    ]];
    refused("values", &wrong.replace("[[account]]\nlable = \"b\"\n", ""), &expected);
    let second = "[[account]]\n[account.server]\nname = \"a\"\npassword = \"x\"\n\
                  [[account]]\n[account.server]\nname = \"b\"\n";
    let expected = expect![
        "second.toml: account.server.password: it is missing; write password or password_file into [server], or set KYOMI_SERVER_PASSWORD"
    ];
    refused("second", second, &expected);
    let many = "[[account]]\n".repeat(2000);
    let error = load_with("many", &many, &[PASSWORD], &[]).unwrap_err().to_string();
    assert!(error.contains("2000 accounts; 64 at most are right"), "{error}");
}

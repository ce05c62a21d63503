//! `[dashboard]`.

use crate::config::{Config, ConfigError, Override};

fn read(keys: &str) -> Result<Config, ConfigError> {
    Config::from_text("test", &format!("[dashboard]\n{keys}"), [], &[]).map(|it| it.config)
}

#[test]
fn other_machines_need_a_token() {
    let page = read("address = \"127.0.0.1:8080\"").unwrap().dashboard;
    assert_eq!(page.address.map(|at| at.port()), Some(8080));
    assert!(read("address = \"[::1]:0\"").is_ok() && read("").unwrap().dashboard.address.is_none());
    let fault = read("address = \"0.0.0.0:8080\"").unwrap_err().to_string();
    assert!(fault.contains("test:2") && fault.contains("dashboard.token_file"), "{fault}");
    let fault = read("address = \"0.0.0.0:80\"\ntoken = \"short secret\"").unwrap_err().to_string();
    assert!(fault.contains("12 to 128") && !fault.contains("short secret"), "{fault}");
    let page = read("address = \":8080\"\ntoken = \"0123456789ab\"").unwrap();
    assert!(!format!("{page:?}").contains("0123456789ab"));
}

#[test]
fn a_token_from_outside_takes_the_place_of_the_file_with_one() {
    let (text, token) = ("[dashboard]\ntoken_file = \"there-is-none\"\n", "0123456789ab");
    let variable = [("KYOMI_DASHBOARD_TOKEN".into(), token.into())];
    let option = [Override::new("--set", "dashboard.token", token)];
    let variable = Config::from_text("test", text, variable, &[]);
    for loaded in [variable, Config::from_text("test", text, [], &option)] {
        assert_eq!(loaded.unwrap().config.dashboard.token.unwrap().expose(), token);
    }
}

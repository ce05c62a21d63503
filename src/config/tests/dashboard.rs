//! `[dashboard]`.

use crate::config::{Config, ConfigError};

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

//! `[notify]`.

use super::*;

#[test]
fn a_notification_is_sent_to_a_command_and_a_hook() {
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
fn an_address_from_outside_takes_the_place_of_the_file_with_one() {
    let text = "[notify]\nurl_file = \"there-is-none\"\n";
    let url = "https://host/new";
    let variable = load_with("url", text, &[("KYOMI_NOTIFY_URL", url)], &[]);
    let option = load_with("url", text, &[], &[Override::new("--set", "notify.url", url)]);
    for loaded in [variable, option] {
        assert_eq!(loaded.unwrap().config.notify.hook.unwrap().url.expose(), url);
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

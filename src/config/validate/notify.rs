//! Checks of `[notify]`.

use jiff::civil::Time;

use kyomi_csa::text::Secret;

use super::super::{
    HookConfig, HookForm, NotifyConfig, NotifyKind,
    exposure::exposure_of,
    notify::hook_url,
    raw::{Origin, RawNotify},
};
use super::{Check, choice, first_line, without_nul};

impl Check<'_> {
    pub(super) fn notify(&mut self, raw: RawNotify) -> NotifyConfig {
        let both = raw.url_file.as_ref().filter(|_| raw.url.is_some());
        if let Some(place) = both.map(|field| self.place(&field.origin)) {
            self.fault(place, "notify.url_file", "there is a url as well; keep one of the two");
        }
        let exposed = match (&raw.url, &raw.url_file) {
            (Some(field), _) if matches!(field.origin, Origin::File(_)) => {
                Some(self.document.label().to_owned())
            }
            (None, Some(path)) => Some(path.value.clone()),
            _ => None,
        };
        let url = self.take("notify.url", raw.url, || None, |url| hook_url(url).map(Some));
        let filed = self.take(
            "notify.url_file",
            raw.url_file,
            || None,
            |path| first_line(path.as_ref()).and_then(hook_url).map(Some),
        );
        let url = filed.or(url);
        if let Some(path) = exposed.filter(|_| url.is_some()) {
            let what =
                "the address of the web hook of [notify], with which anybody can send messages";
            self.warnings.extend(exposure_of(path.as_ref(), what));
        }
        let form =
            self.take("notify.form", raw.form, || None, |text| choice(&text, HOOK_FORMS).map(Some));
        NotifyConfig {
            command: self.take("notify.command", raw.command, Vec::new, |command| {
                if command.first().is_some_and(String::is_empty) {
                    return Err("the first text is the program; it is empty".to_owned());
                }
                command.into_iter().map(without_nul).collect()
            }),
            hook: url.map(|url| HookConfig {
                form: form.unwrap_or_else(|| HookForm::of_url(&url)),
                url: Secret::new(url),
            }),
            on: self.take(
                "notify.on",
                raw.on,
                || None,
                |kinds| {
                    let kinds = kinds.iter().map(|kind| choice(kind, &NotifyKind::ALL));
                    kinds.collect::<Result<_, _>>().map(Some)
                },
            ),
            summary: self.take(
                "notify.summary",
                raw.summary,
                || None,
                |text| {
                    Time::strptime("%H:%M", text.trim())
                        .map(Some)
                        .map_err(|_| format!("{text:?} is no time of day; write it as \"23:00\""))
                },
            ),
        }
    }
}

const HOOK_FORMS: &[(&str, HookForm)] =
    &[("discord", HookForm::Discord), ("slack", HookForm::Slack), ("json", HookForm::Json)];

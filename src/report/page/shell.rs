//! The parts that all pages share: head, security policy, style, script.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest as _, Sha256};

use crate::report::words::Both;
use kyomi_record::html::{document, escaped};

const STYLE: &str = include_str!("page.css");
const LOOK: &str = include_str!("look.js");

/// A whole page. `body` is markup, in which all text has been escaped; `scripts` run after it.
pub(super) fn page(title: &str, body: &str, scripts: &[&str]) -> String {
    let mut script = LOOK.to_owned();
    for more in scripts {
        script.push_str(more);
    }
    let hash = |text: &str| STANDARD.encode(Sha256::digest(text.as_bytes()));
    let (script_hash, style_hash) = (hash(&script), hash(STYLE));
    let head = format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-{script_hash}'; \
         style-src 'sha256-{style_hash}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"generator\" content=\"kyomi analyze\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <style>{STYLE}</style>"
    );
    let attributes = "lang=\"en\" data-lang=\"en\" data-theme=\"light\"";
    document(attributes, title, &head, &format!("{body}\n<script>{script}</script>"))
}

/// A text in both languages.
pub(super) fn both(words: &Both) -> String {
    if words.ja == words.en {
        return escaped(&words.ja);
    }
    spans(&words.ja, &words.en)
}

/// The same for two strings.
pub(super) fn spans(ja: &str, en: &str) -> String {
    format!(
        "<span class=\"ja\" lang=\"ja\">{}</span><span class=\"en\" lang=\"en\">{}</span>",
        escaped(ja),
        escaped(en)
    )
}

/// The buttons of every page.
pub(super) fn buttons() -> String {
    format!(
        "<div class=\"buttons\"><button id=\"lang\" type=\"button\">{}</button> <button id=\"theme\" type=\"button\">{}</button> \
         <button id=\"print\" type=\"button\">{}</button></div>",
        "<span class=\"ja\" lang=\"en\">English</span><span class=\"en\" lang=\"ja\">日本語</span>",
        spans("明暗", "Light/dark"),
        spans("印刷", "Print"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_its_policy_and_asks_for_nothing_outside() {
        let page = page("a <b> & c", "<p>x</p>", &["\"more\";"]);
        assert!(page.contains("<title>a &lt;b&gt; &amp; c</title>"));
        assert!(page.contains("default-src 'none'; script-src 'sha256-"));
        for word in ["http://", "https://", "src=", "@import", "url("] {
            assert!(!page.contains(word), "{word}");
        }
    }
}

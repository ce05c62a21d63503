//! The HTML documents.
//!
//! A text in both languages is written `[[Japanese|English]]`. A document has both, and its style sheet shows one. The
//! form for the token has only the viewer's language, since it is shown without a style sheet.

use axum::http::{HeaderMap, header};

use crate::report::Language;
use kyomi_record::html::document;

/// A document of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Document {
    /// All games.
    Live,
    /// One game.
    Game,
    /// The form in which a viewer enters the token.
    Token,
}

impl Document {
    /// The whole document. It is shown in this language until the viewer chooses the other one.
    pub(super) fn html(self, language: Language) -> String {
        let (title, body, scripts) = match self {
            Self::Live => ("kyomi", include_str!("page/live.html"), LIVE_SCRIPTS),
            Self::Game => ("kyomi", include_str!("page/game.html"), GAME_SCRIPTS),
            Self::Token => ("kyomi: token", include_str!("page/token.html"), &[][..]),
        };
        let mut head =
            "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">"
                .to_owned();
        if !scripts.is_empty() {
            head.push_str("\n<link rel=\"stylesheet\" href=\"/page/live.css\">");
            for script in SCRIPTS.iter().chain(scripts) {
                head += &["\n<script src=\"/page/", script, "\" defer></script>"].concat();
            }
        }
        let body = body.trim_end().replace("{{buttons}}", BUTTONS);
        let body = in_languages(&body, |ja, en| match (self, language) {
            (Self::Token, Language::Japanese) => ja.to_owned(),
            (Self::Token, Language::English) => en.to_owned(),
            _ => format!(
                "<span class=\"ja\" lang=\"ja\">{ja}</span><span class=\"en\" lang=\"en\">{en}</span>"
            ),
        });
        let tag = tag(language);
        document(&format!("lang=\"{tag}\" data-lang=\"{tag}\""), title, &head, &body)
    }
}

/// The language that a viewer prefers, of the two there are.
pub(super) fn preferred_language(headers: &HeaderMap) -> Language {
    let wanted = headers.get(header::ACCEPT_LANGUAGE).and_then(|it| it.to_str().ok());
    let found = wanted.unwrap_or_default().split(',').find_map(|range| {
        let range = range.trim().to_ascii_lowercase();
        [Language::Japanese, Language::English].into_iter().find(|it| range.starts_with(tag(*it)))
    });
    found.unwrap_or_default()
}

const fn tag(language: Language) -> &'static str {
    match language {
        Language::English => "en",
        Language::Japanese => "ja",
    }
}

/// Replaces each `[[Japanese|English]]`.
fn in_languages(text: &str, put: impl Fn(&str, &str) -> String) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("[[") {
        let Some((both, after)) = after.split_once("]]") else { break };
        let (ja, en) = both.split_once('|').unwrap_or((both, both));
        out.push_str(before);
        out.push_str(&put(ja, en));
        rest = after;
    }
    out + rest
}

const BUTTONS: &str = include_str!("page/buttons.html").trim_ascii_end();

/// The scripts of the live page and of a game begin with these.
const SCRIPTS: &[&str] =
    &["look.js", "words.js", "board.js", "elements.js", "clock.js", "graph.js"];
const LIVE_SCRIPTS: &[&str] =
    &["rating.js", "stream.js", "card.js", "finished.js", "beamer.js", "live.js"];
const GAME_SCRIPTS: &[&str] = &["card.js", "game.js"];

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;
    use crate::dashboard::server::asset;
    use kyomi_shogi::EndReason;

    const ALL: [Document; 3] = [Document::Live, Document::Game, Document::Token];

    #[test]
    fn every_document_is_whole_and_every_script_of_it_is_there() {
        for (document, language) in
            ALL.into_iter().flat_map(|it| [(it, Language::English), (it, Language::Japanese)])
        {
            let html = document.html(language);
            for mark in ["{{", "}}", "[[", "]]", "onclick", "style=\""] {
                assert!(!html.contains(mark), "{document:?}: {mark}");
            }
            assert!(html.contains(&format!("<html lang=\"{}\"", tag(language))));
            for (at, _) in html.match_indices("/page/") {
                let name = html[at + 6..].split('"').next().unwrap();
                assert!(asset(name).status().is_success(), "{name}");
            }
        }
        let token = Document::Token.html(Language::Japanese);
        assert!(token.contains("開く") && !token.contains(">Open<"), "{token}");
        assert!(!token.contains("/page/"), "the form needs nothing that asks for the token");
    }

    #[test]
    fn the_first_known_language_is_taken() {
        for (wanted, language) in [
            (None, Language::English),
            (Some("ja"), Language::Japanese),
            (Some("ja-JP,ja;q=0.9,en;q=0.8"), Language::Japanese),
            (Some("en-US,en;q=0.9,ja;q=0.8"), Language::English),
            (Some("de-DE, JA;q=0.7, en;q=0.3"), Language::Japanese),
            (Some("de,fr"), Language::English),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(wanted) = wanted {
                headers.insert(header::ACCEPT_LANGUAGE, HeaderValue::from_static(wanted));
            }
            assert_eq!(preferred_language(&headers), language, "{wanted:?}");
        }
    }

    #[test]
    fn every_reason_of_an_end_has_japanese_words() {
        let words = include_str!("page/words.js");
        for reason in EndReason::KNOWN {
            let key = format!("\n  \"{reason}\": \"");
            assert!(words.contains(&key), "{reason}");
        }
    }

    #[test]
    fn every_word_that_a_script_says_is_in_both_languages() {
        let words = include_str!("page/words.js");
        let scripts = [
            include_str!("page/elements.js"),
            include_str!("page/graph.js"),
            include_str!("page/rating.js"),
            include_str!("page/card.js"),
            include_str!("page/finished.js"),
            include_str!("page/live.js"),
            include_str!("page/game.js"),
        ];
        let said = scripts.iter().flat_map(|script| script.split("say(\"").skip(1));
        let labels = [Document::Live, Document::Game].map(|it| it.html(Language::English));
        let labels = labels.iter().flat_map(|html| html.split("data-label=\"").skip(1));
        let mut count = 0;
        for key in said.chain(labels).map(|rest| rest.split('"').next().unwrap()) {
            assert!(words.contains(&format!("\n  {key}: [")), "{key}");
            count += 1;
        }
        assert!(count > 50, "only {count} found");
    }
}

//! HTML: the frame of a document, and text that cannot leave its element.

/// A whole document. `attributes` are those of the root element, `head` comes after the title; both and `body` are
/// markup, in which all text has been escaped.
pub fn document(attributes: &str, title: &str, head: &str, body: &str) -> String {
    let title = escaped(title);
    format!(
        "<!DOCTYPE html>\n<html {attributes}>\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )
}

/// Text for markup: `&`, `<`, `>` and quotes become entities, line ends and tabs become blanks, and characters that
/// XML forbids are left out.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(' '),
            '\u{fffe}' | '\u{ffff}' => {}
            _ if c.is_control() => {}
            _ => out.push(c),
        }
    }
    out
}

/// JSON for use inside a `<script>` element: no text in it can end the element or begin a comment.
pub fn json_in_script(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_leave_its_element() {
        assert_eq!(
            escaped("</text><script>\"&'\u{0}\u{1b}\u{ffff}\r\n"),
            "&lt;/text&gt;&lt;script&gt;&quot;&amp;&#39;  "
        );
    }

    #[test]
    fn json_cannot_leave_its_script() {
        let hostile = "</script><!--&\u{2028}";
        let json = json_in_script(&serde_json::to_string(hostile).unwrap());
        assert!(!json.contains(['<', '>', '&', '\u{2028}']), "{json}");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), hostile);
    }
}

//! Checks that the XML of a picture is well formed, as far as pictures need it.

/// The first fault of the markup, if any: tags that do not match, attributes without quotes or given twice, bare `&` or
/// `<`, characters that XML forbids.
pub(crate) fn fault(text: &str) -> Option<String> {
    let is_allowed =
        |c: char| matches!(c, '\n' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    if let Some(c) = text.chars().find(|c| !is_allowed(*c)) {
        return Some(format!("{c:?} cannot be in XML"));
    }
    let mut open: Vec<&str> = Vec::new();
    let mut roots = 0;
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let (before, tag) = rest.split_at(start);
        if let Some(wrong) = content_fault(before, open.is_empty()) {
            return Some(wrong);
        }
        let Some(end) = tag.find('>') else { return Some(format!("{tag:?} has no end")) };
        rest = &tag[end + 1..];
        let tag = &tag[1..end];
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return Some(format!("</{name}> closes nothing"));
            }
            continue;
        }
        let (tag, is_empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return Some(format!("<{name}> is no name"));
        }
        if let Some(wrong) = attributes_fault(attributes) {
            return Some(format!("<{name}>: {wrong}"));
        }
        roots += usize::from(open.is_empty());
        if !is_empty {
            open.push(name);
        }
    }
    if let Some(wrong) = content_fault(rest, open.is_empty()) {
        return Some(wrong);
    }
    match (open.last(), roots) {
        (Some(name), _) => Some(format!("<{name}> is not closed")),
        (None, 1) => None,
        (None, roots) => Some(format!("{roots} elements at the top")),
    }
}

fn content_fault(text: &str, is_outside: bool) -> Option<String> {
    if is_outside && !text.trim().is_empty() {
        return Some(format!("{text:?} stands outside"));
    }
    if text.contains('>') {
        return Some(format!("bare '>' in {text:?}"));
    }
    text.split('&').skip(1).find_map(|rest| {
        let entity = rest.split_once(';').map(|(entity, _)| entity);
        let is_known = matches!(entity, Some("amp" | "lt" | "gt" | "quot" | "#39"));
        (!is_known).then(|| format!("bare '&' before {rest:?}"))
    })
}

fn attributes_fault(text: &str) -> Option<String> {
    let mut seen: Vec<&str> = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let Some((name, value)) = rest.split_once("=\"") else {
            return Some(format!("no value in {rest:?}"));
        };
        let is_name =
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        if !is_name || seen.contains(&name) {
            return Some(format!("attribute {name:?}"));
        }
        seen.push(name);
        let Some((value, after)) = value.split_once('"') else {
            return Some(format!("{name} has no end"));
        };
        if let Some(wrong) = content_fault(value, false) {
            return Some(wrong);
        }
        if !after.is_empty() && !after.starts_with(' ') {
            return Some(format!("{after:?} behind {name}"));
        }
        rest = after.trim_start();
    }
    None
}

#[test]
fn faults_are_found() {
    assert_eq!(fault("<a b=\"1\" c=\"&amp;\"><d/>x &lt; y</a>\n"), None);
    for wrong in [
        "<a>",
        "</a>",
        "<a></b>",
        "<a b></a>",
        "<a b=1></a>",
        "<a b=\"1\" b=\"2\"></a>",
        "<a>&</a>",
        "<a>&x;</a>",
        "<a/><b/>",
        "<a>\u{1b}</a>",
        "x<a/>",
        "<a/>x",
        "",
        "<a b=\"1\"c=\"2\"/>",
        "<a>></a>",
        "<a",
    ] {
        assert!(fault(wrong).is_some(), "{wrong}");
    }
}

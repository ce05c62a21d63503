//! The driver itself.

use std::fs;

use crate::chromium::{Browser, View};
use crate::common::folder::Folder;

const PAGE: &str = r#"<!doctype html><html lang="en"><title>A page</title>
<button id="b">Press</button><p id="p">-</p>
<style>p { color: rgb(1, 1, 1) } p:hover { color: rgb(3, 3, 3) } @media print { p { color: rgb(4, 4, 4) } }</style>
<script>
const p = document.getElementById("p");
document.addEventListener("keydown", (event) => { p.textContent = event.key; });
document.getElementById("b").addEventListener("click", () => setTimeout(() => { p.textContent = "late"; }, 30));
document.addEventListener("touchend", (event) => { p.textContent = "touched " + event.changedTouches.length; });
</script></html>"#;

#[test]
fn a_page_is_driven() {
    let Some(browser) = Browser::start() else { return };
    let folder = Folder::new();
    folder.write("page.html", PAGE);
    let url = format!("file://{}", folder.path().join("page.html").display());
    let page = browser.open(&url, View::DESKTOP);
    assert_eq!(page.text("document.title"), "A page");
    assert_eq!(page.eval("Promise.resolve([1, window.innerWidth])")[1], 1280);
    page.press("ArrowLeft");
    page.wait_for("p.textContent === 'ArrowLeft'");
    page.press("f");
    page.wait_for("p.textContent === 'f'");
    page.click("#b");
    page.wait_for("p.textContent === 'late'");
    assert_eq!((page.errors(), page.requests()), (vec![], vec![url.clone()]));
    assert!(page.accessible().contains(&("button".to_owned(), "Press".to_owned())));

    page.hover("#p");
    page.wait_for("getComputedStyle(p).color === 'rgb(3, 3, 3)'");
    page.hover("#b");
    page.set_print();
    page.wait_for("getComputedStyle(p).color === 'rgb(4, 4, 4)'");

    page.set_view(View::PHONE.dark());
    page.wait_for("matchMedia('(prefers-color-scheme: dark)').matches");
    page.tap("#p");
    page.wait_for("p.textContent === 'touched 1'");
    let picture = folder.path().join("page.png");
    page.screenshot(&picture, false);
    let bytes = fs::read(picture).unwrap();
    // A PNG names its width after sixteen bytes.
    assert_eq!((&bytes[..4], &bytes[16..20]), (&b"\x89PNG"[..], &390u32.to_be_bytes()[..]));

    page.eval("console.error('a', 1), setTimeout(() => { throw new Error('thrown'); }), 0");
    page.eval("fetch('http://nobody.example:9/').catch(() => 0)");
    page.reload();
    let errors = page.errors();
    let has = |text: &str| errors.iter().any(|error| error.contains(text));
    assert!(has("\"a\"") && has("thrown"), "{errors:?}");
    assert!(page.requests().contains(&"http://nobody.example:9/".to_owned()));
    assert!(page.try_go("http://127.0.0.1:9/").is_err());
    assert!(page.try_eval("throw new Error('x')").unwrap_err().contains("Error: x"));
}

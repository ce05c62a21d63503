//! The page of an analysed game.
//!
//! `KYOMI_PICTURES=DIR` keeps pictures of it, to be looked at.

use std::path::PathBuf;

use serde_json::Value;

use crate::chromium::{Browser, Page, View};
use crate::common::folder::Folder;

const GAME: &str = include_str!("../data/csa_samples/own_01_mate.csa");
/// What would be seen if a text became markup or script.
const HOSTILE: &str =
    "</script><script>document.title='caught'</script><img src=x onerror=alert(1)>";

/// An analysed game whose names and comments are hostile, and the address of its page.
fn analysed(folder: &Folder) -> String {
    let game =
        GAME.replace("N+kyomi", &format!("N+{HOSTILE}")).replace("$EVENT:", "$EVENT:<b>&amp;");
    let game = game.replace("\n-3334FU", &format!("\n'*{HOSTILE}\n-3334FU"));
    folder.write("game.csa", game);
    let arguments = ["analyze", "game.csa", "--nodes", "3000", "--multipv", "2"];
    folder.run_with_code(&arguments, 0);
    format!("file://{}", folder.path().join("game.analysis.html").display())
}

/// The page of the analysed game at this ply, and its address.
fn opened(browser: &Browser, folder: &Folder, ply: u32) -> (Page, String) {
    let url = analysed(folder);
    let page = browser.open(&format!("{url}#{ply}"), View::DESKTOP);
    page.wait_for("!document.getElementById('app').hidden");
    (page, url)
}

fn picture(page: &Page, name: &str) {
    if let Some(folder) = std::env::var_os("KYOMI_PICTURES") {
        page.screenshot(PathBuf::from(folder).join(name), true);
    }
}

fn ply(page: &Page) -> u64 {
    page.text("location.hash.slice(1)").parse().unwrap()
}

fn sfen(page: &Page) -> String {
    page.text("document.getElementById('board').innerHTML")
}

#[test]
fn a_game_is_stepped_through_by_keys_and_mouse() {
    let Some(browser) = Browser::start() else { return };
    let folder = Folder::new();
    let (page, url) = opened(&browser, &folder, 0);
    let last = page.eval("document.querySelectorAll('#moves button').length").as_u64().unwrap() - 1;
    assert!(last > 20);

    let start = sfen(&page);
    page.press("ArrowRight");
    assert_eq!((ply(&page), sfen(&page) == start), (1, false));
    page.press("ArrowLeft");
    assert_eq!((ply(&page), sfen(&page) == start), (0, true));
    page.press("End");
    assert_eq!(ply(&page), last);
    page.press("Home");
    page.press("PageDown");
    assert_eq!(ply(&page), 10);
    page.press("ArrowDown");
    let marked = ply(&page);
    assert!(marked > 10 && page.eval("!!document.querySelector('#notes .verdict')") == true);

    // The list, the buttons, the slider's range, and the graph.
    page.click("#moves li:nth-child(6) button");
    assert_eq!(ply(&page), 5);
    assert_eq!(page.text("document.querySelector('#moves [aria-current]').dataset.ply"), "5");
    page.click("#next");
    page.click("#previous");
    page.click("#first");
    assert_eq!(
        (ply(&page), page.eval("document.getElementById('previous').disabled")),
        (0, true.into())
    );
    let place = page.middle("svg.by-ply");
    page.click_at(place.0, place.1);
    let middle = ply(&page);
    assert!(middle.abs_diff(last / 2) <= last / 8, "{middle} of {last}");
    page.click("#board");
    assert_eq!(ply(&page), middle + 1, "the middle of the board counts as its right half");

    // Turned round, with letters.
    let before = sfen(&page);
    page.press("f");
    assert_ne!(sfen(&page), before);
    page.press("f");
    page.click("#letters");
    assert!(sfen(&page).contains(">P<") && !sfen(&page).contains('歩'));
    page.click("#letters");

    // A line shows its positions while it is hovered, and is played by a click.
    page.press("Home");
    let start = sfen(&page);
    page.hover("#lines .line-move:nth-of-type(2)");
    page.wait_for("document.getElementById('caption').textContent !== ''");
    assert_ne!(sfen(&page), start);
    page.hover("h1");
    assert_eq!(sfen(&page), start);
    page.click("#lines .line-move");
    assert_eq!(page.eval("document.getElementById('back-to-game').hidden"), false);
    page.press("ArrowRight");
    assert_eq!(ply(&page), 0, "the game waits");
    page.press("Escape");
    assert_eq!(sfen(&page), start);

    assert_eq!((page.errors(), page.requests()), (Vec::<String>::new(), vec![url.clone()]));
}

#[test]
fn outside_the_board_the_page_scrolls_and_the_focus_stays() {
    let Some(browser) = Browser::start() else { return };
    let folder = Folder::new();
    let (page, _) = opened(&browser, &folder, 10);
    page.press("ArrowRight");
    assert_eq!(ply(&page), 11, "the board has the focus at first");
    page.eval("document.activeElement.blur()");
    page.press("End");
    assert_eq!(ply(&page), 11);
    page.wait_for("scrollY > 0");
    page.eval("scrollTo(0, 0)");
    let below = "document.documentElement.scrollHeight - scrollY \
                 - document.querySelector('footer').getBoundingClientRect().bottom";
    assert!(page.eval(below).as_f64().unwrap() < 60.0, "nothing is below the footer");

    // The list of moves is one stop of the Tab key, and its arrows go through it.
    let stops = "[...document.querySelectorAll('#moves button')].filter((it) => it.tabIndex === 0)";
    assert_eq!(page.eval(&format!("{stops}.length")), 1);
    page.eval(&format!("{stops}[0].focus()"));
    page.press("ArrowDown");
    assert_eq!(ply(&page), 12);
    assert_eq!(page.text("document.activeElement.dataset.ply"), "12");

    // A move of a line that is played keeps the focus.
    page.eval("document.querySelector('#lines .line-move:nth-of-type(2)').focus()");
    page.press("Enter");
    assert_eq!(page.eval("document.activeElement.matches('.line-move[aria-current]')"), true);
    page.press("ArrowLeft");
    assert_eq!(page.eval("document.activeElement.matches('.line-move[aria-current]')"), true);
    page.press("Escape");

    // Many small turns of the wheel are one step, and with Ctrl they zoom.
    let now = ply(&page);
    let turn = |count: u32, delta: u32, more: &str| {
        format!(
            "(() => {{ let seen; for (let i = 0; i < {count}; i++) {{ seen = new WheelEvent('wheel', \
             {{ deltaY: {delta}, bubbles: true, cancelable: true, {more} }}); \
             document.getElementById('board').dispatchEvent(seen); }} return seen.defaultPrevented; }})()"
        )
    };
    assert_eq!(page.eval(&turn(20, 4, "")), true);
    assert_eq!(ply(&page), now + 1);
    page.eval(&turn(2, 120, ""));
    assert_eq!(ply(&page), now + 3);
    assert_eq!(page.eval(&turn(2, 120, "ctrlKey: true")), false);
    assert_eq!(ply(&page), now + 3);
    assert!(page.errors().is_empty(), "{:?}", page.errors());
}

#[test]
fn names_and_comments_are_text() {
    let Some(browser) = Browser::start() else { return };
    let folder = Folder::new();
    let (page, url) = opened(&browser, &folder, 1);
    assert!(page.text("document.querySelector('h1').textContent").contains(HOSTILE));
    assert!(page.text("document.getElementById('side-black').textContent").contains(HOSTILE));
    assert!(page.text("document.querySelector('#notes .comment').textContent").contains(HOSTILE));
    assert!(page.text("document.title").contains(HOSTILE));
    assert_eq!(page.eval("document.querySelectorAll('img, b, script[src], iframe').length"), 0);
    // One script with the policy's hash, and the data.
    assert_eq!(page.eval("document.scripts.length"), 2);
    assert!(page.errors().is_empty(), "{:?}", page.errors());
    assert_eq!(page.requests(), [url]);
    // A script that somebody managed to put in would not run.
    let put = "const s = document.createElement('script'); s.textContent = 'window.ran = true'; \
               document.body.append(s); new Promise((done) => setTimeout(() => done(!!window.ran), 50))";
    assert_eq!(page.eval(put), false);
    let fetched = page.eval("fetch('http://localhost:9/').then(() => 'sent', () => 'refused')");
    assert_eq!(fetched, "refused");
    assert!(!page.requests().iter().any(|it| it.contains("localhost:9")));
}

#[test]
fn a_page_has_two_languages_two_schemes_and_fits_a_phone() {
    let Some(browser) = Browser::start() else { return };
    let folder = Folder::new();
    let (page, _) = opened(&browser, &folder, 9);
    let back = "getComputedStyle(document.body).backgroundColor";
    let light = page.text(back);
    picture(&page, "report-desktop-light.png");
    page.click("#lang");
    assert_eq!(page.text("document.documentElement.lang"), "ja");
    assert!(page.text("document.getElementById('facts').textContent").contains("評価値"));
    assert!(page.text("document.querySelector('#moves-place h2').innerText").contains("棋譜"));
    page.click("#theme");
    assert_ne!(page.text(back), light);
    picture(&page, "report-desktop-dark.png");
    // The choice holds for the next page.
    page.reload();
    assert_eq!(page.text("document.documentElement.lang"), "ja");
    page.eval("localStorage.clear()");

    for (view, name) in [(View::PHONE, "light"), (View::PHONE.dark(), "dark")] {
        page.set_view(view);
        page.reload();
        page.wait_for("!document.getElementById('app').hidden");
        assert_eq!(page.text("document.documentElement.dataset.theme"), name);
        let wider = page
            .eval("document.documentElement.scrollWidth > document.documentElement.clientWidth");
        assert_eq!(wider, false, "the page is wider than a phone");
        picture(&page, &format!("report-phone-{name}.png"));
    }
    // A tap on the right half of the board goes on, a swipe to the right goes back.
    let now = ply(&page);
    let (x, y) = page.middle("#board");
    page.touch(&[(x + 60.0, y)]);
    page.wait_for(&format!("location.hash === '#{}'", now + 1));
    page.touch(&[(x - 50.0, y), (x, y), (x + 50.0, y), (x + 90.0, y)]);
    page.wait_for(&format!("location.hash === '#{now}'"));

    // What a screen reader finds.
    let seen = page.accessible();
    let has =
        |role: &str, words: &str| seen.iter().any(|(is, name)| is == role && name.contains(words));
    assert!(has("button", "One move on") && has("list", ""), "{seen:?}");
    assert!(has("image", "to move") || has("img", "to move"), "{seen:?}");
    assert!(has("image", "chance to win") || has("img", "chance to win"), "{seen:?}");

    page.set_print();
    assert_eq!(page.text("getComputedStyle(document.querySelector('.controls')).display"), "none");
    picture(&page, "report-print.png");
    assert!(page.errors().is_empty(), "{:?}", page.errors());
}

#[test]
fn a_folder_of_games_leads_to_each() {
    let Some(browser) = Browser::start() else { return };
    let folder = Folder::new();
    folder.write("season/one game.csa", GAME);
    folder.write("season/二局目#2.csa", GAME.replace("N-kyomi-lmr", "N-<i>other</i>"));
    folder.run_with_code(&["analyze", "season", "--nodes", "200", "--no-why"], 0);
    let index = folder.path().join("season/analysis/index.html");
    let url = format!("file://{}", index.display());
    let page = browser.open(&url, View::DESKTOP);
    assert_eq!(page.eval("document.querySelectorAll('i').length"), 0);
    assert_eq!(page.eval("document.querySelectorAll('tbody')[0].rows.length"), 3);
    picture(&page, "report-index.png");
    let links = page.eval("[...document.querySelectorAll('td a')].map((it) => it.href)");
    let links: Vec<&str> = links.as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(links.len(), 2);
    for link in links {
        page.go(link);
        page.wait_for("!document.getElementById('app').hidden");
    }
    assert!(page.errors().is_empty(), "{:?}", page.errors());
}

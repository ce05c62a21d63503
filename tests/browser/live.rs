//! The live page during real games.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    path::Path,
};

use crate::chromium::{Browser, Page, View};
use crate::common::connection::{Desk, Peer};
use crate::common::folder::Folder;
use crate::program::{LOCAL, Program};
use crate::support::script_engine;

fn local(folder: &Folder, time: &str) -> Program {
    Program::start(folder, &[LOCAL, &["--time", time]].concat())
}

/// The program with an engine, logged in to the server of a test.
fn on_a_server(folder: &Folder, desk: &Desk, engine: &str) -> (Program, Peer) {
    folder.write("kyomi.toml", desk.config(1, engine));
    (Program::start(folder, &["play", "--config", "kyomi.toml"]), desk.welcome())
}

/// Pictures of the page go to the folder of `KYOMI_PICTURES`, for somebody to look at.
fn pictures(page: &Page, name: &str) {
    let Some(folder) = std::env::var_os("KYOMI_PICTURES") else { return };
    let views = [
        ("desktop", View::DESKTOP),
        ("desktop-dark", View::DESKTOP.dark()),
        ("phone", View::PHONE),
        ("phone-dark", View::PHONE.dark()),
    ];
    for (label, view) in views {
        page.set_view(view);
        page.screenshot(Path::new(&folder).join(format!("{name}-{label}.png")), true);
    }
    page.set_view(View::DESKTOP);
}

#[track_caller]
fn is_clean(page: &Page, program: &Program) {
    assert_eq!(page.errors(), [""; 0]);
    let outside: Vec<_> =
        page.requests().into_iter().filter(|url| !url.starts_with(&program.url)).collect();
    assert_eq!(outside, [""; 0]);
    let is_narrow = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";
    for view in [View::PHONE, View::DESKTOP] {
        page.set_view(view);
        assert_eq!(page.eval(is_narrow), true, "{view:?}");
    }
}

const MOVES: &str = "document.querySelectorAll('.moves li').length";
const SHOWN: &str = "document.querySelector('.said').textContent";

#[test]
fn a_game_is_seen_while_it_is_played() {
    let Some(browser) = Browser::start() else { return };
    let folder = Folder::new();
    let program = local(&folder, "120");
    let page = browser.open(&program.url, View::DESKTOP);
    page.wait_for(&format!("{MOVES} >= 4"));
    page.wait_for("document.querySelector('#link').textContent === 'live'");
    // Both clocks: one runs, and shows less and less.
    page.wait_for("document.querySelectorAll('.player.running').length === 1");
    page.wait_for(
        "(() => { const face = () => document.querySelector('.running .clock').textContent; \
         window.first ??= face(); return face() !== window.first; })()",
    );
    // The graph grows, and the engine's lines come.
    page.wait_for("Number(document.querySelector('.graph').dataset.points) >= 2");
    let points = page.eval("Number(document.querySelector('.graph').dataset.points)");
    page.wait_for(&format!("Number(document.querySelector('.graph').dataset.points) > {points}"));
    page.wait_for(
        "/depth \\d+.*nodes\\/s/.test(document.querySelector('.line .facts').textContent)",
    );

    // Stepping back by keys, mouse and finger, while the game goes on.
    page.press("Home");
    page.wait_for(&format!("{SHOWN}.startsWith('Start position')"));
    page.press("ArrowRight");
    page.wait_for(&format!("/^Move 1: [A-Z]\\d[a-i]-/.test({SHOWN})"));
    page.click("[aria-label='One move on']");
    page.wait_for(&format!("/^Move 2: [A-Z]\\d[a-i]-/.test({SHOWN})"));
    page.click(".moves li:nth-child(3)");
    page.wait_for(&format!("{SHOWN}.startsWith('Move 3: ')"));
    let moves = page.eval(MOVES);
    page.wait_for(&format!("{MOVES} > {moves}"));
    assert!(page.text(SHOWN).starts_with("Move 3: "), "the viewer stays where it is");
    page.set_view(View::PHONE);
    let (x, y) = page.middle(".board");
    page.touch(&[(x + 100.0, y), (x, y), (x - 100.0, y)]);
    page.wait_for(&format!("{SHOWN}.startsWith('Move 4: ')"));
    page.set_view(View::DESKTOP);
    page.press("End");
    page.wait_for("document.querySelector('[aria-label=\"Last position\"]').disabled");

    // A screen reader hears the position and the clocks.
    let named = page.accessible();
    let board = named.iter().find(|(_, name)| name.contains("in hand"));
    assert!(board.is_some_and(|(_, name)| name.contains("Black: king")), "{named:?}");
    assert!(named.iter().any(|(role, _)| role == "timer"), "{named:?}");
    pictures(&page, "game");

    // On a beamer without room for a board, each look at the window comes to the same.
    page.set_view(View { height: 120, ..View::DESKTOP });
    let seen = page.text(
        "setBeamer(true), [1, 2, 3].map(() => { fitBoards(); return document.body.className; }).join()",
    );
    let first = seen.split(',').next().unwrap();
    assert!(seen.split(',').all(|it| it == first && it.contains("plain")), "{seen}");
    page.eval("setBeamer(false)");
    page.set_view(View::DESKTOP);

    // A reload loses nothing.
    let moves = page.eval(MOVES);
    page.reload();
    page.wait_for(&format!("{MOVES} >= {moves}"));
}

#[test]
fn a_page_whose_program_has_ended_keeps_the_game_and_says_so() {
    let Some(browser) = Browser::start() else { return };
    let (folder, desk) = (Folder::new(), Desk::open());
    let engine = script_engine("go*) echo bestmove 7g7f;;");
    let (program, mut peer) = on_a_server(&folder, &desk, &engine);
    peer.send(&crate::common::connection::summary("id", '+', &[], ""));
    assert_eq!(peer.line(), "AGREE id");
    peer.send("START:id");
    let page = browser.open(&program.url, View::DESKTOP);
    assert_eq!(peer.line(), "+7776FU");
    peer.send("+7776FU,T1");
    page.wait_for(&format!("{MOVES} === 1"));
    // The page has come, however slow the browser is.
    peer.send("%TORYO,T1\n#RESIGN\n#WIN");
    assert_eq!(peer.line(), "LOGOUT");
    peer.send("LOGOUT:completed");
    page.wait_for("document.querySelector('#link').dataset.state === 'ended'");
    page.wait_for("/wins|Draw/.test(document.querySelector('.end').textContent)");
    let text = page.text("document.body.innerText");
    assert!(text.contains("Finished games") && text.contains("The program has ended"), "{text}");
    // What the browser says about a server that is gone is its own affair.
    let own: Vec<_> = page.errors().into_iter().filter(|it| !it.contains("net::ERR_")).collect();
    assert_eq!(own, [""; 0]);
}

#[test]
fn a_finished_game_opens_and_the_next_one_is_shown() {
    let Some(browser) = Browser::start() else { return };
    let folder = Folder::new();
    let program = Program::start(&folder, &[LOCAL, &["--games", "0", "--time", "3"]].concat());
    let page = browser.open(&program.url, View::PHONE);
    page.wait_for("document.querySelectorAll('#finished tbody tr').length >= 2");
    pictures(&page, "finished");
    let url = page.text("document.querySelector('#finished tbody tr:last-child a').href");
    page.go(&url);
    page.wait_for(&format!("{MOVES} > 0"));
    page.press("Home");
    page.press("ArrowRight");
    page.wait_for(&format!("{SHOWN}.startsWith('Move 1: ')"));
    assert!(page.text("document.querySelector('.end').textContent").contains("moves"));
    // The analysis of the game, once there is one.
    page.wait_for("document.body.innerText.includes('not analysed')");
    let record = page.text("fetch(location.pathname + '/moves.json').then((it) => it.json()).then((it) => it.end.record)");
    folder.run(&["analyze", &record, "--nodes", "20"]).exited(0);
    page.reload();
    page.wait_for(&format!("{MOVES} > 0 && document.querySelector('.about a')"));
    let width = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";
    assert_eq!(page.eval(width), true, "the page is wider than a phone");
    page.tap(".about a");
    page.wait_for("document.querySelector('svg') && location.pathname.endsWith('/analysis')");
    is_clean(&page, &program);
}

#[test]
fn texts_from_outside_are_text() {
    let Some(browser) = Browser::start() else { return };
    let (folder, desk) = (Folder::new(), Desk::open());
    let engine = script_engine(
        "go*) echo 'info depth 3 score cp 10 nodes 5 nps 9 pv 7g7f'; sleep 1; echo bestmove 7g7f;;",
    );
    let engine = engine.replace(
        "usi) echo usiok",
        "usi) echo \"id name <img src=x onerror=alert(1)>\"; echo usiok",
    );
    let (program, mut peer) = on_a_server(&folder, &desk, &engine);
    let evil = "<script>document.title='owned'</script>&amp;\u{202e}\u{1b}[31m";
    let offer = crate::common::connection::summary("<b>id</b>", '+', &[], "");
    peer.send(&offer.replace("Name-:b", &format!("Name-:{evil}")));
    assert_eq!(peer.line(), "AGREE <b>id</b>");
    peer.send("START:<b>id</b>\n##[CHAT][a] <i>hello</i>");
    let page = browser.open(&program.url, View::DESKTOP);
    page.wait_for("document.querySelector('h2').textContent.includes(\"<script>document.title='owned'</script>&amp;[31m\")");
    page.wait_for("document.body.innerText.includes('<img src=x onerror=alert(1)>')");
    page.wait_for("document.body.innerText.includes('<i>hello</i>')");
    let first = peer.line();
    assert!(first.starts_with("+7776FU"), "{first}");
    peer.send(&format!("{first},T1"));
    page.wait_for(&format!("{MOVES} === 1"));
    let made =
        page.eval("document.querySelectorAll('main script, main img, main b, main i').length");
    assert_eq!(made, 0);
    // The lines of a server that is gone: the page says so, and the clocks of the game are the program's affair.
    page.wait_for("document.querySelector('.client').dataset.state === 'playing'");
    is_clean(&page, &program);
}

#[test]
fn a_page_that_lost_its_program_says_so_and_invents_no_clock() {
    let Some(browser) = Browser::start() else { return };
    let folder = Folder::new();
    let mut program = local(&folder, "600");
    let page = browser.open(&program.url, View::DESKTOP);
    page.wait_for("document.querySelector('.running .clock')");
    program.signal("STOP");
    page.wait_for("document.querySelector('#link').dataset.state === 'lost'");
    assert!(
        page.text("document.querySelector('#link').textContent")
            .contains("connection to the program is lost")
    );
    let clocks = "[...document.querySelectorAll('.clock')].map((it) => it.textContent).join()";
    let stopped = page.text(clocks);
    // Several turns of the page's own timer.
    page.eval("new Promise((done) => setTimeout(done, 1500))");
    assert_eq!(page.text(clocks), stopped);
    pictures(&page, "lost");
    program.signal("CONT");
    page.wait_for("document.querySelector('#link').dataset.state === 'live'");
    page.wait_for(&format!("{clocks} !== '{stopped}'"));
    program.child.kill().unwrap();
    page.wait_for("document.querySelector('#link').dataset.state === 'lost'");
}

#[test]
fn other_sites_and_wrong_tokens_are_refused() {
    let folder = Folder::new();
    let token = "correct-horse-battery";
    folder.write("token", format!("{token}\n"));
    let settings = ["--set", "dashboard.token_file=token"];
    let program = Program::start(
        &folder,
        &[&["serve", "--set", "listen.address=127.0.0.1:0"], &settings[..]].concat(),
    );
    let host = format!("Host: 127.0.0.1:{}\r\n", program.port());
    for (path, headers, code) in [
        ("/", host.clone(), "401"),
        ("/state.json", host.clone(), "401"),
        ("/events", host.clone(), "401"),
        ("/page/live.js", host.clone(), "401"),
        ("/", "Host: evil.example\r\n".to_owned(), "421"),
        ("/", format!("{host}Origin: http://evil.example\r\n"), "403"),
        ("/?token=wrong-horse-battery", host.clone(), "401"),
        ("/state.json", format!("{host}Authorization: Bearer {token}\r\n"), "200"),
        (&format!("/?token={token}"), host.clone(), "303"),
    ] {
        let (first, rest) = program.ask(path, &headers);
        assert!(first.contains(code), "{path} {headers}: {first}");
        let lower = rest.to_ascii_lowercase();
        for header in ["content-security-policy: default-src 'none'", "nosniff", "no-store"] {
            assert!(lower.contains(header), "{path}: {rest}");
        }
        assert!(!lower.contains("access-control-allow"), "{rest}");
    }
    let mut stream = TcpStream::connect(("127.0.0.1", program.port())).unwrap();
    stream.write_all(format!("POST / HTTP/1.1\r\nConnection: close\r\n{host}Authorization: Bearer {token}\r\n\r\n").as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 405"), "{answer}");

    let Some(browser) = Browser::start() else { return };
    // A name of another site that leads to this machine.
    let page = browser.open(&format!("http://rebound.example:{}/", program.port()), View::DESKTOP);
    assert!(page.text("document.body.innerText").contains("host name is unknown"));
    let page = browser.open(&program.url, View::DESKTOP);
    page.eval(&format!(
        "document.querySelector('input').value = '{token}', document.querySelector('form').submit()"
    ));
    page.wait_for(
        "document.querySelector('#link') && document.querySelector('#link').textContent === 'live'",
    );
    assert_eq!(page.text("location.href"), program.url);
    assert_eq!(page.text("document.cookie"), "");
}

#[test]
fn an_event_is_shown_with_pairings_and_table() {
    let Some(browser) = Browser::start() else { return };
    let folder = Folder::new();
    let players: String = ["yagura", "kakugawari", "aigakari", "furibisha"]
        .map(|name| format!("[[player]]\nname = \"{name}\"\n"))
        .concat();
    folder.write(
        "league.toml",
        format!("name = \"Spring\"\nformat = \"round_robin\"\n[time]\ntotal = \"60s\"\n{players}"),
    );
    let arguments = ["serve", "--set", "listen.address=127.0.0.1:0", "--event", "league.toml"];
    let program = Program::start(&folder, &arguments);
    let page = browser.open(&format!("{}?beamer", program.url), View::DESKTOP);
    page.wait_for("document.querySelectorAll('.standings tbody tr').length === 4");
    assert!(
        page.text("document.querySelector('#event h2').textContent").starts_with("Spring: round ")
    );
    pictures(&page, "event");
    is_clean(&page, &program);
}

/// Logs a player in who is driven by the test.
fn log_in(server: &str, name: &str, game: &str) -> Peer {
    let mut player = Peer::connect(server);
    player.send(&format!("LOGIN {name} {game},x"));
    player
}

#[test]
fn a_beamer_shows_all_running_games_as_large_as_they_fit() {
    let Some(browser) = Browser::start() else { return };
    let folder = Folder::new();
    let program = Program::start(&folder, &["serve", "--set", "listen.address=127.0.0.1:0"]);
    let server = program.server.clone().unwrap();
    let mut games = ["one", "two"].map(|game| {
        ["B", "W"]
            .map(|side| log_in(&server, &format!("{game}{side}"), &format!("{game}-600-0-{side}")))
    });
    for player in games.as_flattened_mut() {
        player.line_with("END Game_Summary");
        player.send("AGREE");
    }
    for [black, white] in &mut games {
        black.line_with("START");
        black.send("+7776FU");
        white.line_with("+7776FU");
        white.send("-3334FU");
        black.line_with("-3334FU");
    }
    let page = browser.open(&format!("{}?beamer", program.url), View::DESKTOP);
    page.wait_for("document.querySelectorAll('.game').length === 2");
    page.wait_for(
        "[...document.querySelectorAll('.game .said')].every((it) => it.textContent.startsWith('Move 2: P3c-3d'))",
    );
    let fit = "(() => { const [a, b] = [...document.querySelectorAll('.game .board')].map((it) => it.getBoundingClientRect()); \
         const inside = (it) => it.height >= 300 && it.bottom <= innerHeight && it.right <= innerWidth; \
         return inside(a) && inside(b) && a.right <= b.left && Math.abs(a.height - b.height) < 1; })()";
    page.wait_for(fit);
    let text = page.text("document.body.innerText");
    for name in ["oneB", "oneW", "twoB", "twoW"] {
        assert!(text.contains(name), "{name}: {text}");
    }
    let clocks =
        "[...document.querySelectorAll('.clock')].filter((it) => it.offsetHeight > 0).length";
    assert_eq!(page.eval(clocks), 4);
    let keys = "document.querySelector('footer').offsetHeight > 0";
    assert_eq!(page.eval(keys), false);
    pictures(&page, "beamer");
    page.press("b");
    page.wait_for(keys);
    page.press("b");
    page.wait_for(fit);
    // A move of one game is seen at once, the other one stays.
    games[1][0].send("+2726FU");
    page.wait_for(
        "[...document.querySelectorAll('.game .said')].map((it) => it.textContent.slice(0, 6)).sort().join() === 'Move 2,Move 3'",
    );
    is_clean(&page, &program);
}

#[test]
fn the_page_speaks_the_language_of_the_browser_until_another_is_chosen() {
    let Some(browser) = Browser::start() else { return };
    let folder = Folder::new();
    let program = local(&folder, "600");
    let page = browser.page(View::DESKTOP);
    page.set_language("ja-JP,ja;q=0.9,en;q=0.8");
    page.go(&program.url);
    page.wait_for("document.documentElement.lang === 'ja' && document.querySelector('#link').textContent === '接続中'");
    page.wait_for(&format!("{MOVES} >= 3"));
    page.wait_for("/深さ \\d+.*ノード/.test(document.querySelector('.line .facts').textContent)");
    page.press("Home");
    page.wait_for(&format!("{SHOWN}.startsWith('開始局面 （対局は先へ')"));
    let named = page.accessible();
    let has = |words: &str| named.iter().any(|(_, name)| name.contains(words));
    assert!(has("一手進む") && has("先手：") && has("棋譜") && has("接続とエンジン"), "{named:?}");
    let text = page.text("document.body.innerText");
    assert!(text.contains("プロジェクター") && !text.contains("for a beamer"), "{text}");
    pictures(&page, "japanese");
    // The switch, while the game goes on and the viewer looks at a position.
    page.click("#lang");
    page.wait_for(&format!("{SHOWN} === 'Start position (the game has gone on)'"));
    page.wait_for("document.querySelector('#link').textContent === 'live'");
    assert_eq!(page.text("document.querySelector('.moves').getAttribute('aria-label')"), "Moves");
    page.reload();
    page.wait_for("document.querySelector('#link').textContent === 'live'");
    assert_eq!(page.text("document.documentElement.lang"), "en");
    // The colours are chosen in the same way.
    let back = "getComputedStyle(document.body).backgroundColor";
    let light = page.text(back);
    page.click("#theme");
    page.wait_for(&format!("{back} !== '{light}'"));
    page.reload();
    page.wait_for(&format!("{back} !== '{light}'"));
    page.eval("localStorage.clear()");
    is_clean(&page, &program);
}

#[test]
fn several_lines_of_an_engine_stand_below_one_another() {
    let Some(browser) = Browser::start() else { return };
    let (folder, desk) = (Folder::new(), Desk::open());
    let engine = script_engine(
        "go*) echo 'info depth 9 multipv 1 score cp 35 nodes 500 nps 900 pv 7g7f 3c3d'; \
         echo 'info depth 9 multipv 2 score cp 20 nodes 600 nps 900 pv 2g2f 8c8d'; \
         echo 'info depth 8 multipv 3 score mate -5 nodes 700 nps 900 pv 9g9f';; \
         ponder*) ;;",
    );
    let (program, mut peer) = on_a_server(&folder, &desk, &engine);
    peer.send(&crate::common::connection::summary("id", '+', &[], ""));
    assert_eq!(peer.line(), "AGREE id");
    peer.send("START:id");
    let page = browser.open(&program.url, View::DESKTOP);
    page.wait_for("document.querySelectorAll('.lines li').length === 3");
    let row = |number: u32| {
        page.text(&format!(
            "[...document.querySelectorAll('.lines li:nth-child({number}) span')].map((it) => it.textContent).join(' ')"
        ))
    };
    assert_eq!(row(1), "+35 9 P7g-7f P3c-3d");
    assert_eq!(row(2), "+20 9 P2g-2f P8c-8d");
    assert!(row(3).starts_with("-mate5 8 P9g-9f"), "{}", row(3));
    pictures(&page, "lines");
    is_clean(&page, &program);
}

/// A game that our engine played as black against a player of this rating.
fn own_record(day: u32, rating: u32, end: &str) -> String {
    format!(
        "V2.2\nN+kyomi\nN-<b>rival</b>\n$EVENT:event {day}\n$START_TIME:2026/11/{day:02} 10:00:00\n\
         'white_rate:rival+x:{rating}.0\nPI\n+\n+7776FU\nT1\n'turn: measured 1000\n-3334FU\nT1\n{end}\n"
    )
}

#[test]
fn games_of_earlier_runs_and_the_rating_are_there_after_every_start() {
    let Some(browser) = Browser::start() else { return };
    let folder = Folder::new();
    for day in 1..=20 {
        let end = ["%TORYO", "+2726FU\nT1\n%TORYO", "%SENNICHITE"][day as usize % 3];
        folder.write(format!("logs/games/{day}.csa"), own_record(day, 1500 + 10 * day, end));
    }
    for start in 0..2 {
        let program = local(&folder, "600");
        let page = browser.open(&program.url, View::DESKTOP);
        // The game of the first start was cut short, and is there in the second.
        let games = 20 + start;
        page.wait_for(&format!(
            "document.querySelectorAll('#finished tr.earlier').length === {games}"
        ));
        let rows = page.text("document.querySelector('#finished tbody').innerText");
        assert!(rows.contains("<b>rival</b>") && rows.contains("Draw: repetition"), "{rows}");
        page.wait_for("Number(document.querySelector('.rating').dataset.points) >= 18");
        let caption = page.text("document.querySelector('#ratings figcaption').textContent");
        assert!(
            caption.starts_with(&format!("kyomi: {games} games, 7 won, 6 lost, 7 drawn")),
            "{caption}"
        );
        assert!(caption.contains("Rating 1") && caption.contains(" ± "), "{caption}");
        page.wait_for("document.querySelector('#link').textContent === 'live'");
        pictures(&page, "earlier");
        if start == 1 {
            // An earlier game opens, and leads to its analysis.
            folder.run(&["analyze", "logs/games/20.csa", "--nodes", "20"]).exited(0);
            page.click("#finished tr.earlier.drawn a");
            page.wait_for(&format!("{MOVES} === 2 && document.querySelector('.about a')"));
            pictures(&page, "earlier-game");
            page.click(".about a");
            page.wait_for(
                "location.pathname.endsWith('/analysis') && document.querySelector('#app')",
            );
        }
        is_clean(&page, &program);
    }
}

use expect_test::expect;
use jiff::Timestamp;

use super::*;
use crate::league::event::{Event, Format};
use crate::league::state::{PairedGame, Round};

fn event() -> Event {
    Event::of("autumn", &["alice", "bob", "carol"], Format::Swiss { rounds: 3 })
}

fn state() -> EventState {
    let game = |players, result, reason: &str| PairedGame {
        players,
        result,
        reason: Some(reason.to_owned()).filter(|it| !it.is_empty()),
        game_id: None,
    };
    let round = |games: Vec<PairedGame>, bye, over: bool| Round {
        began: Timestamp::UNIX_EPOCH,
        ended: over.then_some(Timestamp::UNIX_EPOCH),
        games,
        bye: Some(bye),
    };
    EventState {
        rounds: vec![
            round(vec![game([0, 1], Some(GameResult::Black), "resignation")], 2, true),
            round(vec![game([2, 0], Some(GameResult::Draw), "sennichite")], 1, true),
            round(vec![game([1, 2], None, "")], 0, false),
        ],
        ..EventState::new(&event())
    }
}

#[test]
fn the_text_has_the_table_and_all_rounds() {
    expect![[r#"
        autumn: round 3 of 3

             player  points  1  2  3  Buchholz     S-B direct
          1  alice       2½  x  ½  1        2½    1.75      0
          2  carol       1½  ½  x  *        2½    1.25      0
          3  bob          1  0  *  x        2½    0.00      0

        round 1
          alice   1-0  bob     resignation
          carol  bye

        round 2
          carol   ½-½  alice   sennichite
          bob    bye

        round 3
          bob      -   carol 
          alice  bye
    "#]]
    .assert_eq(&to_text(&event(), &state()));
}

#[test]
fn the_json_has_the_same() {
    let json = to_json(&event(), &state());
    assert_eq!(json["table"][0]["player"], "alice");
    assert_eq!(json["table"][0]["points"], 2.5);
    assert_eq!(json["rounds"][0]["games"][0]["result"], "black");
    assert_eq!(json["rounds"][2]["bye"], "alice");
    assert_eq!(json["over"], false);
}

#[test]
fn the_page_is_well_formed_and_names_are_escaped() {
    let mut state = state();
    state.players[0] = "<script>alert('x')</script>&\"".to_owned();
    let page = to_html(&event(), &state);
    assert!(!page.contains("<script"), "{page}");
    assert!(page.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;&quot;"));
    // Every element that is opened is closed in order.
    let mut open = Vec::new();
    let mut rest = page.split_once("<html").map(|(_, rest)| format!("<html{rest}")).unwrap();
    while let Some(at) = rest.find('<') {
        let end = at + rest[at..].find('>').unwrap();
        let tag = rest[at + 1..end].to_owned();
        rest = rest[end + 1..].to_owned();
        let name = tag.trim_start_matches('/').split(' ').next().unwrap().to_owned();
        if name == "meta" {
            continue;
        }
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "{page}");
        } else {
            open.push(name);
        }
    }
    assert!(open.is_empty());
    // Nothing is loaded from elsewhere.
    assert!(!page.contains("http") && !page.contains("src=") && !page.contains("url("));
}

//! Whole games, from the login to the record.

use crate::support::{TestServer, play, with_records};

#[tokio::test(flavor = "multi_thread")]
async fn a_resignation_ends_a_recorded_game() {
    let dir = tempfile();
    let mut server = TestServer::start(with_records(&dir)).await;
    let mut players = server.game("test-600-10").await;
    play(&mut players, "+7776FU").await;
    play(&mut players, "-3334FU").await;
    let [black, white] = &mut players;
    black.send("%TORYO").await;
    for (client, result) in [(black, "#LOSE"), (white, "#WIN")] {
        assert!(client.line().await.starts_with("%TORYO,T"));
        client.expect_all(&["#RESIGN", result]).await;
        client.send("LOGOUT").await;
        client.expect("LOGOUT:completed").await;
        client.expect_end().await;
    }
    let (result, reason, plies, record) = server.ended().await;
    assert_eq!((result, reason, plies), ("white", "RESIGN", 2));
    let record = std::fs::read(record.unwrap()).unwrap();
    let text = String::from_utf8(record).unwrap();
    assert!(
        text.contains("N+black") && text.contains("+7776FU") && text.contains("%TORYO"),
        "{text}"
    );
    server.stop().await;
    std::fs::remove_dir_all(dir).unwrap();
}

fn tempfile() -> std::path::PathBuf {
    let dir = std::env::temp_dir().join(format!(
        "kyomi-server-{}-{:x}",
        std::process::id(),
        fastrand::u64(..)
    ));
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

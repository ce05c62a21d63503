//! What is counted of the workers' part in a game.

use super::*;
use crate::players::HelpCounts;

impl Stage {
    /// The counts that come with the next answer.
    async fn counts(&mut self) -> HelpCounts {
        loop {
            let wait = timeout(Duration::from_secs(5), self.owner.event());
            if let PlayerEvent::Helped(counts) = wait.await.expect("counts").unwrap() {
                return counts;
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn nodes_of_workers_that_vote_count_in_the_decision() {
    for is_cut in [false, true] {
        let mut stage = Stage::new();
        with_a_better_move(&mut stage, "cp 80").await;
        let check = stage.request().await;
        if !is_cut {
            stage.answer(check.id, -60, "3c3d");
        }
        let counts = stage.counts().await;
        assert_eq!((counts.turns, counts.pondered), (1, 0));
        assert_eq!((counts.nodes, counts.counted_nodes), (2000, 2000));
        assert_eq!((counts.checks, counts.cut_checks), (1, u64::from(is_cut)));
        assert_eq!(counts.overruled, u64::from(!is_cut));
    }
}

/// A worker that searches 1000 nodes after the reply on which we ponder, and the counts after our next move.
async fn after_a_reply(played: &str) -> HelpCounts {
    let mut stage = Stage::new();
    stage.begin();
    let mut orders = stage.worker("a").await;
    stage.owner.send(PlayerCommand::Ponder(ask("startpos moves 7g7f 3c3d")));
    stage.request().await;
    let (job, _) = order(&mut orders).await;
    stage.report("a", job, 900, "cp 55", "2g2f");
    tokio::time::sleep(Duration::from_millis(20)).await;
    stage.think(&format!("startpos moves 7g7f {played}"));
    let request = stage.request().await;
    stage.answer(request.id, 20, "6i7h");
    stage.counts().await
}

#[tokio::test(start_paused = true)]
async fn what_was_searched_counts_if_the_expected_reply_is_played() {
    let hit = after_a_reply("3c3d").await;
    assert_eq!((hit.pondered, hit.own_hits), (1, 1));
    assert_eq!((hit.nodes, hit.counted_nodes), (1000, 1000));
    let miss = after_a_reply("8b5b").await;
    assert_eq!((miss.pondered, miss.own_hits), (1, 0));
    // 1000 were reported, and at 1000 a second 21 were searched until the recall was heard. All are wasted.
    assert_eq!((miss.nodes, miss.counted_nodes), (1021, 0));
}

#[tokio::test(start_paused = true)]
async fn the_latency_is_half_of_the_time_until_an_order_is_confirmed() {
    let mut stage = Stage::new();
    let (_engine, stop) = stage.real_worker().await;
    stage.begin();
    stage.think("startpos");
    let request = stage.request().await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    stage.answer(request.id, 20, "7g7f");
    let counts = stage.counts().await;
    assert!(counts.confirmed_orders > 0, "{counts:?}");
    assert_eq!(counts.latency_us, counts.confirmed_orders * NETWORK.latency.as_micros() as u64);
    stop.cancel();
}

#[tokio::test(start_paused = true)]
async fn nodes_of_a_worker_that_leaves_stay_in_the_count() {
    let (mut stage, mut orders, _) = Stage::in_first_turn().await;
    let (job, _) = order(&mut orders).await;
    stage.report("a", job, 700, "cp 0", "7g7f");
    tokio::time::sleep(Duration::from_millis(10)).await;
    let bye = FromWorker::Bye { worker: "a".to_owned() };
    stage.network.publish(&stage.room.workers(), bye.write());
    tokio::time::sleep(Duration::from_millis(10)).await;
    stage.own(700, 10, "7g7f");
    let info = stage.info().await;
    assert_eq!(info.workers, 0);
    assert!(info.nodes >= 1000, "{info:?}");
}

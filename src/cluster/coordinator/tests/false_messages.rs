//! Messages that cannot be true, and messages in another's name.

use super::*;

/// A worker that sends three messages that cannot be, made by `lie` from its job.
async fn left_out_for(lie: impl Fn(&Stage, u64)) -> String {
    let (mut stage, mut orders, request) = Stage::in_first_turn().await;
    let (job, _) = order(&mut orders).await;
    for _ in 0..10 {
        lie(&stage, job);
    }
    let warnings = stage.warnings().await;
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    stage.say("a", "1");
    assert!(timeout(Duration::from_secs(2), order(&mut orders)).await.is_err(), "it is left out");
    stage.answer(request.id, 30, "7g7f");
    assert_eq!(stage.choice().await.0, Choice::Move(moves("7g7f")[0]));
    warnings[0].clone()
}

impl Stage {
    /// A true report with this change of its text.
    fn report_changed(&self, job: u64, from: &str, to: &str) {
        let report = Report {
            worker: "a".to_owned(),
            job,
            limit: 700,
            depth: 7,
            score: Some("cp 0".to_owned()),
            nodes: 1000,
            nps: 1000,
            pv: String::new(),
        };
        let text = String::from_utf8(FromWorker::Found(report).write()).unwrap();
        let changed = text.replace(from, to);
        assert_ne!(changed, text);
        self.network.publish(&self.room.to_coordinator("boss"), changed.into_bytes());
    }
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_sends_illegal_moves_is_left_out_with_one_warning() {
    let warning = left_out_for(|stage, job| stage.report("a", job, 700, "cp 0", "7g7f 7g7f")).await;
    assert!(warning.contains("host a") && warning.contains("pv"), "{warning}");
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_sends_absurd_scores_is_left_out_with_one_warning() {
    for score in ["cp 99999", "cp x", "mate 9999", "mate"] {
        let warning = left_out_for(|stage, job| stage.report("a", job, 700, score, "7g7f")).await;
        assert!(warning.contains("host a") && warning.contains("score"), "{warning}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_sends_endless_lines_is_left_out_with_one_warning() {
    let round = "2h3h 8b7b 3h2h 7b8b ";
    for (repeats, fault) in [(33, "more than 128 moves"), (5000, "bytes, more than 65536")] {
        let endless = round.repeat(repeats);
        let warning =
            left_out_for(|stage, job| stage.report("a", job, 700, "cp 0", &endless)).await;
        assert!(warning.contains("host a") && warning.contains(fault), "{warning}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_sends_entries_that_cannot_be_is_left_out_with_one_warning() {
    let warning = left_out_for(|stage, job| {
        let (worker, entries) = ("a".to_owned(), "AAAA".to_owned());
        let message = FromWorker::Entries { worker, job, game: 1, entries }.write();
        stage.network.publish(&stage.room.to_coordinator("boss"), message);
    })
    .await;
    assert!(warning.contains("host a") && warning.contains("entries"), "{warning}");
}

#[tokio::test(start_paused = true)]
async fn messages_without_the_number_of_its_job_do_not_exclude_a_worker() {
    let (mut stage, mut orders, _) = Stage::in_first_turn().await;
    let (job, _) = order(&mut orders).await;
    for _ in 0..10 {
        for text in [r#"{"worker":"a"}"#.to_owned(), format!(r#"{{"worker":"a","job":{}"#, job + 1)]
        {
            stage.network.publish(&stage.room.workers(), text.clone().into());
            stage.network.publish(&stage.room.to_coordinator("boss"), text.into());
        }
    }
    assert_eq!(stage.warnings().await, [""; 0]);
    stage.report("a", job, 700, "cp 0", "7g7f");
    tokio::time::sleep(Duration::from_millis(10)).await;
    stage.own(700, 10, "7g7f");
    assert_eq!(stage.info().await.workers, 1);
}

#[tokio::test(start_paused = true)]
async fn a_worker_of_another_version_is_left_out_with_one_warning() {
    // Of the program.
    let mut stage = Stage::new();
    for _ in 0..3 {
        stage.say("b", "2");
    }
    let warnings = stage.warnings().await;
    assert!(warnings.len() == 1 && warnings[0].contains("version 2 of kyomi"), "{warnings:?}");
    // Of the messages, before and after it was known.
    for _ in 0..3 {
        stage.network.publish(
            &stage.room.workers(),
            br#"{"v":4,"say":"here","worker":"c","name":"host c"}"#.to_vec(),
        );
    }
    let warnings = stage.warnings().await;
    assert!(
        warnings.len() == 1 && warnings[0].contains("version 4 of the messages"),
        "{warnings:?}"
    );
    let warning = left_out_for(|stage, job| stage.report_changed(job, "\"v\":3", "\"v\":4")).await;
    assert!(warning.contains("host a") && warning.contains("version 4"), "{warning}");
}

#[tokio::test(start_paused = true)]
async fn messages_of_nobody_are_one_warning_for_each_fault() {
    let mut stage = Stage::new();
    for text in ["{", "", "nothing", r#"{"v":1}"#, r#"{"v":4,"worker":"?"}"#] {
        stage.network.publish(&stage.room.workers(), text.into());
        stage.network.publish(&stage.room.to_coordinator("boss"), text.into());
    }
    let warnings = stage.warnings().await;
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings.iter().all(|it| it.contains("cannot be read are dropped")), "{warnings:?}");
}

//! [`NatsTransport`] against a real server.

use std::{sync::Arc, time::Duration};

use kyomi::{
    cluster::{LONGEST_MESSAGE, LinkState, NatsTransport, Subscription, Transport as _},
    config::{ClusterConfig, Config},
};
use tokio::time::{sleep, timeout};

use crate::broker::{Broker, COORDINATOR_PASSWORD, PATIENCE, WORKER_PASSWORD};

/// `[cluster]` with this server and these keys.
fn config(server: &str, keys: &str) -> ClusterConfig {
    let text = format!("[cluster]\nservers = [\"{server}\"]\n{keys}");
    Config::from_text("test", &text, [], &[]).unwrap().config.cluster.unwrap()
}

async fn connected(server: &str, keys: &str) -> Arc<NatsTransport> {
    let transport = NatsTransport::connect(&config(server, keys), "test").await.unwrap();
    await_state(&transport, &LinkState::Connected).await;
    transport
}

async fn await_state(transport: &NatsTransport, wanted: &LinkState) {
    let mut state = transport.state();
    timeout(PATIENCE, state.wait_for(|it| it == wanted)).await.unwrap().unwrap();
}

/// Publishes until a message arrives, since a new subscription takes its time to reach the server.
async fn pass(from: &NatsTransport, subject: &str, payload: &[u8], to: &mut Subscription) {
    let arrival = async {
        loop {
            from.publish(subject, payload.to_vec());
            match timeout(Duration::from_millis(100), to.recv()).await {
                Ok(message) if message.as_ref().is_some_and(|it| it.payload == payload) => break,
                Ok(message) => assert!(message.is_some()),
                Err(_) => {}
            }
        }
    };
    timeout(PATIENCE, arrival).await.unwrap();
}

#[tokio::test]
async fn messages_go_both_ways() {
    let Some(broker) = Broker::start(&[]) else { return };
    let (one, other) = (connected(&broker.url(), "").await, connected(&broker.url(), "").await);
    let mut at_other = other.subscribe("kyomi.a.do.*");
    let mut at_one = one.subscribe("kyomi.a.found.x");
    pass(&one, "kyomi.a.do.y", b"there", &mut at_other).await;
    pass(&other, "kyomi.a.found.x", b"back", &mut at_one).await;
    // What is too long is not sent, and what follows arrives.
    one.publish("kyomi.a.do.y", vec![b' '; LONGEST_MESSAGE + 1]);
    pass(&one, "kyomi.a.do.y", b"after", &mut at_other).await;
}

#[tokio::test]
async fn a_broker_that_is_killed_and_comes_back_is_survived() {
    let Some(mut broker) = Broker::start(&[]) else { return };
    let (one, other) = (connected(&broker.url(), "").await, connected(&broker.url(), "").await);
    let mut messages = other.subscribe("kyomi.a.call");
    pass(&one, "kyomi.a.call", b"first", &mut messages).await;
    broker.kill();
    let mut state = one.state();
    let lost = state.wait_for(|it| matches!(it, LinkState::Lost(_)));
    timeout(PATIENCE, lost).await.unwrap().unwrap();
    // Publishing goes on without an effect, however much it is.
    for _ in 0..10_000 {
        one.publish("kyomi.a.call", b"nowhere".to_vec());
    }
    broker.restart();
    await_state(&one, &LinkState::Connected).await;
    await_state(&other, &LinkState::Connected).await;
    pass(&one, "kyomi.a.call", b"again", &mut messages).await;
}

#[tokio::test]
async fn a_broker_may_come_later_than_its_clients() {
    let Some(mut broker) = Broker::start(&[]) else { return };
    broker.kill();
    let transport = NatsTransport::connect(&config(&broker.url(), ""), "test").await.unwrap();
    let mut messages = transport.subscribe("kyomi.a.call");
    let mut state = transport.state();
    let refused = timeout(PATIENCE, state.wait_for(|it| matches!(it, LinkState::Lost(_))));
    let LinkState::Lost(reason) = refused.await.unwrap().unwrap().clone() else { panic!() };
    assert!(reason.contains("refused"), "{reason}");
    broker.restart();
    await_state(&transport, &LinkState::Connected).await;
    pass(&transport, "kyomi.a.call", b"here", &mut messages).await;
}

#[tokio::test]
async fn a_wrong_password_is_one_clear_reason_without_the_password() {
    let Some(broker) = Broker::start(&["--user", "anna", "--pass", "right"]) else { return };
    for keys in ["user = \"anna\"\npassword = \"wrong-hush\"", "token = \"wrong-hush\""] {
        let transport = NatsTransport::connect(&config(&broker.url(), keys), "test").await.unwrap();
        let LinkState::Lost(reason) = transport.wait_while_connecting(PATIENCE).await else {
            panic!()
        };
        assert!(reason.contains("login is refused") && !reason.contains("hush"), "{reason}");
        assert!(!format!("{transport:?}").contains("hush"));
    }
    let login = broker.url().replace("nats://", "nats://anna:right@");
    assert_eq!(connected(&login, "").await.servers(), broker.url());
    drop(broker);
    let Some(broker) = Broker::start(&["--auth", "word"]) else { return };
    connected(&broker.url(), "token = \"word\"").await;
}

/// The subjects of the sample configuration: who may publish, and whether the other role may not.
#[tokio::test]
async fn each_role_may_do_its_own_part_only() {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/config/nats-server.conf");
    let Some(broker) = Broker::start(&["-c", sample]) else { return };
    let user = |user: &str, password: &str| format!("user = \"{user}\"\npassword = \"{password}\"");
    let coordinator = connected(&broker.url(), &user("coordinator", COORDINATOR_PASSWORD)).await;
    let worker = connected(&broker.url(), &user("worker", WORKER_PASSWORD)).await;
    for (from, to, subject) in [
        (&coordinator, &worker, "kyomi.kyomi.call"),
        (&coordinator, &worker, "kyomi.kyomi.do.w"),
        (&worker, &coordinator, "kyomi.kyomi.worker"),
        (&worker, &coordinator, "kyomi.kyomi.found.c"),
        (&coordinator, &coordinator, "kyomi.kyomi.echo.c"),
    ] {
        pass(from, subject, b"it", &mut to.subscribe(subject)).await;
    }
    assert_eq!(coordinator.server_errors(), Vec::<String>::new());
    assert_eq!(worker.server_errors(), Vec::<String>::new());
    for (who, subject) in [
        (&worker, "kyomi.kyomi.call"),
        (&worker, "kyomi.kyomi.do.w"),
        (&worker, "kyomi.kyomi.echo.c"),
        (&worker, "kyomi.other.worker"),
        (&coordinator, "kyomi.kyomi.worker"),
        (&coordinator, "kyomi.kyomi.found.c"),
        (&coordinator, "kyomi.other.call"),
    ] {
        who.publish(subject, b"it".to_vec());
        let refused =
            async {
                while !who.server_errors().iter().any(|it| {
                    it.contains("Permissions Violation for Publish") && it.contains(subject)
                }) {
                    sleep(Duration::from_millis(10)).await;
                }
            };
        timeout(PATIENCE, refused).await.unwrap_or_else(|_| panic!("{subject} is allowed"));
    }
    let _found = worker.subscribe("kyomi.kyomi.found.c");
    let refused = async {
        while !worker.server_errors().iter().any(|it| it.contains("for Subscription")) {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(PATIENCE, refused).await.unwrap();
}

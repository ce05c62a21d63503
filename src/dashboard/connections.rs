//! Answers the requests of all connections, with little memory for each.

use std::pin::pin;

use axum::{Extension, Router, extract::ConnectInfo};
use hyper::server::conn::http1;
use hyper_util::{rt::TokioIo, service::TowerToHyperService};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::stream::{LimitedStream, Port};

/// Serves until the end, and then until the connections have got their last messages.
pub(super) async fn answer(mut port: Port, router: Router, end: CancellationToken) {
    let connections = TaskTracker::new();
    loop {
        let stream = tokio::select! {
            () = end.cancelled() => break,
            stream = port.accept() => stream,
        };
        connections.spawn(serve(stream, router.clone(), end.clone()));
    }
    connections.close();
    connections.wait().await;
}

async fn serve(stream: LimitedStream, router: Router, end: CancellationToken) {
    let first_request = ConnectInfo(stream.first_request());
    let service = TowerToHyperService::new(router.layer(Extension(first_request)));
    let mut http = http1::Builder::new();
    http.max_buf_size(MOST_BUFFERED);
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service));
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = end.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::trace!(%error, "a viewer's connection");
    }
}

/// The longest head of a request, and the bytes of answers after which no further request is read. Without this limit
/// each connection could take 800 KiB.
const MOST_BUFFERED: usize = 32 * 1024;

//! The routes of the page, and the thread that serves them.

use std::{
    io,
    net::{SocketAddr, TcpListener},
    path::PathBuf,
    sync::Arc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use axum::{
    Router,
    body::Body,
    extract::{ConnectInfo, Path, RawQuery, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    middleware::{Next, from_fn_with_state},
    response::{IntoResponse, Response},
    routing::get,
};
use bytes::Bytes;
use futures_util::stream;
use serde_json::Value;
use tokio::sync::{Semaphore, broadcast::error::RecvError};
use tokio_util::sync::CancellationToken;

use crate::{
    config::DashboardConfig,
    watch::{MergedReports, Report, Reports},
};
use kyomi_engine::search::lower_priority;

use super::{
    connections,
    document::{Document, preferred_language},
    game::PAST,
    guard::{Guard, Verdict},
    history::{History, PastGames, load_past_game},
    hub::{EventPage, Hub, Subscription},
    long_answers::LongAnswers,
    model::{Model, Shows},
    stream::{FirstRequest, Limits, Port},
};

/// Why the page cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum DashboardError {
    /// The port cannot be opened.
    #[error("dashboard.address {address}: {source}")]
    Bind {
        /// The configured address.
        address: SocketAddr,
        /// The error of the system.
        source: io::Error,
    },
    /// The thread cannot be started.
    #[error("starting the thread of the dashboard: {0}")]
    Thread(#[from] io::Error),
}

/// The page of this process. It is closed when this value is dropped.
#[derive(Debug)]
pub struct Dashboard {
    address: SocketAddr,
    hub: Hub,
    end: CancellationToken,
    thread: Option<JoinHandle<()>>,
}

impl Dashboard {
    /// Opens the page, if one is configured, with the reports of each client and its label, and the games of earlier
    /// runs.
    ///
    /// # Errors
    /// The port cannot be opened.
    pub fn open(
        config: &DashboardConfig,
        shows: Shows,
        clients: impl IntoIterator<Item = (Option<String>, Reports)>,
        past: Option<PastGames>,
    ) -> Result<Option<Self>, DashboardError> {
        Self::open_with_limits(config, shows, clients, past, Limits::default())
    }

    /// The same, with these time limits of a connection.
    pub(super) fn open_with_limits(
        config: &DashboardConfig,
        shows: Shows,
        clients: impl IntoIterator<Item = (Option<String>, Reports)>,
        past: Option<PastGames>,
        limits: Limits,
    ) -> Result<Option<Self>, DashboardError> {
        let Some(wanted) = config.address else { return Ok(None) };
        let bound = |source| DashboardError::Bind { address: wanted, source };
        let listener = TcpListener::bind(wanted).map_err(bound)?;
        listener.set_nonblocking(true).map_err(bound)?;
        let address = listener.local_addr().map_err(bound)?;
        let (labels, reports): (Vec<_>, Vec<_>) = clients.into_iter().unzip();
        let hub = Hub::new(Model::new(shows, labels));
        let end = CancellationToken::new();
        let guard = Arc::new(Guard::new(config, address));
        let history = past.clone().map(|past| History::start(past, hub.clone())).transpose()?;
        let reading = Arc::new(Semaphore::new(1));
        let page = Page { hub: hub.clone(), guard, past, long: LongAnswers::new(), reading };
        let reports = MergedReports::new(reports);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let ended = end.clone();
        let thread = thread::Builder::new().name("kyomi-page".to_owned()).spawn(move || {
            runtime.block_on(serve(listener, page, reports, history, limits, ended));
            runtime.shutdown_background();
        })?;
        tracing::info!(%address, "the dashboard is open");
        Ok(Some(Self { address, hub, end, thread: Some(thread) }))
    }

    /// The address for a browser on this machine, without the token.
    pub fn url(&self) -> String {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(match address {
                SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
                SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
            });
        }
        format!("http://{address}/")
    }

    /// The number of viewers.
    #[cfg(test)]
    pub(super) fn viewers(&self) -> usize {
        self.hub.viewers()
    }

    /// The part of the page about an event with pairings.
    pub fn event_page(&self) -> EventPage {
        EventPage(self.hub.clone())
    }
}

impl Drop for Dashboard {
    /// Tells the viewers that the program ends, and waits, for a limited time, until the message is sent.
    fn drop(&mut self) {
        self.end.cancel();
        let deadline = Instant::now() + LAST_MESSAGE_LIMIT;
        if let Some(thread) = self.thread.take() {
            while !thread.is_finished() && Instant::now() < deadline {
                thread::sleep(Duration::from_millis(2));
            }
        }
    }
}

#[derive(Debug, Clone)]
struct Page {
    hub: Hub,
    guard: Arc<Guard>,
    /// The games of earlier runs.
    past: Option<PastGames>,
    long: LongAnswers,
    /// Held by the request that reads a game of an earlier run.
    reading: Arc<Semaphore>,
}

impl Page {
    /// An answer that may be long.
    fn long_answer(&self, kind: &'static str, text: String) -> Response {
        match self.long.hold(text.into_bytes()) {
            Some(bytes) => ([(header::CONTENT_TYPE, kind)], bytes).into_response(),
            None => busy(),
        }
    }
}

async fn serve(
    listener: TcpListener,
    page: Page,
    mut reports: MergedReports,
    history: Option<History>,
    limits: Limits,
    end: CancellationToken,
) {
    let listener = match tokio::net::TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => {
            tracing::error!(%error, "there is no dashboard");
            return;
        }
    };
    let port = Port::new(listener, limits);
    let hub = page.hub.clone();
    let ended = end.clone();
    let following = async move {
        let mut frames = tokio::time::interval(BETWEEN_LINES);
        frames.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut ticks = tokio::time::interval(limits.idle / TICKS);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let (mut goes_on, mut in_a_row) = (true, 0);
        loop {
            tokio::select! {
                () = ended.cancelled() => break,
                report = reports.next(), if goes_on => match report {
                    Some((client, report)) => {
                        hub.report(client, &report);
                        // At the start of a game the records left by a killed client have been recovered.
                        let changed =
                            matches!(report, Report::GameStarted { .. } | Report::GameEnded { .. });
                        if let Some(history) = history.as_ref().filter(|_| changed) {
                            history.refresh();
                        }
                        // The viewers' tasks have the same thread. Those who read are to keep up.
                        in_a_row = (in_a_row + 1) % IN_A_ROW;
                        if in_a_row == 0 {
                            tokio::task::yield_now().await;
                        }
                    }
                    None => goes_on = false,
                },
                _ = frames.tick() => hub.flush(),
                _ = ticks.tick() => hub.tick(),
            }
        }
        // The last reports are sent too.
        while let Ok(Some((client, report))) =
            tokio::time::timeout(Duration::ZERO, reports.next()).await
        {
            hub.report(client, &report);
        }
        hub.flush();
        hub.close();
    };
    tokio::join!(connections::answer(port, router(page), end), following);
}

fn router(page: Page) -> Router {
    Router::new()
        .route("/", get(|headers: HeaderMap| async move { document(Document::Live, &headers) }))
        .route(
            "/game/{key}",
            get(|headers: HeaderMap| async move { document(Document::Game, &headers) }),
        )
        .route("/page/{name}", get(|Path(name): Path<String>| async move { asset(&name) }))
        .route("/state.json", get(state))
        .route("/game/{key}/moves.json", get(game))
        .route("/game/{key}/analysis", get(analysis))
        .route("/events", get(events))
        .fallback(|| async { (StatusCode::NOT_FOUND, "there is no such page\n") })
        .layer(from_fn_with_state(page.clone(), guarded))
        .with_state(page)
}

/// Checks a request, and adds the headers that every answer has.
async fn guarded(
    State(page): State<Page>,
    ConnectInfo(first_request): ConnectInfo<FirstRequest>,
    RawQuery(query): RawQuery,
    request: Request,
    next: Next,
) -> Response {
    first_request.completed();
    let mut response = match page.guard.check(request.headers(), query.as_deref()) {
        Verdict::Allowed => next.run(request).await,
        Verdict::Enter => {
            let place = [(header::LOCATION, request.uri().path().to_owned())];
            let cookie = [(header::SET_COOKIE, page.guard.set_cookie())];
            (StatusCode::SEE_OTHER, place, cookie).into_response()
        }
        Verdict::AsksForToken => {
            let form = document(Document::Token, request.headers());
            (StatusCode::UNAUTHORIZED, form).into_response()
        }
        Verdict::Refused(code, why) => (code, format!("{why}\n")).into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.entry(HeaderName::from_static(name)).or_insert(HeaderValue::from_static(value));
    }
    response
}

async fn state(State(page): State<Page>) -> Response {
    page.long_answer(JSON, page.hub.state_json())
}

async fn game(State(page): State<Page>, Path(key): Path<String>) -> Response {
    let Some((mut game, record)) = find_game(&page, &key).await else { return not_kept() };
    game["analysed"] = match record {
        Some(record) => tokio::fs::try_exists(analysis_of(&record)).await.unwrap_or(false).into(),
        None => false.into(),
    };
    page.long_answer(JSON, game.to_string())
}

/// A game of this run or of the database, and the path of its record.
async fn find_game(page: &Page, key: &str) -> Option<(Value, Option<PathBuf>)> {
    let Some(id) = key.strip_prefix(PAST) else { return page.hub.game(key) };
    let (id, past) = (id.parse().ok()?, page.past.clone()?);
    // Games are read one at a time and at low priority, so that viewers take little time from the search.
    let place = Arc::clone(&page.reading).acquire_owned().await.ok()?;
    let load = move || {
        lower_priority();
        let game = load_past_game(&past, id);
        drop(place);
        game
    };
    tokio::task::spawn_blocking(load).await.ok()?
}

/// Where `kyomi analyze` writes the page of its analysis of this record.
fn analysis_of(record: &std::path::Path) -> PathBuf {
    record.with_extension("analysis.html")
}

/// The page that `kyomi analyze` has written beside the record. The policy in that page allows only its own script.
async fn analysis(State(page): State<Page>, Path(key): Path<String>) -> Response {
    let Some((_, Some(record))) = find_game(&page, &key).await else { return not_kept() };
    let path = analysis_of(&record);
    let read = async {
        let is_large = tokio::fs::metadata(&path).await?.len() > LARGEST_ANALYSIS;
        if is_large {
            Err(io::ErrorKind::FileTooLarge.into())
        } else {
            tokio::fs::read_to_string(&path).await
        }
    };
    match read.await {
        Ok(text)
            if text.split_once("<body>").is_some_and(|(head, _)| head.contains(OWN_POLICY)) =>
        {
            let policy = [("content-security-policy", ANALYSIS_POLICY)];
            (policy, page.long_answer(HTML, text)).into_response()
        }
        _ => (StatusCode::NOT_FOUND, "this game is not analysed; `kyomi analyze` does that\n")
            .into_response(),
    }
}

fn busy() -> Response {
    let why = "viewers who read slowly keep the page busy; ask again\n";
    (StatusCode::SERVICE_UNAVAILABLE, why).into_response()
}

fn not_kept() -> Response {
    (StatusCode::NOT_FOUND, "this game is not kept here\n").into_response()
}

/// The stream of events of one viewer.
async fn events(
    State(page): State<Page>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let header = headers.get("last-event-id").and_then(|value| value.to_str().ok());
    let after =
        query.as_deref().and_then(|it| it.split('&').find_map(|it| it.strip_prefix("after=")));
    let mut subscription = page.hub.subscribe(header.or(after));
    let missed: Vec<u8> = subscription.missed.drain(..).flatten().collect();
    let Some(missed) = page.long.hold(missed) else { return busy() };
    subscription.missed.push_back(missed);
    let messages = stream::unfold(subscription, |mut subscription| async move {
        let bytes = next_message(&mut subscription).await?;
        Some((Ok::<_, io::Error>(bytes), subscription))
    });
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(messages)).into_response()
}

/// `None` ends the stream: after the last message, and for a viewer that is too slow.
async fn next_message(subscription: &mut Subscription) -> Option<Bytes> {
    if let Some(missed) = subscription.missed.pop_front() {
        return Some(missed);
    }
    match subscription.messages.as_mut()?.recv().await {
        Ok(bytes) => Some(bytes),
        Err(RecvError::Closed) => None,
        Err(RecvError::Lagged(messages)) => {
            tracing::debug!(messages, "a viewer of the dashboard is too slow, and dropped");
            None
        }
    }
}

/// A document in the language that the viewer prefers.
fn document(document: Document, headers: &HeaderMap) -> Response {
    let html = document.html(preferred_language(headers));
    ([(header::CONTENT_TYPE, HTML)], html).into_response()
}

/// A file of the page.
pub(super) fn asset(name: &str) -> Response {
    match ASSETS.iter().find(|(known, ..)| *known == name) {
        Some((_, kind, text)) => ([(header::CONTENT_TYPE, *kind)], *text).into_response(),
        None => (StatusCode::NOT_FOUND, "there is no such file\n").into_response(),
    }
}

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const JSON: &str = "application/json";

/// The files of the page: name, type, content.
const ASSETS: &[(&str, &str, &str)] = &[
    ("live.css", "text/css; charset=utf-8", include_str!("page/live.css")),
    ("look.js", SCRIPT, include_str!("../report/page/look.js")),
    ("words.js", SCRIPT, include_str!("page/words.js")),
    ("board.js", SCRIPT, include_str!("../report/page/board.js")),
    ("elements.js", SCRIPT, include_str!("page/elements.js")),
    ("clock.js", SCRIPT, include_str!("page/clock.js")),
    ("graph.js", SCRIPT, include_str!("page/graph.js")),
    ("rating.js", SCRIPT, include_str!("page/rating.js")),
    ("stream.js", SCRIPT, include_str!("page/stream.js")),
    ("card.js", SCRIPT, include_str!("page/card.js")),
    ("finished.js", SCRIPT, include_str!("page/finished.js")),
    ("beamer.js", SCRIPT, include_str!("page/beamer.js")),
    ("live.js", SCRIPT, include_str!("page/live.js")),
    ("game.js", SCRIPT, include_str!("page/game.js")),
];

/// The headers of every answer: no inline scripts, no external resources, no caching, no framing by other pages.
const HEADERS: &[(&str, &str)] = &[
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
         base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("cache-control", "no-store"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
];

/// A page of `kyomi analyze` has this in its head.
const OWN_POLICY: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-";

/// The page is one self-contained file; nothing else is loaded.
const ANALYSIS_POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
                               base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const LARGEST_ANALYSIS: u64 = 32 << 20;

/// The interval at which search reports are sent to viewers.
const BETWEEN_LINES: Duration = Duration::from_millis(300);

/// The number of reports after which the viewers are sent the changes.
const IN_A_ROW: u32 = 32;

/// The number of ticks in the time after which an idle connection is closed. A page that misses several of them shows
/// that the program is gone.
const TICKS: u32 = 10;

/// How long the end of the program waits until the viewers have got the last message.
const LAST_MESSAGE_LIMIT: Duration = Duration::from_millis(500);

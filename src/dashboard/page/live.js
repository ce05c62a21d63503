"use strict";
// The page with all games.

const cards = new Map();
const at = (id) => document.getElementById(id);
const stream = new Stream(changed);

// What has changed since the last picture. However many changes arrive, there is one drawing for each picture.
const changes = { parts: new Set(), games: new Set(), lines: new Set() };
let waits = false;

function changed(name, data) {
  if (name === "move" || name === "clocks") changes.games.add(data.key);
  else if (name === "line") changes.lines.add(data.key);
  else changes.parts.add(name);
  if (waits) return;
  waits = true;
  requestAnimationFrame(draw);
}

function draw() {
  waits = false;
  const { parts, games, lines } = changes;
  if (parts.has("state")) {
    drawAll();
  } else if (stream.state) {
    if (parts.has("game") || parts.has("end")) drawGames();
    if (parts.has("client") || parts.has("bye")) drawClients();
    if (parts.has("notice")) drawNotices();
    if (parts.has("event")) drawEvent();
    if (parts.has("history")) drawFinished(stream.state);
    for (const key of games) cards.get(key)?.draw();
    for (const key of lines) cards.get(key)?.drawLines();
  }
  tick();
  // With the clocks in their places.
  if (["state", "game", "end", "event"].some((part) => parts.has(part))) fitBoards();
  [parts, games, lines].forEach((set) => set.clear());
}

function drawAll() {
  const { state } = stream;
  setText(at("program"), state.program);
  document.body.classList.toggle("server", state.shows === "server");
  // The objects are new ones.
  for (const [key, card] of cards) {
    const game = state.games.find((it) => it.key === key && it.moves);
    if (game) card.game = game;
  }
  drawGames();
  drawClients();
  drawNotices();
  drawEvent();
}

// Running games first; of the others the last one of each client, or of the server's boards those of the last minutes.
function shownGames() {
  const { games } = stream.state;
  const whole = games.filter((game) => game.moves);
  const running = whole.filter((game) => !game.end);
  const ended = whole.filter((game) => game.end).slice(-12);
  const shown = stream.state.shows === "server" && running.length > 0 ? running : [...running, ...ended.reverse()];
  return stream.state.shows === "server" ? shown.slice(0, Math.max(running.length, 4)) : shown;
}

function drawGames() {
  const shown = shownGames();
  const keys = new Set(shown.map((game) => game.key));
  for (const [key, card] of cards) {
    if (!keys.has(key)) {
      card.element.remove();
      cards.delete(key);
    }
  }
  at("none").hidden = shown.length > 0;
  shown.forEach((game, index) => {
    let card = cards.get(game.key);
    if (!card) cards.set(game.key, (card = new Card(game)));
    if (at("games").children[index + 1] !== card.element) at("games").insertBefore(card.element, at("games").children[index + 1] ?? null);
    card.draw();
  });
  document.body.classList.toggle("single", shown.length < 2);
  document.title = shown.length > 0 && !shown[0].end ? `${shown[0].names.join(" – ")} · kyomi` : "kyomi";
  drawFinished(stream.state);
}

// The word for each state of a connection.
const CONNECTIONS = {
  none: "isNone", connecting: "isConnecting", waiting: "isWaiting", playing: "isPlaying", lost: "isLost", sleeping: "isSleeping",
  pausing: "isPausing", suspended: "isSuspended",
};

function drawClients() {
  const { clients, shows } = stream.state;
  at("clients").hidden = shows === "server";
  at("clients").replaceChildren(...clients.map((client) => {
    const { state, text } = client.connection;
    const engines = client.engines.map((engine) => {
      const words = { starting: say("engineStarts"), ready: engine.engine, failed: say("engineFailed", engine.text) }[engine.state];
      return make("li", { class: engine.state, text: `${engine.player}: ${words}` });
    });
    const words = stream.ended ? say("isEnded") : CONNECTIONS[state] ? say(CONNECTIONS[state], sentence(text)) : state;
    return make("div", { class: "client", "data-state": stream.ended ? "ended" : state },
      make("p", {}, client.label ? make("strong", { text: `${client.label}: ` }) : null,
        make("span", { class: "connection", text: words }), " ",
        make("span", { class: "since" })),
      make("ul", { class: "engines", "aria-label": say("engines") }, ...engines));
  }));
}

function drawNotices() {
  const { notices } = stream.state;
  at("notices").hidden = notices.length === 0;
  at("notices").querySelector("ul").replaceChildren(...[...notices].reverse().map((notice) =>
    make("li", { class: notice.kind }, make("time", { datetime: notice.at, text: timeText(new Date(notice.at)) }), ` ${sentence(notice.text)}`)));
}

const RESULTS = {
  black: "1 – 0", white: "0 – 1", draw: "½ – ½", black_by_forfeit: "+ – -", white_by_forfeit: "- – +", double_forfeit: "- – -",
};

// The pairings of the last round and the table.
function drawEvent() {
  const { event } = stream.state;
  at("event").hidden = !event;
  document.body.classList.toggle("event", Boolean(event));
  if (!event) return;
  const head = (names) => make("thead", {}, make("tr", {}, ...names.map((text) => make("th", { scope: "col", text }))));
  const round = event.rounds.at(-1);
  const pairings = (round?.games ?? []).map((game) => make("tr", {},
    make("td", { text: game.black }), make("td", { class: "result", text: RESULTS[game.result] ?? say("plays") }),
    make("td", { text: game.white }), make("td", { text: reasonText(game.reason ?? "") })));
  if (round?.bye) pairings.push(make("tr", {}, make("td", { text: round.bye }), make("td", { class: "result", text: say("bye") }), make("td"), make("td")));
  const rows = event.table.map((row) => make("tr", {},
    make("td", { text: row.rank }), make("th", { scope: "row", text: row.player }), make("td", { class: "points", text: row.points }),
    ...["won", "drawn", "lost", "buchholz", "sonneborn_berger"].map((key) => make("td", { text: row[key] }))));
  const title = say("round", event.event, event.rounds.length, event.rounds_planned, event.over);
  at("event").replaceChildren(
    make("h2", { text: title }),
    make("div", { class: "sides" },
      make("div", { class: "wide" }, make("table", { class: "pairings" }, make("caption", { text: say("pairings") }),
        head([say("black"), say("result"), say("white"), say("reason")]), make("tbody", {}, ...pairings))),
      make("div", { class: "wide" }, make("table", { class: "standings" }, make("caption", { text: say("standings") }),
        head(["#", say("player"), say("points"), say("won"), say("drawn"), say("lostGames"), say("buchholz"), say("sonnebornBerger")]),
        make("tbody", {}, ...rows)))));
}

// Clocks, ages and countdowns.
function tick() {
  const { state, now, isLive } = stream;
  const link = at("link");
  const age = lengthText(stream.age);
  const isRefused = stream.isRefused && !isLive;
  link.dataset.state = isLive ? "live" : isRefused ? "lost" : stream.ended ? "ended" : state ? "lost" : "waiting";
  if (isLive) setText(link, say("live"));
  else if (isRefused) setText(link, say("asksForToken"));
  else if (stream.ended) setText(link, say("ended", age));
  else if (state) setText(link, say("lost", age));
  if (!state) return;
  for (const card of cards.values()) card.tick(now, isLive);
  document.querySelectorAll("#clients .client").forEach((box, index) => {
    const { since, until, state: of } = state.clients[index].connection;
    const words = [];
    // After the end of the program nothing goes on.
    if (stream.ended) {
      setText(box.querySelector(".since"), "");
      return;
    }
    if (of !== "none") words.push(say("since", lengthText(now - since)));
    if (until !== null) words.push(say(of === "waiting" ? "pairing" : "goesOn", lengthText(until - now)));
    const open = state.clients[index].open_until;
    if (open !== null) words.push(say("openUntil", dateText(new Date(open))));
    const line = state.games.filter((game) => game.client === index && game.lines).flatMap((game) => game.end ? [] : game.lines).filter(Boolean);
    if (line.length > 0) words.push(say("heard", lengthText(now - Math.max(...line.map((it) => it.at)))));
    setText(box.querySelector(".since"), words.join(isJapanese() ? "、" : ", "));
  });
}

onLanguage(() => {
  if (!stream.state) return;
  for (const card of cards.values()) card.relabel();
  drawAll();
  tick();
  fitBoards();
});
listenToKeys(() => shownGames().map((game) => cards.get(game.key)).filter(Boolean));
setInterval(tick, 100);

"use strict";
// One game: board, hands, clocks, graph, the engines' lines, the moves.

class Card {
  constructor(game) {
    this.game = game;
    this.ply = null; // null: the last position
    this.labels = new Map(); // elements whose label is a word
    const button = (word, text, step) => {
      const made = make("button", { type: "button", text });
      made.addEventListener("click", () => step());
      this.labels.set(made, word);
      return made;
    };
    this.title = make("h2");
    this.players = [0, 1].map((side) => ({
      box: make("div", { class: `player ${side === 0 ? "black" : "white"}` }),
      name: make("span", { class: "name" }),
      clock: make("span", { class: "clock", role: "timer", "aria-live": "off" }),
      turn: make("span", { class: "turn" }),
      flag: make("span", { class: "flag" }),
    }));
    for (const player of this.players) player.box.append(player.turn, player.name, player.flag, player.clock);
    this.board = makeSvg("svg", { class: "board", role: "img" });
    this.said = make("p", { class: "said", "aria-live": "polite" });
    this.graph = makeSvg("svg", { class: "graph", role: "img" });
    this.graph.addEventListener("pointerdown", (event) => this.show(plyAt(this.graph, event.clientX, this.game)));
    this.end = make("p", { class: "end", role: "status" });
    this.lines = [0, 1].map(() => make("div", { class: "line" }));
    this.moves = make("ol", { class: "moves", tabindex: "0" });
    this.labels.set(this.moves, "moves");
    this.moves.addEventListener("click", (event) => {
      const row = event.target.closest("li");
      if (row) this.show(Number(row.dataset.ply));
    });
    this.steps = make("div", { class: "steps" },
      button("first", "|◀", () => this.show(0)),
      button("back", "◀", () => this.step(-1)),
      button("on", "▶", () => this.step(1)),
      this.live = button("last", "▶|", () => this.show(null)),
      button("turn", "⇅", () => { this.flip = !this.flip; this.draw(); }),
    );
    this.flip = game.own === "white";
    this.element = make("article", { class: "game", tabindex: "-1", "data-key": game.key },
      this.title,
      make("div", { class: "table" }, this.players[1].box, this.board, this.players[0].box),
      make("div", { class: "about" }, this.said, this.end, this.steps, this.graph, ...this.lines, this.moves));
    this.swipe();
    this.relabel();
  }

  // Writes everything in the language of the page.
  relabel() {
    for (const [element, word] of this.labels) {
      element.setAttribute("aria-label", say(word));
      if (element !== this.moves) element.title = say(word);
    }
    this.moves.replaceChildren();
    this.draw();
  }

  // A finger moved to the side steps as the keys do.
  swipe() {
    let from = null;
    this.board.addEventListener("touchstart", (event) => { from = event.touches[0].clientX; }, { passive: true });
    this.board.addEventListener("touchend", (event) => {
      const way = from === null ? 0 : event.changedTouches[0].clientX - from;
      if (Math.abs(way) > 30) this.step(way < 0 ? 1 : -1);
      from = null;
    }, { passive: true });
  }

  get last() {
    return this.game.moves.length;
  }

  step(by) {
    this.show((this.ply ?? this.last) + by);
  }

  show(ply) {
    this.ply = ply === null || ply >= this.last ? null : Math.max(0, ply);
    this.draw();
  }

  // Draws everything but the clocks.
  draw() {
    const { game } = this;
    const ply = this.ply ?? this.last;
    const move = ply > 0 ? game.moves[ply - 1] : null;
    const sfen = move ? move.sfen : game.sfen;
    kyomiBoard.draw(this.board, { sfen, last: move?.usi, flip: this.flip });
    this.board.setAttribute("aria-label", kyomiBoard.describe(sfen, document.documentElement.dataset.lang));
    const names = game.names.map((name) => name || "?");
    setText(this.title, `${names[0]} – ${names[1]}`);
    const order = this.flip ? [1, 0] : [0, 1];
    // The player at the bottom of the board has the clock below it.
    this.board.before(this.players[order[1]].box);
    this.board.after(this.players[order[0]].box);
    this.players.forEach((player, side) => {
      const engine = game.own === (side === 0 ? "black" : "white") ? say("ourEngine") : "";
      setText(player.name, `${side === 0 ? "☗" : "☖"} ${names[side]}${engine}`);
    });
    const isPast = this.ply !== null;
    setText(this.said, `${move ? moveWords(move) : say("start")}${isPast && !game.end ? ` ${say("past")}` : ""}`);
    this.said.classList.toggle("past", isPast);
    this.live.disabled = this.ply === null;
    drawGraph(this.graph, game, ply);
    this.drawMoves(ply);
    this.drawLines();
    setText(this.end, game.end ? endWords(game) : stopWords(game.suspended));
    this.element.classList.toggle("over", Boolean(game.end));
  }

  drawMoves(ply) {
    const list = this.moves;
    // A new state may have other moves.
    if (list.childElementCount > this.last) list.replaceChildren();
    while (list.childElementCount < this.last) {
      const move = this.game.moves[list.childElementCount];
      const spent = move.spent_ms === undefined ? "" : spentText(move.spent_ms);
      list.append(make("li", { "data-ply": move.ply },
        make("span", { class: "ply", text: move.ply }),
        make("span", { class: "word", text: inLanguage(move, "text") }),
        make("span", { class: "spent", text: spent }),
        make("span", { class: "score", text: move.score ? scoreText(move.score) : "" })));
    }
    list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const row = list.children[ply - 1];
    if (row) {
      row.setAttribute("aria-current", "step");
      list.scrollTop = row.offsetTop - list.clientHeight / 2;
    }
  }

  drawLines() {
    const { game } = this;
    (game.lines ?? []).forEach((line, side) => {
      const box = this.lines[side];
      box.hidden = !line || Boolean(game.end);
      if (box.hidden) return;
      const state = line.ponder ? say("ponders", inLanguage(line, "ponder")) : line.ply <= this.last ? say("thought", line.ply) : say("thinks");
      const facts = [
        say("depth", `${line.depth}${line.seldepth ? `/${line.seldepth}` : ""}`),
        scoreText(line.score), say("nodes", shortNumber(line.nodes)), say("nps", shortNumber(line.nps)),
      ];
      if (line.hashfull !== null) facts.push(say("table", Math.round(line.hashfull / 10)));
      if (line.workers > 0) facts.push(say("workers", line.workers));
      box.replaceChildren(
        make("p", { class: "facts" },
          make("strong", { text: `${side === 0 ? "☗" : "☖"} ${game.names[side]} ${state}` }), ` ${facts.join(" · ")}`),
        line.others.length > 0 ? severalLines([line, ...line.others]) : make("p", { class: "pv", text: inLanguage(line, "pv") }));
    });
  }

  // `now` is the program's time. Without a connection, of this page or of the game, the clocks stand still and say so.
  tick(now, isConnected) {
    const { game } = this;
    if (!game.clocks) return;
    const isLive = isConnected && !game.suspended;
    // The clocks of a game that the server has suspended are known.
    const isSuspended = isConnected && game.suspended?.cause === "server";
    this.element.classList.toggle("stale", !isLive && !game.end);
    this.players.forEach((player, side) => {
      const face = clockFace(game.clocks, side, now);
      const sign = face.running ? (isLive ? "▶" : "‖") : "";
      setText(player.turn, sign);
      setText(player.clock, clockText(face));
      player.box.classList.toggle("running", face.running);
      player.box.classList.toggle("short", face.running && face.flag !== null && face.flag < 10000);
      setText(player.flag, face.flag === null ? "" : isLive ? say("flag", lengthText(face.flag)) : isSuspended ? "" : say("unknownClock"));
    });
  }
}

// The lines of an engine that reports several, the best one first.
function severalLines(lines) {
  return make("ol", { class: "lines", "aria-label": say("lines") }, ...lines.map((line) =>
    make("li", {},
      make("span", { class: "score", text: scoreText(line.score) }),
      make("span", { class: "depth", text: line.depth }),
      make("span", { class: "pv", text: inLanguage(line, "pv") }))));
}

function moveWords(move) {
  const parts = [say("move", move.ply, inLanguage(move, "text"))];
  if (move.spent_ms !== undefined) parts.push(say("seconds", (move.spent_ms / 1000).toFixed(1)));
  if (move.score) parts.push(scoreText(move.score));
  if (move.depth) parts.push(say("depth", move.depth));
  if (move.book) parts.push(say("book"));
  if (move.ponder_hit !== undefined && move.ponder_hit !== null) parts.push(say(move.ponder_hit ? "hit" : "miss"));
  return parts.join(" · ");
}

// Why a game stands still.
function stopWords(suspended) {
  if (!suspended) return "";
  return suspended.cause === "server" ? say("suspendedGame") : say("lostGame", suspended.reason);
}

function endWords(game) {
  const { result, reason } = game.end;
  const who = {
    black: say("blackWins", game.names[0]), white: say("whiteWins", game.names[1]), draw: say("draw"), none: say("none"),
  }[result];
  return say("end", who, reasonText(reason), game.plies);
}

// Steps by keys, for the card that has the focus, or the first one.
function listenToKeys(cards) {
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, textarea")) return;
    const all = cards();
    const card = all.find((it) => it.element.contains(document.activeElement)) ?? all[0];
    if (!card) return;
    const steps = {
      ArrowLeft: () => card.step(-1), ArrowRight: () => card.step(1), Home: () => card.show(0), End: () => card.show(null),
    };
    if (event.key in steps) {
      steps[event.key]();
      event.preventDefault();
    }
  });
}

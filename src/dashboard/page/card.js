"use strict";
// One game: board, hands, clocks, graph, the engines' lines, the moves.

class Card {
  constructor(game) {
    this.game = game;
    this.ply = null; // null: the last position
    const button = (label, text, step) => {
      const made = make("button", { type: "button", "aria-label": label, title: label, text });
      made.addEventListener("click", () => step());
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
    this.moves = make("ol", { class: "moves", tabindex: "0", "aria-label": "Moves" });
    this.moves.addEventListener("click", (event) => {
      const row = event.target.closest("li");
      if (row) this.show(Number(row.dataset.ply));
    });
    this.steps = make("div", { class: "steps" },
      button("First position", "|◀", () => this.show(0)),
      button("Move back", "◀", () => this.step(-1)),
      button("Move forward", "▶", () => this.step(1)),
      this.live = button("Last position", "▶|", () => this.show(null)),
      this.turn = button("Turn the board", "⇅", () => { this.flip = !this.flip; this.draw(); }),
    );
    this.flip = game.own === "white";
    this.element = make("article", { class: "game", tabindex: "-1", "data-key": game.key },
      this.title,
      make("div", { class: "table" }, this.players[1].box, this.board, this.players[0].box),
      make("div", { class: "about" }, this.said, this.end, this.steps, this.graph, ...this.lines, this.moves));
    this.swipe();
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
    this.board.setAttribute("aria-label", kyomiBoard.describe(sfen, "en"));
    const names = game.names.map((name) => name || "?");
    setText(this.title, `${names[0]} – ${names[1]}`);
    const order = this.flip ? [1, 0] : [0, 1];
    // The player at the bottom of the board has the clock below it.
    this.board.before(this.players[order[1]].box);
    this.board.after(this.players[order[0]].box);
    this.players.forEach((player, side) => {
      const engine = game.own === (side === 0 ? "black" : "white") ? " (our engine)" : "";
      setText(player.name, `${side === 0 ? "☗" : "☖"} ${names[side]}${engine}`);
    });
    setText(this.said, move ? moveWords(move) : "Start position");
    this.said.classList.toggle("past", this.ply !== null);
    this.live.disabled = this.ply === null;
    drawGraph(this.graph, game, ply);
    this.drawMoves(ply);
    this.drawLines();
    setText(this.end, game.end ? endWords(game) : game.suspended ? `The connection is lost: ${game.suspended}` : "");
    this.element.classList.toggle("over", Boolean(game.end));
  }

  drawMoves(ply) {
    const list = this.moves;
    // A new state may have other moves.
    if (list.childElementCount > this.last) list.replaceChildren();
    while (list.childElementCount < this.last) {
      const move = this.game.moves[list.childElementCount];
      const spent = move.spent_ms === undefined ? "" : `${(move.spent_ms / 1000).toFixed(move.spent_ms % 1000 ? 1 : 0)} s`;
      list.append(make("li", { "data-ply": move.ply },
        make("span", { class: "ply", text: move.ply }),
        make("span", { class: "word", text: move.text }),
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
      const state = line.ponder ? `ponders on ${line.ponder}` : line.ply <= this.last ? `thought about move ${line.ply}` : "thinks";
      const facts = [
        `depth ${line.depth}${line.seldepth ? `/${line.seldepth}` : ""}`,
        scoreText(line.score),
        `${shortNumber(line.nodes)} nodes`,
        `${shortNumber(line.nps)} nodes/s`,
      ];
      if (line.hashfull !== null) facts.push(`table ${Math.round(line.hashfull / 10)} %`);
      box.replaceChildren(
        make("p", { class: "facts" },
          make("strong", { text: `${side === 0 ? "☗" : "☖"} ${game.names[side]} ${state}` }), ` ${facts.join(" · ")}`),
        make("p", { class: "pv", lang: "ja", text: line.pv }));
    });
  }

  // `now` is the program's time; without a connection the clocks stand still and say so.
  tick(now, isLive) {
    const { game } = this;
    if (!game.clocks) return;
    this.element.classList.toggle("stale", !isLive && !game.end);
    this.players.forEach((player, side) => {
      const face = clockFace(game.clocks, side, now);
      const sign = face.running ? (isLive ? "▶" : "‖") : "";
      setText(player.turn, sign);
      setText(player.clock, clockText(face));
      player.box.classList.toggle("running", face.running);
      player.box.classList.toggle("short", face.running && face.flag !== null && face.flag < 10000);
      setText(player.flag, face.flag === null ? "" : isLive ? `flag in ${lengthText(face.flag)}` : "not known any more");
    });
  }
}

function moveWords(move) {
  const parts = [`Move ${move.ply}: ${move.text}`];
  if (move.spent_ms !== undefined) parts.push(`${(move.spent_ms / 1000).toFixed(1)} s`);
  if (move.score) parts.push(scoreText(move.score));
  if (move.depth) parts.push(`depth ${move.depth}`);
  if (move.book) parts.push("from the book");
  if (move.ponder_hit !== undefined && move.ponder_hit !== null) parts.push(move.ponder_hit ? "ponder hit" : "ponder miss");
  return parts.join(" · ");
}

function endWords(game) {
  const { result, reason } = game.end;
  const who = { black: `☗ ${game.names[0]} wins`, white: `☖ ${game.names[1]} wins`, draw: "Draw", none: "No result" }[result];
  return `${who}: ${reason}, ${game.plies} moves`;
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

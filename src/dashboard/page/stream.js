"use strict";
// The connection to the program: keeps its state, and knows how old it is.

class Stream {
  // `changed(name, data)` is called after each change of `state`.
  constructor(changed) {
    this.changed = changed;
    this.state = null;
    this.heard = -Infinity; // of performance.now()
    this.offset = null; // the program's clock minus ours
    this.lastId = "";
    this.ended = false;
    this.isRefused = false; // the program asks for a token
    this.open();
  }

  open() {
    this.source = new EventSource(this.lastId ? `/events?after=${encodeURIComponent(this.lastId)}` : "/events");
    for (const name of ["state", "game", "move", "line", "clocks", "end", "client", "notice", "event", "history", "tick", "bye"]) {
      this.source.addEventListener(name, (event) => this.take(name, event));
    }
    // The browser tries again by itself, except after an answer that is an error.
    this.source.addEventListener("error", () => {
      this.broken = true;
      this.changed("lost", null);
      if (this.source.readyState !== EventSource.CLOSED) return;
      this.askWhy();
      setTimeout(() => this.open(), 2000);
    });
  }

  // An event source does not tell which answer it got.
  async askWhy() {
    const answer = await fetch("/", { method: "HEAD", cache: "no-store" }).catch(() => null);
    this.isRefused = answer?.status === 401;
  }

  take(name, event) {
    const data = JSON.parse(event.data);
    if (event.lastEventId) this.lastId = event.lastEventId;
    if (this.broken) this.offset = null;
    this.broken = false;
    this.isRefused = false;
    this.heard = performance.now();
    if (name === "bye") this.ended = true;
    else this.ended = false;
    if ("now" in data) {
      // The least delayed message tells the time best.
      const offset = data.now - this.heard;
      this.offset = this.offset === null ? offset : Math.max(this.offset, offset);
    }
    if (name === "state") this.state = data;
    else if (this.state) this.apply(name, data);
    this.changed(name, data);
  }

  apply(name, data) {
    const { games, clients, notices } = this.state;
    const find = (key) => games.find((game) => game.key === key);
    if (name === "game") {
      // Of the games that are over, only the last one of a client keeps its moves here.
      for (const game of games) {
        if (game.end && game.client === data.client && this.state.shows === "client") delete game.moves;
      }
      // The program keeps a number of games that are over; the list of earlier games has the others.
      const dropped = games.findIndex((game) => game.key === data.dropped);
      if (dropped >= 0) games.splice(dropped, 1);
      games.push(data);
    } else if (name === "move") {
      const game = find(data.key);
      if (game?.moves && data.move) {
        if (data.move.ply > game.moves.length) game.moves.push(data.move);
        game.plies = game.moves.length;
        game.clocks = data.clocks;
        game.suspended = null;
      }
    } else if (name === "line") {
      const game = find(data.key);
      if (game?.lines && data.line) game.lines[data.line.side === "black" ? 0 : 1] = data.line;
    } else if (name === "clocks") {
      const game = find(data.key);
      if (game) Object.assign(game, { clocks: data.clocks, suspended: data.suspended });
    } else if (name === "end") {
      this.state.balance = data.balance;
      const game = find(data.game.key);
      if (game) {
        Object.assign(game, data.game);
        if (game.clocks) Object.assign(game.clocks, { running: false, stopped_at: null });
      }
    } else if (name === "client") {
      clients[data.client] = data;
    } else if (name === "notice") {
      notices.push(data);
      notices.splice(0, notices.length - 20);
    } else if (name === "event" || name === "history") {
      this.state[name] = data;
    }
  }

  // Milliseconds since the last message.
  get age() {
    return performance.now() - this.heard;
  }

  get isLive() {
    return !this.broken && !this.ended && this.age < 7000;
  }

  // The program's time; after the connection is lost, the time of the last message.
  get now() {
    const at = this.isLive ? performance.now() : this.heard;
    return at + (this.offset ?? 0);
  }
}

"use strict";
// The page of one analysed game. Everything is in the document: the data in the element "game", the words in both
// languages. This script draws the board and moves through the game.
(() => {
  const data = JSON.parse(document.getElementById("game").textContent);
  const plies = data.plies;
  const root = document.documentElement;
  const find = (id) => document.getElementById(id);
  const board = find("board");
  // A move of the wheel that is a step, in pixels: a notch of a mouse is more, an event of a touchpad less.
  const NOTCH = 60;
  const state = { ply: 0, flip: false, letters: false, line: null, at: 0, preview: null };

  const lang = () => root.dataset.lang;
  const say = (ja, en) => (lang() === "ja" ? ja : en);

  function make(name, className, text) {
    const element = document.createElement(name);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  }

  // The position on the board: of a line that is hovered or played, else of the game.
  function shown() {
    if (state.preview) return state.preview;
    if (state.line) return state.line[state.at];
    return plies[state.ply];
  }

  function drawBoard() {
    const now = shown();
    const entry = plies[state.ply];
    const line = !state.line && !state.preview && entry.lines[0] ? entry.lines[0].moves : [];
    kyomiBoard.draw(board, {
      sfen: now.sfen, last: now.usi, flip: state.flip, letters: state.letters,
      arrows: find("arrows").checked ? line.slice(0, 2).map((move) => move.usi) : [],
    });
    const text = kyomiBoard.describe(now.sfen, lang());
    find("board-text").textContent = text;
    board.setAttribute("aria-label", caption(now) + " " + text);
    const above = find(state.flip ? "side-black" : "side-white");
    const below = find(state.flip ? "side-white" : "side-black");
    find("above").replaceChildren(above);
    find("below").replaceChildren(below);
    const black = now.sfen.split(" ")[1] === "b";
    find("side-black").classList.toggle("to-move", black);
    find("side-white").classList.toggle("to-move", !black);
    find("clock-black").textContent = entry.used ? entry.used[0] : "";
    find("clock-white").textContent = entry.used ? entry.used[1] : "";
  }

  function caption(now) {
    if (!now.usi) return say("開始局面", "Start position");
    const number = state.line || state.preview ? "" : say(`${state.ply}手目 `, `Move ${state.ply}: `);
    return number + say(now.ja, now.en);
  }

  function percent(chance) {
    return `${Math.round(chance * 100)}%`;
  }

  function drawPosition() {
    const entry = plies[state.ply];
    find("caption").textContent = caption(shown());
    const parts = [];
    if (entry.time !== undefined && !state.line) parts.push(say(`消費 ${entry.time} 秒`, `${entry.time} s used`));
    if (entry.score !== undefined) {
      parts.push(say(`評価値 ${entry.score.ja}`, `score ${entry.score.en}`));
      parts.push(say(`先手の勝率 ${percent(entry.chance)}`, `black's chance ${percent(entry.chance)}`));
    }
    find("facts").textContent = parts.join(say("・", ", "));
    const bar = find("chance-bar");
    bar.hidden = entry.chance === undefined;
    if (entry.chance !== undefined) {
      find("chance-black").setAttribute("width", String(entry.chance * 100));
      bar.setAttribute("aria-label", say(`先手の勝率 ${percent(entry.chance)}`, `Black's chance to win: ${percent(entry.chance)}`));
    }
    const notes = find("notes");
    notes.replaceChildren();
    if (entry.verdict) {
      const verdict = make("p", `verdict mark-${entry.mark}`);
      verdict.append(make("strong", "", say(entry.verdict.ja, entry.verdict.en)));
      notes.append(verdict);
    }
    for (const line of entry.why ? entry.why[lang()] : []) notes.append(make("p", "why", line));
    for (const comment of entry.comments) notes.append(make("p", "comment", comment));
    drawLines(entry);
  }

  // Where the mouse is, in whole pixels, as the events of the mouse name it.
  let pointer = "";
  document.addEventListener("mousemove", (event) => {
    pointer = `${event.clientX},${event.clientY}`;
  }, true);

  // The lines that the engine found: each move can be hovered, and started from.
  function drawLines(entry) {
    const list = find("lines");
    const focused = [...list.querySelectorAll("button")].indexOf(document.activeElement);
    list.replaceChildren();
    const before = state.ply > 0 ? plies[state.ply - 1] : null;
    const groups = [];
    // A line that is drawn below a pointer at rest is not hovered.
    const still = pointer;
    if (entry.better) groups.push([say("勝る手", "Better"), before.lines.slice(0, 1), before]);
    groups.push([say("読み筋", "Expected"), entry.lines, entry]);
    for (const [title, lines] of groups) {
      for (const line of lines) {
        if (line.moves.length === 0) continue;
        const item = make("li", "line");
        item.append(make("span", "line-title", `${title} ${say(line.score.ja, line.score.en)} `));
        line.moves.forEach((move, at) => {
          const button = make("button", "line-move", say(move.ja, move.en));
          button.type = "button";
          button.addEventListener("mouseenter", (event) => {
            if (`${event.clientX},${event.clientY}` !== still) preview(move);
          });
          button.addEventListener("mouseleave", () => preview(null));
          button.addEventListener("focus", () => isRedrawn || preview(move));
          button.addEventListener("blur", () => isRedrawn || preview(null));
          button.addEventListener("click", () => play(line.moves, at));
          if (state.line === line.moves && state.at === at) button.setAttribute("aria-current", "true");
          item.append(button, " ");
        });
        list.append(item);
      }
    }
    find("back-to-game").hidden = !state.line;
    if (focused >= 0) focusLine(focused);
  }

  // Gives the focus back to the move of a line that had it, or to the one that is played.
  function focusLine(number) {
    const button = find("lines").querySelector("[aria-current]") ?? find("lines").querySelectorAll("button")[number];
    (button ?? find("board-place")).focus({ preventScroll: true });
  }

  function preview(move) {
    state.preview = move;
    drawBoard();
    find("caption").textContent = caption(shown());
  }

  function play(moves, at) {
    state.line = moves;
    state.at = at;
    state.preview = null;
    draw();
  }

  function leaveLine() {
    state.line = null;
    state.preview = null;
    draw();
  }

  function drawMoves() {
    const hasFocus = find("moves").contains(document.activeElement);
    for (const button of document.querySelectorAll("#moves button")) {
      const current = Number(button.dataset.ply) === state.ply;
      // One stop of the Tab key for the whole list.
      button.tabIndex = current ? 0 : -1;
      if (current && hasFocus) button.focus({ preventScroll: true });
      if (current) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
      if (current) {
        // Only the list scrolls, not the page.
        const list = find("moves");
        const top = button.offsetTop;
        if (top < list.scrollTop || top + button.offsetHeight > list.scrollTop + list.clientHeight) {
          list.scrollTop = top - list.clientHeight / 2;
        }
      }
    }
  }

  function drawCursor() {
    for (const svg of document.querySelectorAll("svg.by-ply")) {
      const x = Number(svg.dataset.left) + state.ply * Number(svg.dataset.step);
      const cursor = svg.querySelector(".cursor");
      cursor.setAttribute("x1", String(x));
      cursor.setAttribute("x2", String(x));
      cursor.removeAttribute("visibility");
    }
  }

  // Whether the focus moves only because its element is drawn anew.
  let isRedrawn = false;

  function draw() {
    drawBoard();
    isRedrawn = true;
    drawPosition();
    isRedrawn = false;
    drawMoves();
    drawCursor();
    find("slider").value = String(state.ply);
    for (const id of ["first", "previous"]) find(id).disabled = !state.line && state.ply === 0;
    for (const id of ["next", "last"]) {
      find(id).disabled = state.line ? state.at === state.line.length - 1 : state.ply === plies.length - 1;
    }
    // A button that can be pressed no more keeps no focus.
    const focused = document.activeElement;
    if (focused?.disabled || focused?.hidden) find("board-place").focus({ preventScroll: true });
  }

  function go(ply) {
    state.line = null;
    state.preview = null;
    state.ply = Math.min(Math.max(ply, 0), plies.length - 1);
    history.replaceState(null, "", `#${state.ply}`);
    draw();
  }

  // A step in the line that is played, or in the game. Before the first move of a line is the game.
  function step(by) {
    state.preview = null;
    if (!state.line) return go(state.ply + by);
    const at = state.at + by;
    if (at < 0) return leaveLine();
    state.at = Math.min(at, state.line.length - 1);
    draw();
  }

  const end = (last) => (state.line ? play(state.line, last ? state.line.length - 1 : 0) : go(last ? plies.length - 1 : 0));

  // The next or previous move that is marked.
  function jump(direction) {
    for (let ply = state.ply + direction; ply > 0 && ply < plies.length; ply += direction) {
      if (plies[ply].mark > 1) return go(ply);
    }
    return undefined;
  }

  const KEYS = {
    ArrowLeft: () => step(-1), ArrowRight: () => step(1),
    ArrowUp: () => jump(-1), ArrowDown: () => jump(1),
    PageUp: () => step(-10), PageDown: () => step(10),
    Home: () => end(false), End: () => end(true),
    Escape: () => leaveLine(), f: () => flip(),
  };
  const LIST_KEYS = { ArrowUp: () => step(-1), ArrowDown: () => step(1) };
  // Elsewhere the keys scroll the page.
  find("app").addEventListener("keydown", (event) => {
    const typing = event.target.tagName === "INPUT" && event.target.type !== "checkbox";
    const action = (event.target.closest("#moves") && LIST_KEYS[event.key]) || KEYS[event.key];
    if (!action || typing || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    action();
  });

  function flip() {
    state.flip = !state.flip;
    draw();
  }

  find("first").addEventListener("click", () => end(false));
  find("previous").addEventListener("click", () => step(-1));
  find("next").addEventListener("click", () => step(1));
  find("last").addEventListener("click", () => end(true));
  find("flip").addEventListener("click", flip);
  find("previous-mistake").addEventListener("click", () => jump(-1));
  find("next-mistake").addEventListener("click", () => jump(1));
  find("back-to-game").addEventListener("click", leaveLine);
  find("slider").addEventListener("input", (event) => go(Number(event.target.value)));
  find("arrows").addEventListener("change", draw);
  find("letters").addEventListener("change", (event) => {
    state.letters = event.target.checked;
    draw();
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-ply]");
    if (button) {
      event.preventDefault();
      go(Number(button.dataset.ply));
      if (button.closest("#moves")) return;
      find("board-place").scrollIntoView({ block: "nearest" });
      find("board-place").focus({ preventScroll: true });
    }
  });

  // A click on the left half of the board goes back, on the right half forward; so does a swipe and the wheel.
  let touch = null;
  board.addEventListener("pointerdown", (event) => {
    touch = { x: event.clientX, y: event.clientY };
  });
  board.addEventListener("pointerup", (event) => {
    if (!touch) return;
    const across = event.clientX - touch.x, along = event.clientY - touch.y;
    touch = null;
    if (Math.abs(across) > 30 && Math.abs(across) > Math.abs(along)) return step(across < 0 ? 1 : -1);
    if (Math.abs(across) > 10 || Math.abs(along) > 10) return undefined;
    const box = board.getBoundingClientRect();
    return step(event.clientX < box.left + box.width / 2 ? -1 : 1);
  });
  let turned = 0;
  board.addEventListener("wheel", (event) => {
    // With Ctrl it zooms the page.
    if (event.ctrlKey) return;
    event.preventDefault();
    const delta = event.deltaY * [1, 20, 400][event.deltaMode];
    turned = turned * delta < 0 ? delta : turned + delta;
    if (Math.abs(turned) < NOTCH) return;
    step(turned > 0 ? 1 : -1);
    turned = 0;
  }, { passive: false });

  for (const svg of document.querySelectorAll("svg.by-ply")) {
    const at = (event) => {
      const box = svg.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * svg.viewBox.baseVal.width;
      return Math.round((x - Number(svg.dataset.left)) / Number(svg.dataset.step));
    };
    let held = false;
    svg.addEventListener("pointerdown", (event) => {
      held = true;
      go(at(event));
    });
    svg.addEventListener("pointermove", (event) => {
      if (held && event.buttons) go(at(event));
    });
    svg.addEventListener("pointerup", () => {
      held = false;
    });
  }

  document.addEventListener("kyomi-look", draw);
  const fromAddress = () => go(Number(/^#(\d+)$/.exec(location.hash)?.[1] ?? data.first));
  window.addEventListener("hashchange", fromAddress);
  find("app").hidden = false;
  fromAddress();
  find("board-place").focus({ preventScroll: true });
})();

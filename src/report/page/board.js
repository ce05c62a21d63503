"use strict";
// A shogi position as a picture: SFEN to SVG elements, and to words for screen readers.
//
//   kyomiBoard.draw(svg, { sfen, last, arrows, flip, letters })   draws into an <svg> element, replacing its content
//   kyomiBoard.describe(sfen, lang)                               the position in words; lang is "ja" or "en"
//
// Moves are in USI. All text goes into text nodes, so that nothing becomes markup. Colours are attributes; a style
// sheet changes them by the classes: paper, wood, grid, ink, from, to, piece, name, promoted, stand, arrow.
const kyomiBoard = (() => {
  const NS = "http://www.w3.org/2000/svg";
  const CELL = [40, 43];
  const LEFT = 60, TOP = 26;
  const RIGHT = LEFT + 9 * CELL[0], BOTTOM = TOP + 9 * CELL[1];
  const WIDTH = RIGHT + LEFT, HEIGHT = BOTTOM + 12;
  const RANKS = "一二三四五六七八九";
  const NAMES = {
    P: "歩", L: "香", N: "桂", S: "銀", G: "金", B: "角", R: "飛", K: "玉",
    "+P": "と", "+L": "杏", "+N": "圭", "+S": "全", "+B": "馬", "+R": "竜",
  };
  const WORDS = {
    P: "pawn", L: "lance", N: "knight", S: "silver", G: "gold", B: "bishop", R: "rook", K: "king",
    "+P": "promoted pawn", "+L": "promoted lance", "+N": "promoted knight", "+S": "promoted silver",
    "+B": "horse", "+R": "dragon",
  };
  const SIZES = { K: 1, R: 0.98, B: 0.98, G: 0.95, S: 0.95, N: 0.92, L: 0.92, P: 0.88 };
  const HAND = ["R", "B", "G", "S", "N", "L", "P"];
  const SHAPE = "M0 -19.5L12 -14.5L16.8 18.5H-16.8L-12 -14.5Z";

  // The position of an SFEN: 81 squares by file and rank, hands, side to move. A faulty SFEN gives an empty board.
  function parse(sfen) {
    const [board, side, hands] = String(sfen).split(" ");
    const squares = new Map();
    (board || "").split("/").slice(0, 9).forEach((row, at) => {
      let file = 9;
      for (const [word] of row.matchAll(/\+?[A-Za-z]|[1-9]/g)) {
        if (/[1-9]/.test(word)) {
          file -= Number(word);
        } else {
          const kind = word.toUpperCase();
          if (file >= 1 && kind in NAMES) squares.set(file * 10 + at + 1, { kind, black: kind === word });
          file -= 1;
        }
      }
    });
    const held = { b: {}, w: {} };
    for (const [, count, letter] of (hands || "").matchAll(/(\d*)([A-Za-z])/g)) {
      const kind = letter.toUpperCase();
      if (HAND.includes(kind)) held[kind === letter ? "b" : "w"][kind] = Number(count || 1);
    }
    return { squares, hands: held, black: side !== "w" };
  }

  // The squares of a USI move: `from` is undefined for a drop, which has `drop` instead.
  function parseMove(usi) {
    const square = (text) => Number(text[0]) * 10 + (text.charCodeAt(1) - 96);
    const found = /^(?:([1-9][a-i])|([PLNSGBR])\*)([1-9][a-i])(\+?)$/.exec(usi || "");
    if (!found) return null;
    return { from: found[1] && square(found[1]), drop: found[2], to: square(found[3]), promotes: !!found[4] };
  }

  function add(parent, name, attributes, text) {
    const element = document.createElementNS(NS, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    parent.appendChild(element);
    return element;
  }

  function draw(svg, { sfen, last, arrows = [], flip = false, letters = false }) {
    const position = parse(sfen);
    svg.replaceChildren();
    svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    const corner = (square) => {
      const file = Math.floor(square / 10), rank = square % 10;
      const column = flip ? file - 1 : 9 - file, row = flip ? 9 - rank : rank - 1;
      return [LEFT + column * CELL[0], TOP + row * CELL[1]];
    };
    const centre = (square) => {
      const [x, y] = corner(square);
      return [x + CELL[0] / 2, y + CELL[1] / 2];
    };
    add(svg, "rect", { class: "wood", x: LEFT, y: TOP, width: 9 * CELL[0], height: 9 * CELL[1], fill: "#f2cf8d" });
    const move = parseMove(last);
    const mark = (square, name, attributes) => {
      const [x, y] = corner(square);
      add(svg, "rect", {
        class: name, x: x + 1, y: y + 1, width: CELL[0] - 2, height: CELL[1] - 2, stroke: "#b3401f", ...attributes,
      });
    };
    if (move && move.from) mark(move.from, "from", { fill: "#f7dfa9", "stroke-width": 1.6, "stroke-dasharray": "4 3" });
    if (move) mark(move.to, "to", { fill: "#ffb85c", "stroke-width": 2.4 });
    grid(svg, flip, letters);
    for (const [square, piece] of position.squares) drawPiece(svg, centre(square), piece, 1, flip, letters);
    for (const black of [true, false]) drawStand(svg, position, black, flip, letters);
    arrows.map(parseMove).filter(Boolean).forEach((arrow, at) => {
      const black = position.black === (at % 2 === 0);
      drawArrow(svg, arrow, black !== flip, centre, at);
    });
  }

  function grid(svg, flip, letters) {
    let path = "";
    for (let line = 1; line < 9; line += 1) {
      path += `M${LEFT + line * CELL[0]} ${TOP}V${BOTTOM}M${LEFT} ${TOP + line * CELL[1]}H${RIGHT}`;
    }
    add(svg, "path", { class: "grid", d: path, fill: "none", stroke: "#3b2a14", "stroke-width": 0.9 });
    add(svg, "rect", {
      class: "grid", x: LEFT, y: TOP, width: 9 * CELL[0], height: 9 * CELL[1], fill: "none", stroke: "#3b2a14", "stroke-width": 2,
    });
    for (const file of [3, 6]) {
      for (const rank of [3, 6]) {
        add(svg, "circle", { class: "ink", cx: LEFT + file * CELL[0], cy: TOP + rank * CELL[1], r: 3, fill: "#3b2a14" });
      }
    }
    for (let number = 1; number <= 9; number += 1) {
      const along = (flip ? 10 - number : number) - 0.5;
      const style = { class: "ink", "font-size": 13, "text-anchor": "middle", fill: "#3b2a14" };
      add(svg, "text", { x: RIGHT - along * CELL[0], y: TOP - 7, ...style }, String(number));
      const rank = letters ? "abcdefghi"[number - 1] : RANKS[number - 1];
      const x = flip ? LEFT - 10 : RIGHT + 10;
      add(svg, "text", { x, y: TOP + along * CELL[1] + 4.5, ...style }, rank);
    }
  }

  function drawPiece(svg, [x, y], { kind, black }, scale, flip, letters) {
    const promoted = kind.startsWith("+");
    const size = scale * SIZES[kind.slice(-1)];
    const turn = black === flip ? " rotate(180)" : "";
    const group = add(svg, "g", { transform: `translate(${x} ${y})${turn} scale(${size})` });
    add(group, "path", { class: "piece", d: SHAPE, fill: "#fdeecb", stroke: "#6d4c20", "stroke-width": 1 });
    const name = letters ? kind : kind === "K" && !black ? "王" : NAMES[kind];
    const font = letters ? (promoted ? [17, 9] : [22, 11]) : [24, 11];
    // Promoted pieces are bold as well as red, for readers who cannot see the red.
    add(group, "text", {
      class: promoted ? "name promoted" : "name", y: font[1], "font-size": font[0], "text-anchor": "middle",
      fill: promoted ? "#b3201f" : "#1b1208", "font-weight": promoted || letters ? "bold" : "normal",
    }, name);
  }

  // Pieces in hand: of the side below at the lower right, of the side above at the upper left.
  function drawStand(svg, position, black, flip, letters) {
    const below = black !== flip;
    const held = HAND.filter((kind) => position.hands[black ? "b" : "w"][kind]);
    const x = below ? RIGHT + 36 : LEFT - 36;
    held.forEach((kind, at) => {
      const along = 22 + (held.length - 1 - at) * CELL[1];
      const y = below ? BOTTOM - along : TOP + along;
      drawPiece(svg, [x, y], { kind, black }, 0.92, flip, letters);
      const count = position.hands[black ? "b" : "w"][kind];
      if (count > 1) {
        add(svg, "text", {
          class: "stand", x: x + 20, y: y + 16, "font-size": 13, "font-weight": "bold", "text-anchor": "middle", fill: "#3b2a14",
        }, String(count));
      }
    });
  }

  function drawArrow(svg, move, below, centre, at) {
    const to = centre(move.to);
    const from = move.from ? centre(move.from) : [below ? RIGHT + 36 : LEFT - 36, to[1]];
    const length = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
    const unit = [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
    const tip = [to[0] - unit[0] * 4, to[1] - unit[1] * 4];
    const neck = [to[0] - unit[0] * 17, to[1] - unit[1] * 17];
    const side = [-unit[1], unit[0]];
    const point = (base, along) => `${base[0] + side[0] * along} ${base[1] + side[1] * along}`;
    const path = `M${point(from, 3)}L${point(neck, 3)}L${point(neck, 8)}L${tip[0]} ${tip[1]}` +
      `L${point(neck, -8)}L${point(neck, -3)}L${point(from, -3)}Z`;
    add(svg, "path", { class: "arrow", d: path, fill: "#1668c1", opacity: Math.max(0.75 - 0.22 * at, 0.25) });
  }

  function describe(sfen, lang) {
    const position = parse(sfen);
    const japanese = lang === "ja";
    const place = (square) => {
      const file = Math.floor(square / 10), rank = square % 10;
      return japanese ? `${file}${RANKS[rank - 1]}` : `${file}${"abcdefghi"[rank - 1]}`;
    };
    const ORDER = ["K", "+R", "R", "+B", "B", "G", "S", "+S", "N", "+N", "L", "+L", "P", "+P"];
    const side = (black) => {
      const own = [...position.squares].filter(([, piece]) => piece.black === black);
      const pieces = ORDER.map((kind) => {
        const at = own.filter(([, piece]) => piece.kind === kind).map(([square]) => place(square));
        if (at.length === 0) return null;
        return japanese ? `${at.join("、")}に${NAMES[kind]}` : `${WORDS[kind]} ${at.join(" ")}`;
      }).filter(Boolean);
      const hand = Object.entries(position.hands[black ? "b" : "w"]).map(([kind, count]) =>
        japanese ? `${NAMES[kind]}${count > 1 ? count : ""}` : `${count > 1 ? `${count} ` : ""}${WORDS[kind]}${count > 1 ? "s" : ""}`);
      const none = japanese ? "なし" : "nothing";
      return japanese
        ? `${black ? "先手" : "後手"}：${pieces.join("。")}。持駒：${hand.join("、") || none}。`
        : `${black ? "Black" : "White"}: ${pieces.join(", ")}; in hand: ${hand.join(", ") || none}.`;
    };
    const turn = japanese
      ? `${position.black ? "先手" : "後手"}の番。`
      : `${position.black ? "Black" : "White"} to move.`;
    return `${turn} ${side(true)} ${side(false)}`;
  }

  return { draw, describe, parse };
})();

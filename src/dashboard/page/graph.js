"use strict";
// The graph of a game: black's winning probability after each move whose score is known, with mates marked.

const GRAPH = { width: 420, height: 120, left: 30, right: 6, top: 6, bottom: 16 };

// The probability that black wins. 600 centipawns are about 73 %.
function probability(score) {
  if (!score) return null;
  if ("cp" in score) return 1 / (1 + Math.exp(-score.cp / 600));
  return score.wins ? 1 : 0;
}

function drawGraph(svg, game, shownPly) {
  const { width, height, left, right, top, bottom } = GRAPH;
  const points = game.moves
    .map((move) => ({ ply: move.ply, score: move.score, p: probability(move.score) }))
    .filter((point) => point.p !== null);
  const last = Math.max(40, game.moves.length);
  const x = (ply) => left + (ply / last) * (width - left - right);
  const y = (p) => top + (1 - p) * (height - top - bottom);
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const parts = [
    makeSvg("rect", { class: "sheet", x: left, y: top, width: width - left - right, height: height - top - bottom }),
    makeSvg("line", { class: "middle", x1: left, x2: width - right, y1: y(0.5), y2: y(0.5) }),
    makeSvg("text", { class: "axis", x: left - 4, y: y(1) + 8, "text-anchor": "end", text: "☗" }),
    makeSvg("text", { class: "axis", x: left - 4, y: y(0.5) + 4, "text-anchor": "end", text: "50%" }),
    makeSvg("text", { class: "axis", x: left - 4, y: y(0), "text-anchor": "end", text: "☖" }),
  ];
  for (let ply = 20; ply <= last; ply += last > 160 ? 40 : 20) {
    parts.push(makeSvg("text", { class: "axis", x: x(ply), y: height - 4, "text-anchor": "middle", text: String(ply) }));
  }
  if (points.length > 0) {
    const path = points.map((point, at) => `${at === 0 ? "M" : "L"}${x(point.ply).toFixed(1)} ${y(point.p).toFixed(1)}`).join("");
    parts.push(makeSvg("path", { class: "area", d: `${path}L${x(points.at(-1).ply).toFixed(1)} ${y(0.5)}L${x(points[0].ply).toFixed(1)} ${y(0.5)}Z` }));
    parts.push(makeSvg("path", { class: "curve", d: path }));
    for (const point of points.filter((it) => !("cp" in it.score))) {
      parts.push(makeSvg("circle", { class: "mate", cx: x(point.ply), cy: y(point.p), r: 2.5 }));
    }
  }
  parts.push(makeSvg("line", { class: "cursor", x1: x(shownPly), x2: x(shownPly), y1: top, y2: height - bottom }));
  svg.replaceChildren(...parts);
  svg.dataset.points = points.length;
  const end = points.at(-1);
  svg.setAttribute("aria-label", end ? say("chance", Math.round(end.p * 100), end.ply) : say("noChance"));
}

// The ply under a point of the graph.
function plyAt(svg, clientX, game) {
  const box = svg.getBoundingClientRect();
  const along = ((clientX - box.x) / box.width) * GRAPH.width;
  const last = Math.max(40, game.moves.length);
  const ply = Math.round(((along - GRAPH.left) / (GRAPH.width - GRAPH.left - GRAPH.right)) * last);
  return Math.min(Math.max(ply, 0), game.moves.length);
}

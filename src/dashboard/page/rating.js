"use strict";
// The rating of a player over its games, with the 95 % error as a band.

const RATING = { width: 420, height: 170, left: 38, right: 8, top: 8, bottom: 18 };

// `curve` has [number of the game, rating, error]; without a rating the line has a gap.
function drawRating(svg, player) {
  const { width, height, left, right, top, bottom } = RATING;
  const known = player.curve.filter(([, elo]) => elo !== null);
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("aria-label", `${say("ratingCurve", player.name)}: ${ratingText(player)}`);
  svg.dataset.points = known.length;
  if (known.length === 0) {
    svg.replaceChildren();
    return;
  }
  // The first errors are large: the band may leave the picture.
  const reach = (error) => Math.min(error, 150);
  const low = Math.min(...known.map(([, elo, error]) => elo - reach(error)));
  const high = Math.max(...known.map(([, elo, error]) => elo + reach(error)));
  const span = Math.max(high - low, 50);
  const middle = (high + low) / 2;
  const last = Math.max(player.curve.at(-1)[0], 10);
  const x = (number) => left + ((number - 1) / (last - 1)) * (width - left - right);
  const y = (elo) => {
    const part = 0.5 - (elo - middle) / (span * 1.05);
    return top + Math.min(Math.max(part, 0), 1) * (height - top - bottom);
  };
  const parts = [makeSvg("rect", { class: "sheet", x: left, y: top, width: width - left - right, height: height - top - bottom })];
  const step = [10, 20, 50, 100, 200, 500, 1000, 2000].find((it) => span / it <= 5) ?? 5000;
  for (let elo = Math.ceil((middle - span / 2) / step) * step; elo <= middle + span / 2; elo += step) {
    parts.push(makeSvg("line", { class: "middle", x1: left, x2: width - right, y1: y(elo), y2: y(elo) }));
    parts.push(makeSvg("text", { class: "axis", x: left - 4, y: y(elo) + 3, "text-anchor": "end", text: eloText(elo, player.anchored) }));
  }
  for (const number of [1, Math.round((1 + last) / 2), last]) {
    const anchor = number === 1 ? "start" : number === last ? "end" : "middle";
    parts.push(makeSvg("text", { class: "axis", x: x(number), y: height - 4, "text-anchor": anchor, text: String(number) }));
  }
  for (const piece of pieces(player.curve)) {
    const point = (number, elo) => `${x(number).toFixed(1)} ${y(elo).toFixed(1)}`;
    const upper = piece.map(([number, elo, error]) => point(number, elo + error));
    const lower = piece.map(([number, elo, error]) => point(number, elo - error)).reverse();
    parts.push(makeSvg("path", { class: "area", d: `M${[...upper, ...lower].join("L")}Z` }));
    parts.push(makeSvg("path", { class: "curve", d: `M${piece.map(([number, elo]) => point(number, elo)).join("L")}` }));
  }
  const [number, elo] = known.at(-1);
  parts.push(makeSvg("circle", { class: "now", cx: x(number), cy: y(elo), r: 3 }));
  svg.replaceChildren(...parts);
}

// The parts of a curve without a gap.
function pieces(curve) {
  const found = [[]];
  for (const point of curve) {
    if (point[1] === null) found.push([]);
    else found.at(-1).push(point);
  }
  return found.filter((piece) => piece.length > 0);
}

function eloText(elo, anchored) {
  const rounded = Math.round(elo);
  return anchored || rounded <= 0 ? String(rounded) : `+${rounded}`;
}

function ratingText(player) {
  const [, elo, error] = player.curve.at(-1) ?? [0, null, null];
  if (elo === null) return say("noRating");
  const rated = [eloText(elo, player.anchored), Math.round(error), player.window];
  return player.anchored ? say("rating", ...rated) : say("difference", ...rated);
}

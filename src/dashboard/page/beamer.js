"use strict";
// The view for a beamer: boards as large as the screen allows, with the results of an event beside or below them.

// A board is 480 by 425 units.
const BOARD_SHAPE = 425 / 480;

// In CSS pixels.
const SMALL_BOARD = 300;

function setBeamer(isOn) {
  document.body.classList.toggle("beamer", isOn);
  fitBoards();
}

// Chooses the number of boards in a row, and the place of the results, by which the boards are largest. Where they would be
// small, the graphs and the last moves give way to them.
function fitBoards() {
  const { body } = document;
  const games = document.getElementById("games");
  const cards = [...games.querySelectorAll(".game")];
  if (!body.classList.contains("beamer") || cards.length === 0) return;
  let best = { size: 0, columns: 1, isPlain: true, isBelow: false };
  for (const isPlain of [false, true]) {
    for (const isBelow of [false, true]) {
      const found = largest(games, cards, isPlain, isBelow);
      if (found.size > best.size) best = { ...found, isPlain, isBelow };
    }
    if (best.size >= SMALL_BOARD) break;
  }
  body.classList.toggle("plain", best.isPlain);
  body.classList.toggle("below", best.isBelow);
  const set = () => games.style.setProperty("--board", `${Math.max(Math.floor(best.size), 150)}px`);
  games.style.setProperty("--columns", best.columns);
  set();
  const surplus = document.documentElement.scrollHeight - window.innerHeight;
  best.size -= Math.max(surplus, 0) / Math.ceil(cards.length / best.columns);
  set();
}

// The largest height of the boards, and the number of them in a row.
function largest(games, cards, isPlain, isBelow) {
  document.body.classList.toggle("plain", isPlain);
  document.body.classList.toggle("below", isBelow);
  const results = document.getElementById("event");
  const gap = parseFloat(getComputedStyle(games).rowGap) || 0;
  const taken = isBelow && !results.hidden ? results.offsetHeight + gap : 0;
  const height = window.innerHeight - games.getBoundingClientRect().top - window.scrollY - taken - gap;
  // Names and clocks, the last move and the graph, of the tallest card.
  const around = Math.max(...cards.map((card) => card.offsetHeight - card.querySelector(".board").getBoundingClientRect().height));
  let best = { size: 0, columns: 1 };
  for (let columns = 1; columns <= cards.length; columns += 1) {
    const rows = Math.ceil(cards.length / columns);
    const across = games.clientWidth / columns - 50;
    const size = Math.min(across * BOARD_SHAPE, (height - (rows - 1) * gap) / rows - around);
    if (size > best.size) best = { size, columns };
  }
  return best;
}

document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() === "b" && !event.ctrlKey && !event.metaKey && !event.altKey) setBeamer(!document.body.classList.contains("beamer"));
});
window.addEventListener("resize", fitBoards);
if (new URLSearchParams(location.search).has("beamer")) setBeamer(true);

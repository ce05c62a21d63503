"use strict";
// The games that are over, of this run and of earlier ones, and the ratings.

function drawFinished(state) {
  const over = state.games.filter((game) => game.end).reverse();
  const { history } = state;
  const earlier = history?.games ?? [];
  const section = document.getElementById("finished");
  section.hidden = over.length + earlier.length === 0 && !history?.fault;
  section.querySelector("tbody").replaceChildren(...over.map((game) => finishedRow(game, false)), ...earlier.map((game) => finishedRow(game, true)));
  const { won, lost, drawn, ended } = state.balance;
  setText(document.getElementById("balance"), won + lost + drawn > 0 ? say("balance", won, lost, drawn, ended) : "");
  const fault = document.getElementById("history-fault");
  fault.hidden = !history?.fault;
  if (history?.fault) setText(fault, say("historyFault", history.fault));
  const ratings = (history?.players ?? []).map((player) => {
    const svg = makeSvg("svg", { class: "rating", role: "img" });
    drawRating(svg, player);
    return make("figure", {}, svg, make("figcaption", {},
      make("strong", { text: say("record", player.name, player.won, player.lost, player.drawn, player.games) }), " ",
      make("span", { text: ratingText(player) })));
  });
  document.getElementById("ratings").replaceChildren(...ratings);
}

function finishedRow(game, isEarlier) {
  const cell = (text, properties = {}) => make("td", { ...properties, text });
  const names = game.names.map((name) => name || "?");
  const link = make("a", {
    href: `/game/${encodeURIComponent(game.key)}`, text: game.number, title: game.id,
    "aria-label": `${say("gameNumber", game.number)}: ${names.join(" – ")}`,
  });
  const who = { black: say("blackWon"), white: say("whiteWon"), draw: say("draw"), none: say("none") }[game.end.result];
  return make("tr", { class: `${ourResult(game) ?? ""}${isEarlier ? " earlier" : ""}` },
    make("td", {}, link), cell(names[0]), cell(names[1]), cell(`${who}: ${reasonText(game.end.reason)}`),
    cell(game.plies), cell(beganText(game.began)));
}

// Records may have a day alone, or nothing.
function beganText(began) {
  if (!began) return "–";
  return began.includes("T") ? dateText(new Date(began)) : began;
}

function ourResult(game) {
  if (!game.own || !game.end || game.end.result === "none") return null;
  if (game.end.result === "draw") return "drawn";
  return game.end.result === game.own ? "won" : "lost";
}

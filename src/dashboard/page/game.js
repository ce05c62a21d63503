"use strict";
// The page of one game that is kept by the program.

(async () => {
  const none = document.getElementById("none");
  const answer = await fetch(`${location.pathname}/moves.json`).catch(() => null);
  if (!answer?.ok) {
    setText(none, answer ? await answer.text() : "The program does not answer.");
    return;
  }
  const game = await answer.json();
  none.remove();
  const card = new Card(game);
  document.getElementById("games").append(card.element);
  document.title = `${game.names.join(" – ")} · kyomi`;
  setText(document.querySelector("h1"), game.id || `Game ${game.number}`);
  const started = new Date(game.began).toLocaleString();
  const facts = [`Began ${started}`, `time ${[...new Set(game.controls)].join(" / ")}`];
  if (game.end?.record) facts.push(`record ${game.end.record}`);
  const about = make("p", { class: "facts", text: facts.join(" · ") });
  card.end.after(about);
  if (game.analysed) about.after(make("p", {}, make("a", { href: `${location.pathname}/analysis`, text: "Analysis of this game" })));
  else if (game.end?.record) about.append(` · not analysed: kyomi analyze ${game.end.record}`);
  // A running game is shown as it was when the page was opened.
  card.tick(game.now, !game.end);
  listenToKeys(() => [card]);
})();

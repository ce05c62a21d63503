"use strict";
// The page of one game that is kept by the program.

(async () => {
  const none = document.getElementById("none");
  const answer = await fetch(`${location.pathname}/moves.json`).catch(() => null);
  if (!answer?.ok) {
    setText(none, answer ? await answer.text() : say("noAnswer"));
    return;
  }
  const game = await answer.json();
  none.remove();
  const card = new Card(game);
  document.getElementById("games").append(card.element);
  const about = make("p", { class: "facts" });
  const link = make("p", {}, make("a", { href: `${location.pathname}/analysis` }));
  card.end.after(about, ...(game.analysed ? [link] : []));
  const draw = () => {
    const names = game.names.map((name) => name || "?");
    document.title = `${names.join(" – ")} · kyomi`;
    setText(document.querySelector("h1"), game.id || say("gameNumber", game.number));
    const facts = [];
    if (game.began) facts.push(say("began", game.began.includes("T") ? dateText(new Date(game.began)) : game.began));
    if (game.controls.length > 0) facts.push(say("control", [...new Set(game.controls)].join(" / ")));
    if (game.end?.record) facts.push(say("recordFile", game.end.record));
    if (game.end?.record && !game.analysed) facts.push(say("notAnalysed", game.end.record));
    setText(about, facts.join(" · "));
    setText(link.firstChild, say("analysis"));
    card.relabel();
    // A running game is shown as it was when the page was opened.
    card.tick(game.now, !game.end);
  };
  draw();
  onLanguage(draw);
  listenToKeys(() => [card]);
})();

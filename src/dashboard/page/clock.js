"use strict";
// What a clock shows: the main time left, then the byoyomi. The program says what was left when the turn began; the page
// takes off the time since then, and nothing else. `Card.tick` in `card.js` puts it on the page.

// `left` is null without a clock. `byoyomi` is not null while it runs. `flag`: time until the flag falls.
function clockFace(clocks, side, now) {
  const { left, increment, byoyomi, delay } = clocks.sides[side];
  // A clock that was stopped by the loss of the connection shows what it showed then.
  const isStopped = (clocks.stopped_at ?? null) !== null;
  const running = (clocks.running || isStopped) && (clocks.turn === "black") === (side === 0);
  if (left === null) return { left: null, byoyomi: null, flag: null, running };
  if (!running) return { left, byoyomi: left === 0 && byoyomi > 0 ? byoyomi : null, flag: null, running };
  const used = Math.max(0, (isStopped ? clocks.stopped_at : now) - clocks.at - delay);
  const available = left + increment;
  const rest = Math.max(0, available - used);
  const over = Math.max(0, used - available);
  return {
    left: rest,
    byoyomi: rest === 0 && byoyomi > 0 ? Math.max(0, byoyomi - over) : null,
    flag: Math.max(0, available + byoyomi - used),
    running,
  };
}

function clockText(face) {
  if (face.left === null) return "∞";
  const ms = face.byoyomi ?? face.left;
  const two = (number) => String(number).padStart(2, "0");
  // The last ten seconds show tenths.
  if (ms < 10000) return `${face.byoyomi === null ? "0:0" : "+"}${(Math.floor(ms / 100) / 10).toFixed(1)}`;
  const seconds = Math.ceil(ms / 1000);
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const text = h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
  return face.byoyomi === null ? text : `+${text}`;
}

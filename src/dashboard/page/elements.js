"use strict";
// Elements, made without markup: text is always text.

const SVG = "http://www.w3.org/2000/svg";

// An element with properties (`class`, `text`, attributes) and children.
function make(name, properties = {}, ...children) {
  return fill(document.createElement(name), properties, children);
}

function makeSvg(name, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, name), properties, children);
}

function fill(element, properties, children) {
  for (const [key, value] of Object.entries(properties)) {
    if (key === "text") element.textContent = value;
    else if (value !== undefined && value !== null) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// Sets a text only if it changes, so that nothing is announced or selected away without need.
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// 1234567 as "1.23 M".
function shortNumber(number) {
  if (number === null || number === undefined) return "–";
  if (number >= 1e9) return `${(number / 1e9).toFixed(2)} G`;
  if (number >= 1e6) return `${(number / 1e6).toFixed(2)} M`;
  if (number >= 1e4) return `${Math.round(number / 1e3)} k`;
  return String(number);
}

// A score seen from black.
function scoreText(score) {
  if (!score) return "–";
  if ("cp" in score) return `${score.cp > 0 ? "+" : ""}${score.cp}`;
  return `${score.wins ? "+" : "-"}${say("mate", score.mate === null ? null : Math.abs(score.mate))}`;
}

// The time of a move: whole seconds, or tenths.
function spentText(ms) {
  return say("seconds", (ms / 1000).toFixed(ms % 1000 ? 1 : 0));
}

// A length of time in words.
function lengthText(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (number) => String(number).padStart(2, "0");
  if (h >= 48) return say("days", Math.floor(h / 24));
  if (h > 0) return `${h}:${two(m)}:${two(s)}`;
  return m > 0 ? `${m}:${two(s)}` : say("seconds", s);
}

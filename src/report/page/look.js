"use strict";
// Language, and light or dark: by the browser at first, then as chosen here.
(() => {
  const root = document.documentElement;
  // A file opened from a disk may have no storage.
  const recall = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };
  const keep = (key, value) => {
    try {
      localStorage.setItem(key, value);
    } catch {
      // The choice then holds for this page only.
    }
  };
  const changed = () => document.dispatchEvent(new Event("kyomi-look"));
  function setLanguage(lang) {
    root.lang = lang;
    root.dataset.lang = lang;
    changed();
  }
  function setTheme(theme) {
    root.dataset.theme = theme;
    changed();
  }
  const wanted = (navigator.languages || [navigator.language]).find((it) => /^(ja|en)/i.test(it)) || "en";
  const byBrowser = wanted.slice(0, 2).toLowerCase();
  const dark = matchMedia("(prefers-color-scheme: dark)");
  setLanguage(recall("kyomi-lang") || byBrowser);
  setTheme(recall("kyomi-theme") || (dark.matches ? "dark" : "light"));
  dark.addEventListener("change", () => {
    if (!recall("kyomi-theme")) setTheme(dark.matches ? "dark" : "light");
  });
  document.getElementById("lang").addEventListener("click", () => {
    setLanguage(root.dataset.lang === "ja" ? "en" : "ja");
    keep("kyomi-lang", root.dataset.lang);
  });
  document.getElementById("theme").addEventListener("click", () => {
    setTheme(root.dataset.theme === "dark" ? "light" : "dark");
    keep("kyomi-theme", root.dataset.theme);
  });
  document.getElementById("print")?.addEventListener("click", () => window.print());
})();

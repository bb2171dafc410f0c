// Light or dark: what the system says, unless the reader chose. Runs before the page is drawn.
(function () {
  "use strict";
  var root = document.documentElement;
  function kept() {
    try { return localStorage.getItem("arena-theme"); } catch (_) { return null; }  // a file may have no storage
  }
  function keep(theme) {
    try { localStorage.setItem("arena-theme", theme); } catch (_) { /* then it lasts as long as the page */ }
  }
  function isDark() {
    return root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }
  var chosen = kept();
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  root.classList.add("js");
  document.addEventListener("DOMContentLoaded", function () {
    var button = document.getElementById("theme");
    button.hidden = false;
    button.addEventListener("click", function () {
      root.dataset.theme = isDark() ? "light" : "dark";
      keep(root.dataset.theme);
    });
  });
})();

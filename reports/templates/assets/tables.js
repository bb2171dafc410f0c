// Tables that sort by a click on a heading and filter by a word. Without this script they are plain tables.
(function () {
  "use strict";

  function value(cell) {
    var text = cell.dataset.v !== undefined ? cell.dataset.v : cell.textContent;
    return parseFloat(text.replace(/[\s\u202f%]/g, "").replace("\u2212", "-"));
  }

  function compare(kind, column) {
    return function (a, b) {
      var one = a.cells[column], two = b.cells[column];
      if (kind === "text") return one.textContent.trim().localeCompare(two.textContent.trim());
      var x = value(one), y = value(two);
      if (isNaN(x) || isNaN(y)) return isNaN(x) - isNaN(y);  // what is not known comes last
      return x - y;
    };
  }

  function sort(table, column, direction) {
    var heading = table.tHead.rows[0].cells[column];
    var rows = Array.from(table.tBodies[0].rows);
    rows.forEach(function (row, nth) { if (row.dataset.nth === undefined) row.dataset.nth = nth; });
    var order = compare(heading.dataset.sort, column);
    rows.sort(function (a, b) {
      return direction * order(a, b) || a.dataset.nth - b.dataset.nth;
    });
    Array.from(table.tHead.rows[0].cells).forEach(function (cell) { cell.removeAttribute("aria-sort"); });
    heading.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
    table.tBodies[0].append.apply(table.tBodies[0], rows);
  }

  function makeSortable(table) {
    Array.from(table.tHead.rows[0].cells).forEach(function (heading, column) {
      var button = document.createElement("button");
      button.type = "button";
      button.append.apply(button, Array.from(heading.childNodes));
      if (heading.title) { button.title = heading.title; heading.removeAttribute("title"); }
      heading.append(button);
      button.addEventListener("click", function () {
        var now = heading.getAttribute("aria-sort");
        // names from a to z, ranks and times from the least, all else from the most
        var first = heading.dataset.sort || column === 0 ? 1 : -1;
        sort(table, column, now ? (now === "ascending" ? -1 : 1) : first);
      });
    });
  }

  function makeFilter(tools) {
    var table = document.getElementById(tools.dataset.tools);
    var word = tools.querySelector("[data-filter]"), only = tools.querySelector("[data-only]");
    var count = tools.querySelector("[data-count]");
    function apply() {
      var wanted = word.value.trim().toLowerCase().split(/\s+/);
      var shown = 0, rows = Array.from(table.tBodies[0].rows);
      rows.forEach(function (row) {
        var text = Array.from(row.cells).slice(0, 4).map(function (cell) { return cell.textContent; }).join(" ").toLowerCase();
        var fits = wanted.every(function (part) { return text.includes(part); });
        row.hidden = !fits || Boolean(only && only.checked && row.dataset.unranked !== undefined);
        if (!row.hidden) shown += 1;
      });
      count.textContent = shown === rows.length ? "" : shown + " of " + rows.length;
    }
    word.addEventListener("input", apply);
    if (only) only.addEventListener("change", apply);
    tools.hidden = false;
  }

  function start() {
    document.querySelectorAll("table[data-sortable]").forEach(makeSortable);
    document.querySelectorAll("[data-tools]").forEach(makeFilter);
  }
  window.arenaTables = start;
  start();
})();

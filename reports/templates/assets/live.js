// Follows a tournament, only where `arena serve` serves the page: new standings replace the old ones in place,
// and the page of running matches draws them ply by ply.
(function () {
  "use strict";
  var where = document.body.dataset.live, version = null, player = null, shown = null;
  var byId = function (id) { return document.getElementById(id); };

  function ask(name) {
    return fetch(where + name, { cache: "no-store" }).then(function (answer) {
      if (!answer.ok) throw new Error(answer.status);
      return answer.json();
    });
  }

  // ---- pages of the site

  function renew() {
    if (byId("replay") || byId("tools")) return Promise.resolve();  // a game or a list that somebody is reading stays
    return fetch(location.pathname, { cache: "no-store" }).then(function (answer) { return answer.text(); }).then(function (text) {
      var fresh = new DOMParser().parseFromString(text, "text/html").querySelector("main");
      if (!fresh) return;
      var kept = state();
      document.querySelector("main").replaceWith(document.adoptNode(fresh));
      if (window.arenaTables) window.arenaTables();
      restore(kept);
    });
  }

  function state() {
    var sorted = document.querySelector("#leaderboard th[aria-sort]"), word = document.querySelector("[data-filter]"), only = document.querySelector("[data-only]");
    return {
      column: sorted ? sorted.cellIndex : -1,
      direction: sorted ? sorted.getAttribute("aria-sort") : "",
      word: word ? word.value : "",
      only: Boolean(only && only.checked),
      hasFocus: document.activeElement === word && word !== null,
      open: Array.from(document.querySelectorAll("details")).map(function (each) { return each.open; }),
    };
  }

  function restore(kept) {
    var word = document.querySelector("[data-filter]"), only = document.querySelector("[data-only]");
    var heading = kept.column >= 0 && document.querySelector("#leaderboard").tHead.rows[0].cells[kept.column];
    if (heading) {
      heading.querySelector("button").click();
      if (heading.getAttribute("aria-sort") !== kept.direction) heading.querySelector("button").click();
    }
    if (only) only.checked = kept.only;
    if (word) {
      word.value = kept.word;
      word.dispatchEvent(new Event("input"));
      if (kept.hasFocus) word.focus();
    }
    document.querySelectorAll("details").forEach(function (each, nth) { if (kept.open[nth]) each.open = true; });
  }

  // ---- running matches

  function follow(matches) {
    var select = byId("live-match"), now = select.value;
    byId("live-state").textContent = matches.length ? (matches.length === 1 ? "One match" : matches.length + " matches") + " on the boards." : "Nothing is being played at the moment.";
    byId("live-choice").hidden = !matches.length;
    select.replaceChildren.apply(select, matches.map(function (match) {
      var option = document.createElement("option");
      option.value = match.worker;
      option.textContent = match.names.join(" – ") + " (" + match.match + ")";
      return option;
    }));
    if (matches.some(function (match) { return match.worker === now; })) select.value = now;
    return select.value ? ask(select.value + ".json").then(draw) : undefined;
  }

  function draw(found) {
    byId("replay").hidden = false;
    if (!player) player = new window.ArenaReplay(found.data);
    else {
      if (shown !== found.match) player.at = player.data.steps.length;  // another match: go along with it
      player.update(found.data);
    }
    shown = found.match;
  }

  function look() {
    ask("state.json").then(function (now) {
      var isNew = version !== null && version !== now.version;
      version = now.version;
      if (byId("live-state")) return follow(now.running);
      return isNew ? renew() : undefined;
    }).catch(function () { /* the arena is away or busy: ask again */ }).then(function () {
      setTimeout(look, byId("live-state") ? 1000 : 2000);
    });
  }
  look();
})();

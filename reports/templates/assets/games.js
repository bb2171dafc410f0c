// The list of games: a bot's own list is loaded when it is asked for, as a script, since pages from a file may not fetch.
(function () {
  "use strict";
  var PAGE = 100;
  var site = JSON.parse(document.getElementById("data").textContent);
  var FLAGS = { a: "annulled", r: "played before", s: "busy machine" };
  var loaded = {}, waiting = {};
  var byId = function (id) { return document.getElementById(id); };
  var body = byId("games").tBodies[0], fixed = Array.from(body.rows), limit = PAGE;

  window.arenaGames = function (bot, rows) {
    loaded[bot] = rows;
    (waiting[bot] || []).forEach(function (tell) { tell(rows); });
    delete waiting[bot];
  };

  function load(bot, tell) {
    if (loaded[bot]) { tell(loaded[bot]); return; }
    if (waiting[bot]) { waiting[bot].push(tell); return; }
    waiting[bot] = [tell];
    var script = document.createElement("script");
    script.src = site.files + bot + ".js";
    script.addEventListener("error", function () { delete waiting[bot]; byId("count").textContent = "The list could not be loaded."; });
    document.head.append(script);
  }

  function element(name, className, text) {
    var found = document.createElement(name);
    if (className) found.className = className;
    if (text !== undefined) found.textContent = text;
    return found;
  }

  function botLink(id) {
    var known = site.bots[id] || ["?", ""], link = element("a", "name clip");
    link.href = known[1];
    link.append(element("bdi", "", known[0]));
    return link;
  }

  function draw(row) {
    var match = row[0], bots = row[2], totals = row[3], ranks = row[4];
    var line = document.createElement("tr"), id = element("td", "left"), result = element("td", "text");
    if (row[1]) {
      var link = element("a", "", match);
      link.href = "matches/" + match + ".html";
      id.append(link);
    } else id.append(element("span", "soft", match));
    var seats = bots.map(function (_, seat) { return seat; }).sort(function (a, b) { return ranks[a] - ranks[b] || a - b; });
    seats.forEach(function (seat, nth) {
      if (nth) result.append(" · ");
      if (bots.length > 1) result.append(element("span", "nums", ranks[seat] + "."), " ");
      result.append(botLink(bots[seat]), " ");
      var score = element("span", "soft nums", String(totals[seat]).replace("-", "\u2212"));
      if (row[5].includes(seat)) score.append(" ", element("span", "bad", "fault"));
      result.append(score);
    });
    row[6].split("").forEach(function (flag) { result.append(element("span", "tag", FLAGS[flag])); });
    line.append(id, result);
    return line;
  }

  function show() {
    var bot = byId("bot").value, vs = byId("vs").value;
    var mine = bot || vs, other = bot ? vs : "";
    byId("more").hidden = true;
    if (!mine) {
      body.replaceChildren.apply(body, fixed);
      byId("count").textContent = "the newest " + fixed.length + "; choose a bot to filter";
      byId("faulty").disabled = byId("replays").disabled = true;
      return;
    }
    byId("faulty").disabled = byId("replays").disabled = false;
    byId("count").textContent = "loading …";
    load(mine, function (rows) {
      var found = rows.filter(function (row) {
        return (!other || row[2].includes(Number(other)))
          && (!byId("faulty").checked || row[5].length)
          && (!byId("replays").checked || row[1]);
      });
      body.replaceChildren.apply(body, found.slice(0, limit).map(draw));
      byId("count").textContent = found.length + (found.length === 1 ? " game" : " games");
      byId("more").hidden = found.length <= limit;
    });
  }

  function read() {
    var asked = new URLSearchParams(location.hash.slice(1));
    byId("bot").value = site.bots[asked.get("bot")] ? asked.get("bot") : "";
    byId("vs").value = site.bots[asked.get("vs")] ? asked.get("vs") : "";
    limit = PAGE;
    show();
  }

  function choose() {
    var asked = new URLSearchParams();
    if (byId("bot").value) asked.set("bot", byId("bot").value);
    if (byId("vs").value) asked.set("vs", byId("vs").value);
    var hash = "#" + asked.toString();
    if (location.hash === hash) read(); else location.hash = hash;
  }

  ["bot", "vs"].forEach(function (id) { byId(id).addEventListener("change", choose); });
  ["faulty", "replays"].forEach(function (id) { byId(id).addEventListener("change", show); });
  byId("more").addEventListener("click", function () { limit += PAGE; show(); });
  window.addEventListener("hashchange", read);
  byId("tools").hidden = false;
  read();
})();

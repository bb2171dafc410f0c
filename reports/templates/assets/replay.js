// Replays a game: draws the board after any number of steps, and says what was known then.
// A step is a placement (p: piece) or a fault (f: kind); arena/report/replays.py says what else is in it.
(function () {
  "use strict";
  var SVG = "http://www.w3.org/2000/svg";
  var FAULTS = {
    "no-start": "did not start", timeout: "ran out of time", illegal: "played an illegal move", garbage: "sent no message that we know",
    flood: "sent too much", crash: "crashed", memory: "used too much memory",
  };
  var byId = function (id) { return document.getElementById(id); };
  var minus = function (number) { return String(number).replace("-", "\u2212"); };

  function svg(name, attributes) {
    var found = document.createElementNS(SVG, name);
    Object.keys(attributes || {}).forEach(function (key) { found.setAttribute(key, attributes[key]); });
    return found;
  }
  function html(name, className, text) {
    var found = document.createElement(name);
    if (className) found.className = className;
    if (text !== undefined) found.textContent = text;
    return found;
  }
  function letters(col) { return (col >= 26 ? String.fromCharCode(96 + Math.floor(col / 26)) : "") + String.fromCharCode(97 + col % 26); }
  function time(us) {
    if (us === undefined) return "";
    if (us < 50) return (us ? "<0.1" : "0") + "\u202fms";
    return us < 10000 ? (us / 1000).toFixed(1) + "\u202fms" : us < 1e6 ? Math.round(us / 1000) + "\u202fms" : (us / 1e6).toFixed(2) + "\u202fs";
  }
  function nth(place) { return place + ({ 1: "st", 2: "nd", 3: "rd" }[place] || "th"); }
  // what a step was charged with, by the clock of its division
  function used(data, step) { return data.clock === "cpu" ? step.u : step.w; }
  function swatch(color) {
    var found = svg("svg", { class: "swatch", viewBox: "0 0 1 1", role: "img", "aria-label": color });
    found.append(svg("rect", { class: color, width: 1, height: 1 }), svg("rect", { fill: "url(#mark-" + color + ")", width: 1, height: 1 }));
    return found;
  }

  function Replay(data) {
    this.data = data;
    this.at = 0;
    this.timer = null;
    this.layout();
    this.listen();
    this.go(this.fromAddress(), true);
  }

  // ---- drawn once

  Replay.prototype.layout = function () {
    var data = this.data;
    this.plies = [0];  // placements after each step
    data.steps.forEach(function (step) { this.plies.push(this.plies[this.plies.length - 1] + (step.p ? 1 : 0)); }, this);
    this.drawBoard();
    this.drawSeats();
    this.drawStrip();
    this.drawMoves();
    byId("scrub").max = data.steps.length;
    ["controls", "now", "moves"].forEach(function (id) { byId(id).hidden = false; });
  };

  Replay.prototype.drawBoard = function () {
    var data = this.data;
    var board = svg("svg", { class: "board", viewBox: "-0.9 -0.2 " + (data.cols + 1.1) + " " + (data.rows + 1.1), role: "img" });
    var grid = "";
    for (var row = 1; row < data.rows; row += 1) grid += "M0 " + row + "h" + data.cols;
    for (var col = 1; col < data.cols; col += 1) grid += "M" + col + " 0v" + data.rows;
    board.append(svg("rect", { class: "ground", width: data.cols, height: data.rows }), svg("path", { class: "grid", d: grid }));
    data.starts.forEach(function (start) {
      board.append(svg("circle", { class: "start " + data.colors[start[0]].name, cx: start[2] + 0.5, cy: start[1] + 0.5, r: 0.22 }));
    });
    this.pieces = data.steps.map(function (step) {
      var group = svg("g", {});
      if (step.p) {
        var color = data.colors[step.c].name;
        group.append(svg("path", { class: "piece " + color, d: step.d }), svg("path", { fill: "url(#mark-" + color + ")", d: step.d }));
      } else if (step.d) group.append(svg("path", { class: "named", d: step.d }), svg("path", { class: "cross", d: step.x }));
      board.append(group);
      return group;
    });
    this.ring = svg("path", { class: "now" });
    board.append(this.ring);
    for (col = 0; col < data.cols; col += 1) board.append(label(letters(col), col + 0.5, data.rows + 0.7));
    for (row = 0; row < data.rows; row += 1) board.append(label(String(data.rows - row), -0.45, row + 0.7));
    this.board = board;
    byId("board").replaceChildren(board);
  };

  function label(text, x, y) {
    var found = svg("text", { class: "label", x: x, y: y });
    found.textContent = text;
    return found;
  }

  Replay.prototype.drawSeats = function () {
    var data = this.data, list = byId("seats");
    this.seats = data.seats.map(function (seat, number) {
      var item = html("li"), head = html("div", "head"), name = html(seat.href ? "a" : "span", "name clip"), place = html("span", "place"), total = html("span", "total");
      var colors = data.colors.filter(function (color) { return color.seat === number; });
      if (seat.href) name.href = seat.href;
      name.append(html("bdi", "", seat.name));
      name.title = seat.name;
      colors.forEach(function (color) { head.append(swatch(color.name)); });
      head.append(name, place, total);
      var sub = html("div", "sub");
      item.append(head, sub);
      var hands = colors.map(function (color) {
        var hand = html("div", "hand");
        item.append(hand);
        return { color: data.colors.indexOf(color), box: hand, pieces: drawHand(hand, data.pieces, color.name) };
      });
      return { item: item, place: place, total: total, sub: sub, hands: hands };
    });
    list.replaceChildren.apply(list, this.seats.map(function (seat) { return seat.item; }));
    this.shared = data.colors.map(function (color, number) { return number; }).filter(function (number) { return data.colors[number].seat === null; });
    this.sharedHands = this.shared.map(function (number) {
      var item = html("li"), head = html("div", "head"), hand = html("div", "hand");
      head.append(swatch(data.colors[number].name), html("span", "soft", data.colors[number].name + ", played in turn"));
      item.append(head, hand);
      list.append(item);
      return { color: number, box: hand, pieces: drawHand(hand, data.pieces, data.colors[number].name) };
    });
  };

  function drawHand(box, names, color) {
    var pieces = {};
    names.forEach(function (name) {
      var drawing = window.arenaPieces[name], width = drawing[1], height = drawing[2];
      var picture = svg("svg", { viewBox: "-0.06 -0.06 " + (width + 0.12) + " " + (height + 0.12), width: width * 6.5, height: height * 6.5, "aria-hidden": "true" });
      picture.append(svg("path", { class: color, d: drawing[0] }));
      box.append(picture);
      pieces[name] = picture;
    });
    return pieces;
  }

  Replay.prototype.drawStrip = function () {
    var data = this.data, strip = byId("strip"), count = Math.max(data.steps.length, 1);
    var most = Math.max.apply(null, data.steps.map(function (step) { return step.n || 0; }).concat([1]));
    strip.setAttribute("viewBox", "0 0 " + count + " 100");
    strip.replaceChildren();
    data.steps.forEach(function (step, nth) {
      var height = step.n ? Math.max(4, 96 * Math.sqrt(step.n / most)) : 0;
      if (step.p) strip.append(svg("rect", { class: data.colors[step.c].name, x: nth + 0.08, width: 0.84, y: 100 - height, height: height }));
    });
    this.cursor = svg("line", { class: "cursor", y1: 0, y2: 100 });
    strip.append(this.cursor);
  };

  Replay.prototype.drawMoves = function () {
    var data = this.data, self = this, passes = data.passes.slice(), rows = [];
    this.moveRows = data.steps.map(function (step, nth) {
      // a color that is out because its bot forfeited comes after the fault
      var isOver = function (pass) { return pass[0] < self.plies[nth] || (pass[0] === self.plies[nth] && (step.p || pass[2] === "blocked")); };
      while (passes.length && isOver(passes[0])) rows.push(passRow(data, passes.shift()));
      var row = step.p ? plyRow(data, step, self.plies[nth + 1]) : faultRow(data, step, self.plies[nth + 1]);
      rows.push(row);
      return row;
    });
    passes.forEach(function (pass) { rows.push(passRow(data, pass)); });
    byId("move-rows").replaceChildren.apply(byId("move-rows"), rows);
  };

  function cell(className, text) { return html("td", className, text); }

  function plyRow(data, step, ply) {
    var row = html("tr"), first = cell(""), color = cell("left"), note = cell("text");
    var link = html("a", "", ply);
    link.href = "#ply=" + ply;
    first.append(link);
    color.append(swatch(data.colors[step.c].name), " " + data.colors[step.c].name);
    note.append(html("bdi", "", step.t || ""));
    row.append(first, color, cell("left", step.m), cell("", step.n), cell("", minus(step.v)), cell("", step.o ? "opening" : time(used(data, step))), cell("", step.e === undefined ? "" : minus(step.e)), note);
    return row;
  }

  function faultRow(data, step, ply) {
    var row = html("tr", "bad"), first = cell(""), what = cell("text");
    var link = html("a", "", ply + "!");
    link.href = "#ply=" + ply + "f";
    first.append(link);
    what.colSpan = 7;
    what.append(html("bdi", "", data.seats[step.s].name), " " + FAULTS[step.f] + ": ", html("bdi", "", step.t));
    row.append(first, what);
    return row;
  }

  function passRow(data, pass) {
    var row = html("tr", "aside"), what = cell("text", data.colors[pass[1]].name + (pass[2] === "blocked" ? " cannot place anything any more" : " is out: its bot forfeited"));
    what.colSpan = 7;
    row.append(cell(""), what);
    return row;
  }

  // ---- drawn at each step

  Replay.prototype.go = function (at, isQuiet) {
    var data = this.data;
    this.at = at = Math.max(0, Math.min(data.steps.length, at));
    var step = at ? data.steps[at - 1] : null;
    this.pieces.forEach(function (group, nth) {
      // an illegal move is shown while it is the last step, and never stays
      group.setAttribute("display", nth < at && (data.steps[nth].p || nth === at - 1) ? "inline" : "none");
    });
    this.ring.setAttribute("d", step && step.p ? step.d : "");
    byId("scrub").value = at;
    byId("scrub").setAttribute("aria-valuetext", "ply " + this.plies[at] + " of " + this.plies[data.steps.length]);
    byId("where").textContent = "ply " + this.plies[at] + " of " + this.plies[data.steps.length];
    this.cursor.setAttribute("x1", at);
    this.cursor.setAttribute("x2", at);
    this.showSeats();
    this.showNow(step);
    this.moveRows.forEach(function (row, nth) { row.classList.toggle("here", nth === at - 1); });
    this.keepInView();
    this.board.setAttribute("aria-label", "The board after " + this.plies[at] + " placements");
    if (!isQuiet) this.address();
  };

  Replay.prototype.state = function () {
    var data = this.data, done = data.steps.slice(0, this.at), ply = this.plies[this.at];
    var colors = data.colors.map(function () { return { score: data.start_score, left: data.pieces.slice(), out: "" }; });
    var seats = data.seats.map(function () { return { used: 0, fault: "" }; });
    done.forEach(function (step) {
      if (!step.p) { seats[step.s].fault = step.f; return; }
      colors[step.c].score = step.v;
      colors[step.c].left.splice(colors[step.c].left.indexOf(step.p), 1);
      seats[step.s].used += used(data, step) || 0;
    });
    data.passes.forEach(function (pass) { if (pass[0] <= ply) colors[pass[1]].out = pass[2]; });
    return { colors: colors, seats: seats };
  };

  Replay.prototype.showSeats = function () {
    var data = this.data, state = this.state(), next = data.steps[this.at], isOver = data.over && !next;
    this.seats.forEach(function (seat, number) {
      var total = 0;
      data.colors.forEach(function (color, nth) {
        if (color.seat !== null && data.teams[color.seat] === data.teams[number]) total += state.colors[nth].score;
      });
      seat.total.textContent = minus(total);
      seat.place.textContent = isOver && data.ranks.length ? nth(data.ranks[number]) : "";
      seat.item.classList.toggle("turn", Boolean(next && next.s === number));
      seat.sub.replaceChildren(html("span", "", time(state.seats[number].used) + (data.clock === "cpu" ? " of CPU time used" : " used")));
      seat.hands.forEach(function (hand) {
        var color = state.colors[hand.color], left = color.left.length;
        seat.sub.append(html("span", "", (seat.hands.length > 1 ? data.colors[hand.color].name + " " + minus(color.score) + ", " : "") + (left ? left + (left === 1 ? " piece left" : " pieces left") : "all placed")));
        if (color.out === "blocked" && left) seat.sub.append(html("span", "", "blocked"));
        showHand(hand, color.left);
      });
      if (state.seats[number].fault) seat.sub.append(html("span", "out", FAULTS[state.seats[number].fault]));
    });
    this.sharedHands.forEach(function (hand) { showHand(hand, state.colors[hand.color].left); });
  };

  function showHand(hand, left) {
    Object.keys(hand.pieces).forEach(function (name) {
      hand.pieces[name].toggleAttribute("hidden", !left.includes(name));
    });
  }

  Replay.prototype.showNow = function (step) {
    var data = this.data, card = byId("now"), title = html("h2"), facts = html("dl"), said = [];
    function fact(name, text) {
      var pair = html("div");
      pair.append(html("dt", "", name), html("dd", "", text));
      facts.append(pair);
    }
    if (!step) {
      title.append("The game begins");
    } else if (!step.p) {
      title.append(html("bdi", "bad", data.seats[step.s].name + " " + FAULTS[step.f]));
    } else {
      title.append(swatch(data.colors[step.c].name), " ", html("bdi", "", data.seats[step.s].name));
      fact("places", step.m);
      fact("of", step.n + (step.n === 1 ? " legal move" : " legal moves"));
      if (step.o) said.push("Drawn from the seed.");
      else { fact("in", time(used(data, step))); if (step.e !== undefined) fact("eval", minus(step.e)); }
    }
    var next = data.steps[this.at];
    if (next && next.p) fact("next", data.colors[next.c].name + ", " + next.n + (next.n === 1 ? " legal move" : " legal moves"));
    else if (!next) said.push(data.over ? "The game is over." : "The next move is being thought about.");
    card.replaceChildren(title);
    if (facts.firstChild) card.append(facts);
    if (said.length) card.append(html("p", "said", said.join(" ")));
    if (step && step.t) card.append(html("p", "note", step.t));
  };

  Replay.prototype.keepInView = function () {
    var row = this.moveRows[this.at - 1];
    if (!row) return;
    var box = row.closest(".moves"), top = row.offsetTop - box.clientHeight / 2;
    box.scrollTop = top;
  };

  // ---- the reader

  Replay.prototype.fromAddress = function () {
    var found = /^#ply=(\d+)(f?)$/.exec(location.hash);
    if (!found) return this.data.steps.length;
    var ply = Math.min(Number(found[1]), this.plies[this.plies.length - 1]), at = this.plies.indexOf(ply);
    if (found[2] && this.data.steps[at] && this.data.steps[at].f) return at + 1;
    return at;
  };

  Replay.prototype.address = function () {
    var step = this.data.steps[this.at - 1], hash = "#ply=" + this.plies[this.at] + (step && step.f ? "f" : "");
    try { history.replaceState(null, "", hash); } catch (_) { /* a file may have no history */ }
  };

  Replay.prototype.play = function () {
    var self = this, button = document.querySelector("[data-go=play]");
    function stop() {
      clearInterval(self.timer);
      self.timer = null;
      button.textContent = "Play";
    }
    if (this.timer) { stop(); return; }
    if (this.at === this.data.steps.length) this.go(0);
    button.textContent = "Pause";
    this.timer = setInterval(function () {
      self.go(self.at + 1);
      if (self.at === self.data.steps.length) stop();
    }, Number(byId("speed").value));
  };

  Replay.prototype.act = function (what) {
    if (what === "play") { this.play(); return; }
    if (this.timer) this.play();
    this.go({ first: 0, back: this.at - 1, on: this.at + 1, last: this.data.steps.length }[what]);
  };

  Replay.prototype.listen = function () {
    var self = this;
    document.querySelectorAll("[data-go]").forEach(function (button) {
      button.addEventListener("click", function () { self.act(button.dataset.go); });
      // a mouse leaves the focus where it is, so that the space bar plays; the Tab key still brings it here
      button.addEventListener("mousedown", function (event) { event.preventDefault(); });
    });
    byId("scrub").addEventListener("input", function () { self.go(Number(this.value)); });
    byId("speed").addEventListener("change", function () { if (self.timer) { self.play(); self.play(); } });
    byId("strip").addEventListener("click", function (event) {
      var box = this.getBoundingClientRect();
      self.go(Math.ceil((event.clientX - box.left) / box.width * self.data.steps.length));
    });
    window.addEventListener("hashchange", function () { self.go(self.fromAddress(), true); });
    document.addEventListener("keydown", function (event) {
      var isSlider = event.target.id === "scrub";
      if (event.altKey || event.ctrlKey || event.metaKey || (!isSlider && event.target.closest("input, select, textarea"))) return;
      var what = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" }[event.key];
      if (event.key === " " && !event.target.closest("button, summary")) what = "play";
      if (!what) return;
      event.preventDefault();
      self.act(what);
    });
  };

  // ---- a game that is still being played: what is new is added, and a reader at its end goes along
  Replay.prototype.update = function (data) {
    var wasAtEnd = this.at === this.data.steps.length, at = this.at;
    this.data = data;
    this.layout();
    this.go(wasAtEnd ? data.steps.length : at, true);
  };

  window.ArenaReplay = Replay;
  var embedded = byId("data");
  if (embedded) window.arenaReplay = new Replay(JSON.parse(embedded.textContent));
})();

// Blokus for a bot in JavaScript: keeps the board, lists legal moves, talks to the arena. Put it next to your bot:
//
//     const { run } = require("./blokus.js");
//
//     run((game) => {
//       const moves = game.legal();
//       return moves[moves.length - 1];
//     });
//
// How it works. A set of cells is one integer a row, with a bit a column. The free cells are kept shifted by every
// number of columns from -4 to 4; what the shifted rows of all cells of a shape have in common is every column in which
// the shape fits.
"use strict";

const REACH = 4; // a piece has at most five cells in a row
const TURNS = 8; // orientations of a piece, at most

// What never changes during a game; all copies share it.
class Table {
  constructor(hello) {
    this.rows = hello.board.rows;
    this.cols = hello.board.cols;
    this.full = (1 << this.cols) - 1;
    this.starts = hello.colors.map((color) => this.startOf(hello.start[color]));
    this.names = Object.keys(hello.pieces);
    this.sizes = this.names.map((name) => hello.pieces[name].length);
    this.shapes = this.names.map((name) => orientations(hello.pieces[name]));
    this.height = this.rows + REACH; // pieces may reach below the board, where nothing is free
    this.offsets = this.shapes.map((shapes) =>
      shapes.map((shape) => Int32Array.from(shape, ([row, col]) => (col + REACH) * this.height + row)),
    );
    this.moves = this.names.map(() => new Array(this.rows * this.cols * TURNS));
  }

  startOf(cells) {
    const rows = new Int32Array(this.rows).fill(cells.length ? 0 : this.full); // none: anywhere
    for (const [row, col] of cells) rows[row] |= 1 << col;
    return rows;
  }

  // A move is made when it is first listed.
  move(piece, turned, row, col) {
    const place = (row * this.cols + col) * TURNS + turned;
    const moves = this.moves[piece];
    if (!moves[place]) {
      const cells = this.shapes[piece][turned].map(([r, c]) => [row + r, col + c]);
      moves[place] = { piece: this.names[piece], cells };
    }
    return moves[place];
  }

  shifted(rows) {
    const flat = new Int32Array((2 * REACH + 1) * this.height);
    for (let by = -REACH; by <= REACH; by++) {
      const start = (by + REACH) * this.height;
      for (let row = 0; row < this.rows; row++) flat[start + row] = by < 0 ? rows[row] << -by : rows[row] >> by;
    }
    return flat;
  }
}

// Every way to turn and flip a piece, in the protocol's order: sorted cells, relative to the first of them.
function orientations(drawing) {
  const found = new Map();
  let cells = drawing;
  for (let turn = 0; turn < 4; turn++) {
    cells = cells.map(([row, col]) => [col, -row]);
    for (const side of [cells, cells.map(([row, col]) => [row, -col])]) {
      const sorted = [...side].sort(compareCells);
      const shape = sorted.map(([row, col]) => [row - sorted[0][0], col - sorted[0][1]]);
      found.set(String(shape), shape);
    }
  }
  return [...found.values()].sort((a, b) => a.reduce((order, cell, i) => order || compareCells(cell, b[i]), 0));
}

const compareCells = (a, b) => a[0] - b[0] || a[1] - b[1];

// A game as the bot at seat `me` knows it. `color` and `seat` are next to move (null when the game is over): colors
// that are blocked are passed over by themselves. What `run` gives you is a copy: play on it as far as you like.
class Game {
  constructor(hello) {
    this.variant = hello.variant;
    this.rows = hello.board.rows;
    this.cols = hello.board.cols;
    this.colors = hello.colors; // in turn order
    this.pieces = Object.fromEntries(Object.entries(hello.pieces).map(([name, cells]) => [name, cells.length]));
    this.seats = hello.seats; // each with name, colors, team
    this.me = hello.seat;
    this.turningColor = hello.turning_color;
    this.scoring = hello.scoring;
    this.clock = hello.clock; // move_ms and bank_ms are brought up to date at every turn
    this.seed = hello.seed;
    this.turn = 0; // pieces placed so far
    this.note = null; // set these two when you choose, and they are kept with the move
    this.eval = null;
    this._table = new Table(hello);
    this._deadline = performance.now();
    this._owner = this.colors.map((color) => this.seats.findIndex((seat) => seat.colors.includes(color)));
    this._own = this.colors.map(() => new Int32Array(this.rows));
    this._hand = this.colors.map(() => (1 << this._table.names.length) - 1);
    this._last = this.colors.map(() => -1); // the piece that each color placed last
    this._out = 0; // colors that have dropped out, a bit each
    this._retired = 0; // seats that have forfeited
    this._rotation = 0; // the seat whose turn with the turning color is next
    this._past = [];
    this._color = -1;
    this._seat = -1;
    this._findTurn(0);
  }

  // ---- looking; `color` is by default the one to move

  get color() {
    return this.isOver ? null : this.colors[this._color];
  }

  get seat() {
    return this.isOver ? null : this._seat;
  }

  get isOver() {
    return this._color < 0;
  }

  // Every legal move { piece, cells }, in the protocol's order.
  legal(color) {
    const found = [];
    this._scan(this._number(color), (piece, row, masks, count) => {
      let columns = 0;
      for (let turned = 0; turned < count; turned++) columns |= masks[turned];
      for (; columns; columns &= columns - 1) {
        const col = 31 - Math.clz32(columns & -columns);
        for (let turned = 0; turned < count; turned++) {
          if ((masks[turned] >> col) & 1) found.push(this._table.move(piece, turned, row, col));
        }
      }
      return false;
    });
    return found;
  }

  hasMove(color) {
    return this._scan(this._number(color), () => true);
  }

  // The free cells of which the color's next piece must cover one.
  corners(color) {
    const { corners } = this._freeAndCorners(this._number(color));
    return this._cells().filter(([row, col]) => (corners[row] >> col) & 1);
  }

  // The pieces that the color has not placed.
  hand(color) {
    const hand = this._hand[this._number(color)];
    return this._table.names.filter((_, piece) => (hand >> piece) & 1);
  }

  // The color on a cell; null if it is free.
  colorAt(row, col) {
    return this.colors.find((_, color) => (this._own[color][row] >> col) & 1) ?? null;
  }

  // One string a row: "." where it is free, else the color's first letter, upper case.
  board() {
    const marks = this._cells().map(([row, col]) => (this.colorAt(row, col) ?? ".")[0].toUpperCase());
    return Array.from({ length: this.rows }, (_, row) => marks.slice(row * this.cols, (row + 1) * this.cols).join(""));
  }

  // The score of each color by its name, as it stands.
  scores() {
    return Object.fromEntries(this.colors.map((color, number) => [color, this._score(number)]));
  }

  // The total of each seat: of its colors, or of its team's.
  totals() {
    const scores = this.scores();
    const teamScore = (team) =>
      this.seats.filter((seat) => seat.team === team).flatMap((seat) => seat.colors.map((color) => scores[color]));
    return this.seats.map((seat) => teamScore(seat.team).reduce((sum, score) => sum + score, 0));
  }

  // What is left for this move, bank included, by the clock on the wall.
  timeLeftMs() {
    return Math.round(this._deadline - performance.now());
  }

  // ---- playing

  // Place a piece for the color to move; the move is taken to be legal.
  play(move) {
    const color = this._color;
    if (color < 0) throw new Error("the game is over");
    const was = { move, color, seat: this._seat, hand: this._hand[color], last: this._last[color] };
    this._past.push(Object.assign(was, { out: this._out, rotation: this._rotation }));
    for (const [row, col] of move.cells) this._own[color][row] |= 1 << col;
    this._last[color] = this._table.names.indexOf(move.piece);
    this._hand[color] &= ~(1 << this._last[color]);
    this.turn++;
    if (this._owner[color] < 0) this._rotation = (this._seat + 1) % this.seats.length;
    this._findTurn(color + 1);
  }

  // Take back the last `play`.
  undo() {
    const was = this._past.pop();
    for (const [row, col] of was.move.cells) this._own[was.color][row] &= ~(1 << col);
    this._hand[was.color] = was.hand;
    this._last[was.color] = was.last;
    [this._color, this._seat, this._out, this._rotation] = [was.color, was.seat, was.out, was.rotation];
    this.turn--;
  }

  copy() {
    const twin = Object.assign(Object.create(Game.prototype), this);
    twin._own = this._own.map((rows) => rows.slice());
    twin._hand = this._hand.slice();
    twin._last = this._last.slice();
    twin._past = this._past.slice();
    return twin;
  }

  // ---- listening

  // Take in a `turn`: what was played since the last one, and what this move may use.
  hear(message) {
    this.clock = { ...this.clock, ...message.clock };
    this._deadline = performance.now() + this.clock.move_ms + this.clock.bank_ms;
    for (const event of message.played) {
      const color = this.colors.indexOf(event.color);
      if (event.piece !== undefined) {
        this._giveTurn(color, event.seat);
        this.play({ piece: event.piece, cells: event.cells });
      } else if (event.pass === "forfeit") {
        this._retire(event.seat);
        this._findTurn(color);
      }
    }
    this._giveTurn(this.colors.indexOf(message.color), this.me);
  }

  // Follow the referee: whom the turning color has skipped must have forfeited.
  _giveTurn(color, seat) {
    while (this._owner[color] < 0 && this._rotation !== seat) {
      this._retire(this._rotation);
      this._rotation = (this._rotation + 1) % this.seats.length;
    }
    this._color = color;
    this._seat = seat;
  }

  _retire(seat) {
    this._retired |= 1 << seat;
    this._owner.forEach((owner, color) => {
      if (owner === seat) this._out |= 1 << color;
    });
  }

  // ---- inside

  _number(color) {
    return color === undefined ? this._color : this.colors.indexOf(color);
  }

  _cells() {
    return Array.from({ length: this.rows * this.cols }, (_, i) => [Math.floor(i / this.cols), i % this.cols]);
  }

  _isOut(color) {
    return color < 0 || (this._out >> color) & 1;
  }

  // Give the turn to the next color that can move, from `first` on; those that cannot drop out.
  _findTurn(first) {
    for (let step = 0; step < this.colors.length; step++) {
      const color = (first + step) % this.colors.length;
      const seat = this._owner[color] < 0 ? this._nextInRotation() : this._owner[color];
      if ((this._retired >> seat) & 1 || !this._scan(color, () => true)) this._out |= 1 << color;
      if (!this._isOut(color)) {
        this._color = color;
        this._seat = seat;
        return;
      }
    }
    this._color = -1;
  }

  _nextInRotation() {
    const seats = this.seats.map((_, step) => (this._rotation + step) % this.seats.length);
    return seats.find((seat) => !((this._retired >> seat) & 1)) ?? this._rotation;
  }

  _score(color) {
    const { names, sizes } = this._table;
    const squares = sizes.reduce((sum, size, piece) => sum + ((this._hand[color] >> piece) & 1) * size, 0);
    if (squares) return -squares;
    return this.scoring.all_placed + (names[this._last[color]] === "I1" ? this.scoring.monomino_last : 0);
  }

  // The cells that the color's next piece may cover, and those of which it must cover one.
  _freeAndCorners(color) {
    const { rows, full, starts } = this._table;
    const free = new Int32Array(rows);
    const corners = new Int32Array(rows);
    if (this._isOut(color)) return { free, corners };
    const own = this._own[color];
    const isFirst = own.every((row) => !row);
    for (let row = 0; row < rows; row++) {
      const near = own[row - 1] | own[row + 1]; // beyond the board: nothing
      let closed = near | (own[row] << 1) | (own[row] >> 1);
      for (const other of this._own) closed |= other[row];
      free[row] = full & ~closed;
      corners[row] = free[row] & (isFirst ? starts[color][row] : (near << 1) | (near >> 1));
    }
    return { free, corners };
  }

  // Call `visit(piece, row, masks, count)` for the rows where a piece fits: for each of its `count` orientations, the
  // columns where its first cell may go. Ends as soon as `visit` returns true, and tells whether it did.
  _scan(color, visit) {
    const { free, corners } = this._freeAndCorners(color);
    if (corners.every((row) => !row)) return false;
    const table = this._table;
    const [freeAt, cornersAt] = [table.shifted(free), table.shifted(corners)];
    const masks = new Int32Array(TURNS);
    for (const piece of this._playable(color)) {
      const shapes = table.offsets[piece];
      for (let row = 0; row < table.rows; row++) {
        let any = 0;
        for (let turned = 0; turned < shapes.length; turned++) {
          any |= masks[turned] = fits(shapes[turned], row, freeAt, cornersAt);
        }
        if (any && visit(piece, row, masks, shapes.length)) return true;
      }
    }
    return false;
  }

  _playable(color) {
    const { sizes } = this._table;
    const hand = [...sizes.keys()].filter((piece) => (this._hand[color] >> piece) & 1);
    if (this.variant !== "solo-descending") return hand;
    const largest = Math.max(...hand.map((piece) => sizes[piece]));
    return hand.filter((piece) => sizes[piece] === largest);
  }
}

function fits(shape, row, freeAt, cornersAt) {
  let touches = 0;
  for (let i = 0; i < shape.length; i++) touches |= cornersAt[shape[i] + row];
  for (let i = 0; i < shape.length && touches; i++) touches &= freeAt[shape[i] + row];
  return touches;
}

// Play games until the arena ends them; `about` may give a name, a version and an author.
function run(choose, about = {}) {
  let game = null;
  let rest = "";
  const answer = (message) => process.stdout.write(JSON.stringify(message) + "\n");
  console.log = console.error; // what a bot prints goes to its log, not between its answers
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const message of lines.map((line) => JSON.parse(line))) {
      if (message.type === "hello") {
        game = new Game(message);
        answer({ type: "ready", games: "many", ...about });
      } else if (message.type === "turn") {
        game.hear(message);
        const view = game.copy();
        const move = choose(view);
        const { note, eval: value } = view;
        const notes = { note: note ?? undefined, eval: value ?? undefined }; // undefined is left out
        answer({ type: "move", turn: message.turn, cells: move.cells, ...notes });
      }
    }
  });
}

module.exports = { Game, run };

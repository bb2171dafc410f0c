// Plays the placement that leaves the most corners to its own side and the fewest to the others, large pieces first.
//
// A corner of a color is a free cell that touches the color diagonally and nowhere along an edge: its next piece must
// cover one. The referee sends the legal placements; the bot itself only keeps where the corners are.
"use strict";

// what counts how much, found by playing matches
const SQUARE = 4; // a square of the placed piece
const OWN = 1; // a corner of ours
const THEIRS = 1; // a corner of an opponent's

const EDGES = [[-1, 0], [0, -1], [0, 1], [1, 0]];
const DIAGONALS = [[-1, -1], [-1, 1], [1, -1], [1, 1]];

let game = null;

// ---- the board

function newGame(hello) {
  const { rows, cols } = hello.board;
  const around = (steps) => Array.from({ length: rows * cols }, (_, cell) => neighbours(cell, steps, rows, cols));
  const colors = new Map(hello.colors.map((name) => [name, newColor(name, hello)]));
  const pieces = Object.values(hello.pieces);
  return {
    cols, colors,
    edges: around(EDGES),
    diagonals: around(DIAGONALS),
    taken: new Uint8Array(rows * cols),
    squares: pieces.reduce((sum, cells) => sum + cells.length, 0), // of one color
    random: randomNumbers(hello.seed),
  };
}

function newColor(name, hello) {
  const { rows, cols } = hello.board;
  const owner = hello.seats.find((seat) => seat.colors.includes(name));
  const color = {
    // 1: ours or our partner's, -1: an opponent's, 0: the turning color, which counts for nobody
    side: owner === undefined ? 0 : owner.team === hello.seats[hello.seat].team ? 1 : -1,
    diagonal: new Uint8Array(rows * cols), // cells that touch the color diagonally; at first, its start square
    beside: new Uint8Array(rows * cols), // cells along its edges
    placed: 0,
  };
  for (const [row, col] of hello.start[name]) color.diagonal[row * cols + col] = 1;
  return color;
}

function neighbours(cell, steps, rows, cols) {
  const row = Math.floor(cell / cols);
  const col = cell % cols;
  return steps
    .map(([down, right]) => [row + down, col + right])
    .filter(([r, c]) => r >= 0 && r < rows && c >= 0 && c < cols)
    .map(([r, c]) => r * cols + c);
}

function toCells(pairs) {
  return pairs.map(([row, col]) => row * game.cols + col);
}

function follow(event) {
  if (!("cells" in event)) return; // a pass: its corners stay, and are of no use to anyone
  const color = game.colors.get(event.color);
  const cells = toCells(event.cells);
  if (color.placed === 0) color.diagonal.fill(0);
  color.placed += cells.length;
  for (const cell of cells) {
    game.taken[cell] = 1;
    for (const near of game.edges[cell]) color.beside[near] = 1;
    for (const near of game.diagonals[cell]) color.diagonal[near] = 1;
  }
}

function isCorner(color, cell) {
  return color.diagonal[cell] && !color.beside[cell] && !game.taken[cell];
}

// ---- choosing

// Return by how many corners a placement serves our side: those it makes, less those it takes away.
function cornersWon(color, cells) {
  let own = 0;
  const seen = new Set(cells);
  for (const cell of cells) {
    for (const near of game.edges[cell]) {
      if (!seen.has(near)) own -= isCorner(color, near) ? 1 : 0;
      seen.add(near); // what lies along the new piece's edges is no new corner
    }
  }
  for (const cell of cells) {
    for (const near of game.diagonals[cell]) {
      if (!seen.has(near) && !game.taken[near] && !color.beside[near] && !color.diagonal[near]) own += 1;
      seen.add(near);
    }
  }
  let won = color.side === 0 ? 0 : OWN * own;
  for (const other of game.colors.values()) {
    const covered = cells.filter((cell) => isCorner(other, cell)).length;
    won -= covered * (other.side > 0 ? OWN : other.side * THEIRS);
  }
  return won;
}

function choose(message) {
  const color = game.colors.get(message.color);
  let best = -Infinity;
  let found = [];
  message.legal.forEach(({ cells }, index) => {
    const value = SQUARE * cells.length + cornersWon(color, toCells(cells));
    if (value > best) [best, found] = [value, []];
    if (value === best) found.push(index);
  });
  return found[Math.floor(game.random() * found.length)];
}

// ---- what the viewer sees

function countCorners(color) {
  let corners = 0;
  for (let cell = 0; cell < game.taken.length; cell++) corners += isCorner(color, cell) ? 1 : 0;
  return corners;
}

// Return what the colors of a side have on average.
function average(side, count) {
  const counts = [...game.colors.values()].filter((color) => color.side === side).map(count);
  return counts.reduce((sum, each) => sum + each, 0) / Math.max(1, counts.length);
}

// Return the expected result from 0 (behind all others) to 1 (ahead of all); alone, the share of squares placed.
function expectation(cornersAhead) {
  const placed = (color) => color.placed;
  if (![...game.colors.values()].some((color) => color.side < 0)) return average(1, placed) / game.squares;
  const squaresAhead = average(1, placed) - average(-1, placed);
  return 1 / (1 + Math.exp(-(cornersAhead + squaresAhead) / 10));
}

// ---- talking to the referee

// Return a source of numbers from 0 up to 1 that depend on nothing but the seed.
function randomNumbers(seed) {
  let state = (seed ^ Math.imul(Math.floor(seed / 2 ** 32), 0x9e3779b1)) >>> 0 || 1;
  return () => {
    state ^= state << 13; // xorshift, by G. Marsaglia
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

function send(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

function hear(message) {
  if (message.type === "hello") {
    game = newGame(message);
    send({ type: "ready", want: ["legal"], games: "many" });
  } else if (message.type === "turn") {
    message.played.forEach(follow);
    const [ours, theirs] = [average(1, countCorners), average(-1, countCorners)];
    const note = `corners: ${ours.toFixed(1)} ours, ${theirs.toFixed(1)} theirs`;
    send({ type: "move", turn: message.turn, index: choose(message), note, eval: expectation(ours - theirs) });
  }
}

require("readline").createInterface({ input: process.stdin }).on("line", (line) => hear(JSON.parse(line)));

// A bot for Blokus Arena. It plays one of its largest pieces that fit, at random: make `choose` cleverer.
//
// The referee sends a line of JSON, the bot answers with one. What you print with console.error is your log.
"use strict";

let seed = 1;

// A number from 0 to below 1; drawn from the seed of the game, so that a match can be played again.
function random() {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
}

// The index of one of the legal moves, which the referee lists because we ask for it below. Each move has a `piece`,
// such as "L4", and the `cells` it covers, as [row, column].
function choose(message) {
  const largest = Math.max(...message.legal.map((move) => move.cells.length));
  const indices = [...message.legal.keys()].filter((index) => message.legal[index].cells.length === largest);
  return indices[Math.floor(random() * indices.length)];
}

function answer(message) {
  if (message.type === "hello") {
    // a game begins: board, colors, who sits where
    seed = message.seed % 2 ** 32;
    return { type: "ready", want: ["legal"], games: "many" };
  }
  if (message.type === "turn") {
    // message.color is to move; message.played is what happened since
    return { type: "move", turn: message.turn, index: choose(message) };
  }
  return null; // the game is over
}

let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  for (const line of lines) {
    const reply = answer(JSON.parse(line));
    if (reply) process.stdout.write(JSON.stringify(reply) + "\n");
  }
});

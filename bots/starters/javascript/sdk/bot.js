// A bot for Blokus Arena, on the SDK in blokus.js. Make `choose` cleverer.
//
// It plays a largest piece that fits, where it leaves the most corners to go on from.
"use strict";

const { run } = require("./blokus.js");

// The best move found in half of the time.
function choose(game) {
  const color = game.color;
  let best = null;
  let most = -1;
  for (const move of game.legal().reverse()) {
    // the largest pieces come first now
    if (best && (move.cells.length < best.cells.length || game.timeLeftMs() < game.clock.move_ms / 2)) break;
    game.play(move); // on our own copy of the game
    const corners = game.corners(color).length;
    game.undo();
    if (corners > most) [best, most] = [move, corners];
  }
  game.note = `leaves ${most} corners`; // kept with the move: see it with `arena replay`
  return best;
}

run(choose);

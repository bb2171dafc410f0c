// What the SDK for JavaScript makes of recorded games; see tests/sdk/games.py.
const { run } = require("./blokus.js");

function listed(moves) {
  let total = 2166136261;
  for (const move of moves) {
    const values = [...Buffer.from(move.piece), ...move.cells.map(([row, col]) => row * 32 + col)];
    for (const value of values) total = Math.imul(total ^ value, 16777619);
  }
  return `${moves.length} ${total >>> 0}`;
}

function state(game) {
  const who = game.isOver ? "- -" : `${game.color} ${game.seat}`;
  return `${game.turn} ${who} ${Object.values(game.scores()).join(",")}`;
}

function pick(game, factor) {
  const moves = game.legal();
  return moves[(game.turn * factor + 7) % moves.length];
}

// Returns how many plies were played until the game was over.
function playOn(game, plies, factor) {
  for (let ply = 0; ply < plies; ply++) {
    if (game.isOver) return ply;
    game.play(pick(game, factor));
    console.log("ply", state(game), game.legal().length);
  }
  return plies;
}

run((game) => {
  const { move_ms, bank_ms } = game.clock;
  const isInTime = game.timeLeftMs() > 0 && game.timeLeftMs() <= move_ms + bank_ms;
  console.log("me", game.me, game.seed, move_ms, bank_ms, isInTime ? "in time" : "late");
  const hands = game.colors.map((color) => game.hand(color).length);
  console.log("at", state(game), game.totals().join(","), hands.join(","), game.board().join("/"));
  if (game.turn % 3 === 0) {
    for (const color of game.colors) console.log("color", color, game.corners(color).length, listed(game.legal(color)));
  }
  console.log("list", state(game), listed(game.legal()));
  for (let played = playOn(game, 6, 31); played > 0; played--) game.undo();
  playOn(game.copy(), 2, 13);
  console.log("list", state(game), listed(game.legal()));
  const answer = pick(game, 17);
  game.note = `turn ${game.turn}: "quoted" \\ é ☃ 𝄞\t\n`;
  game.eval = game.turn / 4 - 3;
  game.play(answer); // on a copy, as everything here
  return answer;
});

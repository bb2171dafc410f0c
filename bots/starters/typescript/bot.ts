// A bot for Blokus Arena. It plays one of its largest pieces that fit, at random: make `choose` cleverer.
//
// The referee sends a line of JSON, the bot answers with one. What you print with console.error is your log.

type Move = { piece: string; cells: [row: number, col: number][] };
type Hello = { type: "hello"; seed: number }; // and board, colors, who sits where: see docs/protocol.md
type Turn = { type: "turn"; turn: number; color: string; legal: Move[] }; // and what was played since
type End = { type: "end" };

// what we use of Node.js, so that no other package is needed
declare const process: {
  stdin: { setEncoding(name: string): void; on(event: "data", listener: (chunk: string) => void): void };
  stdout: { write(text: string): void };
};

let seed = 1;

// A number from 0 to below 1; drawn from the seed of the game, so that a match can be played again.
function random(): number {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
}

// The index of one of the legal moves, which the referee lists because we ask for it below.
function choose(moves: Move[]): number {
  const largest = Math.max(...moves.map((move) => move.cells.length));
  const indices = [...moves.keys()].filter((index) => moves[index].cells.length === largest);
  return indices[Math.floor(random() * indices.length)];
}

function answer(message: Hello | Turn | End): object | null {
  if (message.type === "hello") {
    seed = message.seed % 2 ** 32;
    return { type: "ready", want: ["legal"], games: "many" };
  }
  if (message.type === "turn") {
    return { type: "move", turn: message.turn, index: choose(message.legal) };
  }
  return null; // the game is over
}

let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const reply = answer(JSON.parse(line));
    if (reply) process.stdout.write(JSON.stringify(reply) + "\n");
  }
});

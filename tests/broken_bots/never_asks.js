// Plays from the list of legal moves, which it did not ask for.
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") console.log('{"type":"ready"}');
  if (message.type === "turn") {
    console.log(JSON.stringify({ type: "move", turn: message.turn, cells: message.legal[0].cells }));
  }
});

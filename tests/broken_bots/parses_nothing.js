// Parses an empty text once two pieces are on the board: a SyntaxError, but none of the program.
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") console.log('{"type":"ready","want":["legal"]}');
  if (message.type === "turn") {
    const book = JSON.parse(message.turn < 2 ? "{}" : "");
    console.log(JSON.stringify({ type: "move", turn: message.turn, cells: message.legal[0].cells, note: book.note }));
  }
});

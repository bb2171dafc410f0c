// Takes the first legal move, always.
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") console.log('{"type":"ready","want":["count"]}');
  else if (message.type === "turn") console.log(JSON.stringify({ type: "move", turn: message.turn, index: 0 }));
});

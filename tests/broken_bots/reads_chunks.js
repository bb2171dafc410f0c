// Takes whatever comes at once for a line.
process.stdin.on("data", (data) => {
  const message = JSON.parse(data.toString());
  if (message.type === "hello") console.log('{"type":"ready","want":["legal"]}');
  if (message.type === "turn") {
    console.log(JSON.stringify({ type: "move", turn: message.turn, cells: message.legal[0].cells }));
  }
});

# A bot for Blokus Arena. It plays one of its largest pieces that fit, at random: make `choose` cleverer.
#
# The referee sends a line of JSON, the bot answers with one. What you print with `warn` is your log.
require "json"

$stdout.sync = true # send every line at once

# The index of one of the legal moves, which the referee lists because we ask for it below. Each move has a "piece",
# such as "L4", and the "cells" it covers, as [row, column].
def choose(message, random)
  sizes = message["legal"].map { |move| move["cells"].size }
  largest = sizes.max
  sizes.each_index.select { |index| sizes[index] == largest }.sample(random: random)
end

random = Random.new

$stdin.each_line do |line|
  message = JSON.parse(line)
  case message["type"]
  when "hello" # a game begins: board, colors, who sits where
    random = Random.new(message["seed"]) # so that a match can be played again
    puts JSON.generate(type: "ready", want: ["legal"], games: "many")
  when "turn" # message["color"] is to move; message["played"] is what happened since
    puts JSON.generate(type: "move", turn: message["turn"], index: choose(message, random))
  end
end

# A bot for Blokus Arena in plain shell. It plays one of its larger pieces at random: make `choose` cleverer.
#
# The referee sends a line of JSON, the bot answers with one. What you print to stderr is your log. The referee's lines
# have no spaces and begin with their type, so that the shell can take them apart; all keys are in docs/protocol.md. A
# bot may not start other programs (unless bot.toml says: processes = true): all that is used here is built in.

# Set `number` to the whole number that follows a key of the line, such as turn.
number_of() {
    number=${line#*"\"$1\":"}
    number=${number%%[!0-9]*}
}

# Set `index` to one of $1 moves. They are listed by piece, from I1 up: the last third holds the largest.
choose() {
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    index=$(($1 - 1 - seed / 65536 % (($1 + 2) / 3)))
}

seed=1
while IFS= read -r line; do
    case $line in
    '{"type":"hello"'*)
        number_of seed
        seed=$((number % 2147483648)) # so that a match can be played again
        echo '{"type":"ready","want":["count"],"games":"many"}'
        ;;
    '{"type":"turn"'*)
        number_of legal_count
        choose "$number"
        number_of turn
        echo "{\"type\":\"move\",\"turn\":$number,\"index\":$index}"
        ;;
    esac
done

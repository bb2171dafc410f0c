# Tells what it thinks on its output, where only messages belong.
while read -r line; do
    case $line in
    '{"type":"hello"'*) echo '{"type":"ready","want":["count"]}' ;;
    '{"type":"turn"'*)
        echo "this bot thinks aloud" >&2
        echo "debug: depth=4 score=12"
        ;;
    esac
done

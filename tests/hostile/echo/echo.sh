echo ready
while read -r line; do
    echo "echo $line"
done

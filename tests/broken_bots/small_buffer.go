// Reads lines with a Scanner, which gives up on one of more than 64 KB.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var message struct {
			Type string
			Turn int
		}
		if json.Unmarshal(lines.Bytes(), &message) != nil {
			os.Exit(1)
		}
		switch message.Type {
		case "hello":
			fmt.Println(`{"type":"ready","want":["legal"]}`)
		case "turn":
			fmt.Printf("{\"type\":\"move\",\"turn\":%d,\"index\":0}\n", message.Turn)
		}
	}
}

// Takes the first legal move, always.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

func main() {
	input := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := input.ReadString('\n')
		if err != nil {
			return
		}
		var turn int
		if strings.HasPrefix(line, `{"type":"hello"`) {
			fmt.Println(`{"type":"ready","want":["count"]}`)
		} else if count, _ := fmt.Sscanf(line, `{"type":"turn","turn":%d`, &turn); count == 1 {
			fmt.Printf("{\"type\":\"move\",\"turn\":%d,\"index\":0}\n", turn)
		}
	}
}

// A bot for Blokus Arena. It plays one of its largest pieces that fit, at random: make choose cleverer.
//
// The referee sends a line of JSON, the bot answers with one. What you print to os.Stderr is your log.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"math/rand"
	"os"
)

type move struct {
	Piece string   // such as "L4"
	Cells [][2]int // row, column
}

// What we use of the referee's messages; all their keys are in docs/protocol.md.
type message struct {
	Type  string
	Seed  int64
	Turn  int
	Color string // to move
	Legal []move // because we ask for it below
}

// choose returns the index of one of the moves with the largest piece.
func choose(moves []move, random *rand.Rand) int {
	var best []int
	largest := 0
	for index, move := range moves {
		if len(move.Cells) > largest {
			best, largest = nil, len(move.Cells)
		}
		if len(move.Cells) == largest {
			best = append(best, index)
		}
	}
	return best[random.Intn(len(best))]
}

func main() {
	in := bufio.NewReader(os.Stdin)
	var random *rand.Rand
	for line, err := in.ReadBytes('\n'); err == nil; line, err = in.ReadBytes('\n') {
		var asked message
		if err := json.Unmarshal(line, &asked); err != nil {
			log.Fatal(err)
		}
		switch asked.Type {
		case "hello": // a game begins
			random = rand.New(rand.NewSource(asked.Seed)) // so that a match can be played again
			fmt.Println(`{"type":"ready","want":["legal"],"games":"many"}`)
		case "turn":
			fmt.Printf("{\"type\":\"move\",\"turn\":%d,\"index\":%d}\n", asked.Turn, choose(asked.Legal, random))
		}
	}
}

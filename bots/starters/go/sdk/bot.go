// A bot for Blokus Arena, on the SDK in blokus.go. Make choose cleverer.
//
// It plays a largest piece that fits, where it leaves the most corners to go on from.
package main

import (
	"fmt"
	"time"
)

// choose returns the best move found in half of the time.
func choose(game *Game) Move {
	color := game.Color
	half := time.Duration(game.Clock.MoveMs) * time.Millisecond / 2
	moves := game.Legal()
	var best Move
	most := -1
	for i := len(moves) - 1; i >= 0; i-- { // the largest pieces are last
		move := moves[i]
		if most >= 0 && (len(move.Cells) < len(best.Cells) || game.TimeLeft() < half) {
			break
		}
		game.Play(move) // on our own copy of the game
		corners := len(game.Corners(color))
		game.Undo()
		if corners > most {
			best, most = move, corners
		}
	}
	game.Note = fmt.Sprintf("leaves %d corners", most) // kept with the move: see it with `arena replay`
	return best
}

func main() { Run(choose) }

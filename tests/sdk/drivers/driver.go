// What the SDK for Go makes of recorded games; see tests/sdk/games.py.
package main

import (
	"fmt"
	"os"
	"strings"
	"time"
)

func listed(game *Game, moves []Move) string {
	total := uint32(2166136261)
	mix := func(value int) { total = (total ^ uint32(value)) * 16777619 }
	for _, move := range moves {
		for _, letter := range game.Pieces[move.Piece].Name {
			mix(int(letter))
		}
		for _, cell := range move.Cells {
			mix(cell[0]*32 + cell[1])
		}
	}
	return fmt.Sprint(len(moves), " ", total)
}

func joined(count int, number func(int) int) string {
	words := make([]string, count)
	for i := range words {
		words[i] = fmt.Sprint(number(i))
	}
	return strings.Join(words, ",")
}

func state(game *Game) string {
	who := "- -"
	if !game.IsOver() {
		who = fmt.Sprint(game.Colors[game.Color], " ", game.Seat)
	}
	return fmt.Sprint(game.Turn, " ", who, " ", joined(len(game.Colors), game.Score))
}

func tell(words ...any) { fmt.Fprintln(os.Stderr, words...) }

func pick(game *Game, factor int) Move {
	moves := game.Legal()
	return moves[(game.Turn*factor+7)%len(moves)]
}

// playOn returns how many plies were played until the game was over.
func playOn(game *Game, plies, factor int) int {
	for ply := 0; ply < plies; ply++ {
		if game.IsOver() {
			return ply
		}
		game.Play(pick(game, factor))
		tell("ply", state(game), len(game.Legal()))
	}
	return plies
}

func choose(game *Game) Move {
	allowed := time.Duration(game.Clock.MoveMs+game.Clock.BankMs) * time.Millisecond
	punctuality := "late"
	if left := game.TimeLeft(); left > 0 && left <= allowed {
		punctuality = "in time"
	}
	tell("me", game.Me, game.Seed, game.Clock.MoveMs, game.Clock.BankMs, punctuality)
	hands := joined(len(game.Colors), func(color int) int { return len(game.Hand(color)) })
	totals := joined(len(game.Seats), func(seat int) int { return game.Totals()[seat] })
	tell("at", state(game), totals, hands, strings.Join(game.Board(), "/"))
	if game.Turn%3 == 0 {
		for color, name := range game.Colors {
			tell("color", name, len(game.Corners(color)), listed(game, game.LegalOf(color)))
		}
	}
	tell("list", state(game), listed(game, game.Legal()))
	for played := playOn(game, 6, 31); played > 0; played-- {
		game.Undo()
	}
	playOn(game.Copy(), 2, 13)
	tell("list", state(game), listed(game, game.Legal()))
	answer := pick(game, 17)
	eval := float64(game.Turn)/4 - 3
	game.Note, game.Eval = fmt.Sprintf("turn %d: \"quoted\" \\ é ☃ 𝄞\t\n", game.Turn), &eval
	game.Play(answer) // on a copy, as everything here
	return answer
}

func main() { Run(choose) }

// Blokus for a bot in Go: keeps the board, lists legal moves, talks to the arena. Put it next to your bot:
//
//	package main
//
//	func main() {
//		Run(func(game *Game) Move { return game.Legal()[0] })
//	}
//
// How it works. A set of cells is one integer a row, with a bit a column. The free cells are kept shifted by every
// number of columns from -4 to 4; what the shifted rows of all cells of a shape have in common is every column in which
// the shape fits.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"log"
	"math/bits"
	"os"
	"sort"
	"strings"
	"time"
)

const (
	None    = -1 // no color, no seat
	reach   = 4  // a piece has at most five cells in a row
	maxRows = 20
	height  = maxRows + reach // pieces may reach below the board, where nothing is free
)

// Cell is a row and a column.
type Cell [2]int

// Move is a piece, by its place in Game.Pieces, and the cells it covers, sorted.
type Move struct {
	Piece int
	Cells []Cell
}

type Piece struct {
	Name string
	Size int
}

type Seat struct {
	Name   string
	Colors []int // their places in Game.Colors
	Team   int
}

type Clock struct {
	Kind        string // "wall" or "cpu"
	StartMs     int    `json:"start_ms"`
	MoveMs      int    `json:"move_ms"`
	BankMs      int    `json:"bank_ms"`
	IncrementMs int    `json:"increment_ms"`
	MarginMs    int    `json:"margin_ms"`
}

type rows [maxRows]uint32

type shifted [(2*reach + 1) * height]uint32

// What never changes during a game; all copies share it.
type table struct {
	full           uint32
	starts         []rows
	offsets        [][][]int  // of the cells of each piece's orientations, in shifted rows; in the protocol's order
	moves          [][][]Move // of each piece: by its first cell, and its orientation
	owner          []int      // of each color; None for the turning one
	isLargestFirst bool
}

type past struct {
	move                             Move
	color, seat, last, out, rotation int
}

// Game is a game as the bot at seat Me knows it. Colors are numbers, places in Colors. Color and Seat are next to move
// (None when the game is over): colors that are blocked are passed over by themselves. What Run gives you is a copy:
// play on it as far as you like.
type Game struct {
	Variant      string
	Rows, Cols   int
	Colors       []string // in turn order
	Pieces       []Piece
	Seats        []Seat
	Me           int
	TurningColor int
	AllPlaced    int // the bonuses
	MonominoLast int
	Clock        Clock // MoveMs and BankMs are brought up to date at every turn
	Seed         int64
	Turn         int // pieces placed so far
	Color, Seat  int
	Note         string // set these two when you choose, and they are kept with the move
	Eval         *float64

	table    *table
	deadline time.Time
	own      []rows
	hands    []uint32
	last     []int // the piece that each color placed last
	out      int   // colors that have dropped out, a bit each
	retired  int   // seats that have forfeited
	rotation int   // the seat whose turn with the turning color is next
	past     []past
}

// ---- looking

func (g *Game) IsOver() bool { return g.Color == None }

// Legal returns every legal move of the color to move, in the protocol's order.
func (g *Game) Legal() []Move { return g.LegalOf(g.Color) }

// LegalOf returns every legal move of a color, if it were its turn.
func (g *Game) LegalOf(color int) []Move {
	var found []Move
	g.scan(color, func(piece, row int, masks []uint32, columns uint32) bool {
		for ; columns != 0; columns &= columns - 1 {
			col := bits.TrailingZeros32(columns)
			moves := g.table.moves[piece][row*g.Cols+col]
			for turned, mask := range masks {
				if mask>>col&1 != 0 {
					found = append(found, moves[turned])
				}
			}
		}
		return false
	})
	return found
}

func (g *Game) HasMove(color int) bool {
	return g.scan(color, func(int, int, []uint32, uint32) bool { return true })
}

// Corners returns the free cells of which the color's next piece must cover one.
func (g *Game) Corners(color int) []Cell {
	var found []Cell
	_, corners := g.freeAndCorners(color)
	for row := 0; row < g.Rows; row++ {
		for col := 0; col < g.Cols; col++ {
			if corners[row]>>col&1 != 0 {
				found = append(found, Cell{row, col})
			}
		}
	}
	return found
}

// Hand returns the pieces that the color has not placed, as places in Pieces.
func (g *Game) Hand(color int) []int {
	var found []int
	for piece := range g.Pieces {
		if g.hands[color]>>piece&1 != 0 {
			found = append(found, piece)
		}
	}
	return found
}

// ColorAt returns the color on a cell; None if it is free.
func (g *Game) ColorAt(row, col int) int {
	for color := range g.own {
		if g.own[color][row]>>col&1 != 0 {
			return color
		}
	}
	return None
}

// Board returns one string a row: "." where it is free, else the color's first letter, upper case.
func (g *Game) Board() []string {
	lines := make([]string, g.Rows)
	for row := range lines {
		for col := 0; col < g.Cols; col++ {
			mark := "."
			if color := g.ColorAt(row, col); color != None {
				mark = strings.ToUpper(g.Colors[color][:1])
			}
			lines[row] += mark
		}
	}
	return lines
}

// Score returns the score of a color as it stands.
func (g *Game) Score(color int) int {
	squares := 0
	for _, piece := range g.Hand(color) {
		squares += g.Pieces[piece].Size
	}
	if squares > 0 {
		return -squares
	}
	if g.Pieces[g.last[color]].Name == "I1" {
		return g.AllPlaced + g.MonominoLast
	}
	return g.AllPlaced
}

// Totals returns the total of each seat: of its colors, or of its team's.
func (g *Game) Totals() []int {
	totals := make([]int, len(g.Seats))
	for i, seat := range g.Seats {
		for _, other := range g.Seats {
			for _, color := range other.Colors {
				if other.Team == seat.Team {
					totals[i] += g.Score(color)
				}
			}
		}
	}
	return totals
}

// TimeLeft returns what is left for this move, bank included, by the clock on the wall.
func (g *Game) TimeLeft() time.Duration { return time.Until(g.deadline) }

// ---- playing

// Play places a piece for the color to move; the move is taken to be legal.
func (g *Game) Play(move Move) {
	color := g.Color
	if color == None {
		panic("the game is over")
	}
	g.past = append(g.past, past{move, color, g.Seat, g.last[color], g.out, g.rotation})
	for _, cell := range move.Cells {
		g.own[color][cell[0]] |= 1 << cell[1]
	}
	g.hands[color] &^= 1 << move.Piece
	g.last[color] = move.Piece
	g.Turn++
	if g.table.owner[color] == None {
		g.rotation = (g.Seat + 1) % len(g.Seats)
	}
	g.findTurn(color + 1)
}

// Undo takes back the last Play.
func (g *Game) Undo() {
	was := g.past[len(g.past)-1]
	g.past = g.past[:len(g.past)-1]
	for _, cell := range was.move.Cells {
		g.own[was.color][cell[0]] &^= 1 << cell[1]
	}
	g.hands[was.color] |= 1 << was.move.Piece
	g.last[was.color] = was.last
	g.Color, g.Seat, g.out, g.rotation = was.color, was.seat, was.out, was.rotation
	g.Turn--
}

// Copy returns an independent game in the same position.
func (g *Game) Copy() *Game {
	twin := *g
	twin.own = append([]rows(nil), g.own...)
	twin.hands = append([]uint32(nil), g.hands...)
	twin.last = append([]int(nil), g.last...)
	twin.past = append([]past(nil), g.past...)
	return &twin
}

// ---- listening

type hello struct {
	Variant string
	Board   struct{ Rows, Cols int }
	Colors  []string
	Start   map[string][]Cell
	Pieces  json.RawMessage // in their order, which a map would lose
	Scoring struct {
		AllPlaced    int `json:"all_placed"`
		MonominoLast int `json:"monomino_last"`
	}
	Seat  int
	Seats []struct {
		Name   string
		Colors []string
		Team   int
	}
	Clock Clock
	Seed  int64
}

type event struct {
	Color string
	Seat  int
	Piece string
	Cells []Cell
	Pass  string
}

type turn struct {
	Turn   int
	Color  string
	Played []event
	Clock  Clock
}

func newGame(line []byte) *Game {
	var hello hello
	decode(line, &hello)
	g := &Game{Variant: hello.Variant, Rows: hello.Board.Rows, Cols: hello.Board.Cols, Colors: hello.Colors,
		Me: hello.Seat, TurningColor: None, AllPlaced: hello.Scoring.AllPlaced,
		MonominoLast: hello.Scoring.MonominoLast, Clock: hello.Clock, Seed: hello.Seed, deadline: time.Now()}
	g.table = &table{full: 1<<g.Cols - 1, isLargestFirst: g.Variant == "solo-descending"}
	for _, color := range g.Colors {
		g.table.starts = append(g.table.starts, startOf(hello.Start[color], g.table.full))
		g.table.owner = append(g.table.owner, None)
	}
	for number, seat := range hello.Seats {
		g.Seats = append(g.Seats, Seat{seat.Name, nil, seat.Team})
		for _, name := range seat.Colors {
			g.Seats[number].Colors = append(g.Seats[number].Colors, g.number(name))
			g.table.owner[g.number(name)] = number
		}
	}
	eachPiece(hello.Pieces, g.addPiece)
	for color, owner := range g.table.owner {
		if owner == None {
			g.TurningColor = color
		}
		g.own = append(g.own, rows{})
		g.hands = append(g.hands, 1<<len(g.Pieces)-1)
		g.last = append(g.last, None)
	}
	g.findTurn(0)
	return g
}

// hear takes in a turn: what was played since the last one, and what this move may use.
func (g *Game) hear(message turn) {
	g.Clock.MoveMs, g.Clock.BankMs = message.Clock.MoveMs, message.Clock.BankMs
	g.deadline = time.Now().Add(time.Duration(g.Clock.MoveMs+g.Clock.BankMs) * time.Millisecond)
	for _, event := range message.Played {
		if event.Piece != "" {
			g.giveTurn(g.number(event.Color), event.Seat)
			g.Play(Move{g.pieceNumber(event.Piece), event.Cells})
		} else if event.Pass == "forfeit" {
			g.retire(event.Seat)
			g.findTurn(g.number(event.Color))
		}
	}
	g.giveTurn(g.number(message.Color), g.Me)
}

// giveTurn follows the referee: whom the turning color has skipped must have forfeited.
func (g *Game) giveTurn(color, seat int) {
	for g.table.owner[color] == None && g.rotation != seat {
		g.retire(g.rotation)
		g.rotation = (g.rotation + 1) % len(g.Seats)
	}
	g.Color, g.Seat = color, seat
}

func (g *Game) retire(seat int) {
	g.retired |= 1 << seat
	for _, color := range g.Seats[seat].Colors {
		g.out |= 1 << color
	}
}

// ---- inside

func (g *Game) number(name string) int {
	for color := range g.Colors {
		if g.Colors[color] == name {
			return color
		}
	}
	return None
}

func (g *Game) pieceNumber(name string) int {
	for piece := range g.Pieces {
		if g.Pieces[piece].Name == name {
			return piece
		}
	}
	return None
}

func (g *Game) addPiece(name string, drawing []Cell) {
	shapes := orientations(drawing)
	offsets := make([][]int, len(shapes))
	moves := make([][]Move, g.Rows*g.Cols)
	for turned, shape := range shapes {
		for _, cell := range shape {
			offsets[turned] = append(offsets[turned], (cell[1]+reach)*height+cell[0])
		}
		for first := range moves {
			cells := make([]Cell, len(shape))
			for i, cell := range shape {
				cells[i] = Cell{first/g.Cols + cell[0], first%g.Cols + cell[1]}
			}
			moves[first] = append(moves[first], Move{len(g.Pieces), cells})
		}
	}
	g.Pieces = append(g.Pieces, Piece{name, len(drawing)})
	g.table.offsets = append(g.table.offsets, offsets)
	g.table.moves = append(g.table.moves, moves)
}

// findTurn gives the turn to the next color that can move, from first on; those that cannot drop out.
func (g *Game) findTurn(first int) {
	for step := range g.Colors {
		color := (first + step) % len(g.Colors)
		seat := g.table.owner[color]
		if seat == None {
			seat = g.nextInRotation()
		}
		if g.retired>>seat&1 != 0 || !g.HasMove(color) {
			g.out |= 1 << color
		}
		if g.out>>color&1 == 0 {
			g.Color, g.Seat = color, seat
			return
		}
	}
	g.Color, g.Seat = None, None
}

func (g *Game) nextInRotation() int {
	for step := range g.Seats {
		if seat := (g.rotation + step) % len(g.Seats); g.retired>>seat&1 == 0 {
			return seat
		}
	}
	return g.rotation
}

// freeAndCorners returns the cells that the color's next piece may cover, and those of which it must cover one.
func (g *Game) freeAndCorners(color int) (free, corners rows) {
	if color == None || g.out>>color&1 != 0 {
		return
	}
	own := &g.own[color]
	for row := 0; row < g.Rows; row++ {
		var near uint32
		if row > 0 {
			near |= own[row-1]
		}
		if row+1 < g.Rows {
			near |= own[row+1]
		}
		closed := near | own[row]<<1 | own[row]>>1
		for other := range g.own {
			closed |= g.own[other][row]
		}
		free[row] = g.table.full &^ closed
		touching := near<<1 | near>>1
		if g.last[color] == None {
			touching = g.table.starts[color][row]
		}
		corners[row] = free[row] & touching
	}
	return
}

// scan calls visit for the rows where a piece fits: for each of its orientations, the columns where its first cell may
// go, and all of them together. It ends as soon as visit returns true, and tells whether it did.
func (g *Game) scan(color int, visit func(piece, row int, masks []uint32, columns uint32) bool) bool {
	free, corners := g.freeAndCorners(color)
	if corners == (rows{}) {
		return false
	}
	freeAt, cornersAt := shift(&free), shift(&corners)
	largest := 0
	for piece := range g.Pieces {
		if size := g.Pieces[piece].Size; g.hands[color]>>piece&1 != 0 && size > largest {
			largest = size
		}
	}
	var masks [8]uint32
	for piece, turned := range g.table.offsets {
		isTooSmall := g.table.isLargestFirst && g.Pieces[piece].Size < largest
		if isTooSmall || g.hands[color]>>piece&1 == 0 {
			continue
		}
		for row := 0; row < g.Rows; row++ {
			columns := uint32(0)
			for i, shape := range turned {
				masks[i] = fits(shape, row, freeAt, cornersAt)
				columns |= masks[i]
			}
			if columns != 0 && visit(piece, row, masks[:len(turned)], columns) {
				return true
			}
		}
	}
	return false
}

func fits(shape []int, row int, free, corners *shifted) uint32 {
	touches := uint32(0)
	for _, offset := range shape {
		touches |= corners[offset+row]
	}
	if touches != 0 {
		for _, offset := range shape {
			touches &= free[offset+row]
		}
	}
	return touches
}

// shift returns rows shifted by -4 to 4 columns, one after the other.
func shift(origin *rows) *shifted {
	flat := new(shifted)
	for by := -reach; by <= reach; by++ {
		for row, columns := range origin {
			if by < 0 {
				columns <<= -by
			} else {
				columns >>= by
			}
			flat[(by+reach)*height+row] = columns
		}
	}
	return flat
}

func startOf(cells []Cell, full uint32) rows {
	var start rows
	for row := range start {
		if len(cells) == 0 { // anywhere
			start[row] = full
		}
	}
	for _, cell := range cells {
		start[cell[0]] |= 1 << cell[1]
	}
	return start
}

// orientations returns every way to turn and flip a piece, in the protocol's order: sorted cells, relative to the
// first of them.
func orientations(drawing []Cell) [][]Cell {
	var shapes [][]Cell
	cells := append([]Cell(nil), drawing...)
	for turn := 0; turn < 8; turn++ {
		shape := make([]Cell, len(cells))
		for i, cell := range cells {
			cells[i] = Cell{cell[1], -cell[0]}
			shape[i] = cells[i]
			if turn >= 4 {
				shape[i][1] *= -1
			}
		}
		sort.Slice(shape, func(i, j int) bool { return compare(shape[i:i+1], shape[j:j+1]) < 0 })
		first := shape[0]
		for i := range shape {
			shape[i] = Cell{shape[i][0] - first[0], shape[i][1] - first[1]}
		}
		at := sort.Search(len(shapes), func(i int) bool { return compare(shapes[i], shape) >= 0 })
		if at == len(shapes) || compare(shapes[at], shape) != 0 {
			shapes = append(shapes, nil)
			copy(shapes[at+1:], shapes[at:])
			shapes[at] = shape
		}
	}
	return shapes
}

func compare(a, b []Cell) int {
	for i := range a {
		for part := range a[i] {
			if difference := a[i][part] - b[i][part]; difference != 0 {
				return difference
			}
		}
	}
	return 0
}

// ---- talking

// Run plays games until the arena ends them.
func Run(choose func(*Game) Move) {
	in := bufio.NewReader(os.Stdin)
	var game *Game
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return
		}
		check(err)
		var message struct{ Type string }
		decode(line, &message)
		switch message.Type {
		case "hello":
			game = newGame(line)
			send(map[string]any{"type": "ready", "games": "many"})
		case "turn":
			var asked turn
			decode(line, &asked)
			game.hear(asked)
			view := game.Copy()
			move := choose(view)
			answer := map[string]any{"type": "move", "turn": asked.Turn, "cells": move.Cells}
			if view.Note != "" {
				answer["note"] = view.Note
			}
			if view.Eval != nil {
				answer["eval"] = *view.Eval
			}
			send(answer)
		}
	}
}

func send(message map[string]any) {
	line, err := json.Marshal(message)
	check(err)
	_, err = os.Stdout.Write(append(line, '\n'))
	check(err)
}

func decode(line []byte, into any) {
	check(json.Unmarshal(line, into))
}

func eachPiece(raw []byte, visit func(name string, drawing []Cell)) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	_, err := decoder.Token() // the opening brace
	check(err)
	for decoder.More() {
		name, err := decoder.Token()
		check(err)
		var drawing []Cell
		check(decoder.Decode(&drawing))
		visit(name.(string), drawing)
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

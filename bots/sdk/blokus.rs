//! Blokus for a bot in Rust: keeps the board, lists legal moves, talks to the arena. Put it next to your bot:
//!
//! ```ignore
//! mod blokus;
//!
//! fn main() {
//!     blokus::run(|game| *game.legal().last().unwrap());
//! }
//! ```
//!
//! How it works. A set of cells is one integer a row, with a bit a column. The free cells are kept shifted by every
//! number of columns from -4 to 4; what the shifted rows of all cells of a shape have in common is every column in
//! which the shape fits.
#![allow(dead_code)] // a bot need not use everything

use std::collections::BTreeSet;
use std::io::{BufRead, Write};
use std::rc::Rc;
use std::time::{Duration, Instant};

const REACH: i32 = 4; // a piece has at most five cells in a row
const MAX_ROWS: usize = 20;
const HEIGHT: usize = MAX_ROWS + REACH as usize; // pieces may reach below the board, where nothing is free

/// A row and a column.
pub type Cell = (i8, i8);

type Rows = [u32; MAX_ROWS];
type Shape = Vec<Cell>; // sorted cells, relative to the first of them

/// A piece, by its place in `Game::pieces`, and the cells it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    pub piece: usize,
    size: u8,
    all: [Cell; 5],
}

impl Move {
    fn new(piece: usize, shape: &[Cell], row: i8, col: i8) -> Move {
        let mut all = [(0, 0); 5];
        for (to, from) in all.iter_mut().zip(shape) {
            *to = (row + from.0, col + from.1);
        }
        Move { piece, size: shape.len() as u8, all }
    }

    /// The cells, sorted.
    pub fn cells(&self) -> &[Cell] {
        &self.all[..self.size as usize]
    }
}

#[derive(Clone, Debug)]
pub struct Piece {
    pub name: String,
    pub size: usize,
}

#[derive(Clone, Debug)]
pub struct Seat {
    pub name: String,
    pub colors: Vec<usize>, // their places in `Game::colors`
    pub team: usize,
}

#[derive(Clone, Debug, Default)]
pub struct Clock {
    pub kind: String, // "wall" or "cpu"
    pub start_ms: u64,
    pub move_ms: u64,
    pub bank_ms: u64,
    pub increment_ms: u64,
    pub margin_ms: u64,
}

/// What never changes during a game; all copies share it.
struct Table {
    full: u32,
    starts: Vec<Rows>,
    shapes: Vec<Vec<Shape>>,       // of each piece, in the protocol's order
    offsets: Vec<Vec<Vec<usize>>>, // of their cells, in shifted rows
    owner: Vec<Option<usize>>,     // of each color; none for the turning one
    is_largest_first: bool,
}

#[derive(Clone, Copy)]
struct Past {
    played: Move,
    color: usize,
    seat: usize,
    last: Option<usize>,
    out: u32,
    rotation: usize,
}

/// A game as the bot at seat `me` knows it. Colors are numbers, places in `colors`. `color` and `seat` are next to move
/// (`None` when the game is over): colors that are blocked are passed over by themselves. What `run` gives you is a
/// copy: play on it as far as you like, or `clone` it.
#[derive(Clone)]
pub struct Game {
    pub variant: String,
    pub rows: usize,
    pub cols: usize,
    pub colors: Vec<String>, // in turn order
    pub pieces: Vec<Piece>,
    pub seats: Vec<Seat>,
    pub me: usize,
    pub turning_color: Option<usize>,
    pub all_placed: i32, // the bonuses
    pub monomino_last: i32,
    pub clock: Clock, // move_ms and bank_ms are brought up to date at every turn
    pub seed: u64,
    pub turn: usize, // pieces placed so far
    pub color: Option<usize>,
    pub seat: Option<usize>,
    pub note: Option<String>, // set these two when you choose, and they are kept with the move
    pub eval: Option<f64>,
    table: Rc<Table>,
    deadline: Instant,
    own: Vec<Rows>,
    hands: Vec<u32>,
    last: Vec<Option<usize>>, // the piece that each color placed last
    out: u32,                 // colors that have dropped out, a bit each
    retired: u32,             // seats that have forfeited
    rotation: usize,          // the seat whose turn with the turning color is next
    past: Vec<Past>,
}

impl Game {
    fn new(hello: &Json) -> Game {
        let (rows, cols) = (hello.get("board").get("rows").whole(), hello.get("board").get("cols").whole());
        assert!(rows <= MAX_ROWS && cols <= 32 - REACH as usize, "a board that is too large");
        let colors: Vec<String> = hello.get("colors").items().iter().map(Json::text).collect();
        let number = |name: &Json| colors.iter().position(|color| *color == name.text()).expect("a color in play");
        let drawings = hello.get("pieces").members();
        let seats: Vec<Seat> = hello
            .get("seats")
            .items()
            .iter()
            .map(|seat| Seat {
                name: seat.get("name").text(),
                colors: seat.get("colors").items().iter().map(number).collect(),
                team: seat.get("team").whole(),
            })
            .collect();
        let full = (1 << cols) - 1;
        let shapes: Vec<Vec<Shape>> = drawings.iter().map(|(_, drawing)| orientations(&cells_of(drawing))).collect();
        let offset = |cell: &Cell| (cell.1 as i32 + REACH) as usize * HEIGHT + cell.0 as usize;
        let table = Table {
            full,
            starts: colors.iter().map(|color| start_of(hello.get("start").get(color), full)).collect(),
            offsets: shapes
                .iter()
                .map(|turned| turned.iter().map(|shape| shape.iter().map(offset).collect()).collect())
                .collect(),
            shapes,
            owner: (0..colors.len()).map(|color| seats.iter().position(|seat| seat.colors.contains(&color))).collect(),
            is_largest_first: hello.get("variant").text() == "solo-descending",
        };
        let clock = hello.get("clock");
        let ms = |key: &str| clock.get(key).whole() as u64;
        let mut game = Game {
            variant: hello.get("variant").text(),
            rows,
            cols,
            pieces: drawings
                .iter()
                .map(|(name, drawing)| Piece { name: name.clone(), size: drawing.items().len() })
                .collect(),
            me: hello.get("seat").whole(),
            turning_color: table.owner.iter().position(Option::is_none),
            all_placed: hello.get("scoring").get("all_placed").whole() as i32,
            monomino_last: hello.get("scoring").get("monomino_last").whole() as i32,
            clock: Clock {
                kind: clock.get("kind").text(),
                start_ms: ms("start_ms"),
                move_ms: ms("move_ms"),
                bank_ms: ms("bank_ms"),
                increment_ms: ms("increment_ms"),
                margin_ms: ms("margin_ms"),
            },
            seed: hello.get("seed").whole() as u64,
            turn: 0,
            color: None,
            seat: None,
            note: None,
            eval: None,
            deadline: Instant::now(),
            own: vec![[0; MAX_ROWS]; colors.len()],
            hands: vec![(1 << drawings.len()) - 1; colors.len()],
            last: vec![None; colors.len()],
            out: 0,
            retired: 0,
            rotation: 0,
            past: Vec::new(),
            table: Rc::new(table),
            colors,
            seats,
        };
        game.find_turn(0);
        game
    }

    // ---- looking

    pub fn is_over(&self) -> bool {
        self.color.is_none()
    }

    /// Every legal move of the color to move, in the protocol's order.
    pub fn legal(&self) -> Vec<Move> {
        self.color.map_or(Vec::new(), |color| self.legal_of(color))
    }

    /// Every legal move of a color, if it were its turn.
    pub fn legal_of(&self, color: usize) -> Vec<Move> {
        let mut found = Vec::new();
        self.scan(color, |piece, row, masks| {
            let mut columns = masks.iter().fold(0, |all, mask| all | mask);
            while columns != 0 {
                let col = columns.trailing_zeros();
                columns &= columns - 1;
                for (mask, shape) in masks.iter().zip(&self.table.shapes[piece]) {
                    if mask >> col & 1 != 0 {
                        found.push(Move::new(piece, shape, row as i8, col as i8));
                    }
                }
            }
            false
        });
        found
    }

    pub fn has_move(&self, color: usize) -> bool {
        self.scan(color, |_, _, _| true)
    }

    /// The free cells of which the color's next piece must cover one.
    pub fn corners(&self, color: usize) -> Vec<Cell> {
        let (_, corners) = self.free_and_corners(color);
        let cells = (0..self.rows).flat_map(|row| (0..self.cols).map(move |col| (row, col)));
        cells.filter(|&(row, col)| corners[row] >> col & 1 != 0).map(|(row, col)| (row as i8, col as i8)).collect()
    }

    /// The pieces that the color has not placed, as places in `pieces`.
    pub fn hand(&self, color: usize) -> Vec<usize> {
        (0..self.pieces.len()).filter(|piece| self.hands[color] >> piece & 1 != 0).collect()
    }

    /// The color on a cell, if any.
    pub fn color_at(&self, row: usize, col: usize) -> Option<usize> {
        self.own.iter().position(|own| own[row] >> col & 1 != 0)
    }

    /// One string a row: `.` where it is free, else the color's first letter, upper case.
    pub fn board(&self) -> Vec<String> {
        let letter = |color: usize| self.colors[color][..1].to_uppercase();
        let mark = |row, col| self.color_at(row, col).map_or(".".to_string(), letter);
        (0..self.rows).map(|row| (0..self.cols).map(|col| mark(row, col)).collect()).collect()
    }

    /// The score of a color as it stands.
    pub fn score(&self, color: usize) -> i32 {
        let squares: usize = self.hand(color).iter().map(|&piece| self.pieces[piece].size).sum();
        if squares > 0 {
            return -(squares as i32);
        }
        let ended_with_one = self.last[color].map_or(false, |piece| self.pieces[piece].name == "I1");
        self.all_placed + if ended_with_one { self.monomino_last } else { 0 }
    }

    /// The total of each seat: of its colors, or of its team's.
    pub fn totals(&self) -> Vec<i32> {
        let sum = |seat: &Seat| seat.colors.iter().map(|&color| self.score(color)).sum::<i32>();
        let team = |team| self.seats.iter().filter(|seat| seat.team == team).map(sum).sum();
        self.seats.iter().map(|seat| team(seat.team)).collect()
    }

    /// What is left for this move, bank included, by the clock on the wall; negative when it is over.
    pub fn time_left_ms(&self) -> i64 {
        let now = Instant::now();
        let left = self.deadline.saturating_duration_since(now).as_millis() as i64;
        left - now.saturating_duration_since(self.deadline).as_millis() as i64
    }

    // ---- playing

    /// Place a piece for the color to move; the move is taken to be legal.
    pub fn play(&mut self, played: Move) {
        let color = self.color.expect("the game is over");
        let seat = self.seat.expect("the game is over");
        let (last, out, rotation) = (self.last[color], self.out, self.rotation);
        self.past.push(Past { played, color, seat, last, out, rotation });
        for cell in played.cells() {
            self.own[color][cell.0 as usize] |= 1 << cell.1;
        }
        self.hands[color] &= !(1 << played.piece);
        self.last[color] = Some(played.piece);
        self.turn += 1;
        if self.table.owner[color].is_none() {
            self.rotation = (seat + 1) % self.seats.len();
        }
        self.find_turn(color + 1);
    }

    /// Take back the last `play`.
    pub fn undo(&mut self) {
        let was = self.past.pop().expect("nothing to undo");
        for cell in was.played.cells() {
            self.own[was.color][cell.0 as usize] &= !(1 << cell.1);
        }
        self.hands[was.color] |= 1 << was.played.piece;
        self.last[was.color] = was.last;
        (self.color, self.seat) = (Some(was.color), Some(was.seat));
        (self.out, self.rotation) = (was.out, was.rotation);
        self.turn -= 1;
    }

    // ---- listening

    /// Take in a `turn`: what was played since the last one, and what this move may use.
    fn hear(&mut self, message: &Json) {
        self.clock.move_ms = message.get("clock").get("move_ms").whole() as u64;
        self.clock.bank_ms = message.get("clock").get("bank_ms").whole() as u64;
        self.deadline = Instant::now() + Duration::from_millis(self.clock.move_ms + self.clock.bank_ms);
        for event in message.get("played").items() {
            let (color, seat) = (self.number(event.get("color")), event.get("seat").whole());
            if let Some(name) = event.find("piece") {
                let name = name.text();
                let piece = self.pieces.iter().position(|piece| piece.name == name).expect("a piece in play");
                self.give_turn(color, seat);
                self.play(Move::new(piece, &cells_of(event.get("cells")), 0, 0));
            } else if event.get("pass").text() == "forfeit" {
                self.retire(seat);
                self.find_turn(color);
            }
        }
        self.give_turn(self.number(message.get("color")), self.me);
    }

    /// Follow the referee: whom the turning color has skipped must have forfeited.
    fn give_turn(&mut self, color: usize, seat: usize) {
        while self.table.owner[color].is_none() && self.rotation != seat {
            self.retire(self.rotation);
            self.rotation = (self.rotation + 1) % self.seats.len();
        }
        (self.color, self.seat) = (Some(color), Some(seat));
    }

    fn retire(&mut self, seat: usize) {
        self.retired |= 1 << seat;
        for color in &self.seats[seat].colors {
            self.out |= 1 << color;
        }
    }

    // ---- inside

    fn number(&self, name: &Json) -> usize {
        let name = name.text();
        self.colors.iter().position(|color| *color == name).expect("a color in play")
    }

    /// Give the turn to the next color that can move, from `first` on; those that cannot drop out.
    fn find_turn(&mut self, first: usize) {
        for step in 0..self.colors.len() {
            let color = (first + step) % self.colors.len();
            let seat = self.table.owner[color].unwrap_or_else(|| self.next_in_rotation());
            if self.retired >> seat & 1 != 0 || !self.has_move(color) {
                self.out |= 1 << color;
            }
            if self.out >> color & 1 == 0 {
                (self.color, self.seat) = (Some(color), Some(seat));
                return;
            }
        }
        (self.color, self.seat) = (None, None);
    }

    fn next_in_rotation(&self) -> usize {
        let mut seats = (0..self.seats.len()).map(|step| (self.rotation + step) % self.seats.len());
        seats.find(|seat| self.retired >> seat & 1 == 0).unwrap_or(self.rotation)
    }

    /// The cells that the color's next piece may cover, and those of which it must cover one.
    fn free_and_corners(&self, color: usize) -> (Rows, Rows) {
        let (mut free, mut corners) = ([0; MAX_ROWS], [0; MAX_ROWS]);
        if self.out >> color & 1 != 0 {
            return (free, corners);
        }
        let own = &self.own[color];
        for row in 0..self.rows {
            let near = (if row > 0 { own[row - 1] } else { 0 }) | own.get(row + 1).unwrap_or(&0);
            let taken = self.own.iter().fold(0, |all, other| all | other[row]);
            free[row] = self.table.full & !(taken | near | own[row] << 1 | own[row] >> 1);
            let touching =
                if self.last[color].is_some() { near << 1 | near >> 1 } else { self.table.starts[color][row] };
            corners[row] = free[row] & touching;
        }
        (free, corners)
    }

    /// Call `visit(piece, row, masks)` for the rows where a piece fits: for each of its orientations, the columns where
    /// its first cell may go. Ends as soon as `visit` returns true, and tells whether it did.
    fn scan(&self, color: usize, mut visit: impl FnMut(usize, usize, &[u32]) -> bool) -> bool {
        let (free, corners) = self.free_and_corners(color);
        if corners.iter().all(|&row| row == 0) {
            return false;
        }
        let (free, corners) = (shifted(&free), shifted(&corners));
        let hand = self.hand(color);
        let largest = hand.iter().map(|&piece| self.pieces[piece].size).max().unwrap_or(0);
        let mut masks = [0; 8];
        for piece in hand {
            if self.table.is_largest_first && self.pieces[piece].size < largest {
                continue;
            }
            let turned = &self.table.offsets[piece];
            for row in 0..self.rows {
                let mut any = 0;
                for (mask, shape) in masks.iter_mut().zip(turned) {
                    *mask = fits(shape, row, &free, &corners);
                    any |= *mask;
                }
                if any != 0 && visit(piece, row, &masks[..turned.len()]) {
                    return true;
                }
            }
        }
        false
    }
}

type Shifted = [u32; (2 * REACH as usize + 1) * HEIGHT];

/// Rows shifted by -4 to 4 columns, one after the other.
fn shifted(rows: &Rows) -> Shifted {
    let mut flat = [0; (2 * REACH as usize + 1) * HEIGHT];
    for by in -REACH..=REACH {
        let start = (by + REACH) as usize * HEIGHT;
        for (row, &columns) in rows.iter().enumerate() {
            flat[start + row] = if by < 0 { columns << -by } else { columns >> by };
        }
    }
    flat
}

fn fits(shape: &[usize], row: usize, free: &Shifted, corners: &Shifted) -> u32 {
    let touches = shape.iter().fold(0, |all, offset| all | corners[offset + row]);
    if touches == 0 {
        return 0;
    }
    shape.iter().fold(touches, |all, offset| all & free[offset + row])
}

fn start_of(cells: &Json, full: u32) -> Rows {
    let mut start = [if cells.items().is_empty() { full } else { 0 }; MAX_ROWS]; // none: anywhere
    for (row, col) in cells_of(cells) {
        start[row as usize] |= 1 << col;
    }
    start
}

fn cells_of(json: &Json) -> Shape {
    json.items().iter().map(|cell| (cell.items()[0].whole() as i8, cell.items()[1].whole() as i8)).collect()
}

/// Every way to turn and flip a piece, in the protocol's order.
fn orientations(drawing: &[Cell]) -> Vec<Shape> {
    let mut cells = drawing.to_vec();
    let mut shapes = BTreeSet::new();
    for turn in 0..8 {
        let side = if turn < 4 { 1 } else { -1 };
        cells = cells.iter().map(|&(row, col)| (col, -row)).collect();
        let mut shape: Shape = cells.iter().map(|&(row, col)| (row, side * col)).collect();
        shape.sort_unstable();
        let (row0, col0) = shape[0];
        shapes.insert(shape.iter().map(|&(row, col)| (row - row0, col - col0)).collect::<Shape>());
    }
    shapes.into_iter().collect()
}

/// Play games until the arena ends them.
pub fn run(mut choose: impl FnMut(&mut Game) -> Move) {
    let mut game: Option<Game> = None;
    for line in std::io::stdin().lock().lines() {
        let message = Json::parse(&line.expect("a line of UTF-8"));
        match message.get("type").text().as_str() {
            "hello" => {
                game = Some(Game::new(&message));
                send("{\"type\":\"ready\",\"games\":\"many\"}");
            }
            "turn" => {
                let game = game.as_mut().expect("hello before turn");
                game.hear(&message);
                let mut view = game.clone();
                let chosen = choose(&mut view);
                send(&answer(&view, &chosen, game.turn));
            }
            _ => {}
        }
    }
}

fn send(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).expect("somebody who listens");
}

fn answer(view: &Game, chosen: &Move, turn: usize) -> String {
    let cells: Vec<String> = chosen.cells().iter().map(|cell| format!("[{},{}]", cell.0, cell.1)).collect();
    let note = view.note.as_ref().map_or(String::new(), |note| format!(",\"note\":{}", quoted(note)));
    let eval = view.eval.filter(|eval| eval.is_finite()).map_or(String::new(), |eval| format!(",\"eval\":{eval:e}"));
    format!("{{\"type\":\"move\",\"turn\":{turn},\"cells\":[{}]{note}{eval}}}", cells.join(","))
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for mark in text.chars() {
        match mark {
            '"' | '\\' => out.extend(['\\', mark]),
            mark if mark < ' ' => out += &format!("\\u{:04x}", mark as u32),
            mark => out.push(mark),
        }
    }
    out + "\""
}

// ---- JSON, as much as the protocol needs

enum Json {
    Other,
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>), // in their order
}

impl Json {
    fn parse(line: &str) -> Json {
        Reader { bytes: line.as_bytes(), at: 0 }.value()
    }

    fn find(&self, key: &str) -> Option<&Json> {
        self.members().iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    fn get(&self, key: &str) -> &Json {
        self.find(key).unwrap_or_else(|| panic!("a message without {}", key))
    }

    fn members(&self) -> &[(String, Json)] {
        if let Json::Object(members) = self {
            members
        } else {
            panic!("expected an object")
        }
    }

    fn items(&self) -> &[Json] {
        if let Json::List(items) = self {
            items
        } else {
            panic!("expected a list")
        }
    }

    fn text(&self) -> String {
        if let Json::Text(text) = self {
            text.clone()
        } else {
            panic!("expected a string")
        }
    }

    fn whole(&self) -> usize {
        if let Json::Number(number) = self {
            *number as usize
        } else {
            panic!("expected a number")
        }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&mut self) -> u8 {
        while self.bytes.get(self.at).map_or(false, u8::is_ascii_whitespace) {
            self.at += 1;
        }
        *self.bytes.get(self.at).expect("a whole line of JSON")
    }

    /// Step over a mark if it comes next.
    fn takes(&mut self, mark: u8) -> bool {
        let found = self.peek() == mark;
        self.at += found as usize;
        found
    }

    fn value(&mut self) -> Json {
        if self.takes(b'{') {
            let mut members = Vec::new();
            while !self.takes(b'}') {
                let key = self.string();
                assert!(self.takes(b':'), "a line that is not JSON");
                members.push((key, self.value()));
                self.takes(b',');
            }
            Json::Object(members)
        } else if self.takes(b'[') {
            let mut items = Vec::new();
            while !self.takes(b']') {
                items.push(self.value());
                self.takes(b',');
            }
            Json::List(items)
        } else if self.peek() == b'"' {
            Json::Text(self.string())
        } else {
            let rest = &self.bytes[self.at..];
            let end = rest.iter().position(|mark| b",]} \r".contains(mark)).unwrap_or(rest.len());
            self.at += end;
            let word = std::str::from_utf8(&rest[..end]).unwrap_or("");
            word.parse().map_or(Json::Other, Json::Number) // true, false and null are not asked for
        }
    }

    fn string(&mut self) -> String {
        assert!(self.takes(b'"'), "a line that is not JSON");
        let mut text = Vec::new();
        loop {
            let mark = self.bytes[self.at];
            self.at += 1;
            match mark {
                b'"' => return String::from_utf8(text).expect("a line of UTF-8"),
                b'\\' => {
                    let mark = self.escape();
                    text.extend(mark.to_string().as_bytes());
                }
                mark => text.push(mark),
            }
        }
    }

    fn escape(&mut self) -> char {
        let mark = self.bytes[self.at];
        self.at += 1;
        match mark {
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'u' => {
                let mut code = self.hex();
                if (0xD800..0xDC00).contains(&code) && self.bytes[self.at..].starts_with(b"\\u") {
                    self.at += 2;
                    code = 0x10000 + ((code - 0xD800) << 10) + self.hex().wrapping_sub(0xDC00);
                }
                char::from_u32(code).unwrap_or('\u{FFFD}')
            }
            mark => mark as char,
        }
    }

    fn hex(&mut self) -> u32 {
        let digits = std::str::from_utf8(&self.bytes[self.at..self.at + 4]).unwrap_or("");
        self.at += 4;
        u32::from_str_radix(digits, 16).expect("four digits")
    }
}

//! A bot for Blokus Arena. It plays one of its largest pieces that fit, at random: make `choose` cleverer.
//!
//! The referee sends a line of JSON, the bot answers with one. What you print with `eprintln!` is your log. Rust has no
//! JSON in its library, so we look for what we need: the referee's lines have no spaces and begin with their type, and
//! its list of legal moves looks like [{"piece":"I2","cells":[[0,0],[0,1]]},...]. All keys are in docs/protocol.md.
//! To see the board, begin with arena new NAME --lang rust --sdk

use std::io::{BufRead, Write};

type Move = Vec<(usize, usize)>; // its cells, each row and column

/// The whole number that follows a key such as "turn".
fn number(line: &str, key: &str) -> u64 {
    let quoted = format!("\"{key}\":");
    let rest = line.split_once(&quoted).map_or("", |(_, rest)| rest);
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

fn legal_moves(line: &str) -> Vec<Move> {
    let list = line.split_once(r#""legal":["#).map_or("", |(_, rest)| rest);
    list.split(r#""cells":[["#).skip(1).map(read_cells).collect()
}

/// The cells at the beginning of a text such as 0,0],[0,1]]},...
fn read_cells(text: &str) -> Move {
    let cells = text.split_once("]]").map_or("", |(cells, _)| cells);
    let pairs = cells.split("],[").filter_map(|cell| cell.split_once(','));
    pairs.map(|(row, col)| (row.parse().unwrap_or(0), col.parse().unwrap_or(0))).collect()
}

/// The index of one of the moves with the largest piece.
fn choose(moves: &[Move], seed: &mut u64) -> usize {
    let largest = moves.iter().map(Vec::len).max().unwrap_or(0);
    let best: Vec<usize> = (0..moves.len()).filter(|&index| moves[index].len() == largest).collect();
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407); // the next random number
    best[(*seed >> 33) as usize % best.len()]
}

fn send(line: String) {
    let mut out = std::io::stdout();
    writeln!(out, "{line}").and_then(|()| out.flush()).expect("the referee listens");
}

fn main() {
    let mut seed = 1;
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("the referee sends UTF-8");
        if line.starts_with(r#"{"type":"hello""#) {
            seed = number(&line, "seed"); // so that a match can be played again
            send(r#"{"type":"ready","want":["legal"],"games":"many"}"#.to_string());
        } else if line.starts_with(r#"{"type":"turn""#) {
            let (turn, index) = (number(&line, "turn"), choose(&legal_moves(&line), &mut seed));
            send(format!(r#"{{"type":"move","turn":{turn},"index":{index}}}"#));
        }
    }
}

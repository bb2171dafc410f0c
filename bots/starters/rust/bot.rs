//! A bot for Blokus Arena. It plays one of its larger pieces at random: make `choose` cleverer.
//!
//! The referee sends a line of JSON, the bot answers with one. What you print with `eprintln!` is your log. Rust has no
//! JSON in its library, so we ask only for the number of legal moves and answer with an index. The referee's lines have
//! no spaces and begin with their type; all keys are in docs/protocol.md. To see the board, begin with
//! arena new NAME --lang rust --sdk

use std::io::{BufRead, Write};

/// The whole number that follows a key such as "turn".
fn number(line: &str, key: &str) -> u64 {
    let quoted = format!("\"{key}\":");
    let rest = line.split_once(&quoted).map_or("", |(_, rest)| rest);
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

/// A random number that follows from the last one.
fn next(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    *seed >> 33
}

/// The index of one of `count` moves. They are listed by piece, from I1 up: the last third holds the largest.
fn choose(count: u64, seed: &mut u64) -> u64 {
    count - 1 - next(seed) % ((count + 2) / 3)
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
            send(r#"{"type":"ready","want":["count"],"games":"many"}"#.to_string());
        } else if line.starts_with(r#"{"type":"turn""#) {
            let (turn, index) = (number(&line, "turn"), choose(number(&line, "legal_count"), &mut seed));
            send(format!(r#"{{"type":"move","turn":{turn},"index":{index}}}"#));
        }
    }
}

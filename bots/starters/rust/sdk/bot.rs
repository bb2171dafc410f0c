//! A bot for Blokus Arena, on the SDK in blokus.rs. Make `choose` cleverer.
//!
//! It plays a largest piece that fits, where it leaves the most corners to go on from.

mod blokus;

use blokus::{Game, Move};

/// The best move found in half of the time.
fn choose(game: &mut Game) -> Move {
    let color = game.color.expect("it is our turn");
    let mut moves = game.legal();
    moves.reverse(); // the largest pieces come first now
    let (mut best, mut most) = (moves[0], 0);
    for candidate in moves {
        let is_late = game.time_left_ms() < game.clock.move_ms as i64 / 2;
        if is_late || candidate.cells().len() < best.cells().len() {
            break;
        }
        game.play(candidate); // on our own copy of the game
        let corners = game.corners(color).len();
        game.undo();
        if corners > most {
            (best, most) = (candidate, corners);
        }
    }
    game.note = Some(format!("leaves {most} corners")); // kept with the move: see it with `arena replay`
    best
}

fn main() {
    blokus::run(choose);
}

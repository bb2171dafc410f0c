//! What the SDK for Rust makes of recorded games; see tests/sdk/games.py.
mod blokus;

use blokus::{Game, Move};

fn listed(game: &Game, moves: &[Move]) -> String {
    let mut total: u32 = 2166136261;
    let mut mix = |value: u32| total = (total ^ value).wrapping_mul(16777619);
    for chosen in moves {
        game.pieces[chosen.piece].name.bytes().for_each(|letter| mix(letter.into()));
        chosen.cells().iter().for_each(|cell| mix(cell.0 as u32 * 32 + cell.1 as u32));
    }
    format!("{} {}", moves.len(), total)
}

fn joined<T: ToString>(items: impl Iterator<Item = T>) -> String {
    items.map(|item| item.to_string()).collect::<Vec<_>>().join(",")
}

fn state(game: &Game) -> String {
    let scores = joined((0..game.colors.len()).map(|color| game.score(color)));
    match (game.color, game.seat) {
        (Some(color), Some(seat)) => format!("{} {} {} {}", game.turn, game.colors[color], seat, scores),
        _ => format!("{} - - {}", game.turn, scores),
    }
}

fn pick(game: &Game, factor: usize) -> Move {
    let moves = game.legal();
    moves[(game.turn * factor + 7) % moves.len()]
}

/// Returns how many plies were played until the game was over.
fn play_on(game: &mut Game, plies: usize, factor: usize) -> usize {
    for ply in 0..plies {
        if game.is_over() {
            return ply;
        }
        game.play(pick(game, factor));
        eprintln!("ply {} {}", state(game), game.legal().len());
    }
    plies
}

fn choose(game: &mut Game) -> Move {
    let (move_ms, bank_ms, left) = (game.clock.move_ms, game.clock.bank_ms, game.time_left_ms());
    let time = if left > 0 && left <= (move_ms + bank_ms) as i64 { "in time" } else { "late" };
    eprintln!("me {} {} {} {} {}", game.me, game.seed, move_ms, bank_ms, time);
    let hands = joined((0..game.colors.len()).map(|color| game.hand(color).len()));
    let totals = joined(game.totals().iter());
    eprintln!("at {} {} {} {}", state(game), totals, hands, game.board().join("/"));
    if game.turn % 3 == 0 {
        for (color, name) in game.colors.iter().enumerate() {
            eprintln!("color {} {} {}", name, game.corners(color).len(), listed(game, &game.legal_of(color)));
        }
    }
    eprintln!("list {} {}", state(game), listed(game, &game.legal()));
    for _ in 0..play_on(game, 6, 31) {
        game.undo();
    }
    play_on(&mut game.clone(), 2, 13);
    eprintln!("list {} {}", state(game), listed(game, &game.legal()));
    let answer = pick(game, 17);
    game.note = Some(format!("turn {}: \"quoted\" \\ é ☃ 𝄞\t\n", game.turn));
    game.eval = Some(game.turn as f64 / 4.0 - 3.0);
    game.play(answer); // on a copy, as everything here
    answer
}

fn main() {
    blokus::run(choose);
}

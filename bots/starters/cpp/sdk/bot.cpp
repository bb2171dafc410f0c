// A bot for Blokus Arena, on the SDK in blokus.hpp. Make `choose` cleverer.
//
// It plays a largest piece that fits, where it leaves the most corners to go on from.
#include "blokus.hpp"

using blokus::Game;
using blokus::Move;

// The best move found in half of the time.
static Move choose(Game& game) {
    const int color = game.color;
    std::vector<Move> moves = game.legal();
    std::reverse(moves.begin(), moves.end());  // the largest pieces come first now
    Move best;
    int most = -1;
    for (const Move& move : moves) {
        if (most >= 0 && (move.size < best.size || game.time_left_ms() < game.clock.move_ms / 2)) break;
        game.play(move);  // on our own copy of the game
        const int corners = static_cast<int>(game.corners(color).size());
        game.undo();
        if (corners > most) best = move, most = corners;
    }
    game.note = "leaves " + std::to_string(most) + " corners";  // kept with the move: see it with `arena replay`
    return best;
}

int main() {
    blokus::run(choose);
}

// What the SDK for C++ makes of recorded games; see tests/sdk/games.py.
#include "blokus.hpp"

using blokus::Cell;
using blokus::Game;
using blokus::Move;

static std::string listed(const Game& game, const std::vector<Move>& moves) {
    uint32_t total = 2166136261u;
    const auto mix = [&](unsigned value) { total = (total ^ value) * 16777619u; };
    for (const Move& move : moves) {
        for (const unsigned char letter : game.pieces[move.piece].name) mix(letter);
        for (const Cell cell : move) mix(cell.row * 32 + cell.col);
    }
    return std::to_string(moves.size()) + " " + std::to_string(total);
}

static std::string joined(const std::vector<int>& numbers) {
    std::string text;
    for (const int number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
    return text;
}

static std::string state(const Game& game) {
    std::vector<int> scores;
    for (size_t color = 0; color < game.colors.size(); ++color) scores.push_back(game.score(static_cast<int>(color)));
    const std::string who = game.is_over() ? "- -" : game.colors[game.color] + " " + std::to_string(game.seat);
    return std::to_string(game.turn) + " " + who + " " + joined(scores);
}

static Move pick(const Game& game, int factor) {
    const std::vector<Move> moves = game.legal();
    return moves[(game.turn * factor + 7) % moves.size()];
}

// Returns how many plies were played until the game was over.
static int play_on(Game& game, int plies, int factor) {
    for (int ply = 0; ply < plies; ++ply) {
        if (game.is_over()) return ply;
        game.play(pick(game, factor));
        std::cerr << "ply " << state(game) << ' ' << game.legal().size() << '\n';
    }
    return plies;
}

static Move choose(Game& game) {
    const int64_t left = game.time_left_ms(), allowed = game.clock.move_ms + game.clock.bank_ms;
    std::cerr << "me " << game.me << ' ' << game.seed << ' ' << game.clock.move_ms << ' ' << game.clock.bank_ms << ' '
              << (left > 0 && left <= allowed ? "in time" : "late") << '\n';
    std::vector<int> hands;
    std::string board;
    const int colors = static_cast<int>(game.colors.size());
    for (int color = 0; color < colors; ++color) hands.push_back(static_cast<int>(game.hand(color).size()));
    for (const std::string& row : game.board()) board += (board.empty() ? "" : "/") + row;
    std::cerr << "at " << state(game) << ' ' << joined(game.totals()) << ' ' << joined(hands) << ' ' << board << '\n';
    for (int color = 0; game.turn % 3 == 0 && color < colors; ++color)
        std::cerr << "color " << game.colors[color] << ' ' << game.corners(color).size() << ' '
                  << listed(game, game.legal(color)) << '\n';
    std::cerr << "list " << state(game) << ' ' << listed(game, game.legal()) << '\n';
    for (int played = play_on(game, 6, 31); played > 0; --played) game.undo();
    Game twin = game;
    play_on(twin, 2, 13);
    std::cerr << "list " << state(game) << ' ' << listed(game, game.legal()) << '\n';
    const Move answer = pick(game, 17);
    game.note = "turn " + std::to_string(game.turn) + ": \"quoted\" \\ é ☃ 𝄞\t\n";
    game.eval = game.turn / 4.0 - 3;
    game.play(answer);  // on a copy, as everything here
    return answer;
}

int main() {
    blokus::run(choose);
}

// Talks to the referee: follows the game, asks the search for a move, and keeps to the clock.
#include <ctime>
#include <iostream>
#include <string>

#include "position.hpp"
#include "search.hpp"
#include "solo.hpp"

namespace {

double now_ms(bool cpu) {
    timespec time;
    clock_gettime(cpu ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

// When to stop thinking about a move.
class Deadline {
  public:
    // The line that asks for the move has just been read.
    explicit Deadline(bool charges_cpu)
        : charges_cpu_(charges_cpu), began_ms_(now_ms(charges_cpu)), wall_ms_(now_ms(false)) {}

    void set(const Json &clock) {
        const double wished = clock["move_ms"].value + clock["bank_ms"].value * BANK_SHARE;
        budget_ms_ = wished - std::max(RESERVE_MS, wished * RESERVE_SHARE);
    }

    bool is_over() const {
        if (now_ms(charges_cpu_) - began_ms_ >= budget_ms_) return true;
        // on a crowded machine CPU time passes slowly, but a move must also come before four times as long by the wall
        return charges_cpu_ && now_ms(false) - wall_ms_ >= 3 * budget_ms_ + 500;
    }

  private:
    static constexpr double BANK_SHARE = 1.0 / 12;
    static constexpr double RESERVE_MS = 4, RESERVE_SHARE = 0.06;  // for the way there and back

    bool charges_cpu_;
    double began_ms_, wall_ms_, budget_ms_ = 0;
};

// One game from `hello` to `end`.
class Game {
  public:
    explicit Game(const Json &hello)
        : charges_cpu(hello["clock"]["kind"].text == "cpu"), position_(hello), rules_(position_.rules) {
        const uint64_t seed = static_cast<uint64_t>(hello["seed"].value);
        if (rules_.teams > 1) search_ = std::make_unique<Search>(rules_, seed);
        else solo_ = std::make_unique<Solo>(rules_, seed);
    }

    const bool charges_cpu;

    // Return the answer to a `turn`.
    std::string answer(const Json &turn, Deadline &deadline) {
        for (const Json &event : turn["played"].items) follow(event);
        position_.give_turn(turn["color"].text);
        deadline.set(turn["clock"]);
        const auto is_over = [&](long tries) { return tries % TRIES == 0 && deadline.is_over(); };
        return solo_ ? answer_alone(turn, is_over) : answer_others(turn, is_over);
    }

  private:
    static constexpr long TRIES = 8;  // between two looks at the clock

    Position position_;
    const Rules &rules_;
    std::unique_ptr<Search> search_;  // against others
    std::unique_ptr<Solo> solo_;      // alone

    std::string answer_others(const Json &turn, const std::function<bool(long)> &is_over) {
        const Search::Answer found = search_->think(position_.board, is_over);
        std::string note = std::to_string(found.playouts) + " playouts, depth " + std::to_string(found.depth) + ":";
        for (size_t i = 0; i < found.line.size() && i < 6; ++i) note += " " + name_of(found.line[i]);
        return line_of(turn["turn"].whole(), found.move, note, found.value);
    }

    std::string answer_alone(const Json &turn, const std::function<bool(long)> &is_over) {
        const long attempts = solo_->think(position_.board, is_over);
        const std::string note = std::to_string(attempts) + " attempts, plan leaves " + std::to_string(solo_->left());
        const double share = 1 - double(solo_->left()) / (rules_.shapes.squares * rules_.colors);
        return line_of(turn["turn"].whole(), solo_->plan().front().move, note, share);
    }

    void follow(const Json &event) {
        Played played;
        if (!position_.follow(event, played)) return;
        if (solo_) solo_->follow(played.color, played.move);
        else search_->follow(played.color, played.move);
    }

    // Return a piece and its first cell, columns by letter and rows from the bottom.
    std::string name_of(Move move) const {
        const Spot spot = rules_.spot(move);
        const char column = static_cast<char>('a' + spot.col);
        return rules_.shapes.names[rules_.placing(move).piece] + "@" + column + std::to_string(rules_.rows - spot.row);
    }

    std::string line_of(int turn, Move move, const std::string &note, double value) const {
        std::string cells;
        const Spot spot = rules_.spot(move);
        for (const Cell &cell : rules_.shapes.turned[move % MAX_TURNED]) {
            if (!cells.empty()) cells += ",";
            cells += "[" + std::to_string(spot.row + cell.row) + "," + std::to_string(spot.col + cell.col) + "]";
        }
        return R"({"type":"move","turn":)" + std::to_string(turn) + R"(,"cells":[)" + cells + R"(],"note":")" + note +
               R"(","eval":)" + std::to_string(value) + "}";
    }
};

}  // namespace

int main() {
    std::ios::sync_with_stdio(false);
    std::unique_ptr<Game> game;
    for (std::string line; std::getline(std::cin, line);) {
        Deadline deadline(game && game->charges_cpu);
        const Json message = JsonReader(line).read();
        const std::string &type = message["type"].text;
        if (type == "hello") {
            game = std::make_unique<Game>(message);
            std::cout << R"({"type":"ready","games":"many"})" << std::endl;
        } else if (type == "turn" && game) {
            std::cout << game->answer(message, deadline) << std::endl;
        }
    }
}

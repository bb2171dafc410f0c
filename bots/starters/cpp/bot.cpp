// A bot for Blokus Arena. It plays one of its largest pieces that fit, at random: make `choose` cleverer.
//
// The referee sends a line of JSON, the bot answers with one. What you print to std::cerr is your log. C++ has no JSON
// in its library, so we look for what we need: the referee's lines have no spaces and begin with their type, and its
// list of legal moves looks like [{"piece":"I2","cells":[[0,0],[0,1]]},...]. All keys are in docs/protocol.md.
// To see the board, begin with arena new NAME --lang cpp --sdk
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

using Move = std::vector<std::pair<long, long>>;  // its cells, each row and column

// The whole number that follows a key such as "turn".
static uint64_t number(const std::string& line, const std::string& key) {
    const std::string quoted = "\"" + key + "\":";
    const size_t found = line.find(quoted);
    return found == std::string::npos ? 0 : std::strtoull(line.c_str() + found + quoted.size(), nullptr, 10);
}

static std::vector<Move> legal_moves(const std::string& line) {
    const std::string key = "\"cells\":[";
    std::vector<Move> moves;
    for (size_t at = line.find("\"legal\":"); (at = line.find(key, at)) != std::string::npos; at += key.size()) {
        moves.emplace_back();
        for (const char* next = line.c_str() + at + key.size(); *next == '[';) {
            char* end;
            const long row = std::strtol(next + 1, &end, 10), col = std::strtol(end + 1, &end, 10);
            moves.back().emplace_back(row, col);
            next = end[1] == ',' ? end + 2 : end + 1;
        }
    }
    return moves;
}

// The index of one of the moves with the largest piece.
static size_t choose(const std::vector<Move>& moves, std::mt19937_64& random) {
    std::vector<size_t> best;
    for (size_t index = 0; index < moves.size(); index++) {
        if (!best.empty() && moves[index].size() > moves[best[0]].size()) best.clear();
        if (best.empty() || moves[index].size() == moves[best[0]].size()) best.push_back(index);
    }
    return best[random() % best.size()];
}

int main() {
    std::mt19937_64 random;
    for (std::string line; std::getline(std::cin, line);) {
        if (line.rfind(R"({"type":"hello")", 0) == 0) {
            random.seed(number(line, "seed"));  // so that a match can be played again
            std::cout << R"({"type":"ready","want":["legal"],"games":"many"})" << std::endl;  // endl flushes
        } else if (line.rfind(R"({"type":"turn")", 0) == 0) {
            std::cout << R"({"type":"move","turn":)" << number(line, "turn") << R"(,"index":)";
            std::cout << choose(legal_moves(line), random) << "}" << std::endl;
        }
    }
}

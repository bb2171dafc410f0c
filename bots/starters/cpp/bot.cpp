// A bot for Blokus Arena. It plays one of its larger pieces at random: make `choose` cleverer.
//
// The referee sends a line of JSON, the bot answers with one. What you print to std::cerr is your log. C++ has no JSON
// in its library, so we ask only for the number of legal moves and answer with an index. The referee's lines have no
// spaces and begin with their type; all keys are in docs/protocol.md. To see the board, begin with
// arena new NAME --lang cpp --sdk
#include <cstdint>
#include <iostream>
#include <random>
#include <string>

// The whole number that follows a key such as "turn".
static uint64_t number(const std::string& line, const std::string& key) {
    const std::string quoted = "\"" + key + "\":";
    const size_t found = line.find(quoted);
    return found == std::string::npos ? 0 : std::stoull(line.substr(found + quoted.size(), 20));
}

static bool begins_with(const std::string& line, const std::string& start) {
    return line.compare(0, start.size(), start) == 0;
}

// The index of one of `count` moves. They are listed by piece, from I1 up: the last third holds the largest.
static uint64_t choose(uint64_t count, std::mt19937_64& random) {
    return count - 1 - random() % ((count + 2) / 3);
}

int main() {
    std::mt19937_64 random;
    for (std::string line; std::getline(std::cin, line);) {
        if (begins_with(line, R"({"type":"hello")")) {
            random.seed(number(line, "seed"));  // so that a match can be played again
            std::cout << R"({"type":"ready","want":["count"],"games":"many"})" << std::endl;  // endl flushes
        } else if (begins_with(line, R"({"type":"turn")")) {
            const uint64_t index = choose(number(line, "legal_count"), random);
            std::cout << R"({"type":"move","turn":)" << number(line, "turn");
            std::cout << R"(,"index":)" << index << "}" << std::endl;
        }
    }
}

// Reads `hello` and then what was played, an event a line; prints how many moves the mcts bot finds before each placement.
#include <iostream>

#include "position.hpp"

int main() {
    std::string line;
    std::getline(std::cin, line);
    Position position(JsonReader(line).read());
    MoveLister lister;
    std::vector<Move> moves;
    while (std::getline(std::cin, line)) {
        const Json event = JsonReader(line).read();
        Played played;
        position.give_turn(event["color"].text);
        lister.list(position.rules, position.board.color[position.board.to_move], moves);
        position.follow(event, played);
        std::cout << moves.size() << "\n";
    }
}

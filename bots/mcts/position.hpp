// The game as the referee tells it: its rules from `hello`, and the board after all that was played.
#pragma once

#include "board.hpp"
#include "json.hpp"

inline Shape cells_of(const Json &list) {
    Shape cells;
    for (const Json &pair : list.items) cells.push_back({pair.items.at(0).whole(), pair.items.at(1).whole()});
    std::sort(cells.begin(), cells.end());
    return cells;
}

inline int index_of(const std::vector<std::string> &names, const std::string &name) {
    for (size_t i = 0; i < names.size(); ++i)
        if (names[i] == name) return static_cast<int>(i);
    throw std::runtime_error("unknown name " + name);
}

class Position {
  public:
    explicit Position(const Json &hello) {
        read_rules(hello);
        board.begin(rules);
    }

    Rules rules;
    Board board;
    std::vector<std::string> colors;

    // Take in what happened; true if a piece was placed, which is then in `played`.
    bool follow(const Json &event, Played &played) {
        const int mover = index_of(colors, event["color"].text);
        const bool is_placed = !event.find("pass");
        if (is_placed) {
            played = {static_cast<uint8_t>(mover), move_of(cells_of(event["cells"]))};
            board.place(rules, mover, rules.spot(played.move), rules.placing(played.move));
        } else {
            board.color[mover].is_out = true;
            if (event["pass"].text == "forfeit") board.retire(event["seat"].whole());
        }
        board.next_color(rules);
        return is_placed;
    }

    // Take in whose turn it is: the colors before it are out.
    void give_turn(const std::string &color) {
        const int mover = index_of(colors, color);
        for (; board.to_move != mover; board.next_color(rules)) board.color[board.to_move].is_out = true;
    }

  private:
    void read_rules(const Json &hello) {
        std::vector<std::pair<std::string, Shape>> drawings;
        for (const auto &[name, cells] : hello["pieces"].fields) drawings.emplace_back(name, cells_of(cells));
        rules.shapes.build(drawings);
        rules.rows = hello["board"]["rows"].whole();
        rules.cols = hello["board"]["cols"].whole();
        rules.largest_first = hello["variant"].text == "solo-descending";
        rules.all_placed = hello["scoring"]["all_placed"].whole();
        rules.monomino_last = hello["scoring"]["monomino_last"].whole();
        for (const Json &color : hello["colors"].items) {
            rules.start[colors.size()] = cells_of(hello["start"][color.text]);
            rules.seat_of[colors.size()] = -1;
            colors.push_back(color.text);
        }
        rules.colors = static_cast<int>(colors.size());
        for (const Json &seat : hello["seats"].items) {
            rules.team_of_seat[rules.seats] = seat["team"].whole();
            rules.teams = std::max(rules.teams, seat["team"].whole() + 1);
            for (const Json &color : seat["colors"].items) rules.seat_of[index_of(colors, color.text)] = rules.seats;
            ++rules.seats;
        }
    }

    Move move_of(const Shape &cells) const {
        const Shape shape = from_first(cells);
        for (size_t i = 0; i < rules.shapes.turned.size(); ++i)
            if (rules.shapes.turned[i] == shape)
                return static_cast<Move>((cells[0].row * rules.cols + cells[0].col) * MAX_TURNED + static_cast<int>(i));
        throw std::runtime_error("no piece has this shape");
    }
};

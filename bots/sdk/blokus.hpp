// Blokus for a bot in C++17: keeps the board, lists legal moves, talks to the arena. Put it next to your bot:
//
//     #include "blokus.hpp"
//
//     int main() {
//         blokus::run([](blokus::Game& game) { return game.legal().back(); });
//     }
//
// How it works. A set of cells is one integer a row, with a bit a column. The free cells are kept shifted by every
// number of columns from -4 to 4; what the shifted rows of all cells of a shape have in common is every column in which
// the shape fits.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iomanip>
#include <iostream>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace blokus {

constexpr int kReach = 4;  // a piece has at most five cells in a row
constexpr int kMaxRows = 20;
constexpr int kHeight = kMaxRows + kReach;  // pieces may reach below the board, where nothing is free
constexpr int kNone = -1;

struct Cell {
    int8_t row, col;
    bool operator<(const Cell& other) const { return row != other.row ? row < other.row : col < other.col; }
    bool operator==(const Cell& other) const { return row == other.row && col == other.col; }
};

// A piece, by its place in Game::pieces, and the cells it covers, sorted: for (Cell cell : move) ...
struct Move {
    int8_t piece = 0, size = 0;
    std::array<Cell, 5> cells{};
    const Cell* begin() const { return cells.data(); }
    const Cell* end() const { return cells.data() + size; }
};

struct Piece {
    std::string name;
    int size;
};

struct Seat {
    std::string name;
    std::vector<int> colors;  // their places in Game::colors
    int team;
};

struct Clock {
    std::string kind;  // "wall" or "cpu"
    int64_t start_ms, move_ms, bank_ms, increment_ms, margin_ms;
};

// ---- JSON, as much as the protocol needs

struct Json {
    enum Kind { null, boolean, number, text, list, object } kind = null;
    double value = 0;
    std::string string;
    std::vector<Json> items;
    std::vector<std::pair<std::string, Json>> members;  // in their order

    const Json* find(const std::string& key) const {
        for (const auto& member : members)
            if (member.first == key) return &member.second;
        return nullptr;
    }
    const Json& operator[](const std::string& key) const {
        if (const Json* found = find(key)) return *found;
        throw std::runtime_error("a message without " + key);
    }
    int64_t whole() const { return static_cast<int64_t>(value); }
};

class JsonReader {
public:
    explicit JsonReader(const std::string& line) : at_(line.c_str()) {}

    Json read() {
        Json json;
        skip_space();
        if (*at_ == '{') {
            json.kind = Json::object;
            for (char mark = next(); mark != '}'; mark = after_item('}')) {
                std::string key = read_string();
                skip_space();
                expect(':');
                json.members.emplace_back(std::move(key), read());
            }
            ++at_;
        } else if (*at_ == '[') {
            json.kind = Json::list;
            for (char mark = next(); mark != ']'; mark = after_item(']')) json.items.push_back(read());
            ++at_;
        } else if (*at_ == '"') {
            json.kind = Json::text;
            json.string = read_string();
        } else if (*at_ == 't' || *at_ == 'f' || *at_ == 'n') {
            json.kind = *at_ == 'n' ? Json::null : Json::boolean;
            json.value = *at_ == 't';
            while (*at_ >= 'a' && *at_ <= 'z') ++at_;
        } else {
            char* end = nullptr;
            json.kind = Json::number;
            json.value = std::strtod(at_, &end);
            if (end == at_) throw std::runtime_error("a line that is not JSON");
            at_ = end;
        }
        return json;
    }

private:
    const char* at_;

    void skip_space() {
        while (*at_ == ' ' || *at_ == '\t' || *at_ == '\r' || *at_ == '\n') ++at_;
    }
    char next() {
        ++at_;
        skip_space();
        return *at_;
    }
    void expect(char mark) {
        if (*at_ != mark) throw std::runtime_error("a line that is not JSON");
        ++at_;
    }
    char after_item(char close) {
        skip_space();
        if (*at_ == close) return close;
        if (*at_ != ',') throw std::runtime_error("a line that is not JSON");
        return next();
    }
    unsigned read_hex() {
        const std::string digits(at_, 4);
        at_ += 4;
        return static_cast<unsigned>(std::stoul(digits, nullptr, 16));
    }
    std::string read_string() {
        std::string text;
        expect('"');
        while (*at_ != '"') {
            if (*at_ == '\0') throw std::runtime_error("a line that is not JSON");
            if (*at_ == '\\') read_escape(text);
            else text += *at_++;
        }
        ++at_;
        return text;
    }
    void read_escape(std::string& text) {
        const std::string from = "nrtbf", to = "\n\r\t\b\f";
        const char mark = at_[1];
        at_ += 2;
        if (mark != 'u') {
            const size_t place = from.find(mark);
            text += place == std::string::npos ? mark : to[place];
            return;
        }
        unsigned code = read_hex();
        if (code >= 0xD800 && code < 0xDC00 && at_[0] == '\\' && at_[1] == 'u') {
            at_ += 2;
            code = 0x10000 + ((code - 0xD800) << 10) + (read_hex() - 0xDC00);
        }
        const int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;  // bytes of UTF-8 after the first
        static const unsigned first[] = {0, 0xC0, 0xE0, 0xF0};
        text += static_cast<char>(first[more] | code >> 6 * more);
        for (int left = more - 1; left >= 0; --left) text += static_cast<char>(0x80 | (code >> 6 * left & 0x3F));
    }
};

inline std::string quoted(const std::string& text) {
    std::ostringstream out;
    out << '"' << std::hex << std::setfill('0');
    for (const unsigned char mark : text) {
        if (mark < 0x20) out << "\\u" << std::setw(4) << int{mark};
        else if (mark == '"' || mark == '\\') out << '\\' << mark;
        else out << mark;
    }
    out << '"';
    return out.str();
}

// ---- what never changes during a game; all copies share it

using Rows = std::array<uint32_t, kMaxRows>;
using Shape = std::vector<Cell>;  // sorted cells, relative to the first of them

struct Turned {
    Shape shape;
    std::array<int, 5> offsets;  // of its cells, in a Shifted
};

// Rows shifted by -4 to 4 columns, one after the other.
struct Shifted {
    std::array<uint32_t, (2 * kReach + 1) * kHeight> rows{};

    explicit Shifted(const Rows& origin) {
        for (int by = -kReach; by <= kReach; ++by)
            for (int row = 0; row < kMaxRows; ++row)
                rows[(by + kReach) * kHeight + row] = by < 0 ? origin[row] << -by : origin[row] >> by;
    }
};

struct Table {
    uint32_t full = 0;
    std::vector<Rows> starts;
    std::vector<std::vector<Turned>> turned;  // of each piece, in the protocol's order
    std::vector<int> owner;                   // of each color; kNone for the turning one
    bool is_largest_first = false;
};

inline std::vector<Turned> orientations(const Json& drawing) {
    std::set<Shape> shapes;
    std::vector<std::pair<int, int>> cells;
    for (const Json& cell : drawing.items) cells.emplace_back(cell.items[0].whole(), cell.items[1].whole());
    for (int turn = 0; turn < 8; ++turn) {
        for (auto& [row, col] : cells) {
            std::tie(row, col) = std::make_pair(col, -row);
            if (turn == 4) col = -col;  // four turns of one side, four of the other
        }
        const auto first = *std::min_element(cells.begin(), cells.end());
        Shape shape;
        for (const auto& [row, col] : cells)
            shape.push_back({static_cast<int8_t>(row - first.first), static_cast<int8_t>(col - first.second)});
        std::sort(shape.begin(), shape.end());
        shapes.insert(shape);
    }
    std::vector<Turned> turned;
    for (const Shape& shape : shapes) {
        turned.push_back({shape, {}});
        for (size_t i = 0; i < shape.size(); ++i)
            turned.back().offsets[i] = (shape[i].col + kReach) * kHeight + shape[i].row;
    }
    return turned;
}

// A game as the bot at seat `me` knows it. Colors are numbers, places in `colors`. `color` and `seat` are next to move
// (`kNone` when the game is over): colors that are blocked are passed over by themselves. What `run` gives you is a
// copy: play on it as far as you like.
class Game {
public:
    std::string variant;
    int rows = 0, cols = 0;
    std::vector<std::string> colors;  // in turn order
    std::vector<Piece> pieces;
    std::vector<Seat> seats;
    int me = 0;
    int turning_color = kNone;
    int all_placed = 0, monomino_last = 0;  // the bonuses
    Clock clock{};                          // move_ms and bank_ms are brought up to date at every turn
    uint64_t seed = 0;
    int turn = 0;  // pieces placed so far
    int color = kNone, seat = kNone;
    std::string note;  // set these two when you choose, and they are kept with the move
    double eval = std::nan("");

    Game() = default;

    explicit Game(const Json& hello) {
        auto table = std::make_shared<Table>();
        variant = hello["variant"].string;
        rows = static_cast<int>(hello["board"]["rows"].whole());
        cols = static_cast<int>(hello["board"]["cols"].whole());
        if (rows > kMaxRows || cols > 32 - kReach) throw std::runtime_error("a board that is too large");
        table->full = (uint32_t{1} << cols) - 1;
        table->is_largest_first = variant == "solo-descending";
        for (const Json& name : hello["colors"].items) {
            colors.push_back(name.string);
            table->starts.push_back(start_of(hello["start"][name.string], table->full));
        }
        for (const auto& [name, drawing] : hello["pieces"].members) {
            pieces.push_back({name, static_cast<int>(drawing.items.size())});
            table->turned.push_back(orientations(drawing));
        }
        table->owner.assign(colors.size(), kNone);
        for (const Json& json : hello["seats"].items) {
            seats.push_back({json["name"].string, {}, static_cast<int>(json["team"].whole())});
            for (const Json& name : json["colors"].items) {
                seats.back().colors.push_back(number_of(name.string));
                table->owner[number_of(name.string)] = static_cast<int>(seats.size()) - 1;
            }
        }
        me = static_cast<int>(hello["seat"].whole());
        turning_color = number_of(hello["turning_color"].string);
        all_placed = static_cast<int>(hello["scoring"]["all_placed"].whole());
        monomino_last = static_cast<int>(hello["scoring"]["monomino_last"].whole());
        const Json& time = hello["clock"];
        clock = {time["kind"].string, time["start_ms"].whole(), time["move_ms"].whole(), time["bank_ms"].whole(),
                 time["increment_ms"].whole(), time["margin_ms"].whole()};
        seed = static_cast<uint64_t>(hello["seed"].value);
        table_ = std::move(table);
        own_.assign(colors.size(), Rows{});
        hand_.assign(colors.size(), (uint32_t{1} << pieces.size()) - 1);
        last_.assign(colors.size(), kNone);
        find_turn(0);
    }

    // ---- looking

    bool is_over() const { return color == kNone; }

    // Every legal move, in the protocol's order.
    std::vector<Move> legal() const { return legal(color); }
    std::vector<Move> legal(int of_color) const {
        std::vector<Move> found;
        scan(of_color, [&](int piece, int row, const std::array<uint32_t, 8>& masks, uint32_t columns) {
            const auto& turned = table_->turned[piece];
            for (int col = 0; columns >> col; ++col)
                for (size_t i = 0; columns >> col & 1 && i < turned.size(); ++i)
                    if (masks[i] >> col & 1) found.push_back(move_of(piece, turned[i].shape, row, col));
            return false;
        });
        return found;
    }

    bool has_move(int of_color) const {
        return scan(of_color, [](int, int, const std::array<uint32_t, 8>&, uint32_t) { return true; });
    }

    // The free cells of which the color's next piece must cover one.
    std::vector<Cell> corners(int of_color) const {
        const Rows corners = free_and_corners(of_color).second;
        std::vector<Cell> found;
        for (int8_t row = 0; row < rows; ++row)
            for (int8_t col = 0; col < cols; ++col)
                if (corners[row] >> col & 1) found.push_back({row, col});
        return found;
    }

    // The pieces that the color has not placed, as places in `pieces`.
    std::vector<int> hand(int of_color) const {
        std::vector<int> found;
        for (int piece = 0; piece < static_cast<int>(pieces.size()); ++piece)
            if (hand_[of_color] >> piece & 1) found.push_back(piece);
        return found;
    }

    // The color on a cell; kNone if it is free.
    int color_at(int row, int col) const {
        for (int number = 0; number < static_cast<int>(colors.size()); ++number)
            if (own_[number][row] >> col & 1) return number;
        return kNone;
    }

    // One string a row: '.' where it is free, else the color's first letter, upper case.
    std::vector<std::string> board() const {
        std::vector<std::string> lines(rows, std::string(cols, '.'));
        for (int row = 0; row < rows; ++row)
            for (int col = 0; col < cols; ++col)
                if (const int found = color_at(row, col); found != kNone)
                    lines[row][col] = static_cast<char>(colors[found][0] - 'a' + 'A');
        return lines;
    }

    // The score of a color as it stands.
    int score(int of_color) const {
        int squares = 0;
        for (const int piece : hand(of_color)) squares += pieces[piece].size;
        if (squares) return -squares;
        return all_placed + (pieces[last_[of_color]].name == "I1" ? monomino_last : 0);
    }

    // The total of each seat: of its colors, or of its team's.
    std::vector<int> totals() const {
        std::vector<int> sums(seats.size(), 0);
        for (size_t i = 0; i < seats.size(); ++i)
            for (const Seat& other : seats)
                for (const int each : other.colors)
                    if (other.team == seats[i].team) sums[i] += score(each);
        return sums;
    }

    // What is left for this move, bank included, by the clock on the wall.
    int64_t time_left_ms() const {
        return std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Time::now()).count();
    }

    // ---- playing

    // Place a piece for the color to move; the move is taken to be legal.
    void play(const Move& move) {
        if (is_over()) throw std::logic_error("the game is over");
        past_.push_back({move, color, seat, last_[color], out_, rotation_});
        for (const Cell cell : move) own_[color][cell.row] |= uint32_t{1} << cell.col;
        hand_[color] &= ~(uint32_t{1} << move.piece);
        last_[color] = move.piece;
        ++turn;
        if (table_->owner[color] == kNone) rotation_ = (seat + 1) % static_cast<int>(seats.size());
        find_turn(color + 1);
    }

    // Take back the last `play`.
    void undo() {
        const Past was = past_.back();
        past_.pop_back();
        for (const Cell cell : was.move) own_[was.color][cell.row] &= ~(uint32_t{1} << cell.col);
        hand_[was.color] |= uint32_t{1} << was.move.piece;
        last_[was.color] = was.last;
        color = was.color, seat = was.seat, out_ = was.out, rotation_ = was.rotation;
        --turn;
    }

    // ---- listening

    // Take in a `turn`: what was played since the last one, and what this move may use.
    void hear(const Json& message) {
        clock.move_ms = message["clock"]["move_ms"].whole();
        clock.bank_ms = message["clock"]["bank_ms"].whole();
        deadline_ = Time::now() + std::chrono::milliseconds(clock.move_ms + clock.bank_ms);
        for (const Json& event : message["played"].items) {
            const int by_color = number_of(event["color"].string), by_seat = static_cast<int>(event["seat"].whole());
            if (event.find("piece")) {
                give_turn(by_color, by_seat);
                play(heard_move(event));
            } else if (event["pass"].string == "forfeit") {
                retire(by_seat);
                find_turn(by_color);
            }
        }
        give_turn(number_of(message["color"].string), me);
    }

private:
    using Time = std::chrono::steady_clock;
    struct Past {
        Move move;
        int color, seat, last;
        unsigned out;
        int rotation;
    };

    std::shared_ptr<const Table> table_;
    std::vector<Rows> own_;
    std::vector<uint32_t> hand_;
    std::vector<int> last_;  // the piece that each color placed last
    unsigned out_ = 0;       // colors that have dropped out, a bit each
    unsigned retired_ = 0;   // seats that have forfeited
    int rotation_ = 0;       // the seat whose turn with the turning color is next
    std::vector<Past> past_;
    Time::time_point deadline_ = Time::now();

    static Rows start_of(const Json& cells, uint32_t full) {
        Rows start{};
        if (cells.items.empty()) start.fill(full);  // anywhere
        for (const Json& cell : cells.items) start[cell.items[0].whole()] |= uint32_t{1} << cell.items[1].whole();
        return start;
    }

    static Move move_of(int piece, const Shape& shape, int row, int col) {
        Move move;
        move.piece = static_cast<int8_t>(piece);
        for (const Cell cell : shape)
            move.cells[move.size++] = {static_cast<int8_t>(row + cell.row), static_cast<int8_t>(col + cell.col)};
        return move;
    }

    Move heard_move(const Json& event) const {
        Shape cells;
        for (const Json& cell : event["cells"].items)
            cells.push_back({static_cast<int8_t>(cell.items[0].whole()), static_cast<int8_t>(cell.items[1].whole())});
        int piece = 0;
        while (pieces.at(piece).name != event["piece"].string) ++piece;
        return move_of(piece, cells, 0, 0);
    }

    int number_of(const std::string& name) const {
        const auto found = std::find(colors.begin(), colors.end(), name);
        return found == colors.end() ? kNone : static_cast<int>(found - colors.begin());
    }

    // Follow the referee: whom the turning color has skipped must have forfeited.
    void give_turn(int to_color, int to_seat) {
        while (table_->owner[to_color] == kNone && rotation_ != to_seat) {
            retire(rotation_);
            rotation_ = (rotation_ + 1) % static_cast<int>(seats.size());
        }
        color = to_color;
        seat = to_seat;
    }

    void retire(int who) {
        retired_ |= 1u << who;
        for (const int each : seats[who].colors) out_ |= 1u << each;
    }

    // Give the turn to the next color that can move, from `first` on; those that cannot drop out.
    void find_turn(int first) {
        const int count = static_cast<int>(colors.size());
        for (int step = 0; step < count; ++step) {
            const int next = (first + step) % count;
            const int who = table_->owner[next] == kNone ? next_in_rotation() : table_->owner[next];
            if (retired_ >> who & 1 || !has_move(next)) out_ |= 1u << next;
            if (!(out_ >> next & 1)) {
                color = next;
                seat = who;
                return;
            }
        }
        color = seat = kNone;
    }

    int next_in_rotation() const {
        const int count = static_cast<int>(seats.size());
        for (int step = 0; step < count; ++step)
            if (!(retired_ >> (rotation_ + step) % count & 1)) return (rotation_ + step) % count;
        return rotation_;
    }

    // The cells that the color's next piece may cover, and those of which it must cover one.
    std::pair<Rows, Rows> free_and_corners(int of_color) const {
        Rows free{}, corners{};
        if (of_color == kNone || out_ >> of_color & 1) return {free, corners};
        const Rows& own = own_[of_color];
        const bool is_first = last_[of_color] == kNone;
        for (int row = 0; row < rows; ++row) {
            const uint32_t near = (row ? own[row - 1] : 0) | (row + 1 < rows ? own[row + 1] : 0);
            uint32_t closed = near | own[row] << 1 | own[row] >> 1;
            for (const Rows& other : own_) closed |= other[row];
            free[row] = table_->full & ~closed;
            corners[row] = free[row] & (is_first ? table_->starts[of_color][row] : near << 1 | near >> 1);
        }
        return {free, corners};
    }

    // Call `visit(piece, row, masks, union)` for the rows where a piece fits: for each of its orientations, the columns
    // where its first cell may go. Ends as soon as `visit` returns true, and tells whether it did.
    template <class Visit>
    bool scan(int of_color, Visit visit) const {
        const auto [free, corners] = free_and_corners(of_color);
        if (std::all_of(corners.begin(), corners.end(), [](uint32_t row) { return row == 0; })) return false;
        const Shifted free_at(free), corners_at(corners);
        int largest = 0;
        for (const int piece : hand(of_color)) largest = std::max(largest, pieces[piece].size);
        for (const int piece : hand(of_color)) {
            if (table_->is_largest_first && pieces[piece].size < largest) continue;
            const auto& turned = table_->turned[piece];
            for (int row = 0; row < rows; ++row) {
                std::array<uint32_t, 8> masks;
                uint32_t any = 0;
                for (size_t i = 0; i < turned.size(); ++i)
                    any |= masks[i] = fits(turned[i].offsets, pieces[piece].size, row, free_at, corners_at);
                if (any && visit(piece, row, masks, any)) return true;
            }
        }
        return false;
    }

    static uint32_t fits(const std::array<int, 5>& offsets, int size, int row, const Shifted& free,
                         const Shifted& corners) {
        uint32_t touches = 0;
        for (int i = 0; i < size; ++i) touches |= corners.rows[offsets[i] + row];
        for (int i = 0; i < size && touches; ++i) touches &= free.rows[offsets[i] + row];
        return touches;
    }
};

inline std::string answer_of(const Game& game, const Move& move, int turn) {
    std::ostringstream out;
    out << "{\"type\":\"move\",\"turn\":" << turn << ",\"cells\":[";
    for (const Cell& cell : move) out << (&cell == move.begin() ? "[" : ",[") << +cell.row << ',' << +cell.col << ']';
    out << ']';
    if (!game.note.empty()) out << ",\"note\":" << quoted(game.note);
    if (std::isfinite(game.eval)) out << ",\"eval\":" << std::setprecision(17) << game.eval;
    out << '}';
    return out.str();
}

// Play games until the arena ends them.
inline void run(const std::function<Move(Game&)>& choose) {
    std::ios::sync_with_stdio(false);
    Game game;
    for (std::string line; std::getline(std::cin, line);) {
        const Json message = JsonReader(line).read();
        const std::string& type = message["type"].string;
        if (type == "hello") {
            game = Game(message);
            std::cout << "{\"type\":\"ready\",\"games\":\"many\"}" << std::endl;
        } else if (type == "turn") {
            game.hear(message);
            Game view = game;
            const Move move = choose(view);
            std::cout << answer_of(view, move, game.turn) << std::endl;  // endl flushes, and a bot must flush
        }
    }
}

}  // namespace blokus

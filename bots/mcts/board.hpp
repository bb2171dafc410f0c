// What lies on the board, what each color may still place, and whose turn it is.
#pragma once

#include <cstring>

#include "shapes.hpp"

constexpr int MAX_COLORS = 4;

// A placement: an orientation with its first cell on a cell of the board. One number for each.
using Move = uint16_t;

struct Spot {
    int8_t row, col;
};

struct Played {
    uint8_t color;
    Move move;
};

struct Rules {
    Shapes shapes;
    int rows = 0, cols = 0, colors = 0, seats = 0, teams = 0;
    int seat_of[MAX_COLORS] = {};              // -1 for the turning color
    int team_of_seat[MAX_COLORS] = {};
    std::vector<Cell> start[MAX_COLORS];       // empty: anywhere
    bool largest_first = false;                // only pieces of the largest size in hand may be placed
    int all_placed = 0, monomino_last = 0;     // bonuses

    Move move(Spot spot, const Placing &placing) const {
        const int cell = (spot.row + placing.first.row) * cols + spot.col + placing.first.col;
        return static_cast<Move>(cell * MAX_TURNED + placing.turned);
    }
    Spot spot(Move move) const {
        const int cell = move / MAX_TURNED;
        return {static_cast<int8_t>(cell / cols), static_cast<int8_t>(cell % cols)};
    }
    const Placing &placing(Move move) const { return shapes.placings[shapes.first_placing[move % MAX_TURNED]]; }
    int moves() const { return rows * cols * MAX_TURNED; }
};

inline void rule_out_around(const Lines &closed, Spot spot, const Shapes &shapes, PlacingSet &fit) {
    const uint32_t *line = &closed[spot.row + PAD];
    const int shift = spot.col + PAD - 4;
    auto window = [&](int row) { return line[row] >> shift; };
    const uint64_t *a = shapes.ruled_out[GROUP[0] + (window(0) & 511)].words;
    const uint64_t *b = shapes.ruled_out[GROUP[1] + (window(1) >> 1 & 127) + (window(4) << 3 & 128)].words;
    const uint64_t *c = shapes.ruled_out[GROUP[2] + (window(-1) >> 1 & 127) + (window(-4) << 3 & 128)].words;
    const uint64_t *d = shapes.ruled_out[GROUP[3] + (window(2) >> 2 & 31) + (window(-3) << 2 & 224)].words;
    const uint64_t *e = shapes.ruled_out[GROUP[4] + (window(-2) >> 2 & 31) + (window(3) << 2 & 224)].words;
    for (int w = 0; w < WORDS; ++w) fit.words[w] &= ~(a[w] | b[w] | c[w] | d[w] | e[w]);
}

struct ColorState {
    Lines closed;                              // where this color may not place: occupied, along its edges, the border
    Lines corners;                             // cells of which it must cover one; some of them may be closed
    PlacingSet in_hand;
    uint32_t hand;                             // the pieces, a bit each
    int16_t left;                              // squares in hand
    bool has_begun, is_out, ended_with_one_cell;
};

struct Board {
    ColorState color[MAX_COLORS];
    Lines taken;                               // by any color
    int to_move = 0;                           // the color whose turn it is, unless it is out
    int rotation = 0;                          // the seat whose turn with the turning color is next
    int placed = 0;                            // pieces on the board
    uint8_t retired = 0;                       // the seats that have forfeited, a bit each

    void begin(const Rules &rules);

    // Place a piece for a color and give the turn to the next one. It is taken to be legal.
    void place(const Rules &rules, int mover, Spot spot, const Placing &placing);

    // Let a seat forfeit. Its colors are out when their turn comes.
    void retire(int seat) { retired = static_cast<uint8_t>(retired | 1 << seat); }

    // Return the seat that moves a color now.
    int seat_to_move(const Rules &rules, int mover) const;

    // Give the turn to the next color that is not known to be out; false if there is none.
    bool next_color(const Rules &rules);
};

inline void Board::begin(const Rules &rules) {
    std::memset(static_cast<void *>(this), 0, sizeof *this);
    for (int c = 0; c < rules.colors; ++c) {
        ColorState &state = color[c];
        state.closed.fill(~0u);
        const uint32_t inside = ((1u << rules.cols) - 1) << PAD;
        for (int row = 0; row < rules.rows; ++row) {
            state.closed[row + PAD] = ~inside;
            if (rules.start[c].empty()) state.corners[row + PAD] = inside;
        }
        for (const Cell &cell : rules.start[c]) state.corners[cell.row + PAD] |= 1u << (cell.col + PAD);
        for (size_t piece = 0; piece < rules.shapes.sizes.size(); ++piece) {
            state.hand |= 1u << piece;
            for (int w = 0; w < WORDS; ++w) state.in_hand.words[w] |= rules.shapes.of_piece[piece].words[w];
        }
        state.left = static_cast<int16_t>(rules.shapes.squares);
    }
}

inline void Board::place(const Rules &rules, int mover, Spot spot, const Placing &placing) {
    const int top = spot.row + PAD + placing.top;
    const int shift = spot.col + PAD - Placing::REACH;
    ColorState &own = color[mover];
    if (!own.has_begun) own.corners.fill(0);
    own.has_begun = true;
    for (int line = 0; line < placing.lines; ++line) {
        const uint32_t cells = placing.cells[line] << shift;
        for (int c = 0; c < rules.colors; ++c) color[c].closed[top + line] |= cells;
        taken[top + line] |= cells;
        own.closed[top + line] |= placing.edges[line] << shift;
        own.corners[top + line] |= placing.corners[line] << shift;
    }
    own.hand &= ~(1u << placing.piece);
    own.left = static_cast<int16_t>(own.left - placing.size);
    own.ended_with_one_cell = placing.size == 1;
    for (int w = 0; w < WORDS; ++w) own.in_hand.words[w] &= ~rules.shapes.of_piece[placing.piece].words[w];
    if (rules.seat_of[mover] < 0) rotation = (seat_to_move(rules, mover) + 1) % rules.seats;
    if (own.hand == 0) own.is_out = true;
    ++placed;
    to_move = (mover + 1) % rules.colors;
}

inline int Board::seat_to_move(const Rules &rules, int mover) const {
    if (rules.seat_of[mover] >= 0) return rules.seat_of[mover];
    for (int step = 0; step < rules.seats; ++step) {
        const int seat = (rotation + step) % rules.seats;
        if (!(retired >> seat & 1)) return seat;
    }
    return rotation;
}

inline bool Board::next_color(const Rules &rules) {
    for (int step = 0; step < rules.colors; ++step) {
        if (!color[to_move].is_out) return true;
        to_move = (to_move + 1) % rules.colors;
    }
    return false;
}

// ---- what may be placed

// Call `visit(spot)` for every free corner of a color, until it returns false.
template <typename Visit>
void for_each_corner(const Rules &rules, const ColorState &state, Visit visit) {
    for (int row = 0; row < rules.rows; ++row) {
        uint32_t open = state.corners[row + PAD] & ~state.closed[row + PAD];
        for (; open; open &= open - 1) {
            const int col = __builtin_ctz(open) - PAD;
            if (!visit(Spot{static_cast<int8_t>(row), static_cast<int8_t>(col)})) return;
        }
    }
}

// Return what a color may place, wherever it fits.
inline PlacingSet allowed(const Rules &rules, const ColorState &state) {
    PlacingSet found = state.in_hand;
    if (!rules.largest_first) return found;
    for (int size = 5; size >= 1; --size) {
        PlacingSet large;
        for (int w = 0; w < WORDS; ++w) large.words[w] = found.words[w] & rules.shapes.of_size[size].words[w];
        if (!large.empty()) return large;
    }
    return found;
}

// Return the placings that fit over a corner.
inline PlacingSet fitting(const Rules &rules, const ColorState &state, Spot spot, const PlacingSet &allowed) {
    PlacingSet fit = allowed;
    rule_out_around(state.closed, spot, rules.shapes, fit);
    return fit;
}

template <typename Visit>
void for_each_placing(const PlacingSet &set, Visit visit) {
    for (int w = 0; w < WORDS; ++w)
        for (uint64_t word = set.words[w]; word; word &= word - 1) visit(64 * w + __builtin_ctzll(word));
}

// A list of the legal placements of a color, each once.
class MoveLister {
  public:
    void list(const Rules &rules, const ColorState &state, std::vector<Move> &moves) {
        moves.clear();
        if (seen_.size() != 65536) seen_.assign(65536, 0);
        if (++stamp_ == 0) seen_.assign(65536, 0), stamp_ = 1;
        const PlacingSet may = allowed(rules, state);
        for_each_corner(rules, state, [&](Spot spot) {
            for_each_placing(fitting(rules, state, spot, may), [&](int number) {
                const Move move = rules.move(spot, rules.shapes.placings[number]);
                if (seen_[move] == stamp_) return;
                seen_[move] = stamp_;
                moves.push_back(move);
            });
            return true;
        });
    }

  private:
    std::vector<uint16_t> seen_;
    uint16_t stamp_ = 0;
};

inline bool has_move(const Rules &rules, const ColorState &state) {
    bool found = false;
    const PlacingSet may = allowed(rules, state);
    for_each_corner(rules, state, [&](Spot spot) { return !(found = !fitting(rules, state, spot, may).empty()); });
    return found;
}

// Tell whether a color may place this now.
inline bool is_legal(const Rules &rules, const ColorState &state, Move move) {
    const Placing &placing = rules.placing(move);
    if (!(state.hand >> placing.piece & 1)) return false;
    const Spot spot = rules.spot(move);
    const int top = spot.row + PAD + placing.top;
    const int shift = spot.col + PAD - Placing::REACH;
    uint32_t closed = 0, anchored = 0;
    for (int line = 1; line < placing.lines - 1; ++line) {
        const uint32_t cells = placing.cells[line] << shift;
        closed |= cells & state.closed[top + line];
        anchored |= cells & state.corners[top + line];
    }
    if (closed || !anchored) return false;
    return !rules.largest_first || allowed(rules, state).has(rules.shapes.first_placing[placing.turned]);
}

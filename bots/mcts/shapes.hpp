// The pieces in every orientation, and tables that list the placements over one cell.
//
// How it works. A `Placing` is a piece, turned, with one of its cells named: laid with that cell on a given one it is a
// placement. There are 414 of them with all 21 pieces, and whether one fits depends only on the cell and the 40 within
// four steps of it. Those are read from the board as five small numbers; for each value of each, a table holds the set
// of placings that it rules out. So all placements over a cell come from five look-ups, whatever lies around.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

constexpr int MAX_SIDE = 20;
constexpr int PAD = 6;                         // rows and columns of border, so that no look-up leaves the board
constexpr int LINES = MAX_SIDE + 2 * PAD;      // a line of the board, with its border, is one 32-bit number
constexpr int MAX_PIECES = 21;
constexpr int MAX_TURNED = 91;                 // the orientations of all pieces
constexpr int WORDS = 7;                       // of a set of placings

using Lines = std::array<uint32_t, LINES>;     // a set of cells: bit `col + PAD` of line `row + PAD`

struct Cell {
    int row, col;
    bool operator<(const Cell &other) const { return row != other.row ? row < other.row : col < other.col; }
    bool operator==(const Cell &other) const { return row == other.row && col == other.col; }
};

using Shape = std::vector<Cell>;               // sorted

struct PlacingSet {
    uint64_t words[WORDS + 1] = {};            // one more, so that a set fills a line of the cache

    void add(int placing) { words[placing / 64] |= uint64_t{1} << placing % 64; }
    bool has(int placing) const { return words[placing / 64] >> placing % 64 & 1; }
    bool empty() const {
        uint64_t any = 0;
        for (int w = 0; w < WORDS; ++w) any |= words[w];
        return any == 0;
    }
};

struct Placing {
    static constexpr int REACH = 5;            // a piece with what touches it reaches at most five cells away
    static constexpr int MAX_LINES = 7;

    int piece, size;
    int turned;                                // which of all orientations
    Cell first;                                // the first cell of the shape, from the named one
    int top, lines;                            // the lines of the masks, from the named cell's line
    std::array<uint32_t, MAX_LINES> cells, edges, corners;  // the named cell's column is bit REACH
};

struct Shapes {
    std::vector<std::string> names;            // of the pieces
    std::vector<int> sizes;
    std::vector<Shape> turned;                 // all orientations of all pieces, each from its first cell
    std::vector<int> piece_of;                 // of each orientation
    std::vector<Placing> placings;             // the largest pieces first
    std::vector<int> first_placing;            // of each orientation: the one that names its first cell
    std::vector<PlacingSet> of_piece;
    std::array<PlacingSet, 6> of_size;
    int squares = 0;                           // of all pieces together
    int one_cell = -1;                         // the piece of one cell, if it is played

    void build(const std::vector<std::pair<std::string, Shape>> &drawings);

    // the placings that are ruled out by what is closed around a cell: five groups of cells, 256 or 512 values each
    alignas(64) PlacingSet ruled_out[512 + 4 * 256];

  private:
    void add_piece(int piece, const Shape &drawing);
    void add_placings();
    Placing placing(int orientation, Cell named) const;
    void rule_out();
};

inline Shape from_first(Shape shape) {
    std::sort(shape.begin(), shape.end());
    const Cell first = shape.front();
    for (Cell &cell : shape) cell = {cell.row - first.row, cell.col - first.col};
    return shape;
}

inline std::vector<Shape> orientations(Shape shape) {
    std::set<Shape> found;
    for (int flip = 0; flip < 2; ++flip) {
        for (int turn = 0; turn < 4; ++turn) {
            for (Cell &cell : shape) cell = {cell.col, -cell.row};
            found.insert(from_first(shape));
        }
        for (Cell &cell : shape) cell.col = -cell.col;
    }
    return {found.begin(), found.end()};
}

inline void Shapes::build(const std::vector<std::pair<std::string, Shape>> &drawings) {
    *this = Shapes();
    of_piece.resize(drawings.size());
    for (const auto &[name, drawing] : drawings) {
        names.push_back(name);
        add_piece(static_cast<int>(sizes.size()), drawing);
    }
    add_placings();
    rule_out();
}

inline void Shapes::add_piece(int piece, const Shape &drawing) {
    const int size = static_cast<int>(drawing.size());
    sizes.push_back(size);
    squares += size;
    if (size == 1) one_cell = piece;
    for (const Shape &shape : orientations(drawing)) {
        turned.push_back(shape);
        piece_of.push_back(piece);
    }
}

inline void Shapes::add_placings() {
    first_placing.resize(turned.size());
    for (int size = 5; size >= 1; --size) {
        for (size_t orientation = 0; orientation < turned.size(); ++orientation) {
            if (static_cast<int>(turned[orientation].size()) != size) continue;
            first_placing[orientation] = static_cast<int>(placings.size());  // its first cell is named first
            for (const Cell &named : turned[orientation]) {
                const int number = static_cast<int>(placings.size());
                placings.push_back(placing(static_cast<int>(orientation), named));
                of_piece[piece_of[orientation]].add(number);
                of_size[size].add(number);
            }
        }
    }
}

inline Placing Shapes::placing(int orientation, Cell named) const {
    Placing made{};
    made.piece = piece_of[orientation];
    made.size = sizes[made.piece];
    made.turned = orientation;
    made.first = {-named.row, -named.col};
    const Shape &shape = turned[orientation];
    made.top = -named.row - 1;
    made.lines = shape.back().row + 3;
    auto mark = [&](std::array<uint32_t, Placing::MAX_LINES> &mask, int row, int col) {
        mask[row - named.row - made.top] |= 1u << (col - named.col + Placing::REACH);
    };
    for (const Cell &cell : shape) {
        mark(made.cells, cell.row, cell.col);
        for (int step : {-1, 1}) {
            mark(made.edges, cell.row + step, cell.col);
            mark(made.edges, cell.row, cell.col + step);
            mark(made.corners, cell.row + step, cell.col - 1);
            mark(made.corners, cell.row + step, cell.col + 1);
        }
    }
    for (int line = 0; line < made.lines; ++line) {
        made.edges[line] &= ~made.cells[line];
        made.corners[line] &= ~(made.cells[line] | made.edges[line]);
    }
    return made;
}

// Where the groups of cells begin in the table, and which cell, by its step from the named one, is which bit of them.
constexpr int GROUP[5] = {0, 512, 768, 1024, 1280};

inline std::pair<int, int> group_and_bit(int row, int col) {
    switch (row) {
        case 0: return {0, col + 4};
        case 1: return {1, col + 3};
        case 4: return {1, 7};
        case -1: return {2, col + 3};
        case -4: return {2, 7};
        case 2: return {3, col + 2};
        case -3: return {3, col + 6};
        case -2: return {4, col + 2};
        default: return {4, col + 6};  // 3
    }
}

inline void Shapes::rule_out() {
    PlacingSet single[5][9];
    for (size_t number = 0; number < placings.size(); ++number) {
        const Placing &placing = placings[number];
        for (const Cell &cell : turned[placing.turned]) {
            const auto [group, bit] = group_and_bit(cell.row + placing.first.row, cell.col + placing.first.col);
            single[group][bit].add(static_cast<int>(number));
        }
    }
    for (int group = 0; group < 5; ++group) {
        for (int value = 1; value < (group == 0 ? 512 : 256); ++value) {
            const int lowest = __builtin_ctz(value);
            const PlacingSet &rest = ruled_out[GROUP[group] + (value & (value - 1))];
            for (int w = 0; w < WORDS; ++w)
                ruled_out[GROUP[group] + value].words[w] = rest.words[w] | single[group][lowest].words[w];
        }
    }
}

// Plays a game to its end, quickly: at random, but large pieces first and rather where it gains and takes corners.
#pragma once

#include "board.hpp"

class Random {
  public:
    explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}

    // Return a whole number from 0 up to below `limit`.
    uint32_t below(uint32_t limit) { return static_cast<uint32_t>((next() >> 32) * limit >> 32); }

  private:
    uint64_t state_;

    uint64_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return state_ * 0x2545f4914f6cdd1du;
    }
};

inline int count_bits(uint64_t word) {  // without a machine instruction for it the compiler would call a function
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    return static_cast<int>(((word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56);
}

// What a placement does to the corners of the colors.
struct Corners {
    int won = 0;      // new ones of its own
    int lost = 0;     // its own that it covers or closes
    int taken = 0;    // opponents' that it covers
    int spoilt = 0;   // its own side's other colors' that it covers
};

// Return which colors are with a color, itself included, as bits: those of its team.
inline uint8_t side_of(const Rules &rules, const Board &board, int mover) {
    const int team = rules.team_of_seat[board.seat_to_move(rules, mover)];
    uint8_t side = 0;
    for (int c = 0; c < rules.colors; ++c)
        if (rules.seat_of[c] >= 0 && rules.team_of_seat[rules.seat_of[c]] == team) side |= 1 << c;
    return side;
}

// Return what a placement of `mover`, which plays for the colors of `side`, does to the corners.
inline Corners corners_of(const Rules &rules, const Board &board, int mover, uint8_t side, Spot spot,
                          const Placing &placing) {
    const int top = spot.row + PAD + placing.top;
    const int shift = spot.col + PAD - Placing::REACH;
    const ColorState &own = board.color[mover];
    Corners found;
    uint64_t won = 0;
    for (int line = 0; line < placing.lines; ++line) {
        const uint32_t fresh = placing.corners[line] << shift & ~own.closed[top + line] & ~own.corners[top + line];
        won += static_cast<uint64_t>(count_bits(fresh));
        const uint32_t cells = placing.cells[line] << shift;
        const uint32_t closed = cells | placing.edges[line] << shift;
        found.lost += count_bits(closed & own.corners[top + line] & ~own.closed[top + line]);
        for (int c = 0; c < rules.colors; ++c) {
            if (c == mover || board.color[c].is_out || rules.seat_of[c] < 0) continue;
            const uint32_t covered = cells & board.color[c].corners[top + line] & ~board.color[c].closed[top + line];
            if (covered) (side >> c & 1 ? found.spoilt : found.taken) += count_bits(covered);
        }
    }
    found.won = static_cast<int>(won);
    return found;
}

class Playout {
  public:
    Playout(const Rules &rules, Random &random) : rules_(rules), random_(random) {}

    // Play on to the end, adding to `trace` what is played.
    void run(Board &board, std::vector<Played> &trace) {
        while (board.next_color(rules_)) play_one(board, trace);
    }

    // Place a piece for the color to move, or let it be out.
    void play_one(Board &board, std::vector<Played> &trace) {
        const int mover = board.to_move;
        Candidate chosen;
        if (!choose(board, mover, chosen)) {
            board.color[mover].is_out = true;
            return;
        }
        const Placing &placing = rules_.shapes.placings[chosen.placing];
        trace.push_back({static_cast<uint8_t>(mover), rules_.move(chosen.spot, placing)});
        board.place(rules_, mover, chosen.spot, placing);
    }

  private:
    struct Candidate {
        Spot spot;
        int placing;
    };

    static constexpr int CANDIDATES = 2;

    const Rules &rules_;
    Random &random_;
    std::vector<Spot> spots_;
    std::vector<PlacingSet> fits_;

    // Choose among a few candidates with the largest piece that fits anywhere; false if nothing does.
    bool choose(Board &board, int mover, Candidate &chosen) {
        ColorState &own = board.color[mover];
        const PlacingSet may = allowed(rules_, own);
        spots_.clear();
        for_each_corner(rules_, own, [&](Spot spot) { return spots_.push_back(spot), true; });
        Candidate candidates[CANDIDATES];
        int found = 0;
        size_t live = 0;
        fits_.clear();
        for (size_t i = 0; i < spots_.size() && found < CANDIDATES; ++i) {
            std::swap(spots_[i], spots_[i + random_.below(static_cast<uint32_t>(spots_.size() - i))]);
            const PlacingSet fit = fitting(rules_, own, spots_[i], may);
            if (fit.empty()) {
                close(own, spots_[i]);
                continue;
            }
            spots_[live] = spots_[i];
            fits_.push_back(fit);
            if (pick(fit, 5, candidates[found].placing)) candidates[found++].spot = spots_[live];
            ++live;
        }
        for (int size = 4; size >= 1 && found == 0; --size) {
            for (size_t i = 0; i < live && found < CANDIDATES; ++i)
                if (pick(fits_[i], size, candidates[found].placing)) candidates[found++].spot = spots_[i];
        }
        if (found == 0) return false;
        chosen = candidates[found == 1 ? 0 : best_of(board, mover, candidates, found)];
        return true;
    }

    // Forget a corner that holds nothing: it never will again, unless smaller pieces were not allowed yet.
    void close(ColorState &own, Spot spot) const {
        if (!rules_.largest_first) own.corners[spot.row + PAD] &= ~(1u << (spot.col + PAD));
    }

    // Pick any placing of a size out of a set.
    bool pick(const PlacingSet &fit, int size, int &placing) {
        uint64_t words[WORDS];
        int counts[WORDS], total = 0;
        const PlacingSet &of_size = rules_.shapes.of_size[size];
        for (int w = 0; w < WORDS; ++w) {
            words[w] = fit.words[w] & of_size.words[w];
            total += counts[w] = words[w] ? count_bits(words[w]) : 0;
        }
        if (total == 0) return false;
        int index = static_cast<int>(random_.below(static_cast<uint32_t>(total)));
        int w = 0;
        while (index >= counts[w]) index -= counts[w++];
        uint64_t word = words[w];
        while (index--) word &= word - 1;
        placing = 64 * w + __builtin_ctzll(word);
        return true;
    }

    int best_of(const Board &board, int mover, const Candidate *candidates, int found) {
        const uint8_t side = side_of(rules_, board, mover);
        int best = 0, best_value = -1000;
        for (int i = 0; i < found; ++i) {
            const Placing &placing = rules_.shapes.placings[candidates[i].placing];
            const Corners corners = corners_of(rules_, board, mover, side, candidates[i].spot, placing);
            const int value = corners.won - corners.lost + 2 * corners.taken - corners.spoilt;
            if (value > best_value) best = i, best_value = value;
        }
        return best;
    }
};

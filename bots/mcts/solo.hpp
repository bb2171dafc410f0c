// Solo: a plan for the whole game, improved by changing one placement and mending what follows.
//
// How it works. A playout makes the first plan. Then, again and again, the plan is followed up to some point, something
// else is placed there, and from then on every color places what it had planned wherever that is still possible. A plan
// that leaves no more squares over is taken; one that is a little worse only sometimes, to get out of dead ends.
#pragma once

#include <cmath>
#include <functional>

#include "playout.hpp"

class Solo {
  public:
    Solo(const Rules &rules, uint64_t seed)
        : rules_(rules), random_(seed), playout_(rules, random_), slack_(rules.largest_first ? 1.5 : 0.5) {}

    // Improve the plan until `is_over(attempts)` or nothing is left over; return the number of attempts.
    long think(const Board &board, const std::function<bool(long)> &is_over) {
        if (best_.empty() || best_[0].color != board.to_move) make_plan(board);
        plan_ = best_, left_ = best_left_;
        long attempts = 0;
        while (best_left_ > 0 && !is_over(++attempts)) attempt(board);
        return attempts;
    }

    const std::vector<Played> &plan() const { return best_; }  // from the position on that was thought about
    int left() const { return best_left_; }                    // the squares that it leaves over

    // Go on to the position after a move.
    void follow(int color, Move move) {
        if (!best_.empty() && best_[0].color == color && best_[0].move == move) best_.erase(best_.begin());
        else best_.clear();
    }

  private:
    const Rules &rules_;
    Random random_;
    Playout playout_;
    const double slack_;                    // how many squares a worse plan may lose, on average
    std::vector<Played> plan_, best_, trial_;
    int left_ = 0, best_left_ = 0;
    std::vector<Move> wishes_[MAX_COLORS];  // what each color had planned

    void make_plan(const Board &board) {
        Board end = board;
        best_.clear();
        playout_.run(end, best_);
        best_left_ = squares_left(end);
    }

    int squares_left(const Board &end) const {
        int left = 0;
        for (int c = 0; c < rules_.colors; ++c) left += end.color[c].left;
        return left;
    }

    void attempt(const Board &root) {
        Board board = root;
        follow_to(board, random_.below(static_cast<uint32_t>(plan_.size())));
        playout_.play_one(board, trial_);
        while (board.next_color(rules_))
            if (!play_wish(board)) playout_.play_one(board, trial_);
        const int left = squares_left(board);
        if (left > left_ - slack_ * std::log((1 + random_.below(1 << 20)) / 1048576.0)) return;
        plan_ = trial_, left_ = left;
        if (left < best_left_) best_ = plan_, best_left_ = left;
    }

    // Place what is planned before number `end`, and remember what comes after it.
    void follow_to(Board &board, size_t end) {
        trial_.assign(plan_.begin(), plan_.begin() + static_cast<long>(end));
        for (const auto &[color, move] : trial_) board.place(rules_, color, rules_.spot(move), rules_.placing(move));
        board.to_move = plan_[end].color;
        for (auto &wishes : wishes_) wishes.clear();
        for (size_t i = end + 1; i < plan_.size(); ++i) wishes_[plan_[i].color].push_back(plan_[i].move);
    }

    bool play_wish(Board &board) {
        const int mover = board.to_move;
        for (Move move : wishes_[mover]) {
            if (!is_legal(rules_, board.color[mover], move)) continue;
            trial_.push_back({static_cast<uint8_t>(mover), move});
            board.place(rules_, mover, rules_.spot(move), rules_.placing(move));
            return true;
        }
        return false;
    }
};

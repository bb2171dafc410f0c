// Monte Carlo tree search for two to four sides, each of which looks after itself (max^n).
//
// How it works. Every node lists the moves of the color to move with a prior, from what a move does to the corners and
// from its size. Down the tree the move is taken whose value and prior together promise most, the less so the more
// often it was taken; then a playout tells how the game may end. Values are those of the side that moves at the node.
// A move also learns from playouts in which it came later ("all moves as first"), which matters most while it has few
// visits.
#pragma once

#include <climits>
#include <cmath>
#include <functional>
#include <memory>

#include "playout.hpp"

struct Child {
    Move move;
    float prior;
    float visits, wins;            // wins are those of the side that makes the move
    float seen, seen_wins;         // the same for playouts in which the move came later
    int32_t node;                  // -1: not there yet
};

struct Node {
    int32_t first;                 // its children are first … first + count - 1
    int32_t count;
    int8_t color, team;            // who moves, and for whom
};

struct Tree {
    std::vector<Node> nodes;
    std::vector<Child> children;

    Node &node(int32_t number) { return nodes[static_cast<size_t>(number)]; }
    const Node &node(int32_t number) const { return nodes[static_cast<size_t>(number)]; }
    Child &child(int32_t number) { return children[static_cast<size_t>(number)]; }
    const Child &child(int32_t number) const { return children[static_cast<size_t>(number)]; }
    int32_t next_node() const { return static_cast<int32_t>(nodes.size()); }
    int32_t next_child() const { return static_cast<int32_t>(children.size()); }
    void clear() { nodes.clear(), children.clear(); }
};

// Found by playing matches between versions.
struct Tuning {
    float curiosity = 0.6f;
    float later = 800;             // from so many visits on, a move's own results count more than later ones
    int width = 60;                // moves a node keeps
    int root_width = 150;
    // what the prior of a move is made of: the squares of its piece, and the corners as in `Corners`
    float size = 0.9f, won = 0.25f, lost = 0.2f, taken = 0.7f, spoilt = 0.5f;
    float heat = 1.0f;             // how sharp the prior is
    float margin = 0.2f;           // how much of a result is by how many points, not by who is ahead
};

class Search {
  public:
    Search(const Rules &rules, uint64_t seed) : rules_(rules), random_(seed), playout_(rules, random_) {
        played_.assign(static_cast<size_t>(rules.colors) << 16, 0);
        for (Tree *tree : {&tree_, &spare_}) tree->children.reserve(MAX_CHILDREN + 1000);
    }

    Tuning tuning;

    struct Answer {
        Move move = 0;
        double value = 0;          // the expected result, from 0 to 1
        long playouts = 0;
        int depth = 0;
        std::vector<Move> line;
    };

    // Look for the best move until `is_over(playouts)`, at least long enough to have one.
    Answer think(const Board &board, const std::function<bool(long)> &is_over) {
        set_root(board);
        const long enough = tree_.node(root_).count > 1 ? LONG_MAX : PLAYOUTS_WITHOUT_CHOICE;
        long playouts = 0;
        depth_ = 0;
        do simulate(board);
        while (!is_over(++playouts) && playouts < enough);
        return answer(playouts);
    }

    // Go on to the position after a move; what is known of it is kept.
    void follow(int color, Move move) {
        if (tree_.nodes.empty()) return;
        const Node root = tree_.node(root_);
        for (int i = 0; i < root.count && root.color == color; ++i) {
            const Child &child = tree_.child(root.first + i);
            if (child.move != move || child.node < 0) continue;
            spare_.clear();
            copy(child.node, spare_);
            std::swap(tree_, spare_);
            root_ = 0;
            return;
        }
        tree_.clear();
    }

  private:
    static constexpr size_t MAX_CHILDREN = 2'000'000;  // 56 MB, twice
    static constexpr long PLAYOUTS_WITHOUT_CHOICE = 100;

    const Rules &rules_;
    Random random_;
    Playout playout_;
    Tree tree_, spare_;
    int32_t root_ = 0;
    int depth_ = 0;
    MoveLister lister_;
    std::vector<Move> moves_;
    std::vector<Child> fresh_;
    std::vector<Played> trace_;
    std::vector<std::pair<int32_t, int32_t>> path_;  // nodes, and the child taken
    std::vector<uint32_t> played_;                   // by color and move: the last simulation that had it
    uint32_t simulation_ = 0;

    // ---- the tree

    // Make the position the root: anew, or from what is kept of it with more of its moves.
    void set_root(const Board &board) {
        if (!tree_.nodes.empty() && tree_.node(root_).color != board.to_move) tree_.clear();  // after a forfeit
        const bool is_known = !tree_.nodes.empty();
        const Node old = is_known ? tree_.node(root_) : Node{};
        root_ = expand(board, tuning.root_width);
        const Node &root = tree_.node(root_);
        for (int32_t from = old.first; from < old.first + old.count; ++from)
            for (int32_t to = root.first; to < root.first + root.count; ++to)
                if (tree_.child(to).move == tree_.child(from).move) take_over(from, to);
    }

    void take_over(int32_t from, int32_t to) {
        const float prior = tree_.child(to).prior;
        tree_.child(to) = tree_.child(from);
        tree_.child(to).prior = prior;
    }

    // Make the node of a position in which the color to move has a move; -1 if it has none.
    int32_t expand(const Board &board, int width) {
        const int mover = board.to_move;
        lister_.list(rules_, board.color[mover], moves_);
        if (moves_.empty()) return -1;
        fresh_.clear();
        const uint8_t side = side_of(rules_, board, mover);
        for (Move move : moves_) fresh_.push_back({move, worth(board, mover, side, move), 0, 0, 0, 0, -1});
        auto is_better = [](const Child &a, const Child &b) { return a.prior > b.prior; };
        if (static_cast<int>(fresh_.size()) > width) {
            std::nth_element(fresh_.begin(), fresh_.begin() + width, fresh_.end(), is_better);
            fresh_.resize(static_cast<size_t>(width));
        }
        normalize(fresh_);
        Node node;
        node.first = tree_.next_child();
        node.count = static_cast<int32_t>(fresh_.size());
        node.color = static_cast<int8_t>(mover);
        node.team = static_cast<int8_t>(rules_.team_of_seat[board.seat_to_move(rules_, mover)]);
        tree_.children.insert(tree_.children.end(), fresh_.begin(), fresh_.end());
        tree_.nodes.push_back(node);
        return tree_.next_node() - 1;
    }

    float worth(const Board &board, int mover, uint8_t side, Move move) const {
        const Placing &placing = rules_.placing(move);
        const Corners corners = corners_of(rules_, board, mover, side, rules_.spot(move), placing);
        const auto times = [](float weight, int count) { return weight * static_cast<float>(count); };
        return times(tuning.size, placing.size) + times(tuning.won, corners.won) - times(tuning.lost, corners.lost) +
               times(tuning.taken, corners.taken) - times(tuning.spoilt, corners.spoilt);
    }

    void normalize(std::vector<Child> &children) const {
        float best = -1e9f, sum = 0;
        for (const Child &child : children) best = std::max(best, child.prior);
        for (Child &child : children) sum += child.prior = std::exp((child.prior - best) * tuning.heat);
        for (Child &child : children) child.prior /= sum;
    }

    void copy(int32_t from, Tree &to) const {
        struct Task {
            int32_t from, parent_child;
        };
        std::vector<Task> tasks{{from, -1}};
        for (size_t i = 0; i < tasks.size(); ++i) {
            Node node = tree_.node(tasks[i].from);
            const int32_t old_first = node.first;
            node.first = to.next_child();
            if (tasks[i].parent_child >= 0)
                to.child(tasks[i].parent_child).node = to.next_node();
            to.nodes.push_back(node);
            for (int c = 0; c < node.count; ++c) {
                const Child &child = tree_.child(old_first + c);
                to.children.push_back(child);
                if (child.node >= 0) tasks.push_back({child.node, node.first + c});
            }
        }
    }

    // ---- one simulation

    void simulate(const Board &root) {
        Board board = root;
        path_.clear();
        trace_.clear();
        ++simulation_;
        int32_t at = root_;
        while (at >= 0) {
            const int32_t taken = select(at);
            path_.push_back({at, taken});
            Child &child = tree_.child(taken);
            const Node &node = tree_.node(at);
            trace_.push_back({static_cast<uint8_t>(node.color), child.move});
            board.place(rules_, node.color, rules_.spot(child.move), rules_.placing(child.move));
            at = child.node;
            if (at < 0 && child.visits >= 1) at = grow(board, taken);
            else if (at >= 0) board.to_move = skip_to(board, tree_.node(at).color);
        }
        depth_ = std::max(depth_, static_cast<int>(path_.size()));
        playout_.run(board, trace_);
        learn(board);
    }

    // Make the node behind a child; colors that cannot move are out. -1 at the end of the game.
    int32_t grow(Board &board, int32_t child) {
        if (tree_.children.size() > MAX_CHILDREN) return -1;
        while (board.next_color(rules_)) {
            const int32_t made = expand(board, tuning.width);
            if (made >= 0) return tree_.child(child).node = made;
            board.color[board.to_move].is_out = true;
        }
        return -1;
    }

    // Let the colors before `color` be out, as they were found to be when the node was made.
    int skip_to(Board &board, int color) const {
        for (int c = board.to_move; c != color; c = (c + 1) % rules_.colors) board.color[c].is_out = true;
        return color;
    }

    int32_t select(int32_t at) const {
        const Node &node = tree_.node(at);
        float visits = 1, wins = 0.5;
        for (int i = 0; i < node.count; ++i) {
            const Child &child = tree_.child(node.first + i);
            visits += child.visits;
            wins += child.wins;
        }
        const float unknown = wins / visits;
        const float curiosity = tuning.curiosity * std::sqrt(visits);
        int32_t best = node.first;
        float best_value = -1;
        for (int i = 0; i < node.count; ++i) {
            const Child &child = tree_.child(node.first + i);
            const float value = expected(child, unknown) + curiosity * child.prior / (1 + child.visits);
            if (value > best_value) best_value = value, best = node.first + i;
        }
        return best;
    }

    float expected(const Child &child, float unknown) const {
        const float own = child.visits > 0 ? child.wins / child.visits : unknown;
        if (child.seen <= 0) return own;
        const float trust = child.seen / (child.seen + 20);
        const float weight = trust * std::sqrt(tuning.later / (3 * child.visits + tuning.later));
        return (1 - weight) * own + weight * child.seen_wins / child.seen;
    }

    // ---- results

    void learn(const Board &end) {
        float results[MAX_COLORS];
        result_of(end, results);
        for (const auto &[color, move] : trace_) played_[static_cast<size_t>(color) << 16 | move] = simulation_;
        for (const auto &[at, taken] : path_) {
            const Node &node = tree_.node(at);
            const float result = results[node.team];
            Child &child = tree_.child(taken);
            child.visits += 1;
            child.wins += result;
            const uint32_t *played = &played_[static_cast<size_t>(node.color) << 16];
            for (int i = 0; i < node.count; ++i) {
                Child &other = tree_.child(node.first + i);
                if (played[other.move] != simulation_) continue;
                other.seen += 1;
                other.seen_wins += result;
            }
        }
    }

    // Tell for each team how many of the others it is ahead of, as a share, with a little for the margin.
    void result_of(const Board &end, float *results) const {
        float totals[MAX_COLORS] = {};
        for (int c = 0; c < rules_.colors; ++c) {
            if (rules_.seat_of[c] < 0) continue;
            const ColorState &state = end.color[c];
            const int bonus = rules_.all_placed + (state.ended_with_one_cell ? rules_.monomino_last : 0);
            totals[rules_.team_of_seat[rules_.seat_of[c]]] += static_cast<float>(state.left ? -state.left : bonus);
        }
        bool has_player[MAX_COLORS] = {};
        for (int seat = 0; seat < rules_.seats; ++seat)
            has_player[rules_.team_of_seat[seat]] |= !(end.retired >> seat & 1);
        for (int team = 0; team < rules_.teams; ++team)
            if (!has_player[team]) totals[team] = -1000;  // who forfeits is behind all others
        for (int team = 0; team < rules_.teams; ++team) {
            float sum = 0;
            for (int other = 0; other < rules_.teams; ++other) {
                if (other == team) continue;
                const float lead = totals[team] - totals[other];
                const float ahead = lead > 0 ? 1.0f : lead < 0 ? 0.0f : 0.5f;
                sum += (1 - tuning.margin) * ahead + tuning.margin * (0.5f + 0.5f * lead / (8 + std::fabs(lead)));
            }
            results[team] = sum / static_cast<float>(std::max(1, rules_.teams - 1));
        }
    }

    // ---- the answer

    Answer answer(long playouts) const {
        Answer found;
        found.playouts = playouts;
        found.depth = depth_;
        for (int32_t at = root_; at >= 0;) {
            const Node &node = tree_.node(at);
            const Child *best = &tree_.child(node.first);
            for (int i = 1; i < node.count; ++i) {
                const Child &child = tree_.child(node.first + i);
                if (std::pair(child.visits, child.prior) > std::pair(best->visits, best->prior)) best = &child;
            }
            if (at == root_) found.move = best->move, found.value = best->visits > 0 ? best->wins / best->visits : 0.5;
            else if (best->visits < 5) break;
            found.line.push_back(best->move);
            at = best->node;
        }
        return found;
    }
};

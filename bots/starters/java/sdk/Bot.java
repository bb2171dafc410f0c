// A bot for Blokus Arena, on the SDK in Blokus.java. Make `choose` cleverer.
//
// It plays a largest piece that fits, where it leaves the most corners to go on from.

import java.util.List;

class Bot {
    public static void main(String[] arguments) throws Exception {
        Blokus.run(Bot::choose);
    }

    /** The best move found in half of the time. */
    static Blokus.Move choose(Blokus.Game game) {
        int color = game.color;
        List<Blokus.Move> moves = game.legal();
        Blokus.Move best = null;
        int most = -1;
        for (int i = moves.size() - 1; i >= 0; i--) { // the largest pieces are last
            Blokus.Move move = moves.get(i);
            boolean isLate = game.timeLeftMs() < game.clock.moveMs() / 2;
            if (best != null && (isLate || move.cells().size() < best.cells().size())) break;
            game.play(move); // on our own copy of the game
            int corners = game.corners(color).size();
            game.undo();
            if (corners > most) {
                best = move;
                most = corners;
            }
        }
        game.note = "leaves " + most + " corners"; // kept with the move: see it with `arena replay`
        return best;
    }
}

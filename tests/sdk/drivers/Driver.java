// What the SDK for Java makes of recorded games; see tests/sdk/games.py.

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

class Driver {
    static String listed(Blokus.Game game, List<Blokus.Move> moves) {
        int total = (int) 2166136261L;
        for (Blokus.Move move : moves) {
            for (char letter : game.pieces.get(move.piece()).name().toCharArray()) total = (total ^ letter) * 16777619;
            for (Blokus.Cell cell : move.cells()) total = (total ^ (cell.row() * 32 + cell.col())) * 16777619;
        }
        return moves.size() + " " + Integer.toUnsignedString(total);
    }

    static String joined(List<Integer> numbers) {
        return numbers.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    static String state(Blokus.Game game) {
        String who = game.isOver() ? "- -" : game.colors.get(game.color) + " " + game.seat;
        String scores = joined(IntStream.range(0, game.colors.size()).mapToObj(game::score).toList());
        return game.turn + " " + who + " " + scores;
    }

    static void tell(Object... words) {
        var line = new StringBuilder();
        for (Object word : words) line.append(line.isEmpty() ? "" : " ").append(word);
        System.out.println(line); // which the SDK has turned to the log
    }

    static Blokus.Move pick(Blokus.Game game, int factor) {
        List<Blokus.Move> moves = game.legal();
        return moves.get((game.turn * factor + 7) % moves.size());
    }

    /** Returns how many plies were played until the game was over. */
    static int playOn(Blokus.Game game, int plies, int factor) {
        for (int ply = 0; ply < plies; ply++) {
            if (game.isOver()) return ply;
            game.play(pick(game, factor));
            tell("ply", state(game), game.legal().size());
        }
        return plies;
    }

    static Blokus.Move choose(Blokus.Game game) {
        int moveMs = game.clock.moveMs(), bankMs = game.clock.bankMs();
        boolean isInTime = game.timeLeftMs() > 0 && game.timeLeftMs() <= moveMs + bankMs;
        tell("me", game.me, game.seed, moveMs, bankMs, isInTime ? "in time" : "late");
        int colors = game.colors.size();
        var hands = joined(IntStream.range(0, colors).mapToObj(color -> game.hand(color).size()).toList());
        tell("at", state(game), joined(game.totals()), hands, String.join("/", game.board()));
        for (int color = 0; game.turn % 3 == 0 && color < colors; color++) {
            tell("color", game.colors.get(color), game.corners(color).size(), listed(game, game.legal(color)));
        }
        tell("list", state(game), listed(game, game.legal()));
        for (int played = playOn(game, 6, 31); played > 0; played--) game.undo();
        playOn(game.copy(), 2, 13);
        tell("list", state(game), listed(game, game.legal()));
        Blokus.Move answer = pick(game, 17);
        game.note = "turn " + game.turn + ": \"quoted\" \\ \u00e9 \u2603 \ud834\udd1e\t\n";
        game.eval = game.turn / 4.0 - 3;
        game.play(answer); // on a copy, as everything here
        return answer;
    }

    public static void main(String[] arguments) throws Exception {
        Blokus.run(Driver::choose);
    }
}

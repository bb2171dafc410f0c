// A bot for Blokus Arena. It plays one of its largest pieces that fit, at random: make `choose` cleverer.
//
// The referee sends a line of JSON, the bot answers with one. What you print to System.err is your log. Java has no
// JSON in its library, so we look for what we need: the referee's lines have no spaces and begin with their type, and
// its list of legal moves looks like [{"piece":"I2","cells":[[0,0],[0,1]]},...]. All keys are in docs/protocol.md.
// To see the board, begin with arena new NAME --lang java --sdk

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

class Bot {
    static final Pattern LEGAL_MOVE = Pattern.compile("\\{\"piece\":\"(\\w+)\",\"cells\":\\[([\\d,\\[\\]]+)\\]\\}");

    public static void main(String[] arguments) throws Exception {
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        var random = new Random();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.startsWith("{\"type\":\"hello\"")) {
                random.setSeed(number(line, "seed")); // so that a match can be played again
                System.out.println("{\"type\":\"ready\",\"want\":[\"legal\"],\"games\":\"many\"}");
            } else if (line.startsWith("{\"type\":\"turn\"")) {
                int index = choose(line.substring(line.indexOf("\"legal\":[")), random);
                System.out.println("{\"type\":\"move\",\"turn\":" + number(line, "turn") + ",\"index\":" + index + "}");
            }
            System.out.flush();
        }
    }

    /** The index of one of the moves with the largest piece; group(1) of a move is its piece, group(2) its cells. */
    static int choose(String legal, Random random) {
        List<Integer> best = new ArrayList<>();
        int largest = 0;
        Matcher move = LEGAL_MOVE.matcher(legal);
        for (int index = 0; move.find(); index++) {
            int size = move.group(2).split("\\],\\[").length;
            if (size > largest) best.clear();
            largest = Math.max(largest, size);
            if (size == largest) best.add(index);
        }
        return best.get(random.nextInt(best.size()));
    }

    /** The whole number that follows a key such as "turn". */
    static long number(String line, String key) {
        Matcher found = Pattern.compile("\"" + key + "\":(\\d+)").matcher(line);
        return found.find() ? Long.parseLong(found.group(1)) : 0;
    }
}

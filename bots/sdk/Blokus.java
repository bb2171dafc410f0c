// Blokus for a bot in Java 17: keeps the board, lists legal moves, talks to the arena. Put it next to your bot:
//
//     class Bot {
//         public static void main(String[] arguments) throws Exception {
//             Blokus.run(game -> game.legal().get(0));
//         }
//     }
//
// How it works. A set of cells is one integer a row, with a bit a column. The free cells are kept shifted by every
// number of columns from -4 to 4; what the shifted rows of all cells of a shape have in common is every column in which
// the shape fits.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.ToIntFunction;

final class Blokus {
    static final int NONE = -1;
    private static final int REACH = 4; // a piece has at most five cells in a row
    private static final int TURNS = 8; // orientations of a piece, at most

    record Cell(int row, int col) {}

    /** A piece, by its place in Game.pieces, and the cells it covers, sorted. */
    record Move(int piece, List<Cell> cells) {}

    record Piece(String name, int size) {}

    /** Who sits there; the colors are places in Game.colors. */
    record Seat(String name, List<Integer> colors, int team) {}

    record Clock(String kind, int startMs, int moveMs, int bankMs, int incrementMs, int marginMs) {}

    /** Play games until the arena ends them. */
    static void run(Function<Game, Move> choose) throws IOException {
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        var out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        System.setOut(System.err); // what a bot prints goes to its log, not between its answers
        Game game = null;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            Json message = new Json(new Reader(line).value());
            String type = message.get("type").text();
            if (type.equals("hello")) {
                game = new Game(message);
                out.print("{\"type\":\"ready\",\"games\":\"many\"}\n");
            } else if (type.equals("turn")) {
                game.hear(message);
                Game view = game.copy();
                Move move = choose.apply(view);
                out.print(answer(view, move, game.turn) + "\n");
            }
            out.flush();
        }
    }

    private static String answer(Game view, Move move, int turn) {
        var cells = move.cells().stream().map(cell -> "[" + cell.row() + "," + cell.col() + "]").toList();
        var line = new StringBuilder("{\"type\":\"move\",\"turn\":" + turn);
        line.append(",\"cells\":[").append(String.join(",", cells)).append("]");
        if (view.note != null) line.append(",\"note\":").append(quoted(view.note));
        if (Double.isFinite(view.eval)) line.append(",\"eval\":").append(view.eval);
        return line.append("}").toString();
    }

    private static String quoted(String text) {
        var out = new StringBuilder("\"");
        for (char mark : text.toCharArray()) {
            if (mark < ' ') out.append(String.format("\\u%04x", (int) mark));
            else if (mark == '"' || mark == '\\') out.append('\\').append(mark);
            else out.append(mark);
        }
        return out.append('"').toString();
    }

    /**
     * A game as the bot at seat `me` knows it. Colors are numbers, places in `colors`. `color` and `seat` are next to
     * move (NONE when the game is over): colors that are blocked are passed over by themselves. What `run` gives you is
     * a copy: play on it as far as you like.
     */
    static final class Game {
        final String variant;
        final int rows, cols;
        final List<String> colors; // in turn order
        final List<Piece> pieces;
        final List<Seat> seats;
        final int me;
        final int turningColor;
        final int allPlaced, monominoLast; // the bonuses
        final long seed;
        int turn = 0; // pieces placed so far
        int color = NONE, seat = NONE;
        Clock clock; // moveMs and bankMs are brought up to date at every turn
        String note = null; // set these two when you choose, and they are kept with the move
        double eval = Double.NaN;

        private final Table table;
        private long deadline = System.nanoTime();
        private final int[][] own;
        private final int[] hands;
        private final int[] last; // the piece that each color placed last
        private int out = 0; // colors that have dropped out, a bit each
        private int retired = 0; // seats that have forfeited
        private int rotation = 0; // the seat whose turn with the turning color is next
        private final Deque<Past> past = new ArrayDeque<>();

        private record Past(Move move, int color, int seat, int last, int out, int rotation) {}

        Game(Json hello) {
            variant = hello.get("variant").text();
            rows = hello.get("board").get("rows").whole();
            cols = hello.get("board").get("cols").whole();
            colors = hello.get("colors").items().stream().map(Json::text).toList();
            pieces = hello.get("pieces").members().entrySet().stream()
                .map(piece -> new Piece(piece.getKey(), piece.getValue().items().size())).toList();
            seats = hello.get("seats").items().stream().map(this::seatOf).toList();
            me = hello.get("seat").whole();
            turningColor = colors.indexOf(hello.get("turning_color").text());
            allPlaced = hello.get("scoring").get("all_placed").whole();
            monominoLast = hello.get("scoring").get("monomino_last").whole();
            Json time = hello.get("clock");
            clock = new Clock(time.get("kind").text(), time.get("start_ms").whole(), time.get("move_ms").whole(),
                time.get("bank_ms").whole(), time.get("increment_ms").whole(), time.get("margin_ms").whole());
            seed = hello.get("seed").number();
            table = new Table(hello, this);
            own = new int[colors.size()][rows];
            hands = new int[colors.size()];
            last = new int[colors.size()];
            Arrays.fill(hands, (1 << pieces.size()) - 1);
            Arrays.fill(last, NONE);
            findTurn(0);
        }

        private Game(Game other) {
            variant = other.variant;
            rows = other.rows;
            cols = other.cols;
            colors = other.colors;
            pieces = other.pieces;
            seats = other.seats;
            me = other.me;
            turningColor = other.turningColor;
            allPlaced = other.allPlaced;
            monominoLast = other.monominoLast;
            clock = other.clock;
            seed = other.seed;
            turn = other.turn;
            color = other.color;
            seat = other.seat;
            table = other.table;
            deadline = other.deadline;
            own = Arrays.stream(other.own).map(int[]::clone).toArray(int[][]::new);
            hands = other.hands.clone();
            last = other.last.clone();
            out = other.out;
            retired = other.retired;
            rotation = other.rotation;
            past.addAll(other.past);
        }

        private Seat seatOf(Json seat) {
            var mine = seat.get("colors").items().stream().map(name -> colors.indexOf(name.text())).toList();
            return new Seat(seat.get("name").text(), mine, seat.get("team").whole());
        }

        Game copy() {
            return new Game(this);
        }

        // ---- looking

        boolean isOver() {
            return color == NONE;
        }

        /** Every legal move of the color to move, in the protocol's order. */
        List<Move> legal() {
            return legal(color);
        }

        List<Move> legal(int color) {
            var found = new ArrayList<Move>();
            scan(color, (piece, row, masks, any) -> {
                for (int columns = any; columns != 0; columns &= columns - 1) {
                    int col = Integer.numberOfTrailingZeros(columns);
                    for (int turned = 0; turned < table.shapes[piece].length; turned++)
                        if ((masks[turned] >> col & 1) != 0) found.add(table.move(piece, turned, row, col));
                }
                return false;
            });
            return found;
        }

        boolean hasMove(int color) {
            return scan(color, (piece, row, masks, any) -> true);
        }

        /** The free cells of which the color's next piece must cover one. */
        List<Cell> corners(int color) {
            int[] corners = freeAndCorners(color)[1];
            var found = new ArrayList<Cell>();
            for (int row = 0; row < rows; row++)
                for (int col = 0; col < cols; col++) if ((corners[row] >> col & 1) != 0) found.add(new Cell(row, col));
            return found;
        }

        /** The pieces that the color has not placed, as places in `pieces`. */
        List<Integer> hand(int color) {
            var found = new ArrayList<Integer>();
            for (int piece = 0; piece < pieces.size(); piece++) if (holds(color, piece)) found.add(piece);
            return found;
        }

        /** The color on a cell; NONE if it is free. */
        int colorAt(int row, int col) {
            for (int color = 0; color < own.length; color++) if ((own[color][row] >> col & 1) != 0) return color;
            return NONE;
        }

        /** One string a row: "." where it is free, else the color's first letter, upper case. */
        List<String> board() {
            var lines = new ArrayList<String>();
            for (int row = 0; row < rows; row++) {
                var line = new StringBuilder();
                for (int col = 0; col < cols; col++) {
                    int found = colorAt(row, col);
                    line.append(found == NONE ? '.' : Character.toUpperCase(colors.get(found).charAt(0)));
                }
                lines.add(line.toString());
            }
            return lines;
        }

        /** The score of a color as it stands. */
        int score(int color) {
            int squares = hand(color).stream().mapToInt(piece -> pieces.get(piece).size()).sum();
            if (squares > 0) return -squares;
            return allPlaced + (pieces.get(last[color]).name().equals("I1") ? monominoLast : 0);
        }

        /** The total of each seat: of its colors, or of its team's. */
        List<Integer> totals() {
            var totals = new ArrayList<Integer>();
            for (Seat seat : seats) {
                int sum = 0;
                for (Seat other : seats)
                    if (other.team() == seat.team()) for (int color : other.colors()) sum += score(color);
                totals.add(sum);
            }
            return totals;
        }

        /** What is left for this move, bank included, by the clock on the wall. */
        long timeLeftMs() {
            return (deadline - System.nanoTime()) / 1_000_000;
        }

        // ---- playing

        /** Place a piece for the color to move; the move is taken to be legal. */
        void play(Move move) {
            if (isOver()) throw new IllegalStateException("the game is over");
            past.push(new Past(move, color, seat, last[color], out, rotation));
            for (Cell cell : move.cells()) own[color][cell.row()] |= 1 << cell.col();
            hands[color] &= ~(1 << move.piece());
            last[color] = move.piece();
            turn++;
            if (table.owner[color] == NONE) rotation = (seat + 1) % seats.size();
            findTurn(color + 1);
        }

        /** Take back the last `play`. */
        void undo() {
            Past was = past.pop();
            color = was.color();
            seat = was.seat();
            out = was.out();
            rotation = was.rotation();
            for (Cell cell : was.move().cells()) own[color][cell.row()] &= ~(1 << cell.col());
            hands[color] |= 1 << was.move().piece();
            last[color] = was.last();
            turn--;
        }

        // ---- listening

        /** Take in a `turn`: what was played since the last one, and what this move may use. */
        void hear(Json message) {
            Json time = message.get("clock");
            clock = new Clock(clock.kind(), clock.startMs(), time.get("move_ms").whole(), time.get("bank_ms").whole(),
                clock.incrementMs(), clock.marginMs());
            deadline = System.nanoTime() + (clock.moveMs() + clock.bankMs()) * 1_000_000L;
            for (Json event : message.get("played").items()) {
                int color = colors.indexOf(event.get("color").text());
                int seat = event.get("seat").whole();
                if (event.members().containsKey("piece")) {
                    giveTurn(color, seat);
                    play(new Move(table.names.indexOf(event.get("piece").text()), cellsOf(event.get("cells"))));
                } else if (event.get("pass").text().equals("forfeit")) {
                    retire(seat);
                    findTurn(color);
                }
            }
            giveTurn(colors.indexOf(message.get("color").text()), me);
        }

        /** Follow the referee: whom the turning color has skipped must have forfeited. */
        private void giveTurn(int color, int seat) {
            while (table.owner[color] == NONE && rotation != seat) {
                retire(rotation);
                rotation = (rotation + 1) % seats.size();
            }
            this.color = color;
            this.seat = seat;
        }

        private void retire(int seat) {
            retired |= 1 << seat;
            for (int color : seats.get(seat).colors()) out |= 1 << color;
        }

        // ---- inside

        private boolean holds(int color, int piece) {
            return (hands[color] >> piece & 1) != 0;
        }

        /** Give the turn to the next color that can move, from `first` on; those that cannot drop out. */
        private void findTurn(int first) {
            for (int step = 0; step < colors.size(); step++) {
                int next = (first + step) % colors.size();
                int who = table.owner[next] == NONE ? nextInRotation() : table.owner[next];
                if ((retired >> who & 1) != 0 || !hasMove(next)) out |= 1 << next;
                if ((out >> next & 1) == 0) {
                    color = next;
                    seat = who;
                    return;
                }
            }
            color = seat = NONE;
        }

        private int nextInRotation() {
            for (int step = 0; step < seats.size(); step++) {
                int who = (rotation + step) % seats.size();
                if ((retired >> who & 1) == 0) return who;
            }
            return rotation;
        }

        /** The cells that the color's next piece may cover, and those of which it must cover one. */
        private int[][] freeAndCorners(int color) {
            int[] free = new int[rows], corners = new int[rows];
            if (color == NONE || (out >> color & 1) != 0) return new int[][] {free, corners};
            int[] mine = own[color];
            for (int row = 0; row < rows; row++) {
                int near = (row > 0 ? mine[row - 1] : 0) | (row + 1 < rows ? mine[row + 1] : 0);
                int closed = near | mine[row] << 1 | mine[row] >> 1;
                for (int[] other : own) closed |= other[row];
                free[row] = table.full & ~closed;
                corners[row] = free[row] & (last[color] == NONE ? table.starts[color][row] : near << 1 | near >> 1);
            }
            return new int[][] {free, corners};
        }

        private interface Visitor {
            boolean visit(int piece, int row, int[] masks, int any);
        }

        /**
         * Calls the visitor for the rows where a piece fits: for each of its orientations, the columns where its first
         * cell may go. Ends as soon as the visitor returns true, and tells whether it did.
         */
        private boolean scan(int color, Visitor visitor) {
            int[][] both = freeAndCorners(color);
            if (Arrays.stream(both[1]).allMatch(row -> row == 0)) return false;
            int[] free = table.shifted(both[0]), corners = table.shifted(both[1]), masks = new int[TURNS];
            int largest = 0;
            for (int piece = 0; piece < pieces.size(); piece++)
                if (holds(color, piece)) largest = Math.max(largest, pieces.get(piece).size());
            for (int piece = 0; piece < pieces.size(); piece++) {
                if (!holds(color, piece) || table.isLargestFirst && pieces.get(piece).size() < largest) continue;
                int[][] turned = table.offsets[piece];
                for (int row = 0; row < rows; row++) {
                    int any = 0;
                    for (int i = 0; i < turned.length; i++) any |= masks[i] = fits(turned[i], row, free, corners);
                    if (any != 0 && visitor.visit(piece, row, masks, any)) return true;
                }
            }
            return false;
        }

        private static int fits(int[] shape, int row, int[] free, int[] corners) {
            int touches = 0;
            for (int offset : shape) touches |= corners[offset + row];
            if (touches != 0) for (int offset : shape) touches &= free[offset + row];
            return touches;
        }
    }

    /** What never changes during a game; all copies share it. */
    private static final class Table {
        final List<String> names;
        final int rows, cols, full, height;
        final int[][] starts;
        final Cell[][][] shapes; // of each piece, in the protocol's order
        final int[][][] offsets; // of their cells, in shifted rows
        final int[] owner; // of each color; NONE for the turning one
        final boolean isLargestFirst;
        private final Move[][] moves;

        Table(Json hello, Game game) {
            names = game.pieces.stream().map(Piece::name).toList();
            rows = game.rows;
            cols = game.cols;
            full = (1 << cols) - 1;
            height = rows + REACH; // pieces may reach below the board, where nothing is free
            starts = game.colors.stream().map(color -> startOf(hello.get("start").get(color))).toArray(int[][]::new);
            shapes = hello.get("pieces").members().values().stream().map(Table::orientations).toArray(Cell[][][]::new);
            offsets = Arrays.stream(shapes).map(this::offsetsOf).toArray(int[][][]::new);
            owner = new int[game.colors.size()];
            Arrays.fill(owner, NONE);
            for (Seat seat : game.seats) for (int color : seat.colors()) owner[color] = game.seats.indexOf(seat);
            isLargestFirst = game.variant.equals("solo-descending");
            moves = new Move[names.size()][rows * cols * TURNS];
        }

        /** A move is made when it is first listed. */
        Move move(int piece, int turned, int row, int col) {
            int place = (row * cols + col) * TURNS + turned;
            if (moves[piece][place] == null) {
                var shape = Arrays.stream(shapes[piece][turned]);
                var cells = shape.map(cell -> new Cell(row + cell.row(), col + cell.col())).toList();
                moves[piece][place] = new Move(piece, cells);
            }
            return moves[piece][place];
        }

        /** Rows shifted by -4 to 4 columns, one after the other. */
        int[] shifted(int[] origin) {
            int[] flat = new int[(2 * REACH + 1) * height];
            for (int by = -REACH; by <= REACH; by++)
                for (int row = 0; row < rows; row++)
                    flat[(by + REACH) * height + row] = by < 0 ? origin[row] << -by : origin[row] >> by;
            return flat;
        }

        private int[] startOf(Json cells) {
            int[] start = new int[rows];
            if (cells.items().isEmpty()) Arrays.fill(start, full); // anywhere
            for (Cell cell : cellsOf(cells)) start[cell.row()] |= 1 << cell.col();
            return start;
        }

        private int[][] offsetsOf(Cell[][] turned) {
            ToIntFunction<Cell> offset = cell -> (cell.col() + REACH) * height + cell.row();
            return Arrays.stream(turned)
                .map(shape -> Arrays.stream(shape).mapToInt(offset).toArray())
                .toArray(int[][]::new);
        }

        /** Every way to turn and flip a piece: sorted cells, relative to the first of them. */
        private static Cell[][] orientations(Json drawing) {
            var byCell = Comparator.comparingInt(Cell::row).thenComparingInt(Cell::col);
            var shapes = new TreeSet<Cell[]>((a, b) -> Arrays.compare(a, b, byCell));
            List<Cell> cells = cellsOf(drawing);
            for (int turn = 0; turn < TURNS; turn++) {
                int side = turn < 4 ? 1 : -1;
                cells = cells.stream().map(cell -> new Cell(cell.col(), -cell.row())).toList();
                var flipped = cells.stream().map(cell -> new Cell(cell.row(), side * cell.col()));
                var sorted = flipped.sorted(byCell).toList();
                Cell first = sorted.get(0);
                shapes.add(sorted.stream()
                    .map(cell -> new Cell(cell.row() - first.row(), cell.col() - first.col()))
                    .toArray(Cell[]::new));
            }
            return shapes.toArray(Cell[][]::new);
        }
    }

    private static List<Cell> cellsOf(Json cells) {
        return cells.items().stream().map(Json::items)
            .map(pair -> new Cell(pair.get(0).whole(), pair.get(1).whole())).toList();
    }

    // ---- JSON, as much as the protocol needs

    record Json(Object value) {
        @SuppressWarnings("unchecked")
        Map<String, Json> members() {
            return (Map<String, Json>) value; // in their order
        }

        @SuppressWarnings("unchecked")
        List<Json> items() {
            return (List<Json>) value;
        }

        Json get(String key) {
            return members().get(key);
        }

        String text() {
            return (String) value;
        }

        long number() {
            return ((Double) value).longValue();
        }

        int whole() {
            return (int) number();
        }
    }

    private static final class Reader {
        private final String line;
        private int at = 0;

        Reader(String line) {
            this.line = line;
        }

        Object value() {
            if (takes('{')) {
                var members = new LinkedHashMap<String, Json>();
                while (!takes('}')) {
                    String key = string();
                    if (!takes(':')) throw new IllegalArgumentException("a line that is not JSON");
                    members.put(key, new Json(value()));
                    takes(',');
                }
                return members;
            }
            if (takes('[')) {
                var items = new ArrayList<Json>();
                while (!takes(']')) {
                    items.add(new Json(value()));
                    takes(',');
                }
                return items;
            }
            return line.charAt(at) == '"' ? string() : word();
        }

        private boolean takes(char mark) {
            while (line.charAt(at) <= ' ') at++;
            boolean found = line.charAt(at) == mark;
            if (found) at++;
            return found;
        }

        private Object word() {
            int start = at;
            while (at < line.length() && ",]} ".indexOf(line.charAt(at)) < 0) at++;
            String word = line.substring(start, at);
            return switch (word) {
                case "null" -> null;
                case "true", "false" -> Boolean.valueOf(word);
                default -> Double.valueOf(word);
            };
        }

        private String string() {
            var text = new StringBuilder();
            if (!takes('"')) throw new IllegalArgumentException("a line that is not JSON");
            for (char mark = line.charAt(at++); mark != '"'; mark = line.charAt(at++)) {
                text.append(mark == '\\' ? escape() : mark);
            }
            return text.toString();
        }

        private char escape() {
            char mark = line.charAt(at++);
            if (mark == 'u') return (char) Integer.parseInt(line.substring(at, at += 4), 16);
            int place = "nrtbf".indexOf(mark);
            return place < 0 ? mark : "\n\r\t\b\f".charAt(place);
        }
    }
}

import java.io.BufferedReader;
import java.io.InputStreamReader;

/** Takes the first legal move, always. */
class First {
    public static void main(String[] arguments) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        String prefix = "{\"type\":\"turn\",\"turn\":";
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            if (line.startsWith("{\"type\":\"hello\"")) {
                System.out.println("{\"type\":\"ready\",\"want\":[\"count\"]}");
            } else if (line.startsWith(prefix)) {
                String turn = line.substring(prefix.length(), line.indexOf(',', prefix.length()));
                System.out.println("{\"type\":\"move\",\"turn\":" + turn + ",\"index\":0}");
            }
            System.out.flush();
        }
    }
}

import java.io.BufferedReader;
import java.io.InputStreamReader;

public class Echo {
    public static void main(String[] arguments) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        String line;
        while ((line = input.readLine()) != null) {
            long heap = Runtime.getRuntime().maxMemory() >> 20;
            System.out.println("echo " + (line.equals("heap") ? String.valueOf(heap) : line));
        }
    }
}

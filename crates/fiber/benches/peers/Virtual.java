// Virtual threads on one carrier, yielding by Thread.yield.
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

class Virtual {
    static long began, ended, bytes, before, sum;

    // Resident memory and page tables, in bytes.
    static long memory() {
        long kib = 0;
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith("VmRSS") || line.startsWith("VmPTE")) {
                    kib += Long.parseLong(line.replaceAll("[^0-9]", ""));
                }
            }
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
        return kib * 1024;
    }

    // Flow 0 takes the time, from its second turn to its last.
    static void flow(boolean first, long yields) {
        long own = yields == 0 ? 1 : 0;
        for (long turn = 0; yields > 0 && turn <= yields; turn++) {
            Thread.yield();
            if (first && turn == 0) {
                bytes = memory() - before;
                began = System.nanoTime();
            }
            if (first && turn == yields) ended = System.nanoTime();
            own += turn;
        }
        sum += own; // There is one carrier.
    }

    // A virtual thread makes the others, so that none of them runs before all are there.
    static long life(int flows, long yields) throws InterruptedException {
        began = ended = bytes = sum = 0;
        long start = System.nanoTime();
        Thread maker = Thread.ofVirtual().start(() -> {
            List<Thread> all = new ArrayList<>(flows);
            for (int who = 0; who < flows; who++) {
                boolean first = who == 0;
                all.add(Thread.ofVirtual().start(() -> flow(first, yields)));
            }
            try {
                for (Thread thread : all) thread.join();
            } catch (InterruptedException error) {
                throw new IllegalStateException(error);
            }
        });
        maker.join();
        long expected = flows * (yields == 0 ? 1 : yields * (yields + 1) / 2);
        if (sum != expected) {
            System.err.println("the sum is " + sum + ", not " + expected);
            System.exit(1);
        }
        return System.nanoTime() - start;
    }

    public static void main(String[] arguments) throws InterruptedException {
        int flows = Integer.parseInt(arguments[0]);
        long yields = Long.parseLong(arguments[1]);
        // Has it compiled. Of the memory that this took, flows use what is free again first.
        for (int round = 0; round < 20; round++) life(1_000, 50);
        System.gc();
        before = memory();
        long life = life(flows, yields);
        double switches = (double) flows * Math.max(yields, 1);
        System.out.printf(Locale.ROOT, "%.4f %.2f %d%n",
            (ended - began) / switches, (double) life / flows, Math.max(bytes, 0));
    }
}

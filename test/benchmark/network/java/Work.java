import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** Does what a path asks for, as the server of example/3_server does. */
final class Work {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final byte[] FAST = bytes("fast\n");
    private static final byte[] SLEPT = bytes("slept\n");
    private static final byte[] BURNT = bytes("burnt\n");
    private static volatile int sink;

    private Work() {}

    static boolean isFast(String path) {
        return path.equals("/fast");
    }

    /** The body of the answer, or null for any path that there is not. */
    static byte[] answer(String path) {
        if (isFast(path)) {
            return FAST;
        }
        if (path.startsWith("/sleep/")) {
            sleep(Long.parseLong(path.substring("/sleep/".length())));
            return SLEPT;
        }
        if (path.startsWith("/cpu/")) {
            burn(Long.parseLong(path.substring("/cpu/".length())));
            return BURNT;
        }
        return null;
    }

    private static void sleep(long microseconds) {
        try {
            TimeUnit.MICROSECONDS.sleep(microseconds);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void burn(long microseconds) {
        long end = THREADS.getCurrentThreadCpuTime() + 1000 * microseconds;
        while (THREADS.getCurrentThreadCpuTime() < end) {
            for (int i = 0; i != 256; ++i) {
                sink = i;
            }
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}

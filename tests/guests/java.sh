# java: the compiler, threads, garbage, processes, sockets, mapped files
# packages: default-jdk-headless
# commands: java javac

version() { java -version 2>&1 | head -n 1; }

prepare() {
    cat >Guest.java <<'JAVA'
import java.io.*;
import java.net.*;
import java.nio.*;
import java.nio.channels.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;

public class Guest {
    static int depth(int n) { return n == 0 ? 0 : 1 + depth(n - 1); }

    public static void main(String[] arguments) throws Exception {
        System.out.println(IntStream.range(0, 2000000).parallel().mapToLong(n -> n % 77).sum());
        ExecutorService pool = Executors.newFixedThreadPool(24);
        List<Future<Integer>> results = new ArrayList<>();
        for (int n = 0; n < 400; n++) {
            final int number = n;
            results.add(pool.submit(() -> new byte[100000 + number].length));
        }
        long total = 0;
        for (Future<Integer> result : results)
            total += result.get();
        pool.shutdown();
        System.out.println("pool " + total + " " + pool.awaitTermination(60, TimeUnit.SECONDS));
        Map<String, Integer> words = new TreeMap<>();
        for (int n = 0; n < 800000; n++)
            words.merge("word" + n % 5003, 1, Integer::sum);
        System.gc();
        System.out.println(words.size());
        for (int n = 0; n < 10; n++) {
            Process process = new ProcessBuilder("sh", "-c", "cat; exit " + n).redirectErrorStream(true).start();
            process.getOutputStream().write("line\n".getBytes());
            process.getOutputStream().close();
            String text = new String(process.getInputStream().readAllBytes());
            if (process.waitFor() != n || !text.equals("line\n"))
                System.out.println("wrong: " + n + " " + text);
        }
        try { depth(100000000); } catch (StackOverflowError error) { System.out.println("stack overflow"); }
        try { Object nothing = null; nothing.toString(); } catch (NullPointerException e) { System.out.println("null"); }
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread answering = new Thread(() -> {
            try (Socket peer = server.accept()) { peer.getInputStream().transferTo(peer.getOutputStream()); }
            catch (IOException e) { System.out.println(e); }
        });
        answering.start();
        try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
            socket.getOutputStream().write(new byte[50000]);
            socket.shutdownOutput();
            System.out.println("echo " + socket.getInputStream().readAllBytes().length);
        }
        answering.join();
        try (FileChannel file = FileChannel.open(Path.of("mapped"), StandardOpenOption.CREATE,
                StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MappedByteBuffer memory = file.map(FileChannel.MapMode.READ_WRITE, 0, 100000);
            for (int n = 0; n < 100000; n++)
                memory.put(n, (byte)(n % 101));
            memory.force();
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
        System.exit(5);
    }
}
JAVA
}

workload() {
    javac Guest.java
    echo "javac $?"
    java -XX:+UseG1GC -Xmx512m -XX:-UsePerfData Guest
    echo "G1: status $?"
    java -XX:+UseSerialGC -Xmx256m -XX:TieredStopAtLevel=1 Guest
    echo "serial: status $?"
    java -XX:+UseZGC -Xmx512m Guest
    echo "Z: status $?"
    timeout 60 java -Xmx64m -cp . Missing 2>/dev/null
    echo "status $?"
    rm -f ./*.class
}

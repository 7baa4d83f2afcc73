# Java: com.sun.net.httpserver
# packages: default-jdk-headless
# commands: java javac

version() { java -version 2>&1 | head -n 1; }

prepare() {
    cat >"$GUEST_DATA/Server.java" <<'PROGRAM'
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;

public class Server {
    public static void main(String[] arguments) throws Exception {
        HttpServer server = HttpServer.create(
            new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])), 64);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", exchange -> {
            int n = Integer.parseInt(exchange.getRequestURI().getPath().substring(1));
            long sum = 0;
            for (long i = 0; i < n * 10L; i++)
                sum = (sum * 31 + i * i % 1000003) % 1000003;
            byte[] body = Long.toString(sum).getBytes();
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }
}
PROGRAM
    javac -d "$GUEST_DATA" "$GUEST_DATA/Server.java"
}

workload() {
    port=$(free_port)
    serve java -cp "$GUEST_DATA" Server "$port"
}

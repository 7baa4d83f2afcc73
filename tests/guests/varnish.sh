# varnish: a manager that compiles, two processes, threads, hits and misses, a child that is killed and comes back
# packages: varnish procps gcc python3 curl apache2-utils
# commands: varnishd varnishadm gcc curl ab

version() { varnishd -V 2>&1 | head -n 1 | grep -oE 'varnish-[0-9.]+'; }

prepare() {
    cat >backend.py <<'PYTHON'
import http.server
import sys


class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    count = 0

    def do_GET(self):
        Answer.count += 1
        body = b"answer %d to %s\n" % (Answer.count, self.path.encode())
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=600" if "keep" in self.path else "no-store")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Answer).serve_forever()
PYTHON
}

workload() {
    local port back backend server admin child
    port=$(free_port) back=$(free_port)
    chmod 755 .. .
    env -u LD_PRELOAD python3 backend.py "$back" &
    backend=$!
    wait_for_port "$back"
    cat >"$GUEST_DATA/vcl" <<VCL
vcl 4.1;
backend default { .host = "127.0.0.1"; .port = "$back"; }
sub vcl_deliver { set resp.http.X-Hits = obj.hits; }
VCL
    chmod 644 "$GUEST_DATA/vcl"
    mkdir -m 777 "$GUEST_DATA/v"
    as_user varnishd -F -j none -a "127.0.0.1:$port" -f "$GUEST_DATA/vcl" -n "$GUEST_DATA/v" -s malloc,32M -p ping_interval=1 \
        >"$GUEST_DATA/log" 2>&1 &
    server=$!
    wait_for_port "$port"
    admin="varnishadm -n $GUEST_DATA/v -t 60"
    curl -s "http://127.0.0.1:$port/keep" "http://127.0.0.1:$port/keep" "http://127.0.0.1:$port/not" "http://127.0.0.1:$port/not"
    ab -q -n 1500 -c 8 -s 120 "http://127.0.0.1:$port/keep" 2>&1 | grep -E 'Document Length|Complete|Failed|Non-2xx'
    curl -s -o /dev/null -w '%{http_code}\n' -X PURGE "http://127.0.0.1:$port/keep"
    child=$(pgrep -P "$(cat "$GUEST_DATA/v/_.pid")" | head -n 1)
    kill -KILL "$child"
    until grep -q "Child launched OK" "$GUEST_DATA/log" && $admin status 2>/dev/null | grep -q running &&
        ! kill -0 "$child" 2>/dev/null; do sleep 0.1; done
    wait_for_port "$port"
    curl -s "http://127.0.0.1:$port/keep" "http://127.0.0.1:$port/keep"
    printf 'vcl 4.1;\nbackend default none;\nsub vcl_recv { return (synth(418)); }\n' >"$GUEST_DATA/new"
    chmod 644 "$GUEST_DATA/new"
    $admin vcl.load new "$GUEST_DATA/new" >/dev/null && $admin vcl.use new | head -n 1
    curl -s -o /dev/null -w '%{http_code}\n' "http://127.0.0.1:$port/keep"
    $admin stop
    $admin status
    $admin start
    kill "$(cat "$GUEST_DATA/v/_.pid")"
    wait "$server"
    echo "ended with $?"
    kill "$backend"
    wait "$backend"
    grep -oE 'Panic|Assert|died signal=[0-9]+|Stopping Child' "$GUEST_DATA/log" | sort | uniq -c
}

# Python: http.server, a thread for each request
# packages: python3
# variants: 3.9 3.10 3.11 3.12 3.13 3.14

# The interpreter itself, where a script stands for it.
interpreter() {
    local path
    for path in "/usr/bin/python$VARIANT" "${PYENV_ROOT:-$PYENV}"/versions/"$VARIANT".*/bin/"python$VARIANT"; do
        [ ! -x "$path" ] || { echo "$path" && return; }
    done
    return 1
}

available() { interpreter >/dev/null; }

version() { "$(interpreter)" --version; }

workload() {
    port=$(free_port)
    cat >"$GUEST_DATA/server.py" <<'PROGRAM'
import http.server
import sys


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        total = 0
        for i in range(int(self.path[1:]) * 10):
            total = (total * 31 + i * i % 1000003) % 1000003
        body = str(total).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
PROGRAM
    serve "$(interpreter)" "$GUEST_DATA/server.py" "$port"
}

# node: http
# packages: nodejs
# commands: node

version() { node --version; }

workload() {
    port=$(free_port)
    cat >"$GUEST_DATA/server.js" <<'PROGRAM'
require("http").createServer((request, response) => {
    const n = parseInt(request.url.slice(1));
    let sum = 0n;
    for (let i = 0n; i < BigInt(n * 10); i++)
        sum = (sum * 31n + i * i % 1000003n) % 1000003n;
    response.end(String(sum));
}).listen(parseInt(process.argv[2]), "127.0.0.1");
PROGRAM
    serve node "$GUEST_DATA/server.js" "$port"
}

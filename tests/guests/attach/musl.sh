# musl: the same program
# packages: musl-tools
# commands: musl-gcc
# refused: it uses musl as its libc

version() { dpkg-query -W -f '${Version}' musl 2>/dev/null; }

prepare() { musl-gcc -O1 -w "$here/server.c" -o "$GUEST_DATA/server" -pthread; }

workload() {
    port=$(free_port)
    serve "$GUEST_DATA/server" "$port"
}

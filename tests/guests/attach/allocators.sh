# C, a thread for each request
# packages: gcc libc6-dev libjemalloc2 libgoogle-perftools4 libtcmalloc-minimal4 libmimalloc2.0
# commands: gcc
# variants: glibc jemalloc.so.2 tcmalloc.so.4 tcmalloc_minimal.so.4 mimalloc.so.2

preload() { [ "$VARIANT" = glibc ] || echo "lib$VARIANT"; }

available() { [ -z "$(LD_PRELOAD=$(preload) true 2>&1)" ]; }

version() { [ "$VARIANT" = glibc ] && ldd --version | head -n 1 || echo "lib$VARIANT"; }

prepare() { gcc -O1 -w "$here/server.c" -o "$GUEST_DATA/server" -pthread; }

workload() {
    port=$(free_port)
    serve env LD_PRELOAD="$(preload)" "$GUEST_DATA/server" "$port"
}

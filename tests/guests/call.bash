# call.bash GUEST FUNCTION: calls the guest's function; those that it may leave out do nothing.
prepare() { :; }
version() { :; }

# as_user COMMAND...: as root, runs it as nobody, for programs that refuse root.
as_user() {
    if [ "$(id -u)" -eq 0 ]; then
        # setpriv itself is a part of the guest coreutils
        env -u LD_PRELOAD setpriv --reuid=65534 --regid=65534 --clear-groups env LD_PRELOAD="${LD_PRELOAD-}" "$@"
    else
        "$@"
    fi
}

# free_port: a TCP port of loopback that nobody listens on.
free_port() {
    /usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# wait_for_port PORT: until somebody listens there, at most two minutes.
wait_for_port() {
    local try
    for try in $(seq 1200); do
        if (: >"/dev/tcp/127.0.0.1/$1") 2>/dev/null; then
            return 0
        fi
        sleep 0.1
    done
    echo "nobody listens on the port after $try tries"
    return 1
}

ulimit -c 0
set -u
. "$1"
"$2"

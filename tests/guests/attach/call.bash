# call.bash GUEST FUNCTION: like ../call.bash, with helpers for targets of profrun --attach.
. "$(dirname "${BASH_SOURCE[0]}")/../call.bash" /dev/null :

# Whether the variant is there.
available() { :; }

# target PID: the process to attach to
target() { echo "$1" >"$GUEST_DATA/new" && mv "$GUEST_DATA/new" "$GUEST_DATA/target"; }

# rounds COMMAND...: until the attaching is over, at least twice. Each round must print the same, which is printed once.
rounds() {
    local first again
    first=$("$@" 2>&1)
    while :; do
        again=$("$@" 2>&1)
        [ "$first" = "$again" ] || printf 'another answer: %s\n' "$again"
        [ ! -e "$GUEST_DATA/over" ] || break
    done
    printf '%s\n' "$first"
}

# serve COMMAND...: runs a server on $port, asks it in rounds, ends it with SIGTERM
serve() {
    "$@" &
    server=$!
    wait_for_port "$port"
    target "$server"
    rounds /usr/bin/python3 "$here/client.py" "$port"
    kill "$server"
    wait "$server"
    echo "ended with $?"
}

here=$(dirname "$1")
. "$1"
"$2"

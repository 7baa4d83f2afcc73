# postgres
# packages: postgresql
# variants: backend postmaster

programs() { ls -d /usr/lib/postgresql/*/bin | tail -n 1; }

available() { [ -x "$(programs)/postgres" ]; }

version() { "$(programs)/postgres" --version; }

query() { as_user "$(programs)/psql" -qAt -h "$GUEST_DATA" -p "$port" -d postgres "$@"; }

ask() {
    if [ "$VARIANT" = backend ]; then
        echo 'select sum(x), md5(string_agg(y, chr(44) order by x)) from t;' >&7
        read -r line <&8
        echo "$line"
    else
        query -c 'select sum(x), md5(string_agg(y, chr(44) order by x)) from t'
    fi
}

workload() {
    local line
    port=$(free_port)
    chmod 777 "$GUEST_DATA"
    mkdir -p "$GUEST_DATA/db" && { [ "$(id -u)" -ne 0 ] || chown 65534 "$GUEST_DATA/db"; }
    as_user "$(programs)/initdb" -D "$GUEST_DATA/db" -A trust >"$GUEST_DATA/initdb.log" 2>&1
    as_user "$(programs)/postgres" -D "$GUEST_DATA/db" -p "$port" -k "$GUEST_DATA" -c listen_addresses=127.0.0.1 \
        >"$GUEST_DATA/log" 2>&1 &
    server=$!
    wait_for_port "$port"
    until query -c 'select 1' >/dev/null 2>&1; do sleep 0.1; done
    query -c 'create table t as select g as x, md5(g::text) as y from generate_series(1, 20000) g'
    if [ "$VARIANT" = backend ]; then
        mkfifo "$GUEST_DATA/in" "$GUEST_DATA/out"
        query <"$GUEST_DATA/in" >"$GUEST_DATA/out" &
        exec 7>"$GUEST_DATA/in" 8<"$GUEST_DATA/out"
        echo 'select pg_backend_pid();' >&7
        read -r line <&8
        target "$line"
    else
        target "$(head -n 1 "$GUEST_DATA/db/postmaster.pid")"
    fi
    rounds ask
    [ "$VARIANT" != backend ] || exec 7>&-
    kill -INT "$(head -n 1 "$GUEST_DATA/db/postmaster.pid")"
    wait "$server"
    echo "ended with $?"
    grep -cE 'PANIC|terminated by signal|crash' "$GUEST_DATA/log"
}

# redis, with jemalloc and threads of its own
# packages: redis-server redis-tools
# commands: redis-server redis-cli redis-benchmark

version() { redis-server --version | cut -d' ' -f3; }

ask() {
    redis-benchmark -p "$port" -q -n 5000 -c 20 -t set,get,lpush,lrange_100 >/dev/null 2>&1
    redis-cli -p "$port" flushall
    redis-cli -p "$port" eval 'for i = 1, 2000 do redis.call("set", "key" .. i, i * 7) end return redis.call("dbsize")' 0
    redis-cli -p "$port" debug digest
}

workload() {
    port=$(free_port)
    redis-server --port "$port" --bind 127.0.0.1 --daemonize no --dir "$GUEST_DATA" --appendonly yes --save '' \
        --logfile "$GUEST_DATA/log" --enable-debug-command yes &
    server=$!
    wait_for_port "$port"
    target "$server"
    rounds ask
    redis-cli -p "$port" shutdown
    wait "$server"
    echo "ended with $?"
    grep -cE 'crashed|BUG REPORT' "$GUEST_DATA/log"
}

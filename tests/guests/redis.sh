# redis: redis-benchmark, a snapshot by a forked child, a rewrite of the log, a restart
# packages: redis-server redis-tools
# commands: redis-server redis-cli redis-benchmark

version() { redis-server --version | cut -d' ' -f3; }

redis_start() {
    redis-server --port "$port" --bind 127.0.0.1 --daemonize no --dir "$GUEST_DATA" --appendonly yes --save '' \
        --logfile "$GUEST_DATA/log" --enable-debug-command yes &
    server=$!
    wait_for_port "$port"
    while [ "$(redis-cli -p "$port" ping)" != PONG ]; do sleep 0.1; done
}

workload() {
    local port server
    port=$(free_port)
    redis_start
    redis-benchmark -p "$port" -q -n 20000 -c 20 -t set,get,incr,lpush,lrange_100 --threads 2 2>&1 | tr '\r' '\n' |
        grep -oE '^[A-Z]+[A-Z_0-9]*.*: [0-9.]+ requests per second' | cut -d: -f1 | sort -u
    redis-cli -p "$port" flushall
    redis-cli -p "$port" eval 'for i = 1, 50000 do redis.call("set", "key" .. i, i * 7) end return redis.call("dbsize")' 0
    redis-cli -p "$port" debug digest
    redis-cli -p "$port" bgsave >/dev/null
    while ! redis-cli -p "$port" info persistence | grep -q rdb_bgsave_in_progress:0; do sleep 0.1; done
    redis-cli -p "$port" bgrewriteaof >/dev/null
    while redis-cli -p "$port" info persistence | grep -qE 'aof_rewrite_(in_progress|scheduled):1'; do sleep 0.1; done
    redis-cli -p "$port" info persistence | grep -E 'status'
    redis-cli -p "$port" shutdown
    wait "$server"
    echo "ended with $?"
    redis_start
    redis-cli -p "$port" debug digest
    kill "$server"
    wait "$server"
    echo "ended with $?"
    grep -cE 'crashed|BUG REPORT' "$GUEST_DATA/log"
}

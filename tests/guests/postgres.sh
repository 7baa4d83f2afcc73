# postgres: a cluster, queries, pgbench with four clients, a dump, a crash and its recovery
# packages: postgresql postgresql-contrib util-linux
# commands: psql setpriv
# limit: 400

pg=$(echo /usr/lib/postgresql/*/bin | tr ' ' '\n' | tail -n 1)

version() { "$pg/postgres" --version; }

pg_start() {
    as_user "$pg/pg_ctl" -s -w -t 300 -D "$GUEST_DATA/db" -l "$GUEST_DATA/log" start \
        -o "-c listen_addresses='' -c unix_socket_directories=$GUEST_DATA -c max_parallel_workers_per_gather=2"
}

workload() {
    export PGHOST=$GUEST_DATA PGUSER=guest PGDATABASE=postgres
    as_user "$pg/initdb" -D "$GUEST_DATA/db" -U guest -A trust --no-sync >/dev/null
    echo "initdb $?"
    pg_start
    echo "start $?"
    as_user psql -qAt <<'SQL'
CREATE TABLE t AS SELECT i, i % 97 AS k, md5(i::text) AS word FROM generate_series(1, 200000) i;
CREATE INDEX ON t(word);
SET min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
SELECT k, count(*), min(word) FROM t GROUP BY k ORDER BY k LIMIT 5;
SELECT count(*) FROM t a JOIN t b ON a.word = b.word WHERE a.k < 10;
VACUUM ANALYZE t;
DO $$ BEGIN RAISE EXCEPTION 'raised'; END $$;
COPY (SELECT word FROM t ORDER BY word LIMIT 3) TO PROGRAM 'cat >&2; exit 0';
SQL
    as_user "$pg/pgbench" -q -i -s 2 2>/dev/null
    as_user "$pg/pgbench" -n -c 4 -j 2 -t 250 --random-seed=7 2>&1 |
        grep -E 'actually processed|failed'
    as_user psql -qAt -c 'SELECT count(*) FROM pgbench_history'
    as_user "$pg/pg_dump" -t t --data-only | grep -v restrict | sort | sha256sum
    as_user "$pg/pg_ctl" -s -m immediate -D "$GUEST_DATA/db" stop
    echo "crash $?"
    pg_start
    echo "start $?"
    as_user psql -qAt -c 'SELECT count(*) FROM t' -c 'SELECT count(*) FROM pgbench_history'
    as_user "$pg/pg_ctl" -s -m fast -w -t 300 -D "$GUEST_DATA/db" stop
    echo "stop $?"
    grep -cE 'PANIC|terminated by signal|server process' "$GUEST_DATA/log"
}

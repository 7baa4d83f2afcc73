# MariaDB: a new database, queries, four clients at once, kill -9 and the recovery, a dump
# packages: mariadb-server mariadb-client
# commands: mariadbd mariadb mariadb-install-db mariadb-slap

version() { mariadbd --version | grep -oE 'Ver [^ ]*' | sed 's/Ver/MariaDB/'; }

maria_start() {
    as_user mariadbd --no-defaults --datadir="$GUEST_DATA/db" --socket="$GUEST_DATA/sock" --skip-networking --pid-file="$GUEST_DATA/pid" \
        --log-error="$GUEST_DATA/log.err" --innodb-buffer-pool-size=32M --skip-grant-tables --open-files-limit=1000 \
        --max-connections=50 --table-open-cache=200 &
    server=$!
    until mariadb-admin --no-defaults -u root --socket="$GUEST_DATA/sock" ping >/dev/null 2>&1; do sleep 0.2; done
}

workload() {
    local server
    chmod 755 .. .
    as_user mariadb-install-db --no-defaults --auth-root-authentication-method=normal --datadir="$GUEST_DATA/db" --skip-test-db \
        >/dev/null 2>&1
    echo "installed $?"
    maria_start
    mariadb --no-defaults -u root --socket="$GUEST_DATA/sock" -N <<'SQL'
CREATE DATABASE guest; USE guest;
CREATE TABLE t (i INT PRIMARY KEY, k INT, word CHAR(32), KEY (word)) ENGINE=InnoDB
    AS SELECT seq AS i, seq % 97 AS k, md5(seq) AS word FROM seq_1_to_60000;
SELECT k, count(*), min(word) FROM t GROUP BY k ORDER BY k LIMIT 4;
SELECT count(*) FROM t a JOIN t b ON a.word = b.word WHERE a.k < 10;
CREATE TABLE m ENGINE=Aria AS SELECT * FROM t WHERE k = 3;
SELECT count(*) FROM m;
BEGIN; DELETE FROM t; ROLLBACK; SELECT count(*) FROM t;
SELECT sleep(0.2);
SQL
    mariadb-slap --no-defaults -u root --socket="$GUEST_DATA/sock" --concurrency=4 --iterations=2 --number-of-queries=400 \
        --auto-generate-sql --auto-generate-sql-load-type=mixed --silent
    echo "slap $?"
    mariadb --no-defaults -u root --socket="$GUEST_DATA/sock" -N -e 'SELECT nothing FROM guest.t' 2>&1
    mariadb-dump --no-defaults -u root --socket="$GUEST_DATA/sock" --skip-dump-date guest | grep -v '^-- ' | sha256sum
    kill -KILL "$(cat "$GUEST_DATA/pid")"
    wait "$server" 2>/dev/null
    echo "killed $?"
    maria_start
    mariadb --no-defaults -u root --socket="$GUEST_DATA/sock" -N -e 'SELECT count(*), sum(k) FROM guest.t; CHECK TABLE guest.m'
    mariadb-admin --no-defaults -u root --socket="$GUEST_DATA/sock" shutdown
    wait "$server"
    echo "ended with $?"
    grep -oE 'got signal [0-9]+|mysqld: Shutdown complete|Starting crash recovery' "$GUEST_DATA/log.err" | sort | uniq -c
}

# sqlite: tables, an index, WAL with a reader beside the writer, a dump, a backup
# packages: sqlite3
# commands: sqlite3
# set: quick

version() { sqlite3 --version | cut -d' ' -f1; }

prepare() {
    cat >fill.sql <<'SQL'
PRAGMA journal_mode=WAL;
CREATE TABLE t(id INTEGER PRIMARY KEY, word TEXT, number REAL);
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120000)
    INSERT INTO t SELECT i, 'word' || (i * 7919 % 10007), i * 0.25 FROM n;
COMMIT;
CREATE INDEX words ON t(word);
SELECT count(*), sum(number), count(DISTINCT word) FROM t;
SELECT word, count(*) c FROM t GROUP BY word ORDER BY c DESC, word LIMIT 5;
UPDATE t SET number = number * 2 WHERE id % 3 = 0;
DELETE FROM t WHERE word LIKE '%77';
PRAGMA integrity_check;
SQL
}

workload() {
    sqlite3 data.db <fill.sql
    # Two readers at once. Whichever opens or closes the WAL first locks the other out for a moment, so both wait.
    sqlite3 data.db '.timeout 60000' 'SELECT total(number) FROM t' &
    sqlite3 -readonly data.db '.timeout 60000' 'SELECT 1 FROM t WHERE id = 5' >/dev/null
    wait
    sqlite3 data.db .dump | sha256sum
    sqlite3 data.db '.backup copy.db' 'PRAGMA journal_mode=DELETE'
    sqlite3 copy.db 'VACUUM; PRAGMA integrity_check; SELECT max(id) FROM t'
    sqlite3 :memory: 'SELECT nothing'
    echo "status $?"
}

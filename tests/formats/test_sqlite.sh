#!/usr/bin/env bash
# Databases have what their traces have, by SQLite's own checks, by a script's query, and read back by profdump: of the
# traces of the golden tests and, where ../shared is, of other programs' traces.
set -u
export PATH=$BIN_DIR:$PATH
failed=0

fail() {
    echo "FAILED: $*"
    failed=1
}

rm -rf traces journaled.sqlite* && mkdir traces && "$BUILD_DIR/test/make_traces" traces || exit 1
profdump -o first.sqlite traces/demo.prof 2>err.txt
if grep -q "built without SQLite" err.txt; then
    echo "profdump was built without SQLite"
    exit 77
fi

# same TRACE [NAME...]: what stands in the database differently, and must, is NAMEd
same() {
    local trace=$1
    shift
    profdump --partial -o out.sqlite "$trace" 2>err.txt || fail "$trace: $(cat err.txt)"
    python3 "$SOURCE_DIR/tests/formats/compare_sqlite.py" "$BIN_DIR/profdump" "$trace" out.sqlite "$@" >out.txt 2>&1 ||
        fail "$trace: $(tail -1 out.txt)"
}

for trace in cpu demo graphs failing nvtx rank0 rank1 hostile; do
    same "traces/$trace.prof"
done
# a range that did not end has no end there
same traces/blocks.prof "never ends"
same traces/killed.prof "never closed" open
same traces/lossy.prof open
same traces/memory.prof

# An old database whose last writer was killed: its journal is not applied to the new database.
python3 - <<'PYTHON'
import os, sqlite3
old = sqlite3.connect("journaled.sqlite")
old.execute("PRAGMA journal_mode=WAL")
old.execute("PRAGMA wal_autocheckpoint=0")
for name in ("a", "b"):
    old.execute(f"CREATE TABLE {name}(x)")
    old.executemany(f"INSERT INTO {name} VALUES(?)", [("old" * 500,)] * 100)
    old.commit()
os._exit(0)
PYTHON
[ -s journaled.sqlite-wal ] || fail "the old database has no journal"
profdump -o journaled.sqlite traces/demo.prof || fail "a database with a journal is not replaced"
profdump -o wanted.sqlite traces/demo.prof
python3 - <<'PYTHON' || fail "what an old journal holds is in the new database"
import sqlite3
wanted, got = (list(sqlite3.connect(name).iterdump()) for name in ("wanted.sqlite", "journaled.sqlite"))
assert wanted == got
PYTHON

shared=$SOURCE_DIR/../shared/data
if [ -d "$shared" ]; then
    for trace in "$shared"/kineto/*.json* "$shared"/hta/*.json*; do
        case $trace in
        *amd_trace*) same "$trace" "Memcpy HtoD (Host -> Device)" "Memcpy HtoD (Pageable -> Device)" ;; # as kinds are called
        *) same "$trace" ;;
        esac
    done
else
    echo "note: ../shared is missing: other programs' traces are not tested"
fi

# Twice the same, and nothing of a database that could not be written.
profdump -o again.sqlite traces/demo.prof && cmp first.sqlite again.sqlite || fail "not the same every time"
profdump -o - --to sqlite traces/demo.prof >out.txt 2>err.txt && fail "a database into a pipe"
grep -q "must be a file" err.txt || fail "why a pipe is refused: $(cat err.txt)"
profdump -o no/such/x.sqlite traces/demo.prof 2>/dev/null && fail "a directory that is not there"
echo old >kept.sqlite
(
    ulimit -f 8
    trap '' XFSZ
    profdump -o kept.sqlite traces/demo.prof 2>err.txt
) && fail "a file beyond its limit"
[ "$(cat kept.sqlite)" = old ] || fail "the old file is gone"
[ -z "$(find . -name '.prof-*')" ] || fail "a temporary file is left"

[ "$failed" = 0 ] && echo "all passed"
exit "$failed"

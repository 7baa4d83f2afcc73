# Statements made by chance answer as SQLite's own tables with the same rows do; the tables of nsys are those of -o OUT.sqlite.
set -u
if ! "$BIN_DIR/profdump" query --schema >/dev/null 2>&1; then
    echo "profdump was built without libsqlite3"
    exit 77
fi
if ! python3 -c 'import sqlite3' 2>/dev/null; then
    echo "no Python with sqlite3"
    exit 77
fi
mkdir -p traces && "$BUILD_DIR/test/make_traces" traces || exit 1
cd traces || exit 1
python3 "$SOURCE_DIR/tests/query/ask_twice.py" "$BIN_DIR/profdump" "${QUERY_SEED:-1}" \
    demo.prof nvtx.prof graphs.prof memory.prof hostile.prof blocks.prof rank0.prof,rank1.prof,failing.prof

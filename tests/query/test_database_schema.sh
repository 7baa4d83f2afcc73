# The tables, columns and types of `profdump -o OUT.sqlite` are those of database_schema.sql: scripts rely on them, so columns are only
# added. What `profdump fleet schema` says of a dataset is held by docs/ranks.md (tests/fleet/test_schema.sh).
set -u
python3 -c 'import sqlite3' 2>/dev/null || { echo "no Python with sqlite3"; exit 77; }
mkdir -p traces && "$BUILD_DIR/test/make_traces" traces || exit 1
if ! "$BIN_DIR/profdump" query --schema >/dev/null 2>&1; then
    echo "profdump was built without libsqlite3"
    exit 77
fi
"$BIN_DIR/profdump" -o schema.sqlite traces/demo.prof || exit 1
python3 -c 'import sqlite3
for row in sqlite3.connect("schema.sqlite").execute("SELECT sql FROM sqlite_master WHERE sql NOT NULL"): print(row[0] + ";")' >schema.sql
diff -u "$SOURCE_DIR/tests/query/database_schema.sql" schema.sql

# docs/query.md describes the tables of `profdump query` as the program itself does.
set -u
if ! "$BIN_DIR/profdump" query --schema --format markdown >schema.md; then
    echo "profdump was built without libsqlite3"
    exit 77
fi
sed -n '/^## Functions$/,$p' "$SOURCE_DIR/docs/query.md" >documented.md
diff -u documented.md schema.md || {
    echo "docs/query.md: everything from '## Functions' on is what profdump query --schema --format markdown prints"
    exit 1
}

#!/usr/bin/env bash
# Databases of nsys in shapes that its own documentation does not promise: nothing is silently left out.
set -u

"$BIN_DIR/profdump" --version | grep -q '^without SQLite' && {
    echo "skipped: profdump was built without SQLite"
    exit 77
}
command -v python3 >/dev/null || {
    echo "skipped: no python3"
    exit 77
}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1
python3 "$SOURCE_DIR/tests/foreign/nsys_expect.py" "$BIN_DIR/profdump"

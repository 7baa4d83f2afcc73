#!/usr/bin/env bash
# Files of other profilers that lack what a report needs: it says what cannot be judged, and gives no all-clear.
set -u

command -v python3 >/dev/null || {
    echo "skipped: no python3"
    exit 77
}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1
python3 "$SOURCE_DIR/tests/foreign/evidence_expect.py" "$BIN_DIR/profdump"

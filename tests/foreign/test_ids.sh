#!/usr/bin/env bash
# Pids and tids of more than 32 bits, and texts for them: no two threads are one, in no format, and each comes back.
set -u

command -v python3 >/dev/null || {
    echo "skipped: no python3"
    exit 77
}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1
python3 "$SOURCE_DIR/tests/foreign/ids_expect.py" "$BIN_DIR/profdump"

#!/usr/bin/env bash
# Real traces: every kernel of a file is counted once, whatever the file lacks, and no number is made up.
set -u

data=$SOURCE_DIR/../shared/data
if [ ! -d "$data" ]; then
    echo "skipped: no $data"
    exit 77
fi
command -v python3 >/dev/null || {
    echo "skipped: no python3"
    exit 77
}
python3 "$SOURCE_DIR/tests/work/roofline_files.py" "$BIN_DIR/profdump" "$data"

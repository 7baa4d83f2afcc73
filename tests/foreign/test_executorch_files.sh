#!/usr/bin/env bash
# Real files of ExecuTorch: what its own programs answered for them.
set -u

data=$SOURCE_DIR/../shared/data/executorch
if [ ! -d "$data" ]; then
    echo "skipped: no $data"
    exit 77
fi
command -v python3 >/dev/null || {
    echo "skipped: no python3"
    exit 77
}
python3 "$SOURCE_DIR/tests/foreign/executorch_expect.py" "$BIN_DIR/profdump" "$data"

#!/usr/bin/env bash
# Real traces of other profilers: the judge finds the numbers that profdump finds. ExecuTorch's files are left out: what they
# hold is compared with what ExecuTorch's own parser finds in them.
# long: Python reads dozens of megabytes
set -euo pipefail
: "${PROF_BIN:?}" "${SOURCE_DIR:?}"
data=$SOURCE_DIR/../shared/data
[[ -d $data ]] || {
    echo "skipped: there is no $data"
    exit 77
}
python3 "$SOURCE_DIR/tests/judge/judge.py" --profdump "$PROF_BIN/profdump" "$data"/{hta,kineto,nvprof,pytorch,viewer}/*

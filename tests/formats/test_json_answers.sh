#!/usr/bin/env bash
# JSON answers are valid and as their schemas say, whatever names a trace has.
set -u
for seed in 1 2 3; do
    python3 "$SOURCE_DIR/tests/formats/json_answers.py" "$BIN_DIR/profdump" $seed || exit 1
done

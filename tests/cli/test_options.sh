#!/usr/bin/env bash
# Every option with every command: see options.py.
set -eu
mkdir -p traces && "$BIN_DIR/../test/make_traces" traces
cd traces
cp diff/*.prof . && cp "$SOURCE_DIR/tests/cli/inputs/kineto.json" a.json && mkdir -p maps baselines/base && cp base.prof baselines/base
python3 "$SOURCE_DIR/tests/cli/options.py" "$BIN_DIR/profdump"

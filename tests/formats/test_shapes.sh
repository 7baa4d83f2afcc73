#!/usr/bin/env bash
# What reading and writing cost grows with what is in a trace, not with how many processes, devices, streams, threads or
# names share it, nor with how deep ranges nest. The figures themselves are those of bench_convert.
# long: it writes eight large traces in every format
set -u
exec python3 "$SOURCE_DIR/tests/formats/shapes.py" "$BIN_DIR/profdump"

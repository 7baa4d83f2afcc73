#!/usr/bin/env bash
# What formats' own people publish: Perfetto's message definitions (Python package `perfetto`) and speedscope's schema (npm
# package `speedscope`, by Python's `jsonschema`). Both are fetched once into the build directory.
# long: it fetches packages
. "$(dirname "$0")/cuda_common.sh"
. "$(dirname "$0")/packages_common.sh"

checks=$e2e_directory/../formats
profdump=$PROF_BIN/profdump

command -v python3 >/dev/null || skip "needs python3"
"$CC" -std=gnu17 -O1 -I"$include" "$e2e_directory/../../examples/demo_ranges.c" -o demo -L"$SIM_LIB" -l:libcudart.so.13
simulate demo.prof ./demo >/dev/null
checked=0

if fetch perfetto perfetto protobuf; then
    "$profdump" -o demo.pftrace demo.prof
    PYTHONPATH=$packages/perfetto python3 "$checks/check_perfetto_protos.py" demo.pftrace
    checked=1
fi
if fetch jsonschema jsonschema && fetch_npm "$speedscope_package"; then
    "$profdump" -o demo.json --to speedscope demo.prof
    PYTHONPATH=$packages/jsonschema python3 "$checks/check_speedscope.py" demo.json \
        "$packages/speedscope/package/dist/release/file-format-schema.json" >/dev/null
    checked=1
fi
((checked)) || skip "no package could be fetched"

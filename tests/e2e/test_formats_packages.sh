#!/usr/bin/env bash
# What formats' own people publish: Perfetto's message definitions (Python package `perfetto`) and speedscope's schema (npm
# package `speedscope`, by Python's `jsonschema`). Both are fetched once into the build directory.
. "$(dirname "$0")/cuda_common.sh"

packages=${BUILD_DIR:-$here}/formats_packages
checks=$e2e_directory/../formats
profdump=$PROF_BIN/profdump

# fetch_python NAME REQUIREMENT...: installs into $packages/NAME, which is complete or not there.
fetch_python() {
    [[ -d $packages/$1 ]] && return
    mkdir -p "$packages"
    rm -rf "$packages/$1.part"
    timeout 200 python3 -m pip install -q --disable-pip-version-check --target "$packages/$1.part" "${@:2}" >pip.txt 2>&1 &&
        mv "$packages/$1.part" "$packages/$1"
}

fetch_schema() {
    [[ -e $packages/speedscope.json ]] && return
    command -v npm >/dev/null && timeout 100 npm pack --silent speedscope >npm.txt 2>&1 || return
    tar xzOf speedscope-*.tgz package/dist/release/file-format-schema.json >schema.json &&
        mkdir -p "$packages" && mv schema.json "$packages/speedscope.json"
}

command -v python3 >/dev/null || skip "needs python3"
"$CC" -std=gnu17 -O1 -I"$include" "$e2e_directory/../../examples/demo_ranges.c" -o demo -L"$SIM_LIB" -l:libcudart.so.13
simulate demo.prof ./demo >/dev/null
checked=0

if fetch_python perfetto perfetto protobuf; then
    "$profdump" -o demo.pftrace demo.prof
    PYTHONPATH=$packages/perfetto python3 "$checks/check_perfetto_protos.py" demo.pftrace
    checked=1
fi
if fetch_python jsonschema jsonschema && fetch_schema; then
    "$profdump" -o demo.json --to speedscope demo.prof
    PYTHONPATH=$packages/jsonschema python3 "$checks/check_speedscope.py" demo.json "$packages/speedscope.json" >/dev/null
    checked=1
fi
((checked)) || skip "no package could be fetched"

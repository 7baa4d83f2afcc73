#!/usr/bin/env bash
# Go's pprof reads our profiles, of the traces of the golden tests and of one of PyTorch's: its functions have the values of
# profdump's table. PPROF names the program; else `./dev test` unpacks it from Debian's golang.
. "$(dirname "$0")/common.sh"

pprof=${PPROF:-$e2e_directory/../../build/pprof/pprof}
[[ -x $pprof ]] || skip "there is no pprof ('./dev test' unpacks Debian's; PPROF names another)"

"$BUILD_DIR/test/make_traces" .
traces=(*.prof)
resnet=$(echo "$e2e_directory"/../../../shared/data/kineto/resnet50*.json.gz)
[[ ! -e $resnet ]] || traces+=("$resnet")
python3 "$e2e_directory/readers_compare.py" "$PROF_BIN/profdump" pprof "$pprof" "${traces[@]}"

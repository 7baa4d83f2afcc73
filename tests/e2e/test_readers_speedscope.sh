#!/usr/bin/env bash
# speedscope's own importer reads our files, of the traces of the golden tests and of one of PyTorch's: functions have the times
# of profdump's table. Empty and hostile traces are among them.
# long: it fetches packages
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/packages_common.sh"

command -v node >/dev/null || skip "node is missing"
fetch_npm "$speedscope_package" || skip "speedscope could not be fetched: $(tail -n 1 fetch.txt)"

"$BUILD_DIR/test/make_traces" .
traces=(*.prof)
resnet=$(echo "$e2e_directory"/../../../shared/data/kineto/resnet50*.json.gz)
[[ ! -e $resnet ]] || traces+=("$resnet")
python3 "$e2e_directory/readers_compare.py" "$PROF_BIN/profdump" speedscope "$packages/speedscope/package/dist/release" "${traces[@]}"

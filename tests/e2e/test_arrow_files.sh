#!/usr/bin/env bash
# Tables as Arrow files, of traces of libprof and of others, read by pyarrow, polars, pandas' Feather reader and DuckDB.
# Packages are fetched once into the build directory; without pyarrow the test is skipped, without another its part.
# long: it fetches packages
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/packages_common.sh"

fetch pyarrow pyarrow || skip "pyarrow cannot be had: $(tail -n 1 fetch.txt)"
for other in polars duckdb; do
    fetch "$other" "$other" || echo "without $other: $(tail -n 1 fetch.txt)"
done

"$BUILD_DIR/test/make_traces" .
profdump=$PROF_BIN/profdump
checks=$e2e_directory/arrow_files.py
export PYTHONPATH=$packages/pyarrow:$packages/polars:$packages/duckdb

check() { # NAME INPUT...: all tables of the inputs
    local name=$1
    shift
    mkdir "$name"
    "$profdump" -o "$name" --to arrow "$@" 2>err.txt || fail "$name: $(tail -3 err.txt)"
    "$profdump" --json "$@" >"$name.facts" 2>/dev/null
    python3 "$checks" "$name" "$name.facts" >said.txt 2>err.txt || fail "$name: $(tail -3 err.txt)"
    cat said.txt
}

for name in demo hostile killed nvtx graphs lossy cpu memory; do
    check "$name" "$name.prof"
done
check both rank0.prof rank1.prof

# Others' traces.
cat >kineto.json <<'JSON'
{"schemaVersion": 1, "traceEvents": [
 {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 5, "tid": 5, "ts": 10, "dur": 90.5, "args":
  {"External id": 1, "Sequence number": 7, "Input Dims": [[2, 3], [3, 4]], "Input type": ["float", "float"],
   "Call stack": "a.py(1): f;b.py(2): <module>"}},
 {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 5, "tid": 5, "ts": 20, "dur": 5,
  "args": {"correlation": 9, "External id": 1}},
 {"ph": "X", "cat": "kernel", "name": "sgemm \"\u0001\" </script>", "pid": 0, "tid": 7, "ts": 40, "dur": 30,
  "args": {"correlation": 9, "device": 0, "stream": 7, "context": 1, "grid": [1, 2, 3], "block": [32, 1, 1]}},
 {"ph": "C", "name": "loss", "pid": 5, "tid": 5, "ts": 50, "args": {"value": 0.5}}
]}
JSON
check kineto kineto.json
shared=$e2e_directory/../../../shared/data
for file in "$shared"/kineto/*.pt.trace.json.gz "$shared"/hta/triton*.json.gz "$shared"/executorch/etdump.etdp; do
    [[ -e $file ]] || continue
    check "$(basename "$file" | tr . _)" "$file"
done

# One table; packed by its ending; a pipe.
"$profdump" -o one.arrow --arrow-table kernels demo.prof
cmp one.arrow demo/kernels.arrow || fail "--arrow-table kernels"
"$profdump" -o one.arrow demo.prof && cmp one.arrow demo/events.arrow || fail "events are the default"
"$profdump" -o - --to arrow demo.prof | cmp - demo/events.arrow || fail "to a pipe"
"$profdump" -o one.arrow.gz demo.prof && gzip -dc one.arrow.gz | cmp - demo/events.arrow || fail "gzip"
echo "all passed"

#!/usr/bin/env bash
# libprof as NCCL's profiler plugin: every interface that NCCL may choose, and how it is found, replaced and turned off.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda nccl_host -D_GNU_SOURCE -I"$e2e_directory/../../collect/nccl" -ldl

ranges_of() {
    "$PROF_BIN/profdump" --chrome out.json "$1"
    python3 "$e2e_directory/nccl_expect.py" "$2" out.json || fail "what is recorded of $1"
}

for version in 1 2 3 4 5 6; do
    mask=0x6
    ((version == 5)) && mask=0xf06
    ((version == 6)) && mask=0x1f06
    same "interface $version" "libprof v$version mask $mask" "$(simulate v$version.prof ./nccl_host $version 2>err.txt)"
    ranges_of v$version.prof $version
done

# Rows of a dataset: a call of its own, a group of two with one kernel, and two replays of two captured calls.
. "$e2e_directory/packages_common.sh"
if fetch duckdb duckdb; then
    mkdir job
    cp v6.prof job/
    export PYTHONPATH=$e2e_directory/../../python_shim:$packages/duckdb PYTHONDONTWRITEBYTECODE=1
    LIBPROF_BIN=$PROF_BIN LIBPROF_LIBRARY=$lib python3 -m libprof pack job -o job.dataset --workers 1 >out.txt || fail "pack: $(cat out.txt)"
    LIBPROF_BIN=$PROF_BIN LIBPROF_LIBRARY=$lib python3 -m libprof fleet job.dataset --format tsv --sql \
        "SELECT sequence, c.function, bytes, peer, communicator_rank, group_place, group_bytes,
                (SELECT count(*) FROM kernels AS k WHERE k.start = c.start AND k.duration_ns = c.duration_ns AND k.stream = c.stream) AS kernels,
                count(*) OVER (PARTITION BY start) AS sharing, CAST(called < start AS INTEGER) AS earlier
         FROM collectives AS c ORDER BY start, sequence NULLS LAST" >rows.tsv
    python3 - <<'PYTHON' || fail "rows of a dataset: $(cat rows.tsv)"
rows = [tuple(line.rstrip("\n").split("\t")) for line in open("rows.tsv")][1:]
reduce = ("ncclAllReduce", "4096", "", "3")
alone, first = ("", "", "1", "1", "1"), ("0", "4112", "1", "2", "1")
captured_group = ("0", "4096", "1", "1", "1")
wanted = [("0", *reduce, *alone), ("1", *reduce, *first), ("", "ncclSend", "16", "5", "3", *first)]
for replay in range(2):
    wanted += [(str(2 + 2 * replay), *reduce, *alone), (str(3 + 2 * replay), *reduce, *captured_group)]
assert rows == wanted, f"{rows} instead of {wanted}"
PYTHON
else
    echo "DuckDB could not be fetched, so rows of a dataset are not checked: $(tail -n 1 fetch.txt)"
fi

# Calls of a group that is larger than any table, and what proxies do, on request.
simulate many.prof ./nccl_host 6 many >out.txt 2>err.txt || fail "5,000 calls: $(cat out.txt err.txt)"
"$PROF_BIN/profdump" --chrome many.json many.prof
python3 - <<'PYTHON' || fail "5,000 calls in a group"
import json
events = [e for e in json.load(open("many.json"))["traceEvents"] if e.get("cat") == "user_annotation"]
def calls(name): return [e["args"]["NCCL call"] for e in events if e["name"] == name]
assert len(calls("ncclAllReduce")) == 5000 and calls("ncclAllReduce") == calls("NCCL task AllReduce")
PYTHON
# Threads with communicators of their own, and NCCL's mistakes.
for version in 1 2 3 4 5 6; do
    PROF_NCCL=steps simulate threads$version.prof ./nccl_host $version threads >out.txt 2>err.txt || fail "threads: $(cat out.txt err.txt)"
    "$PROF_BIN/profdump" check threads$version.prof >out.txt || fail "threads, interface $version: $(cat out.txt)"
    # 4 threads x 50 rounds: a call of its own, one of a group, one that proxies work for.
    same "calls, interface $version" 600 \
        "$("$PROF_BIN/profdump" query --format tsv "SELECT count(*) FROM slices WHERE name LIKE '%ncclAllReduce'" threads$version.prof | tail -1)"
done

PROF_NCCL=proxy simulate proxy.prof ./nccl_host 6 proxy >out.txt 2>err.txt
same "proxies" "libprof v6 mask 0x1f0e" "$(cat out.txt)"
PROF_NCCL=steps simulate steps.prof ./nccl_host 6 proxy >out.txt 2>err.txt
same "proxies' steps" "libprof v6 mask 0x1f1e" "$(cat out.txt)"
for name in proxy steps; do
    "$PROF_BIN/profdump" --chrome $name.json $name.prof
    python3 "$e2e_directory/nccl_expect.py" $name $name.json || fail "PROF_NCCL=$name"
done

# A range is closed by the thread that opened it: not by another one, nor by a child's copy of it.
mkdir elsewhere
simulate elsewhere/run.prof ./nccl_host 6 elsewhere >out.txt 2>err.txt || fail "stopped elsewhere: $(cat out.txt err.txt)"
(($(ls elsewhere/*.prof | wc -l) == 2)) || fail "the child has no recording: $(ls elsewhere)"
"$PROF_BIN/profdump" elsewhere/*.prof >out.txt
found 'stopped elsewhere .* 2$' <out.txt || fail "not stopped elsewhere: $(cat out.txt)"
! found -E 'pop without a push|range still open' <out.txt || fail "another thread closed the range: $(cat out.txt)"

# How it is found, replaced and turned off. NCCL's configuration and the plugin that NCCL searches for have priority.
same "in the process" "libprof v6 mask 0x1f06" "$(NCCL_PROFILER_PLUGIN=STATIC_PLUGIN simulate static.prof ./nccl_host 2>err.txt)"
same "the user's plugin" "no plugin" "$(NCCL_PROFILER_PLUGIN=none simulate none.prof ./nccl_host 2>err.txt)"
same "turned off" "no plugin" "$(PROF_NCCL=0 simulate off.prof ./nccl_host 2>err.txt)"
same "turned off, yet chosen" "libprof v6 mask 0" "$(PROF_NCCL=0 NCCL_PROFILER_PLUGIN=$lib simulate off2.prof ./nccl_host 2>err.txt)"
same "without libprof" "no plugin" "$(bare ./nccl_host)"
mkdir home other
printf '%s\n' "# NCCL_PROFILER_PLUGIN=commented" "NCCL_DEBUG=INFO" >home/.nccl.conf
same "another setting" "libprof v6 mask 0x1f06" "$(HOME=$here/home simulate home.prof ./nccl_host 2>err.txt)"
same "a long value" "libprof v6 mask 0x1f06" \
    "$(NCCL_CONF_FILE=<(printf '%02000dNCCL_PROFILER_PLUGIN=\n' 0) simulate long.prof ./nccl_host 2>err.txt)"
printf 'NCCL_PROFILER_PLUGIN=mine' >>home/.nccl.conf
same "the user's configuration" "no plugin" "$(HOME=$here/home simulate conf.prof ./nccl_host 2>err.txt)"
same "another file" "no plugin" "$(NCCL_CONF_FILE=$here/home/.nccl.conf simulate conf2.prof ./nccl_host 2>err.txt)"
touch other/libnccl-profiler.so
same "a plugin in the search path" "no plugin" \
    "$(env LD_LIBRARY_PATH="$SIM_LIB::$here/other" LD_PRELOAD="$lib" PROF_OUTPUT=path.prof ./nccl_host 2>err.txt)"
no_violations "libprof as NCCL's plugin"

# NCCL's NVTX ranges get the attributes; there is no second range of a call, whichever thread its task comes on.
if [[ -n ${NVTX_INCLUDE:-} ]]; then
    compile_cuda nccl_host -D_GNU_SOURCE -DWITH_NVTX -isystem "$NVTX_INCLUDE" -I"$e2e_directory/../../collect/nccl" -ldl
    same "with NVTX" "libprof v6 mask 0x1f06" "$(simulate nvtx.prof ./nccl_host 2>err.txt)"
    "$PROF_BIN/profdump" --chrome out.json nvtx.prof
    python3 "$e2e_directory/nccl_expect.py" nvtx out.json || fail "what is recorded beside NVTX"
    for version in 1 2 3 4 5 6; do
        simulate task$version.prof ./nccl_host $version task >out.txt 2>err.txt || fail "$(cat out.txt err.txt)"
        "$PROF_BIN/profdump" --chrome out.json task$version.prof
        python3 "$e2e_directory/nccl_expect.py" task out.json || fail "a task on a thread without NVTX, interface $version"
    done
fi

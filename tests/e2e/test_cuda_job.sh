#!/usr/bin/env bash
# The main job: an ordinary CUDA program, recorded in every way there is and with the records of every CUDA version;
# each kernel is counted, timed, and hangs by an arrow on the call and the range that launched it.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda job
"$CUDA_NVCC" -cudart shared job.o -o job_linked -Xlinker --no-as-needed -L"$PROF_LIB" -lprof -Xlinker -rpath="$PROF_LIB"

saxpy_float='void (anonymous namespace)::saxpy<float, 4>((anonymous namespace)::Pair<float>, float*)'
saxpy_double='void (anonymous namespace)::saxpy<double, 2>((anonymous namespace)::Pair<double>, double*)'
relu='(anonymous namespace)::relu(float*)'

# Every kernel takes 7000 ns here. Directly launched: 4 batches of 1 saxpy and 2 relu; by graph: 5 replays of 2 saxpy.
on_the_device=(
    "ops['$saxpy_float'] == 4 + 5 and ops['$saxpy_double'] == 5 and ops['$relu'] == 8"
    "sum(ops.values()) == 22 + 6 + 2 + 5" # kernels, copies, sets, sets of the graph
    "loss['launched'] == loss['recorded'] == 12 + 6 + 2 and loss['launched_graph'] == 5 * 3"
    "ns('$saxpy_float') == 9 * 7000 and ns('$saxpy_double') == 5 * 7000 and ns('$relu') == 8 * 7000"
    "facts['mode'] == 'cupti' and facts['simulated'] and process['closed']"
    "[device['name'] for device in devices] == ['Simulated GPU 0 (sm_90)']"
    "args('kernel', '$saxpy_float')['grid'] == {(32, 2, 1), (8, 1, 1)}"
    "args('kernel', '$saxpy_float')['block'] == {(64, 2, 2), (32, 1, 1)}"
    "args('kernel', '$relu')['shared memory'] == {512} and args('kernel', '$saxpy_double')['shared memory'] == {0}"
    "all(min(args('kernel', name)['registers per thread']) >= 16 for _, name in rows if _ == 'kernel')"
    "len(args('kernel', '$relu')['stream']) == 2 and len(args('kernel', '$saxpy_float')['stream']) == 1"
    "args('kernel', '$relu')['context'] == {1} and args('kernel', '$relu')['device'] == {0}"
    "ops['Memcpy HtoD (Pinned -> Device)'] == 4 and ops['Memcpy DtoH (Device -> Pinned)'] == 1"
    "sum(name.startswith('Memcpy HtoD (Pageable') for name in ops) == 1" # the symbol
    "args('gpu_memcpy', 'Memcpy HtoD (Pinned -> Device)')['bytes'] == {262144}"
    "args('gpu_memset')['bytes'] == {262144, 131072, 4096}"
    "len(starts) == 1 and [len(events) for events in starts.values()] == [1]"
    # no call is doubled by the driver call inside it, and each launch is on the runtime call
    "calls['cudaLaunchKernel'] == 12 + 2 and '__cudaLaunchKernel' not in calls and calls['cudaGraphLaunch'] == 5 and calls['cudaMemcpyAsync'] == 4"
    "not any(name.startswith('cu') and not name.startswith('cuda') for name in calls) and not x('cuda_driver')"
    "all(not f['args'].get('graph id') for s, f in arrows() if s['name'] != 'cudaGraphLaunch')"
    "sum(s['name'] == 'cudaGraphLaunch' for s, f in arrows()) == 15"
    "len(x('cuda_sync')) >= 2"
)
by_range=(
    "count['setup'] == 1 and count['forward'] == 4 and count['activation'] == 4 and count['replay'] == 1"
    "rows['range', 'activation']['self_cuda_total_ns'] == 8 * 7000 == under('activation')"
    "rows['range', 'forward']['self_cuda_total_ns'] == under('forward')"
    "rows['range', 'forward']['cuda_total_ns'] == under('forward') + 8 * 7000"
    "under('forward') == 4 * 7000 + ns('Memcpy HtoD (Pinned -> Device)')"
    "rows['range', 'replay']['cuda_total_ns'] == under('replay') > 10 * 7000"
    "rows['range', 'capture']['cuda_total_ns'] == 0 and under('capture') == 0"
    "rows['range', 'setup']['cuda_total_ns'] == under('setup') > 0"
    "facts['cuda_outside_ranges_ns'] == 0"
    "facts['self_cuda_total_ns'] == sum(row['self_cuda_total_ns'] for (kind, _), row in rows.items() if kind == 'range')"
)

export SIM_KERNEL_NS=7000
injected=(CUDA_INJECTION64_PATH="$lib")
for layout in "${layouts[@]}"; do
    export SIM_CUPTI_LAYOUT=$layout
    same "$layout under profrun" OK "$("$PROF_BIN/profrun" --sim -q -o $layout-profrun.prof -- ./job)"
    same "$layout preloaded" OK "$(simulate $layout-preload.prof ./job 2>&1)"
    same "$layout injected" OK "$(PROF_OUTPUT=$layout-inject.prof bare env "${injected[@]}" ./job 2>&1)"
    same "$layout twice" OK "$(simulate $layout-both.prof env "${injected[@]}" ./job 2>&1)"
    same "$layout linked" OK "$(PROF_START=now PROF_OUTPUT=$layout-linked.prof bare ./job_linked 2>&1)"
    no_violations "libprof with CUPTI of CUDA $layout"
done
same "files" $((5 * ${#layouts[@]})) "$(find . -name '*.prof' | wc -l)" # one instance, one file
expect_cuda ./*-{profrun,preload,both,linked}.prof -- "${on_the_device[@]}" "${by_range[@]}"
# loaded too late for the program's weak references: CUDA only
expect_cuda ./*-inject.prof -- "${on_the_device[@]}" "not count"
unset SIM_CUPTI_LAYOUT

# Without the launcher: the table on stderr at the end, the file beside; stdout is the program's.
mkdir plain && cd plain
PROF_TABLE=1 LD_PRELOAD=$lib bare ../job >stdout.txt 2>stderr.txt
same "stdout" OK "$(cat stdout.txt)"
same "files beside" 1 "$(find . -name 'job-*.prof' | wc -l)"
for words in 'Self CUDA' 'activation' 'relu(float\*)' 'Simulated GPU' \
    '^Ledger: nothing lost$'; do
    grep -q -- "$words" stderr.txt || fail "no \"$words\" in the table:"$'\n'"$(cat stderr.txt)"
done
same "tables" 1 "$(grep -c 'Self CUDA time total' stderr.txt)"
same "last lines" 1 "$(grep -c 'libprof: wrote ' stderr.txt)"

# What the program does is the same without any of it.
same "output without the library" OK "$(bare ../job 2>&1)"

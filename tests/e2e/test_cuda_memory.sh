#!/usr/bin/env bash
# Memory of CUDA, in the record layouts of every version: heaps, peaks, owners, what is never freed, pools, managed
# memory. Where CUPTI refuses to tell of allocations, the calls do, and the answers are the same.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda memory
export PROF_UNIFIED_MEMORY=1
refused='cuptiActivityEnable(49)=27,cuptiActivityEnable(50)=27,cuptiActivityEnable_v2(49)=27,cuptiActivityEnable_v2(50)=27'
for layout in "${layouts[@]:1}"; do # before 11.2 there were no pools
    same "output" OK "$(SIM_CUPTI_LAYOUT=$layout simulate told-$layout.prof ./memory 2>&1)"
    same "output" OK "$(SIM_CUPTI_LAYOUT=$layout SIM_FAIL=$refused simulate calls-$layout.prof ./memory 2>&1)"
done
no_violations "recording memory"

expect_cuda told-*.prof calls-*.prof -- \
    "loss['launched'] == loss['recorded'] == 1 and sum(loss[cause] for cause in ('zero_time', 'unknown_record')) == 0" \
    "[heap('device')[f] for f in ('allocations', 'frees', 'live', 'live_bytes')] == [10, 9, 1, 65536]" \
    "heap('device')['allocated_bytes'] == (3 << 20) + (3 << 16) + 3 * 8192 + 8192 + (2 << 20)" \
    "heap('device')['peak_bytes'] == (3 << 20) + (3 << 16) and heap('device')['device'] == 0" \
    "[(o['bytes'], o['path']) for o in heap('device')['peak_owners']] == [(3 << 20, ['device', 'cudaMalloc']), (3 << 16, ['device', 'inner', 'cudaMalloc'])]" \
    "heap('pinned')['peak_bytes'] == 8192 and heap('pinned')['device'] == -1" \
    "heap('managed')['peak_bytes'] == 5 << 20 and len(memory['heaps']) == 3" \
    "[(leak['bytes'], leak['count'], leak['path']) for leak in memory['leaks']] == [(65536, 1, ['device', 'inner', 'cudaMalloc'])]" \
    "memory['unknown_frees'] == memory['reused_addresses'] == 0" \
    "[(r['cuda']['net_bytes'], r['cuda']['self_net_bytes'], r['cuda']['allocations']) for r in memory['ranges'] if r['name'] == 'device'] == [(65536, 0, 5)]" \
    "[(r['cpu']['allocated_bytes'], r['cpu']['net_bytes']) for r in memory['ranges'] if r['name'] == 'host'] == [(8192, 0)]" \
    "[d['gpu_faults'] for d in memory['managed']['devices']] == [3]" \
    "[(r['name'], r['htod_bytes'], r['dtoh_bytes']) for r in memory['managed']['ranges']] == [('touch', 5 << 20, 0), ('take back', 0, 5 << 20)]" \
    "len(x('unified_memory')) == 3 and sum(e['ph'] == 'i' and e['name'] == '[memory]' for e in chrome) == 25" \
    "[e['args']['bytes'] for e in chrome if e['ph'] == 'C' and e['name'] == 'Memory Device 0 device'][-1] == 65536"
expect_cuda told-*.prof -- \
    "len(memory['pools']) == 2 and sorted(p['destroyed'] for p in memory['pools']) == [False, True]" \
    "[(p['peak_bytes'], p['last_bytes'], p['trims']) for p in memory['pools'] if p['destroyed']] == [(2 << 20, 0, 1)]" \
    "all(e['args']['Total Reserved'] >= e['args']['Total Allocated'] for e in chrome if e['name'] == '[memory]')"
expect_cuda told-11.8.prof told-13.{0,3}.prof -- \
    "sorted(p['peak_used_bytes'] for p in memory['pools']) == [8192, 2 << 20]"
for file in told-13.0 calls-13.0; do
    "$PROF_BIN/profdump" memory $file.prof >$file.txt
done
grep -q 'derived from CUDA calls' calls-13.0.txt || fail "where memory is known from is not said"
if grep -q 'derived from CUDA calls' told-13.0.txt; then fail "CUPTI's records are called calls"; fi

# Not asked for: nothing about memory is recorded. Managed memory is not watched unless asked for.
PROF_MEMORY=0 PROF_UNIFIED_MEMORY=0 simulate off.prof ./memory >off.txt 2>&1
simulate default.prof env -u PROF_UNIFIED_MEMORY ./memory >default.txt
expect_cuda off.prof -- "'memory' not in facts and calls['cudaMalloc'] == 6"
expect_cuda default.prof -- "len(memory['heaps']) == 3 and not memory['managed']['devices']"

# Refused: one line says so, the rest is recorded.
SIM_FAIL=cuptiActivityConfigureUnifiedMemoryCounter=28 simulate unwatched.prof ./memory >unwatched.txt 2>&1
same "what is said" "libprof: CUPTI refused to record migrations of managed memory: error 28" \
    "$(grep refused unwatched.txt)"
expect_cuda unwatched.prof -- "len(memory['heaps']) == 3 and not memory['managed']['devices']"

# kill -9: what was delivered is there, and adds up.
env LD_LIBRARY_PATH="$SIM_LIB" LD_PRELOAD="$lib" PROF_OUTPUT=killed.prof ./memory endless >killed.txt 2>&1 &
victim=$!
freed() { expect_cuda killed.prof -- "heap('device')['frees'] > 10" >seen.txt 2>&1; } # delivered later than the calls
await "ten frees" freed
kill -9 $victim
wait $victim 2>/dev/null || true
expect_cuda killed.prof -- "not process['closed'] and heap('device')['frees'] > 10" \
    "heap('device')['allocations'] - heap('device')['frees'] == heap('device')['live']"

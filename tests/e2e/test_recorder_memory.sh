#!/usr/bin/env bash
# The program's own allocators: from any thread, with any argument, in a forked child, and without the library.
. "$(dirname "$0")/common.sh"

compile allocators
mkdir traces
same "what the calls return" "as documented" "$(record traces/%p.prof ./allocators recorded 2>stderr.txt)"
same "without the library" "as documented" "$(./allocators absent)"
same "what is said" "" "$(grep -v 'libprof: wrote' stderr.txt || true)"

for file in traces/*.prof; do
    "$PROF_BIN/profdump" memory "$file" >"$file.txt"
    if grep -q 'child > ' "$file.txt" || grep -q '  child' "$file.txt"; then
        expect "$file" "heap('arena')['live_bytes'] == 4096 and len(memory['heaps']) == 2 and not any(raw.loss)" \
            "[leak['path'] for leak in memory['leaks']] == [['child']]" 'process["closed"]'
    else
        expect "$file" "[heap('arena')[f] for f in ('allocations', 'frees', 'live', 'live_bytes')] == [400, 399, 1, 64]" \
            "heap('arena')['peak_bytes'] == 400 * 64 and heap('arena')['peak_owners'][0]['path'] == ['worker']" \
            "heap('sizes')['live_bytes'] == 1000 and heap('sizes')['allocations'] == 10" \
            "[(leak['bytes'], leak['path']) for leak in memory['leaks']] == [(64, ['worker'])]" \
            "[(r['cpu']['allocated_bytes'], r['cpu']['freed_bytes']) for r in memory['ranges'] if r['name'] == 'empty'] == [(0, 399 * 64)]" \
            "[(r['cpu']['net_bytes'], r['cpu']['self_net_bytes']) for r in memory['ranges'] if r['name'] == 'main'] == [(1000 - 399 * 64, 1000)]" \
            "memory['unknown_frees'] == 1 and raw.loss[13] == 4 and process['closed']"
    fi
done
same "files" 2 "$(find traces -name '*.prof' | wc -l)"

# Allocations while recording is off are no events; the allocator keeps its number.
PROF_START=api record off.prof ./allocators recorded >off.txt
same "files when nothing is recorded" "" "$(find . -name 'off*.prof')"

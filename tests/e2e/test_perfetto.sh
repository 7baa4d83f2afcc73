#!/usr/bin/env bash
# Perfetto traces of programs on the simulated CUDA: the same as their Chrome traces, read by a strict decoder; and their
# stacks in a pprof profile.
. "$(dirname "$0")/cuda_common.sh"

command -v python3 >/dev/null || skip "needs python3"
checks=$e2e_directory/../formats
profdump=$PROF_BIN/profdump

same_as_chrome() {
    "$profdump" -o "$1.pftrace" "$1"
    "$profdump" --chrome "$1.json" "$1"
    python3 "$checks/check_perfetto.py" "$1.pftrace" "$1.json"
}

compile ranges
record ranges.prof ./ranges
same_as_chrome ranges.prof

for name in demo demo_ranges; do
    "$CC" -std=gnu17 -O1 -I"$include" "$e2e_directory/../../examples/$name.c" -o $name -L"$SIM_LIB" -l:libcudart.so.13
    simulate $name.prof ./$name >/dev/null
    same_as_chrome $name.prof
done

# With call stacks, as text.
PROF_STACKS=launch simulate stacks.prof ./demo_ranges >/dev/null
same_as_chrome stacks.prof
grep -q 'main' stacks.prof.pftrace || fail "no call stack in the trace"

# Small, as promised for what is more than a few events.
ratio=$(($(stat -c %s demo_ranges.prof.pftrace) * 100 / $(stat -c %s demo_ranges.prof.json)))
((ratio <= 45)) || fail "the Perfetto trace has $ratio % of the Chrome trace's bytes"

# The same stacks in a pprof profile, with addresses; and as a symbol's name.
if "$profdump" -o stacks.pb.gz stacks.prof 2>refused.txt; then
    python3 "$checks/check_pprof.py" stacks.pb.gz --stacks >pprof.txt
    found 'cudaLaunchKernel < .*main' <pprof.txt || fail "no stack in the profile"$'\n'"$(cat pprof.txt)"
else
    found 'not supported' <refused.txt
fi

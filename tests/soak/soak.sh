#!/usr/bin/env bash
# What takes too long for a test: soak.sh [MINUTES] [PART...]. Parts, all of them by default:
#
#   faults   every system call of the recorder fails in every way (tests/e2e/faults.py)
#   kill     kill -9 at 1000 random instants (tests/e2e/kill_at_random.py)
#   forks    64 threads with 1000 forks each
#   hang     faults are injected at PROF_HANG=10s, HANG_TIMES (default 20) times each: 90 % must be named, each after 15 s at
#            most, and healthy programs give no alarm (tests/e2e/hang_faults.py)
#   healthy  PROF_HANG=10s gives no alarm for MINUTES (default 60), and one when the program hangs then (tests/e2e/hang_healthy.py).
#            It mostly sleeps. Not among "all of them"
#   fuzz     the readers, in what is left of MINUTES (default 60) but half a minute each at least (tests/fuzz/fuzz.py)
#   flaky    tests again and again beside stress-ng, for MINUTES; TESTS: which (a regular expression of ctest's), TIMES:
#            how often each (default 50). Not among "all of them"
#
# BUILD and FUZZ_BUILD are the build directories. The report, a Markdown table, goes to BUILD/soak.md and is printed.
set -euo pipefail

source_directory=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "${BUILD:-$source_directory/build}" && pwd)
fuzz_build=${FUZZ_BUILD:-$source_directory/build-clang}
report=$build/soak.md
minutes=60
if [[ ${1:-} =~ ^[0-9]+$ ]]; then
    minutes=$1
    shift
fi
parts=("$@")
((${#parts[@]})) || parts=(faults kill forks hang fuzz)
begin=$SECONDS

# The e2e tests' helpers; each part runs in a subshell with a directory of its own.
with_helpers() {
    (
        export PROF_BIN=$build/bin PROF_LIB=$build/lib
        set -- "$@"
        # shellcheck disable=SC1091 # the path is not constant
        . "$source_directory/tests/e2e/common.sh"
        "$@"
    )
}

part_faults() {
    [[ $(uname -m) == x86_64 ]] || skip "the tracer knows the registers of x86-64 only"
    compile faults
    python3 "$e2e_directory/faults.py" "$PROF_BIN/profdump" "$lib" all
}

part_kill() {
    compile publish
    python3 "$e2e_directory/kill_at_random.py" "$PROF_BIN/profdump" "$lib" 1000
}

part_forks() {
    compile fork_crowd
    mkdir traces
    local children file
    children=$(LD_PRELOAD=$lib PROF_OUTPUT=traces/%p.prof timeout 3000 ./fork_crowd 64 1000)
    same "children that recorded" $((64 * 16)) "$children"
    expect "$(ls -S traces/*.prof | head -n 1)" 'count["before fork"] == 64000' 'not any(raw.loss)'
    for file in traces/*.prof; do
        "$PROF_BIN/profdump" check "$file" >check.txt || fail "$file: $(cat check.txt)"
    done
    echo "64000 forks, $children children recorded, $(find traces -type f | wc -l) traces checked"
}

part_hang() {
    local nvtx
    nvtx=$(sed -n 's/^NVTX_INCLUDE_DIR:PATH=//p' "$build/CMakeCache.txt")
    env PROF_BIN="$PROF_BIN" PROF_LIB="$PROF_LIB" SIM_LIB="$build/lib/sim" NVTX_INCLUDE="${nvtx%NVTX_INCLUDE_DIR-NOTFOUND}" \
        HANG_LIMIT=10 HANG_TIMES="${HANG_TIMES:-20}" HANG_WITHIN=15 bash "$e2e_directory/test_hang_faults.sh"
}

part_healthy() {
    python3 "$e2e_directory/hang_healthy.py" "$PROF_BIN/profdump" "$lib" "$build/lib/sim" 10 $((minutes * 60))
}

part_fuzz() {
    local left=$((minutes * 60 - (SECONDS - begin)))
    local each=$((left / 5))
    ((each >= 30)) || each=30
    nice -n 10 python3 "$source_directory/tests/fuzz/fuzz.py" "$fuzz_build" "$each"
    python3 "$source_directory/tests/fuzz/fuzz.py" --totals
}

part_flaky() {
    local load=() log=$build/flaky.log
    command -v stress-ng >/dev/null || skip "stress-ng is missing (Debian: stress-ng)"
    stress-ng --quiet --cpu "$(nproc)" --vm 1 --vm-bytes 128M --switch 2 --hdd 1 --hdd-bytes 64M --temp-path /tmp \
        --timeout "$((minutes + 1))m" &
    load=($!)
    timeout "${minutes}m" ctest --test-dir "$build" --timeout 1500 --repeat "until-fail:${TIMES:-50}" \
        -R "${TESTS:-^e2e/}" -E 'test_bare' >"$log" 2>&1 || true
    kill "${load[0]}" 2>/dev/null || true
    wait "${load[0]}" 2>/dev/null || true
    echo "$(grep -cE 'Test +#.*Passed' "$log" || true) runs passed, $(grep -cE '\*\*\*(Failed|Timeout)' "$log" || true) failed:"
    grep -E '\*\*\*(Failed|Timeout)' "$log" | sed 's/ *\.\.*.*//' || true
    ! grep -qE '\*\*\*(Failed|Timeout)' "$log"
}

# One row: what ran for how long and what it found.
run_part() {
    local part=$1 status=0 started=$SECONDS log=$build/soak-$1.log verdict=passed
    echo "soak: $part ..." >&2
    if [[ $part == fuzz || $part == flaky ]]; then
        (skip() { echo "skipped: $*"; exit 77; }; "part_$part") >"$log" 2>&1 || status=$?
    else
        with_helpers "part_$part" >"$log" 2>&1 || status=$?
    fi
    case $status in
    0) ;;
    77) verdict=skipped ;;
    *) verdict=FAILED failed=1 ;;
    esac
    printf '| %s | %d s | %s | %s |\n' "$part" $((SECONDS - started)) "$verdict" "$(tail -n 1 "$log" | tr '|' '/')" >>"$report"
    cat "$log"
}

failed=0
printf '| Part | Time | Result | Last line |\n|---|---|---|---|\n' >"$report"
for part in "${parts[@]}"; do
    declare -F "part_$part" >/dev/null || { echo "soak: there is no part $part" >&2; exit 2; }
    run_part "$part"
done
cat >>"$report" <<'NOTE'

Clock steps are not tried: events are timed by the processor's counter or CLOCK_MONOTONIC, which nobody can step, and
stepping CLOCK_REALTIME of the machine, read once per trace, is nothing a test may do.
NOTE
cat "$report"
exit "$failed"

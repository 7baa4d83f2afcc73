#!/usr/bin/env bash
# Every function of prof.h, however the program came by the library.
. "$(dirname "$0")/common.sh"

known_counts=(
    'count["outer"] == 1' 'count["inner"] == 10' 'count["sized"] == 5' 'count["attributed"] == 5' 'count["tick"] == 3'
    'count["request"] == 1' 'count["ProfilerStep*"] == 2 or count["ProfilerStep#1"] == 1'
    'sum(1 for _, e in raw.events() if e.kind == 16 + 7) == 4' # counters
    'sum(1 for _, e in raw.events() if e.kind == 16 + 8) == 47' # attributes
    'not any(raw.loss)' 'process["closed"]' 'raw.gaps == 0' 'raw.holes() == 0'
    '[name for _, name, flags in raw.threads.values() if not flags] == ["main thread"]'
)

compile ranges
record preloaded.prof ./ranges >stdout.txt 2>stderr.txt
expect preloaded.prof "${known_counts[@]}"
same "stdout of a recorded program" "" "$(cat stdout.txt)"
same "stderr of a recorded program without the table" \
    "$(wc -l <stderr.txt)" "$(grep -c 'libprof: wrote' stderr.txt || true)"

same "attributes given with a range" '{"seq":100,"shape":"[4]"} {"seq":101,"shape":"[5, 6]"} {"seq":102,"shape":"[4]"} {"seq":103,"shape":"[5, 6]"} {"seq":208}' \
    "$("$PROF_BIN/profdump" --chrome - preloaded.prof | python3 -c '
import json, sys
events = [e for e in json.load(sys.stdin)["traceEvents"] if e["name"] == "attributed"]
print(*(json.dumps(e["args"], separators=(",", ":")).replace(",6", ", 6") for e in events))')"

mkdir absent && cd absent
same "output without the library" "" "$(../ranges 2>&1)"
same "files without the library" "" "$(ls)"
cd ..

# Linked programs record from prof_start() on, or from the beginning with PROF_START=now.
compile ranges -DPROF_LINKED -Wl,--as-needed -L"$PROF_LIB" -lprof -Wl,-rpath,"$PROF_LIB"
PROF_START=now PROF_OUTPUT=linked.prof ./ranges
expect linked.prof "${known_counts[@]}"
PROF_OUTPUT=waits.prof ./ranges
[[ ! -e waits.prof ]] || fail "a linked program recorded before prof_start()"

for flags in -no-pie "-no-pie -fno-pie" "-no-pie -fno-pie -O0"; do
    # shellcheck disable=SC2086
    compile ranges $flags
    same "output without the library, $flags" "" "$(./ranges 2>&1)"
    record not_pie.prof ./ranges
    expect not_pie.prof "${known_counts[@]}"
    rm not_pie.prof
done

compile ranges -O0
record unoptimised.prof ./ranges
expect unoptimised.prof "${known_counts[@]}"

if "$CXX" --version >compiler.txt 2>&1; then
    compile scopes
    record scopes.prof ./scopes
    expect scopes.prof 'count["scope"] == 1100' 'count["literal"] == 1000' 'count["thrown through"] == 500' \
        'count["handler"] == 500' 'loss["unclosed"] == 0 and loss["unopened"] == 0'
    same "output of C++ without the library" "" "$(./scopes 2>&1)"
fi

# Constructors run before main, atexit handlers and destructors after it.
compile life
record life.prof ./life
expect life.prof 'count["constructor"] == 1' 'count["main"] == 1' 'count["atexit"] == 1' \
    'count["destructor"] == 1' 'count["open at exit"] == 1' 'process["closed"]' 'not any(raw.loss)'

# Odd arguments are counted, never fatal; every other function returns what prof.h says.
compile invalid_calls
same "what odd calls return" "as documented" "$(record odd.prof ./invalid_calls recorded)"
expect odd.prof 'raw.loss[13] == 8' 'count["(null)"] >= 1' 'count["(unnamed)"] == 1' \
    'max(raw.full_bytes.values()) == 1 << 20' 'b"a\0b" in raw.names.values()' 'loss["unopened"] == 1'
same "what they return without the library" "as documented" "$(./invalid_calls absent)"

#!/usr/bin/env bash
# Dumps: prof_dump(), of a ring, of its last seconds, under fire, and killed in the middle.
. "$(dirname "$0")/common.sh"

compile steps

# Inside the program, while another thread records.
record whole.prof ./steps dump 20000 || fail "prof_dump(): $?"
expect inside.prof 'count["before"] == 20000 and count["after"] == 0 and count["meanwhile"] > 0' 'not any(raw.loss)' \
    'not process["closed"] and not process["ring"]'
expect whole.prof 'count["before"] == 20000 and count["after"] == 1'
same "unfinished files" "" "$(ls ./*.part 2>/dev/null || true)"
same "mode of a dump" 600 "$(stat -c %a inside.prof)"

# Of a ring that turns fast: chunks are recycled while they are copied.
PROF_FULL=ring PROF_MAX_MB=4 record ring.prof ./steps dump 2000000 || fail "prof_dump() of a ring: $?"
expect inside.prof 'count["before"] > 0 and process["ring"] and size < 80 << 20' 'loss["full"] == 0'

export XDG_RUNTIME_DIR=$here/run PROF_CONTROL=1
mkdir -m 700 run

has_events() { [[ $("$PROF_BIN/profdump" query 'SELECT count(*) > 0 FROM slices' "$1" --format tsv 2>/dev/null | tail -1) == 1 ]]; }

# begin FILE COMMAND...: in the background; when this returns, $pid can be commanded and has recorded something.
begin() {
    : >out.txt
    record "$@" >out.txt &
    job=$!
    await "its first line" test -s out.txt
    pid=$(head -1 out.txt)
    await "its socket" test -S "run/libprof/$pid.sock"
    await "an event" has_events "$1"
}

has_steps() { (($(count_of work "$1") > 0)); }

# The last second only: what is older goes by whole chunks, and names stay whole.
PROF_FULL=ring PROF_RING_SECONDS=1 begin seconds.prof ./steps until end 20000
await "a step" has_steps seconds.prof
"$PROF_BIN/profdump" ctl "$pid" dump early.prof >/dev/null
expect early.prof 'count["step 0"] == 1'
touch end
wait "$job"
PROF_RING_SECONDS=1 begin fast.prof ./steps flood 5000
sleep 3
"$PROF_BIN/profdump" ctl "$pid" dump young.prof >/dev/null
kill -9 "$pid"
wait "$job" || true
expect young.prof 'count["flood"] > 0 and process["ring"] and raw.gaps > 0' \
    '0.9 < (lambda bases, a, b: (max(bases) - min(bases)) / (b.ticks - a.ticks) * (b.monotonic - a.monotonic) / 1e9)(
        [base for chain in raw.logs.values() for _, _, _, base in chain], raw.clocks[0], raw.clocks[-1]) < 1.5'

# kill -9 while dumps are written: the one before stays whole, and there is nothing half made.
PROF_FULL=ring PROF_MAX_MB=64 begin killed.prof ./steps flood 0
"$PROF_BIN/profdump" ctl "$pid" dump survivor.prof >/dev/null
(while "$PROF_BIN/profdump" ctl "$pid" dump survivor.prof >/dev/null 2>&1; do :; done) &
dumper=$!
sleep 0.5
kill -9 "$pid"
wait "$job" || true
wait "$dumper" || true
expect survivor.prof 'count["flood"] > 0'
expect killed.prof 'count["flood"] > 0'
same "half made dumps" "" "$(ls ./*.part 2>/dev/null || true)"

# A full disk: the dump fails and says so, recording goes on, nothing is left.
if ((EUID == 0)) && mkdir full && mount -t tmpfs -o size=64k none full 2>/dev/null; then
    rm end
    begin disk.prof ./steps until end
    status=0
    "$PROF_BIN/profdump" ctl "$pid" dump full/copy.prof >full.txt 2>&1 || status=$?
    touch end
    wait "$job"
    left=$(ls full)
    umount full
    same "status of a dump to a full disk" 1 $status
    grep -q "No space left" full.txt || fail "a full disk: $(cat full.txt)"
    same "files on the full disk" "" "$left"
    expect disk.prof 'count["last"] == 1'
else
    echo "note: without a full disk"
fi

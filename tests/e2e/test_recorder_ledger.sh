#!/usr/bin/env bash
# Every number in the ledger is what the program's side counts: each event is there, or lost to one cause, and each
# mark without a name is one lost name.
. "$(dirname "$0")/common.sh"

compile numbered
export PROF_MAX_MB=2
recorded='(count.total() + count["whole"] - loss["unclosed"] + loss["unopened"])'
nameless='sum(e.kind == 3 and e.name == 0 for _, e in raw.events())'

# row FAULT SIZE-LIMIT-IN-KB EXPECTED NUMBERED'S ARGUMENTS...: the events that are lost, by the cause EXPECTED
row() {
    local fault=$1 limit=$2 expected=$3 generated
    shift 3
    generated=$(ulimit -S -f "$limit" && exec env LD_PRELOAD="$lib" PROF_OUTPUT="$fault.prof" ./numbered "$@" 2>stderr.txt)
    expect "$fault.prof" "$recorded + loss['full'] + loss['io'] == $generated" "$expected" \
        "loss['names'] == $nameless" "loss['lost_host'] == loss['full'] + loss['io'] + loss['names'] + loss['facts']" \
        "not any(loss[cause] for cause in ('late', 'nested', 'threads', 'too_big'))"
    rm "$fault.prof"
}

export PROF_FULL=stop
row none unlimited 'loss["lost_host"] == 0' 60000
row limit unlimited 'loss["full"] > 0 and loss["names"] == 0' 400000 4
row names unlimited 'loss["full"] == 0 and loss["names"] > 40000' 60000 1 4000
row limit_and_names unlimited 'loss["full"] > 0 and loss["names"] > 0' 20000 40 2000
PROF_MAX_MB=64 row disk 3000 'loss["io"] > 0 and loss["full"] == 0' 600000 2
PROF_MAX_MB=64 row disk_and_names 3000 'loss["io"] > 0 or loss["names"] > 0' 60000 4 500

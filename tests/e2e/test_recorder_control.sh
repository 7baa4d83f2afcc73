#!/usr/bin/env bash
# Starting, stopping, configuring, and results inside the program.
. "$(dirname "$0")/common.sh"

compile switches
export PROF_START=api

switches() {
    record "$1.prof" ./switches "$1" || fail "$1: see above"
}

switches waits
expect waits.prof 'count == {"wanted": 40}' 'process["closed"]' 'not any(raw.loss)' \
    '[on for _, _, on in raw.controls] == [1, 0, 1]' 'raw.threads[1][1] == "named while off"'

switches open
expect open.prof 'count["cut"] == count["cut inside"] == count["begun"] == 1' 'count["wanted"] == 10' \
    'count["unwanted"] == 0' 'not any(raw.loss)'

# One thread's stop may come while the other still wants recording: only the sum of both counts.
switches cycles
expect cycles.prof 'count == {"cycle": 20000}' 'loss["unclosed"] == loss["unopened"] == 0' 'process["closed"]'

switches configure
[[ ! -e configure.prof ]] || fail "PROF_OUTPUT won over prof_configure()"
expect configured-switches.prof 'count == {"wanted": 10}' 'process["ring"]'

switches results
expect results.prof 'count == {"wanted": 30}'
python3 - <<'CHECK' || fail "inside.json"
import json
events = json.load(open("inside.json"))["traceEvents"]
assert sum(event.get("name") == "wanted" for event in events) == 30
CHECK
[[ ! -e no && ! -e nothing.json ]] || fail "files for failed exports"

# A preloaded library counts as one start.
PROF_START=auto record auto.prof ./switches waits >/dev/null || true
expect auto.prof 'count["unwanted"] == 11' 'count["wanted"] == 40'

#!/usr/bin/env bash
# However a process makes another: each has a file of its own, and the parent's names its children.
. "$(dirname "$0")/common.sh"

compile family

# children FILE: "origin pid" of each child that the file names, sorted.
children() {
    "$PROF_BIN/profdump" --json "$1" | python3 -c '
import json, sys
for process in json.load(sys.stdin)["processes"][:1]:
    for child in process["children"]:
        print(child["origin"], child["pid"])' | sort
}

mkdir traces
LD_PRELOAD=$lib PROF_OUTPUT=traces/%p.prof ./family early fork fork_exec vfork_exec spawn spawnp nothing >made.txt &
parent=$!
status=0
wait $parent || status=$?
same "status" 0 $status
same "children made" 6 "$(wc -l <made.txt)"
sed -e 's/^early/fork/' -e 's/^fork_exec/fork/' -e 's/^vfork_exec/exec/' -e 's/^spawnp/spawn/' made.txt | sort >wanted.txt
same "children named" "$(cat wanted.txt)" "$(children traces/$parent.prof)"

while read -r how pid; do
    expect "traces/$pid.prof" "count == {'child $how': 1}" 'process["closed"]' "process['parent_pid'] == $parent" \
        'process["children"] == []'
done <made.txt
same "files" 7 "$(find traces -type f | wc -l)"

# Read together, each child is known by its file; the one that came before the first event has no time.
"$PROF_BIN/profdump" check traces >check.txt || fail "$(cat check.txt)"
"$PROF_BIN/profdump" --json traces >all.json
python3 - "$parent" <<'CHECK' || fail "the family is not put together"
import json, os, sys
processes = json.load(open("all.json"))["processes"]
(parent,) = [p for p in processes if p["pid"] == int(sys.argv[1])]
made = dict(reversed(line.split()) for line in open("made.txt"))
assert len(parent["children"]) == 6, parent
for child in parent["children"]:
    assert os.path.basename(child["file"]) == f'{child["pid"]}.prof', child
    assert (child["time_ns"] is None) == (made[str(child["pid"])] == "early"), child
CHECK
"$PROF_BIN/profdump" traces >table.txt
grep -q '^Children:  6 made, 6 of them in these files$' table.txt || fail "$(head -20 table.txt)"

# A parent that records nothing leaves no file, whatever its children do.
mkdir alone
LD_PRELOAD=$lib PROF_OUTPUT=alone/%p.prof ./family early >made.txt
same "files of the silent parent" "alone/$(cut -d' ' -f2 made.txt).prof" "$(echo alone/*)"

#!/usr/bin/env bash
# Forked children record into files of their own; the parent's stays as it would be without them.
. "$(dirname "$0")/common.sh"

compile forks

# forks HOW [FILE]: runs in a directory of its own and sets parent and children, the files.
forks() {
    local directory=${2:+named_}$1 status=0
    mkdir "$directory"
    LD_PRELOAD=$lib PROF_OUTPUT=$directory/${2:-%p.prof} ./forks "$1" &
    parent=$directory/${2:-$!.prof}
    wait $! || status=$?
    same "status of $1" 0 $status
    mapfile -t children < <(find "$directory" -type f ! -path "$parent")
}

has_name() {
    "$PROF_BIN/profdump" --json "$1" | found -F "\"name\":\"$2\""
}

forks generations
((${#children[@]} == 2)) || fail "generations: ${#children[@]} children"
expect "$parent" 'count == {"parent": 200}' 'process["closed"]' 'not any(raw.loss)'
for file in "${children[@]}"; do
    if has_name "$file" grandchild; then
        expect "$file" 'count == {"child": 100, "grandchild": 100}' 'process["closed"]' 'not any(raw.loss)' \
            'sorted(raw.names.values()) == [b"child", b"grandchild"]'
    else
        expect "$file" 'count == {"parent": 100, "child": 100}' 'process["closed"]' 'not any(raw.loss)' \
            'sorted(raw.names.values()) == [b"child", b"parent"]'
    fi
done

# A name is written to a child's file when the child uses it: what a parent knows costs no child anything.
forks kept
expect "$parent" 'sum(count.values()) == 200202'
expect "${children[0]}" 'count == {"of many 5": 1, "literal": 3, "attributed": 3}' 'not any(raw.loss)' \
    'sorted(raw.names.values()) == [b"attributed", b"key", b"literal", b"of many 5", b"text"]'

# Old names come from memory: the parent's file may be gone by then. The output ends with the child.
mkdir orphan
same "orphan" recorded "$(LD_PRELOAD=$lib PROF_OUTPUT=orphan/run.prof ./forks orphan)"
rm orphan/run.prof
expect orphan/run-*.prof 'count == {"parent": 100, "child": 100}' 'process["closed"]' 'not any(raw.loss)'

forks inside
expect "$parent" 'count == {"parent": 200, "around": 1}' 'loss["unclosed"] == 0'
expect "${children[0]}" 'count == {"child": 100}' 'loss["unopened"] == 1' 'process["closed"]'

forks steps
expect "$parent" '[e.words[0] for _, e in raw.events() if e.kind == 16 + 9] == [0, 1, 2]'
expect "${children[0]}" '[e.words[0] for _, e in raw.events() if e.kind == 16 + 9] == [0]'

forks silent
((${#children[@]} == 0)) || fail "silent children left files: ${children[*]}"
expect "$parent" 'count == {"parent": 200}' 'process["closed"]' 'not any(raw.loss)'

# A child gets few pages of the recorder's, 18 to 20: what it resets is together, and it does not touch unused tables.
# That of an idle parent gets three: one of data, one of the names that libprof exports, one of code.
own=$(./forks faults)
preloaded=$(LD_PRELOAD=$lib PROF_OUTPUT=faults.prof ./forks faults)
((preloaded - own <= 40)) || fail "a forked child has $preloaded page faults, without libprof $own"
own=$(./forks idle_faults)
preloaded=$(LD_PRELOAD=$lib PROF_OUTPUT=faults.prof ./forks idle_faults)
((preloaded - own <= 8)) || fail "an idle program's child has $preloaded page faults, without libprof $own"

forks concurrent
((${#children[@]} == 200)) || fail "concurrent: ${#children[@]} children"
expect "$parent" 'count == {"parent": 200, "forker": 20000}' 'process["closed"]' 'not any(raw.loss)'
"$PROF_BIN/profdump" check concurrent >check.txt || fail "$(cat check.txt)"
"$PROF_BIN/profdump" --json "${children[@]}" >json.txt
grep -qF '"name":"child","kind":"range","count":20000' json.txt || fail "children lost ranges"
[[ $(grep -oF '"closed":true' json.txt | wc -l) == 200 ]] || fail "children's files are not closed"

forks limited
expect "$parent" 'count == {"parent": 200}' 'process["closed"]' 'not any(raw.loss)'

forks raw
expect "$parent" 'count == {"parent": 200, "beside": 100}' 'process["closed"]' 'not any(raw.loss)'

forks in_handler
expect "$parent" 'count["parent"] == 200' 'count["child"] == 0' 'loss["unopened"] == 0 and loss["unclosed"] == 0'
((${#children[@]} == 200)) || fail "in_handler: ${#children[@]} children"
"$PROF_BIN/profdump" check in_handler >check.txt || fail "$(cat check.txt)"

# Without %p the names are beside the first, and nothing is overwritten.
forks generations fixed.prof
((${#children[@]} == 2)) || fail "named: ${#children[@]} children"
for file in "${children[@]}"; do
    [[ $file =~ ^named_generations/fixed-[0-9]+\.prof$ ]] || fail "name $file"
done

#!/usr/bin/env bash
# fork() after CUDA was used: the child records into a file of its own and never calls CUPTI, which would hang there.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda children
export SIM_FORK_HANG=1
for how in return _exit; do
    mkdir $how && cd $how
    wanted=$(bare timeout 600 ../children $how)
    got=$(PROF_TABLE=0 simulate '%e-%p.prof' timeout 600 ../children $how 2>stderr.txt) || fail "$how: $? $(cat stderr.txt)"
    same "children that end by $how" "$(sort <<<"$wanted")" "$(sort <<<"$got")"
    same "what they say" "" "$(grep -v 'libprof: wrote' stderr.txt || true)"
    no_violations "a child that ends by $how"
    same "files" 4 "$(find . -name 'children-*.prof' | wc -l)"
    for file in children-*.prof; do
        if "$PROF_BIN/profdump" --json $file | found '"name":"parent"'; then
            expect_cuda $file -- "ops['work(float*, int)'] == 10 and loss['launched'] == loss['recorded'] == 10" \
                "count['parent'] == 1 and count['child'] == 0 and facts['mode'] == 'cupti' and process['closed']"
        else
            expect_cuda $file -- "not ops and not calls and count['child'] >= 1 and facts['mode'] == 'none'" \
                "process['closed'] and not any(loss.values())"
        fi
    done
    # the directory: all processes in one timeline
    "$PROF_BIN/profdump" --json . >merged.json
    python3 - <<'PYTHON'
import json
facts = json.load(open("merged.json"))
count = {row["name"]: row["count"] for row in facts["key_averages"]}
assert len(facts["processes"]) == 4 and len({process["pid"] for process in facts["processes"]}) == 4, facts["processes"]
assert count["parent"] == 1 and count["child"] == 1 + 2 + 3 and count["work(float*, int)"] == 10, count
assert facts["loss"]["launched"] == facts["loss"]["recorded"] == 10 and facts["mode"] == "cupti", facts["loss"]
PYTHON
    "$PROF_BIN/profdump" check . >check.txt || fail "$(cat check.txt)"
    "$PROF_BIN/profdump" --chrome merged.trace . && python3 "$e2e_directory/../write/check_trace.py" merged.trace
    cd ..
done

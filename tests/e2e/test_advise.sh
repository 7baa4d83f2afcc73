#!/usr/bin/env bash
# profdump advise: what a recording cannot answer can be answered after recording with the options that it names, on the
# simulated CUDA. It agrees with what the reports say.
. "$(dirname "$0")/cuda_common.sh"
layout=${layouts[-1]} # one version is enough

compile_cuda memory
compile_cuda graphs
compile_cuda starved
export PROF_LOG=0 SIM_CUPTI_LAYOUT=$layout
# record FILE OPTIONS COMMAND: with the recorder and the options that advise names, but on the simulated CUDA.
record() {
    # shellcheck disable=SC2086 # options are words
    "$PROF_BIN/profrun" --sim -q --force -o "$1" $2 -- "./$3" >/dev/null 2>&1 || true
    [[ -s $1 ]] || fail "$3 with $2 left no recording"
}
# field QUESTION MEMBER FILE
field() { { "$PROF_BIN/profdump" advise --json --question "$1" "$3" || [[ $? == 5 ]]; } | python3 -c 'import json, sys; print(json.load(sys.stdin)["questions"][0][sys.argv[1]])' "$2"; }

# lacks QUESTION OPTIONS PROGRAM: recorded with OPTIONS, it is missing; recorded as advised, it is not.
lacks() {
    local status=0 options
    record without.prof "$2" "$3"
    same "$1, recorded with $2" missing "$(field "$1" state without.prof)"
    "$PROF_BIN/profdump" advise --question "$1" without.prof >advice.txt || status=$?
    same "the status of what is missing" 5 "$status"
    options=$(field "$1" options without.prof)
    grep -qF "profrun $options -- PROGRAM" advice.txt || fail "$1: the text does not name $options: $(cat advice.txt)"
    record with.prof "$options" "$3"
    same "$1, recorded with $options" answered "$(field "$1" state with.prof)"
    "$PROF_BIN/profdump" advise --question "$1" with.prof >advice.txt || fail "$1: $(cat advice.txt)"
}
lacks device "-e PROF_CUDA=0" memory
lacks device "-e PROF_GPU=none" memory
lacks waits "-e PROF_CUDA=0" memory
lacks memory "-e PROF_MEMORY=0" memory
lacks memory "-e PROF_GPU_DETAIL=minimal" memory
lacks memory "-e PROF_GPU=none" memory
lacks migrations "" memory
lacks graphs "-e PROF_CUDA=0" graphs
lacks queues "" graphs
lacks stacks "" memory
lacks threads "" starved

# What reports say of the same recording is the same sentence.
record minimal.prof "-e PROF_GPU_DETAIL=minimal" memory
why=$(field memory why minimal.prof)
"$PROF_BIN/profdump" memory minimal.prof >memory.txt
grep -qiF "$why" memory.txt || fail "memory says '$(head -n 1 memory.txt)', advise '$why'"
"$PROF_BIN/profdump" stacks minimal.prof 2>stacks.txt >/dev/null
same "stacks" "profdump: $(field stacks why minimal.prof)" "$(cat stacks.txt)"
"$PROF_BIN/profdump" stacks --cpu minimal.prof 2>stacks.txt >/dev/null
same "samples" "profdump: $(field threads why minimal.prof)" "$(cat stacks.txt)"

# One command for all of it.
record=$("$PROF_BIN/profdump" advise --json minimal.prof | python3 -c 'import json, sys; print(json.load(sys.stdin)["record"])')
record all.prof "$(sed 's/^profrun //; s/ -- PROGRAM$//' <<<"$record")" memory
for question in device waits memory migrations queues stacks; do
    state=$(field $question state all.prof)
    [[ $state == answered ]] || fail "$question is $state after '$record'"
done

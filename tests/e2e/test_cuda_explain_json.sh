#!/usr/bin/env bash
# The members of profdump explain --json are those that docs/scripts.md lists, and silence has a reason.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda sins
compile ranges
compile_cuda starved
simulate sins.prof ./sins >/dev/null 2>&1
record ranges.prof ./ranges >/dev/null 2>&1
PROF_SAMPLE=99 simulate starved.prof ./starved disk
"$PROF_BIN/profdump" explain --json starved.prof >starved.json
"$PROF_BIN/profdump" explain --json sins.prof >sins.json
"$PROF_BIN/profdump" explain --json ranges.prof >ranges.json
"$PROF_BIN/profdump" explain --json "$e2e_directory/../cli/inputs/kineto.json" >kineto.json
python3 "$e2e_directory/explain_members.py" "$e2e_directory/../../docs/scripts.md" sins.json ranges.json kineto.json \
    starved.json ||
    fail "docs/scripts.md does not describe what is printed"
silent() {
    found "\"abstain\":\"$2" <<<"$("$PROF_BIN/profdump" explain --json --rule "$3" "$1")" || fail "silence of $1 without a reason"
}
silent ranges.prof 'Nothing ran on a GPU' gpu-idle-cpu-bound
silent sins.prof 'No cost exceeds' data-loader

#!/usr/bin/env bash
# profdump explain --json has the members of its schema, all of them, and silence has a reason.
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
python3 "$e2e_directory/explain_members.py" "$PROF_BIN/profdump" sins.json ranges.json kineto.json starved.json ||
    fail "the schema does not describe what is printed"
explained() { # RECORDING RULE TEXT
    found "$3" <<<"$("$PROF_BIN/profdump" explain --json --rule "$2" "$1")" || fail "silence of $1 without a reason"
}
explained ranges.prof gpu-idle-cpu-bound '"abstained":"Nothing ran on a GPU'
explained sins.prof data-loader '"verdict":".* No cost exceeds the limit of its rule'
explained sins.prof data-loader '"abstained":null'

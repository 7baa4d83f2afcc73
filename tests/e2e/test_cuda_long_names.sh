#!/usr/bin/env bash
# Names that are too long for the file stay apart if they differ only behind the cut, in every output.
. "$(dirname "$0")/cuda_common.sh"

export SIM_CUPTI_LAYOUT=13.0
compile_cuda long_names
simulate run.prof ./long_names || fail "the program: $?"
no_violations "long names"

"$PROF_BIN/profdump" --rows -1 --format csv run.prof >rows.csv
for kind in range kernel; do
    same "rows of each $kind" "$([[ $kind == range ]] && echo '1 3' || echo '1 2')" \
        "$(grep "^${kind}xxx*\.\.\.#[0-9a-f]\{16\}," rows.csv | sed 's/.*,//' | sort -n | paste -sd' ')"
done
"$PROF_BIN/profdump" run.prof >table.txt
found '^Note: *4 names longer than 4096 bytes are cut; "\.\.\.#" and a hash stand for the rest$' <table.txt || fail "no note: $(head -5 table.txt)"
"$PROF_BIN/profdump" check run.prof >check.txt || fail "check: $(cat check.txt)"
found '4 names longer' <check.txt || fail "no note of check: $(cat check.txt)"
for metric in count self_cuda; do
    "$PROF_BIN/profdump" -o - --to folded --metric "$metric" run.prof >folded.txt
    same "folded $metric" 2 "$(grep -c '\(range\|kernel\)xxx*\.\.\.#[0-9a-f]\{16\} [0-9]*$' folded.txt)"
done

# The same text has the same name in every run, so that runs can be compared.
simulate other.prof ./long_names
"$PROF_BIN/profdump" --rows -1 --format csv other.prof >other.csv
same "names of another run" "$(cut -d, -f1 rows.csv | sort)" "$(cut -d, -f1 other.csv | sort)"

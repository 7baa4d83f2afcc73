#!/usr/bin/env bash
# Chrome traces of others, whole files: counted by Python beside, copied without loss, merged.
#
# What others recorded lies in ../shared/data beside the checkout, where it is; a file of our own is made in any case.
# long: it reads traces of dozens of megabytes in Python
. "$(dirname "$0")/common.sh"

oracle=$e2e_directory/chrome_inputs.py
profdump=$PROF_BIN/profdump
data=$e2e_directory/../../../shared/data

command -v python3 >/dev/null || skip "needs python3"

python3 "$oracle" make own.json

files=(own.json)
for file in "$data"/kineto/*.json* "$data"/hta/*.json* "$data"/viewer/*.json "$data"/pytorch/*.json; do
    [[ -e $file ]] || continue
    if ! "$profdump" "$file" >/dev/null 2>error.txt && grep -q 'built without' error.txt; then
        continue
    fi
    files+=("$file")
done
echo "${#files[@]} files"

for file in "${files[@]}"; do
    "$profdump" --json "$file" >read.json 2>read.err || fail "$file: $(cat read.err)"
    python3 "$oracle" compare "$file" read.json
    "$profdump" check "$file" >check.out 2>&1 || fail "$file: $(cat check.out)"
    "$profdump" --chrome copy.json "$file" 2>copy.err || fail "$file: $(cat copy.err)"
    python3 "$oracle" same "$file" copy.json
done

# Several in one: nothing lost, nothing mixed up. One twice, so that all of its ids collide.
"$profdump" --chrome merged.json "${files[@]}" "${files[0]}"
python3 "$oracle" merged merged.json "${files[@]}" "${files[0]}"
"$profdump" check merged.json >check.out 2>&1 || fail "merged: $(cat check.out)"

# Beside a trace of libprof's own.
compile ranges
record own.prof ./ranges
"$profdump" --chrome mixed.json own.prof own.json own.json
python3 "$oracle" merged mixed.json own.json own.json
"$profdump" --chrome alone.json own.prof
python3 "$oracle" holds mixed.json alone.json

#!/usr/bin/env bash
# augment and combine over traces that others recorded, looked at by Python: nothing is lost, and what is added is right.
#
# Those traces lie in ../shared/data beside the checkout, where it is.
. "$(dirname "$0")/common.sh"

oracle=$e2e_directory/augment_oracle.py
profdump=$PROF_BIN/profdump
data=$e2e_directory/../../../shared/data
example=$data/pytorch/test_analysis_example_profile.json

command -v python3 >/dev/null || skip "needs python3"
[[ -e $example ]] || skip "../shared/data is not there"

# Every event is kept, in every dialect, packed or not; no kernel without an operator or a duration stops it.
files=()
for file in "$data"/kineto/*.json* "$data"/hta/*.json* "$data"/viewer/*.json "$data"/pytorch/*.json; do
    if "$profdump" pytorch augment "$file" out.json 2>error.txt; then
        python3 "$oracle" same "$file" out.json
        files+=("$file")
    else
        grep -q 'built without' error.txt || fail "$file: $(cat error.txt)"
    fi
done
[[ ${#files[@]} -gt 3 ]] || fail "only ${#files[@]} files were read"

# The padding of a convolution counts; with --compat it does not.
"$profdump" pytorch augment "$example" out.json 2>/dev/null
python3 "$oracle" flop out.json 4096000 4096000 236027904 236027904
"$profdump" pytorch augment --compat "$example" out.json
python3 "$oracle" flop out.json 4096000 4096000 223552896 223552896
python3 "$oracle" same "$example" out.json

# What is augmented is read as what it was: twice gives the same.
"$profdump" pytorch augment "$example" once.json 2>/dev/null
"$profdump" pytorch augment once.json twice.json 2>/dev/null
cmp once.json twice.json || fail "augmented twice differs"

# Of a file and itself no two ids are the same, and the copy can be augmented; --compat: they all are.
"$profdump" -o out.json "$example" "$example"
python3 "$oracle" distinct out.json "$example" "$example"
"$profdump" pytorch augment out.json both.json 2>/dev/null
python3 "$oracle" flop both.json 4096000 4096000 236027904 236027904 4096000 4096000 236027904 236027904
"$profdump" pytorch combine "$example" "$example" out.json >/dev/null
python3 "$oracle" concatenated out.json "$example" "$example"
! "$profdump" pytorch augment --compat out.json both.json 2>error.txt || fail "ids that come twice"
grep -q 'ParseException: duplicate external id in event' error.txt || fail "$(cat error.txt)"

# Of the same file twice no two ids are the same, and times are on one base: what --chrome makes of two.
cp "$CASES/inputs/kineto.json" a.json
sed s/1735632360000000000/1735632360000500250/ a.json >b.json
profdump combine a.json b.json out.json
profdump --chrome - a.json b.json | cmp - out.json && grep -c '"External id": 2,' out.json
profdump combine a.json b.json a.json out.json && grep -c '"cat": "kernel"' out.json
# too few
profdump combine a.json out.json
echo "$?"
profdump combine --compat a.json out.json
echo "$?"
# what is no Chrome trace
profdump combine rank0.prof rank1.prof out.json
echo "$?"
profdump combine a.json missing.json new.json
echo "$?"
ls new.json

# Of the same file twice no two ids are the same, and times are on one base.
cp "$CASES/inputs/kineto.json" a.json
sed s/1735632360000000000/1735632360000500250/ a.json >b.json
profdump -o out.json a.json b.json
profdump --chrome - a.json b.json | cmp - out.json && grep -c '"External id": 2,' out.json
profdump -o out.json a.json b.json a.json && grep -c '"cat": "kernel"' out.json
# too few
profdump pytorch combine a.json out.json
echo "$?"
profdump -o new.json a.json missing.json
echo "$?"
ls new.json

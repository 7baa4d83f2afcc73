# Written as gzip does, and read again; where zlib is missing, the line says so and nothing is written.
cp "$CASES/inputs/kineto.json" a.json
if profdump --chrome out.json.gz demo.prof 2>error.txt; then
    profdump --chrome plain.json demo.prof
    gzip -dc out.json.gz | sed s/out.json.gz/plain.json/ | cmp - plain.json
    profdump --chrome copy.json.gz a.json && profdump copy.json.gz | tail -1
else
    grep -q 'not supported' error.txt && [ ! -e out.json.gz ] && profdump a.json | tail -1
fi

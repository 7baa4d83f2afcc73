# The same twice: all ids collide. The second has another base, so its times move.
cp "$CASES/inputs/kineto.json" a.json
sed s/1735632360000000000/1735632360000500250/ a.json >b.json
profdump --chrome - a.json b.json
profdump --chrome ab.json a.json b.json
profdump --chrome - ab.json a.json | grep -o '^"mergedTraces[ 0-9]*"'

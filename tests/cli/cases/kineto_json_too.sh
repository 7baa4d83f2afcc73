profdump --json --chrome copy.json "$CASES/inputs/kineto.json" | head -n 1
cmp "$CASES/inputs/kineto.json" copy.json >/dev/null; grep -c External copy.json

profdump --json --chrome copy.json "$CASES/inputs/kineto.json" | head -c 120; echo
cmp "$CASES/inputs/kineto.json" copy.json >/dev/null; grep -c External copy.json

profdump check "$CASES/inputs/kineto.json"

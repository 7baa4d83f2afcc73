profdump "$CASES/inputs/kineto.json"

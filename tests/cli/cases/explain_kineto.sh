profdump explain --rows 2 "$CASES/inputs/kineto.json"

profdump --chrome - "$CASES/inputs/kineto.json"

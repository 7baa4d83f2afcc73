input=$CASES/inputs/analyze.json
profdump analyze --format tsv "$input"
profdump analyze --format csv --rows 1 "$input"
profdump analyze --json "$input"

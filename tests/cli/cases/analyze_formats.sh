input=$CASES/inputs/analyze.json
profdump roofline --format tsv "$input"
profdump roofline --format csv --rows 1 "$input"
profdump roofline --json "$input"

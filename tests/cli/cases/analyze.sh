input=$CASES/inputs/analyze.json
profdump roofline "$input"
echo; echo "== rows, sorted, cut names"
profdump roofline --rows 1 --sort compute --name-width 12 "$input"
echo; echo "== by operator"
profdump roofline --group-by op --sort name "$input" | sed -n '/^Operator/,/^$/p'
echo; echo "== by range"
profdump roofline --group-by range "$input" | sed -n '/^Range/,/^$/p'

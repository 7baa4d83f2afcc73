input=$CASES/inputs/analyze.json
profdump analyze "$input"
echo; echo "== rows, sorted, cut names"
profdump analyze --rows 1 --sort compute --name-width 12 "$input"
echo; echo "== by operator"
profdump analyze --by op --sort name "$input" | sed -n '/^Operator/,/^$/p'
echo; echo "== by range"
profdump analyze --by range "$input" | sed -n '/^Range/,/^$/p'

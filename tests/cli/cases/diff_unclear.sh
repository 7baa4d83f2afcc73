# Where the noise may hide a change, rows and totals are unclear, in every format
cp "$TRACES"/diff/*.prof .
profdump diff noisy.prof noisy.prof --group-by kernel | grep -E '^(Device time|By kernel:|Name|void)'
profdump diff noisy.prof noisy.prof --group-by kernel --format markdown | grep -o 'void.* unclear'
profdump diff noisy.prof noisy.prof --group-by kernel --format tsv | grep -o 'void.*unclear' | cut -f 1
profdump diff noisy.prof noisy.prof --json | python3 -c '
import json, sys
found = json.load(sys.stdin)
kernels = next(table for table in found["tables"] if table["by"] == "kernel")
print(found["matters"], kernels["verdicts"]["unclear"], [row["time"]["verdict"] for row in kernels["rows"]])'

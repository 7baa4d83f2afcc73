profdump roofline --devices | grep -E '^(Dense|Device|B200|Tesla V100 SXM2|GeForce RTX 3090 |Instinct MI300X)|\[[0-9]+\] (L40S|GeForce RTX 4090):'
profdump roofline --devices --format tsv | cut -f1,3,12 | sed -n '1p;/^H200/p'
profdump roofline --devices --json | grep '"MI\|"Instinct MI355X"'
# Each figure has its source: no entry is without one.
profdump roofline --devices --format tsv | cut -f14 | grep -c .
profdump roofline --devices --format tsv | wc -l

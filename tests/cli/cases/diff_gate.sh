# Exit statuses for CI: 4 when slower by more than the limit and by more than noise, 5 when noise may explain it or is unknown
cp "$TRACES"/diff/*.prof .
try() {
    profdump diff "$@" --group-by kernel --rows 0 | tail -2
    echo "status ${PIPESTATUS[0]}"
}
try base.prof slow.prof --fail-if-slower 5%
try base.prof slow.prof --fail-if-slower 1.1x
try slow.prof base.prof --fail-if-slower 5%
try base.prof slow.prof --fail-if-slower 25% --judge device
try base.prof slow.prof --fail-if-slower 10% --judge kernel
try base.prof noisy.prof --fail-if-slower 5%
try demo.prof demo.prof --fail-if-slower 5%
try base.prof cpu.prof --fail-if-slower 5% --judge steps
try base.prof cpu.prof --fail-if-slower 5% --judge kernel --names before,after
profdump diff base.prof slow.prof --fail-if-slower 5% --format tsv >/dev/null
echo "status $?"
profdump diff base.prof slow.prof --fail-if-slower 5% --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["gate"]["result"])'

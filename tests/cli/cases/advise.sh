# What recordings answer and what they do not, in every format; the status with --question
try() {
    echo "== $*"
    profdump advise "$@" 2>&1
    echo "status $?"
}
try demo.prof
try --question memory,stacks demo.prof
try --question memory demo.prof
try --question python --question threads demo.prof
cp "$CASES/inputs/kineto.json" trace.json
try trace.json --question device,hang,loss
try --format tsv --question stacks,graphs cpu.prof
try --format markdown --question stacks demo.prof
try --json --question queues,steps demo.prof
profdump advise --json demo.prof | python3 -m json.tool >/dev/null && echo strict
try --question memroy demo.prof
try --question '' demo.prof
try missing.prof

# Beside a trace of libprof: its members first, the copied events last.
cp "$CASES/inputs/kineto.json" a.json
profdump --chrome out.json demo.prof a.json
grep -c "\"ph\":" out.json
tail -20 out.json

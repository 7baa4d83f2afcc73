# Recordings of other profilers: nothing is special about them. A Chrome trace is not copied but written anew.
for end in 1us 100us 1ms 10ms; do
    profdump --window ..$end --format csv "$CASES/inputs/kineto.json" | wc -l
done
profdump check --window ..5ms "$CASES/inputs/kineto.json"
profdump --chrome - --window ..1us "$CASES/inputs/kineto.json" | grep -o '"ph":"X"' | wc -l
profdump --chrome - "$CASES/inputs/kineto.json" | grep -o '"ph": *"X"' | wc -l

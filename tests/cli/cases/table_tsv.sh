# Every table as tsv passes a strict reader, and names read from it are those that were shown.
python3 "$CASES/read_table.py" make hostile.json
check() {
    profdump "$@" --format tsv | python3 "$CASES/read_table.py" tsv || echo "bad: $*"
}
profdump hostile.json --name-width 4096 --format tsv | python3 "$CASES/read_table.py" tsv names
check --group-by name,thread,path --columns all --total hostile.json
check --tree hostile.json
check --kernels --memory memory.prof
check --projected demo.prof
for trace in hostile.prof hostile.json lossy.prof; do
    for command in stacks graphs ledger memory breakdown explain blocks tax; do check "$command" "$trace" 2>/dev/null; done
done
check graphs graphs.prof
check ledger failing.prof
check memory memory.prof
check blocks --range '=cmd|'"'"' /C calc'"'"'!A0' hostile.prof
check explain --rules
check analyze demo.prof
check analyze --devices
check diff hostile.json hostile.prof --names '=1,b'

# every_table.sh FORMAT [names]: every table in that format passes a strict reader; with "names", what is read from it are
# the names that were shown. Sourced by the cases of that.
python3 "$CASES/read_table.py" make hostile.json
format=$1
check() {
    profdump "$@" --format "$format" | python3 "$CASES/read_table.py" "$format" || echo "bad: $*"
}
profdump hostile.json --name-width 4096 --format "$format" | python3 "$CASES/read_table.py" "$format" ${2:+"$2"}
check --group-by name,thread,path --columns all --total hostile.json
check --tree hostile.json
check --kind kernels --columns memory memory.prof
check --kind projected demo.prof
for trace in hostile.prof hostile.json lossy.prof; do
    for command in stacks graphs "check --ledger" memory breakdown explain "executorch blocks" "executorch tax"; do check $command "$trace" 2>/dev/null; done
done
check graphs graphs.prof
check check --ledger failing.prof
check memory memory.prof
check executorch blocks --range '=cmd|'"'"' /C calc'"'"'!A0' hostile.prof
check explain --rules
check roofline demo.prof
check roofline --devices
check diff hostile.json hostile.prof --names '=1,b'

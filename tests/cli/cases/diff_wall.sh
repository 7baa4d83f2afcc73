# Programs without steps: wall time is judged, device and host time on request. No doubled wall time passes.
cp "$TRACES"/diff/*.prof .
mkdir runs twice three && cp run?.prof runs && cp twice_run?.prof twice && cp twice_run[0-2].prof three
try() {
    echo "== $*"
    profdump diff "$@" --fail-if-slower 5% --rows 0 | grep -E ' time: |^Calls and|^Judged'
    echo "status ${PIPESTATUS[0]}"
}
try plain.prof plain_twice.prof
try plain_twice.prof plain.prof
try plain.prof plain.prof
try plain.prof plain_twice.prof --judge host
try plain.prof plain_twice.prof --judge device
try plain.prof plain_device.prof
try plain.prof plain_device.prof --judge device
try plain.prof plain_device.prof --judge host
try runs twice
try runs twice --judge host
try twice runs
try runs three
try plain.prof three
try base.prof plain.prof --names before,after
for format in json tsv csv markdown; do
    profdump diff plain.prof plain_twice.prof --fail-if-slower 5% --format $format >out.$format
    echo "$format: status $?"
done
profdump diff plain.prof plain_twice.prof --fail-if-slower 5% -o out.html
echo "html: status $?"
tail -4 out.markdown
python3 - <<'END'
import json
found = json.load(open("out.json"))
print(found["gate"])
for total in ("step", "wall_time", "device_time", "host_time"):
    print(total, found[total])
END
profdump diff runs twice --json --rows 0 | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["per_run"], [side["runs"] for side in d["sides"]], d["wall_time"]["samples"])'

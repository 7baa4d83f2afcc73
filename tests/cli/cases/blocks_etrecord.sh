# I6: debug handles and delegates of an ETRecord; keys match as a whole (1 is not 10).
cp "$TRACES"/*.et* .
mkdir maps
cat >maps/debug_handle_map.json <<'JSON'
{"forward": {"0": [1], "1": [100, 1000], "2": 5}}
JSON
cat >maps/delegate_map <<'JSON'
{"forward": {"10": {"name": "XnnpackBackend", "delegate_map": {"7": [10, 11], "70": [12]}}}}
JSON
profdump executorch blocks --etrecord maps run.etdp
python3 - <<'PYTHON'
import json, zipfile
handles = open("maps/debug_handle_map.json").read()
delegates = open("maps/delegate_map").read()
for name, method in ("stored.zip", zipfile.ZIP_STORED), ("packed.zip", zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(name, "w", method) as archive:
        archive.writestr("ETRECORD_V0", "")
        archive.writestr("debug_handle_map", handles)
        archive.writestr("delegate_map", delegates)
both = {"debug_handle_map": json.loads(handles), "delegate_map": json.loads(delegates)}
json.dump(both, open("both.json", "w"))
PYTHON
profdump executorch blocks --etrecord maps --format tsv run.etdp >wanted
for record in stored.zip packed.zip both.json; do
    profdump executorch blocks --etrecord "$record" --format tsv run.etdp | cmp - wanted && echo "$record: same"
done
profdump executorch blocks --etrecord maps --compat run.etdp | cut -f 2,3,12,15,16
profdump executorch blocks --etrecord maps --format json run.etdp | grep -o '"backend.*\],"durations'
echo '{"debug_handle_map": {"1": [1' >bad.json
profdump executorch blocks --etrecord bad.json run.etdp
echo "exit $?"
head -c 100 packed.zip >cut.zip
profdump executorch blocks --etrecord cut.zip run.etdp
echo "exit $?"
profdump executorch blocks --etrecord none run.etdp
echo "exit $?"

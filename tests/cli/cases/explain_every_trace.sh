# Busy and idle by cause add up to the window in every trace, and no number is none.
cat >check.py <<'END'
import json, sys
for path in sys.argv[1:]:
    report = json.load(open(path), parse_constant=lambda name: sys.exit(path + ": " + name))
    for device in report["devices"]:
        assert device["busy_ns"] + sum(device["idle"].values()) == device["window_ns"], (path, device)
    for finding in report["findings"]:
        assert finding["saved_ns"] is None or 0 < finding["saved_ns"] <= report["wall_ns"], (path, finding)
print("all add up")
END
for trace in *.prof; do
    profdump explain --partial --json --rows -1 "$trace" >"$trace.json" 2>/dev/null || rm "$trace.json"
    profdump explain --partial "$trace" >"$trace.txt" 2>/dev/null
    grep -Eiw 'nan|inf' "$trace.txt"
done
python3 check.py *.prof.json

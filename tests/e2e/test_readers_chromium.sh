#!/usr/bin/env bash
# chrome://tracing's importer, as the TensorBoard plugin brings it along, in Chromium: it warns of nothing, has every slice,
# and an arrow from the call to each operation that it launched.
# long: it runs a browser
. "$(dirname "$0")/cuda_common.sh"
. "$(dirname "$0")/packages_common.sh"

examples=$e2e_directory/../../examples
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "there is no Chromium"
fetch_plugin
components=$packages/webcomponents.js/package/webcomponents.min.js
# The viewer was written for elements that browsers do not have any more.
fetch_npm webcomponents.js@0.7.24 || skip "webcomponents.js could not be fetched: $(tail -n 1 fetch.txt)"

# view NAME
view() {
    python3 "$e2e_directory/viewer_page.py" "$packages/plugin/torch_tb_profiler/static/trace_viewer_full.html" \
        "$components" "$1.json" >page.html
    timeout 100 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$here/browser" \
        --virtual-time-budget=20000 --dump-dom "file://$here/page.html" >dom.txt 2>browser.txt ||
        skip "the browser cannot be run: $(tail -n 1 browser.txt)"
    python3 - "$1.json" <<'PYTHON' || fail "$1"
import collections, json, re, sys
said = re.search(r"RESULT (\{.*\})", open("dom.txt").read())
r = json.loads(said[1]) if said else sys.exit("the page says nothing")
events = json.load(open(sys.argv[1]))["traceEvents"]
x = collections.Counter(e["cat"] for e in events if e["ph"] == "X")
work = x["kernel"] + x["gpu_memcpy"] + x["gpu_memset"]
for rule in ["not r['warnings']", "{cat: r['slices'].get(cat) for cat in x} == x", "r['arrows'] == work > 0", "r['astray'] == 0"]:
    if "error" in r or not eval(rule):
        sys.exit(f"{rule}: {json.dumps(r)[:2000]} {dict(x)}")
PYTHON
}

for name in demo demo_ranges; do
    "$CC" -std=gnu17 -O1 -I"$include" "$examples/$name.c" -o "$name" -L"$SIM_LIB" -l:libcudart.so.13
done
for name in memory streams; do
    compile_cuda $name
done
for name in demo demo_ranges memory streams; do
    simulate $name.prof ./$name >/dev/null
    "$PROF_BIN/profdump" --chrome $name.json $name.prof
    view $name
done

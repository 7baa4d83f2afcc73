#!/usr/bin/env bash
# Reports in a real browser: everything is there and drawn, can be sorted, searched and zoomed, in dark and light, and nothing that
# a name holds runs. PICTURES=FOLDER keeps the pictures.
# long: it draws many pages in a browser
set -euo pipefail
: "${BIN_DIR:?}"
here=$(cd "$(dirname "$0")" && pwd)
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$chromium" ]; then
    echo "skipped: there is no Chromium (package chromium)"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

profdump=$BIN_DIR/profdump
export PYTHONDONTWRITEBYTECODE=1
for kind in usual slower uneven hostile empty instant one negative year names different; do
    python3 "$here/make_kineto.py" "$kind.json" "$kind"
done
for kind in usual uneven hostile empty instant one negative year names; do
    "$profdump" -o "$kind.html" "$kind.json"
    "$profdump" -o "$kind.svg" "$kind.json"
done
"$profdump" -o different.html --html-full different.json
rm different.json
"$profdump" -o same.html usual.json slower.json
"$profdump" diff usual.json slower.json -o diff.html
mkdir traces && "$BIN_DIR/../test/make_traces" traces
"$profdump" -o demo.html traces/memory.prof
"$profdump" -o cpu.html traces/cpu.prof
mkdir job && "$BIN_DIR/../test/make_job" ranks=8 steps=120 layers=32 kernels=8 job
"$profdump" -o million.html --html-full job
rm -r job
for ranks in 8 16; do
    mkdir "job$ranks" && "$BIN_DIR/../test/make_job" "ranks=$ranks" steps=12 fault=slow_gpu victim=5 "job$ranks"
    "$profdump" -o "ranks$ranks.html" "job$ranks"
done
if [ -z "${AXE:-}" ] && command -v npm >/dev/null && npm_config_cache=$work/npm timeout 60 npm pack --silent axe-core >npm.out 2>&1; then
    tar xzf axe-core-*.tgz package/axe.min.js && export AXE=$work/package/axe.min.js
fi

status=0
PYTHONPATH=$here python3 "$here/check_report.py" "$chromium" "$work" || status=$?
if [ -n "${PICTURES:-}" ]; then
    cp ./*.png "$PICTURES"
fi
exit "$status"

#!/usr/bin/env bash
# Hostile names, many names, no event, one event, events without a duration, negative times, a year: every output opens in its
# reader and has all events. Readers that this machine lacks are left out; readers_bad_input.py says which there are.
# long: it fetches packages
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/packages_common.sh"

command -v python3 >/dev/null || skip "needs python3"
readers=()

# reader VARIABLE PATH: if it is there
reader() {
    [[ ! -e $2 ]] || readers+=("$1=$2")
}

reader PPROF "${PPROF:-$e2e_directory/../../build/pprof/pprof}"
PATH=$PATH:$e2e_directory/../../build/prometheus/usr/bin # unpacked by ./dev
reader PROMTOOL "$(command -v promtool)"
reader TRACE_PROCESSOR "${TRACE_PROCESSOR:-}"
reader CHROMIUM "$(command -v chromium || command -v chromium-browser || command -v google-chrome)"
if command -v node >/dev/null && fetch_npm "$speedscope_package"; then
    reader SPEEDSCOPE "$packages/speedscope/package/dist/release"
fi
if fetch plugin torch-tb-profiler==0.4.3 --no-deps && fetch needs pandas plotly networkx psutil pyyaml pydot; then
    export PYTHONPATH=$packages/plugin:$packages/needs:$packages/pyarrow
    if [[ "${readers[*]}" == *CHROMIUM=* ]] && fetch_npm webcomponents.js@0.7.24; then
        reader CATAPULT "$packages/plugin/torch_tb_profiler/static/trace_viewer_full.html"
        reader COMPONENTS "$packages/webcomponents.js/package/webcomponents.min.js"
    fi
fi
echo "with ${readers[*]%%=*}"
env "${readers[@]}" python3 "$e2e_directory/readers_bad_input.py" "$PROF_BIN/profdump"

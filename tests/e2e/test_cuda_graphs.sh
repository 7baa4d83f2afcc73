#!/usr/bin/env bash
# CUDA graphs: whoever replays a graph launched its operations, whoever captured a node is known as well, through
# instantiation, clones, graphs inside graphs and updates; what a launch was to give and did not is counted.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda graphs
export PROF_CUPTI=$SIM_LIB/libcupti.so.13 # a driver of CUDA 11 would have one of that version looked for

for layout in 11.2 11.8 12.4 13.0; do
    driver=13000
    [[ $layout != 11.2 ]] || driver=11020
    for what in "" early switched copies; do
        [[ $layout$what != 11.2switched ]] || continue # cudaGraphNodeSetEnabled is of CUDA 11.6
        start=auto
        [[ $what != early ]] || start=api
        same "output" OK "$(SIM_CUPTI_LAYOUT=$layout SIM_DRIVER_VERSION=$driver PROF_START=$start \
            simulate "graphs$what-$layout.prof" ./graphs $what 2>&1)"
    done
done
no_violations "recording graphs"

expect_cuda graphs-*.prof -- \
    "loss['graph_nodes'] == 0 and loss['launched_graph'] == 14 * 5 + 3 * 5 + 3 * 7" \
    "sorted((g['launches'], g['operations_min'], g['operations_max'], g['expected'], g['missing']) for g in facts['graphs']) == [(3, 5, 5, 5, 0), (3, 7, 7, 7, 0), (14, 5, 5, 5, 0)]" \
    "sorted((g['kernels'], g['memcpys'], g['memsets'], g['others']) for g in facts['graphs']) == [(3, 1, 1, 0), (3, 1, 1, 0), (4, 1, 2, 1)]" \
    "all(sum(c['operations'] for c in g['captured']) == g['operations'] for g in facts['graphs'])" \
    "all(sum(c['device_ns'] for c in g['captured']) == sum(r['device_ns'] for r in g['replayed']) == g['device_ns'] for g in facts['graphs'])" \
    "{tuple(r['path'][:1]): r['launches'] for g in facts['graphs'] for r in g['replayed']} == {('step',): 10, ('step of clone',): 3, ('step of built',): 2, ('step of set',): 1, ('step of updated',): 4}" \
    "[tuple(sorted(('/'.join(c['path']), c['operations']) for c in g['captured'])) for g in facts['graphs'] if g['expected'] == 7] == [(('build', 6), ('capture/cudaMemcpyAsync', 3), ('capture/layer 0/cudaLaunchKernel', 6), ('capture/layer 1/cudaLaunchKernel', 3), ('capture/layer 1/cudaMemsetAsync', 3))]" \
    "[{'/'.join(c['path']): c['operations'] for c in g['captured']} for g in facts['graphs'] if g['launches'] == 3 and g['expected'] == 5] == [{'capture/layer 0/cudaLaunchKernel': 6, 'capture/layer 1/cudaLaunchKernel': 3, 'capture/layer 1/cudaMemsetAsync': 3, 'capture/cudaMemcpyAsync': 3}]" \
    "under('step') == 10 * under('step of updated') / 4 and rows[('range', 'step')]['cuda_total_ns'] == under('step')" \
    "all(e['args']['graph id'] in {g['id'] for g in facts['graphs']} for e in x('kernel') + x('gpu_memset'))" \
    "all('graph id' in e['args'] for e in x('cuda_runtime', 'cudaGraphLaunch'))" \
    "calls['cudaGraphExecUpdate'] == 1 and sum(n for name, n in calls.items() if name.startswith('cudaGraphInstantiate')) == 3"
# An update is followed node by node where CUPTI tells which node takes over; else nothing is claimed.
expect_cuda graphs-13.0.prof -- \
    "args('kernel')['captured in'] == {'build', 'capture > layer 0 > cudaLaunchKernel', 'capture > layer 1 > cudaLaunchKernel', 'capture again > layer 0 > cudaLaunchKernel', 'capture again > layer 1 > cudaLaunchKernel'}" \
    "sum(c['operations'] for g in facts['graphs'] for c in g['captured'] if c['path'][:1] == ['capture again']) == 20"
expect_cuda graphs-11.2.prof graphs-11.8.prof graphs-12.4.prof -- \
    "[c['operations'] for g in facts['graphs'] for c in g['captured'] if c['when'] == 'unknown'] == [20]" \
    "not any(c['path'][:1] == ['capture again'] for g in facts['graphs'] for c in g['captured'])"

# Made before recording began: remembered, and stated when it did; twice, in one file.
expect_cuda graphsearly-*.prof -- \
    "[(g['known'], g['earlier'], g['launches'], g['expected'], g['missing']) for g in facts['graphs']] == [(True, True, 6, 5, 0)]" \
    "[(c['when'], c['operations'], c['nodes']) for g in facts['graphs'] for c in g['captured']] == [('earlier', 30, 5)]" \
    "args('kernel')['captured in'] == {'while recording was off'}"
# A node that is switched off is no loss.
expect_cuda graphsswitched-*.prof -- \
    "[(g['varies'], g['operations_min'], g['operations_max'], g['missing']) for g in facts['graphs']] == [(True, 1, 2, 0)]" \
    "loss['graph_nodes'] == 0"
expect_cuda graphscopies-*.prof -- \
    "[(g['memcpys'], g['kernels'], g['expected'], g['missing']) for g in facts['graphs']] == [(3, 0, 3, 0)]"

# Stacks: of the call that captured a node, or of the code that added it.
simulate stacks.prof env PROF_STACKS=launch ./graphs >stacks.txt
"$PROF_BIN/profdump" --chrome stacks.json stacks.prof
python3 - stacks.json <<'PYTHON' || fail "stacks of captures are missing"
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
kernels = [e for e in events if e["ph"] == "X" and e["cat"] == "kernel"]
added = [e for e in kernels if e["args"]["captured in"] == "build"]
layers = [e for e in kernels if "layer" in e["args"]["captured in"]]
sys.exit(not (added and all("build" in e["args"]["captured at"] for e in added) and
              layers and all("layers" in e["args"]["captured at"] for e in layers)))
PYTHON

# Whole graphs: a record per launch, where CUPTI has such; else one line, and nodes.
PROF_GRAPHS=graph simulate whole.prof ./graphs >whole.txt 2>&1
same "output" OK "$(cat whole.txt)"
expect_cuda whole.prof -- \
    "sorted((g['launches'], g['whole_launches'], g['operations'], g['missing']) for g in facts['graphs']) == [(3, 3, 3, 0), (3, 3, 3, 0), (14, 14, 14, 0)]" \
    "len(x('gpu_graph')) == 20 and not x('kernel') and loss['launched_graph'] == 20" \
    "rows[('range', 'step')]['cuda_total_ns'] == sum(r['device_ns'] for g in facts['graphs'] for r in g['replayed'] if r['path'][0] == 'step') > 0" \
    "sum(row['self_cuda_total_ns'] for (kind, _), row in rows.items() if kind == 'graph') == sum(g['device_ns'] for g in facts['graphs'])"
SIM_CUPTI_LAYOUT=11.2 SIM_DRIVER_VERSION=11020 PROF_GRAPHS=graph simulate fallback.prof ./graphs >fallback.txt 2>&1
same "what is said" 1 "$(grep -c '^libprof: CUPTI cannot record whole graphs' fallback.txt)"
expect_cuda fallback.prof -- "len(x('kernel')) == 14 * 3 + 3 * 3 + 3 * 4 and loss['graph_nodes'] == 0"
# Instantiated before whole graphs were recorded: CUPTI says nothing of them, and that is counted.
PROF_START=api PROF_GRAPHS=graph simulate unseen.prof ./graphs early >unseen.txt 2>&1
expect_cuda unseen.prof -- "loss['graph_nodes'] == 6 and not x('gpu_graph') and facts['graphs'][0]['missing'] == 6"

# Faults. Silent: only what a launch was to give tells of it. Counted by CUPTI, or without times: counted once.
SIM_HIDE_NODES_EVERY=7 simulate hidden.prof ./graphs >hidden.txt 2>&1
expect_cuda hidden.prof -- \
    "loss['graph_nodes'] == sum(g['missing'] for g in facts['graphs']) == (14 * 5 + 3 * 5 + 3 * 7) // 7" \
    "sum(e['args'].get('missing operations', 0) for e in x('cuda_runtime', 'cudaGraphLaunch')) == loss['graph_nodes']"
"$PROF_BIN/profdump" --fail-on-loss hidden.prof >/dev/null 2>&1 && fail "lost nodes are no loss"
SIM_DROP_EVERY=7 simulate dropped.prof ./graphs >dropped.txt 2>&1
expect_cuda dropped.prof -- "loss['graph_nodes'] == 0 < loss['cupti_dropped']"
SIM_ZERO_EVERY=7 simulate zero.prof ./graphs >zero.txt 2>&1
expect_cuda zero.prof -- "loss['graph_nodes'] == 0 < loss['zero_time']"
SIM_FAIL=cuptiGetGraphNodeId=1 simulate blind.prof ./graphs >blind.txt 2>&1
expect_cuda blind.prof -- "loss['graph_nodes'] == 0 and {c['when'] for g in facts['graphs'] for c in g['captured']} == {'unknown'}"
SIM_FAIL=cuptiGetGraphId=1,cuptiGetGraphExecId=1 simulate nameless.prof ./graphs >nameless.txt 2>&1
expect_cuda nameless.prof -- "loss['graph_nodes'] == 0 and len(facts['graphs']) == 3"

# kill -9: what was not delivered yet is no loss of the graphs.
env LD_LIBRARY_PATH="$SIM_LIB" LD_PRELOAD="$lib" PROF_OUTPUT=killed.prof ./graphs endless >killed.txt 2>&1 &
victim=$!
launched() { (($(count_of 'other()' killed.prof) > 20)); }
await "launches of a graph" launched
kill -9 $victim
wait $victim 2>/dev/null || true
expect_cuda killed.prof -- "not process['closed'] and loss['graph_nodes'] == 0 and facts['graphs'][0]['launches'] > 10"
no_violations "faults"

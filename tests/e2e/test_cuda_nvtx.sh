#!/usr/bin/env bash
# From NVTX calls to the outputs: kernels belong to the NVTX range that launched them, in whatever domain; crossing ranges
# count once; PyTorch's operators are one row with shapes and an arrow to their backward pass.
. "$(dirname "$0")/cuda_common.sh"
. "$e2e_directory/nvtx_common.sh"

need_nvtx
compile_cuda annotated -D_GNU_SOURCE -I"$nvtx_include" -ldl
same "output" OK "$(simulate annotated.prof ./annotated 2>&1)"
no_violations "libprof with NVTX"
expect_cuda annotated.prof -- \
    "loss['launched'] == loss['recorded'] == 13 and loss['unopened'] == loss['unclosed'] == 0" \
    "count['outer'] == count['io:read'] == count['own'] == count['within'] == count['aten::mm'] == 1" \
    "rows['range', 'outer']['cuda_total_ns'] == 3 * ns('work(float*, int)') // 13" \
    "rows['range', 'io:read']['self_cuda_total_ns'] == 5 * ns('work(float*, int)') // 13" \
    "rows['range', 'within']['self_cuda_total_ns'] == rows['range', 'own']['cuda_total_ns'] == 4 * ns('work(float*, int)') // 13" \
    "rows['range', 'around']['cuda_total_ns'] == 4 * ns('work(float*, int)') // 13" \
    "rows['range', 'autograd::engine::evaluate_function: MmBackward0']['cuda_total_ns'] == 2 * ns('work(float*, int)') // 13" \
    "args('user_annotation', 'read')['domain'] == {'io'} and args('user_annotation', 'read')['category'] == {'files'}" \
    "args('user_annotation', 'read')['color'] == {'#FF00FF00'} and len(x('user_annotation', 'read')) == 2" \
    "args('user_annotation', 'read')['payload'] == {str(2**64 - 1)}" \
    "x('cpu_op', 'aten::mm')[0]['args']['Sequence number'] == 12" \
    "x('cpu_op', 'aten::mm')[0]['args']['Input Dims'] == [[2, 3], [3, 4]]" \
    "not x('user_annotation', 'aten::mm') and not x('cpu_op', 'within')" \
    "{e['args'].get('External id') for e in x('kernel')} == {None} | {e['args']['External id'] for e in x('cpu_op') if e['name'] in ('aten::mm', 'MmBackward0')}" \
    "[s['name'] for s, f in arrows('fwdbwd')] == ['aten::mm']" \
    "[f['name'] for s, f in arrows('fwdbwd')] == ['autograd::engine::evaluate_function: MmBackward0']" \
    "any('autograd' in e['args']['name'] for e in trace.all if e['name'] == 'thread_name')"

# What is read back from the Chrome trace is what was written, and written again it is the same.
"$PROF_BIN/profdump" --chrome once.json annotated.prof
"$PROF_BIN/profdump" --chrome twice.json once.json
python3 - "$PROF_BIN/profdump" annotated.prof once.json twice.json <<'PYTHON' || fail "the Chrome trace read back"
import json, subprocess, sys
profdump, recorded, once, twice = sys.argv[1:]
def rows(path):
    facts = json.loads(subprocess.check_output([profdump, "--json", path]))
    return {(row["kind"], row["name"].removeprefix("io:")): [row[key] for key in ("count", "cpu_total_ns", "cuda_total_ns")]
            for row in facts["key_averages"] if row["kind"] in ("range", "kernel")}
def operators(path):
    words = ("Sequence number", "Input Dims", "Fwd thread id")
    events = [e for e in json.load(open(path))["traceEvents"] if e["ph"] == "X"]
    names = {e["args"]["External id"]: e["name"] for e in events if e["cat"] == "cpu_op"}
    return ([(e["name"], e["dur"], [e["args"].get(word) for word in words]) for e in events if e["cat"] == "cpu_op"],
            [(e["name"], e["dur"], names.get(e["args"].get("External id"))) for e in events
             if e["cat"] in ("cuda_runtime", "kernel")])
asynchronous = {("range", "around"), ("range", "io:read"), ("range", "read")}
ours, theirs = ({k: v for k, v in rows(path).items() if k not in asynchronous} for path in (recorded, once))
assert ours == theirs and len(ours) >= 6, (ours, theirs)
assert operators(once) == operators(twice), (operators(once), operators(twice))
assert [name for name, *_ in operators(once)[0]] == [
    "aten::mm", "autograd::engine::evaluate_function: MmBackward0", "MmBackward0"], operators(once)
forward = operators(once)[0][1][2][2]
assert forward is not None, operators(once)
PYTHON

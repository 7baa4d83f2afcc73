# Python functions of a trace that was recorded with with_stack=True. A kernel without a call belongs to its operator.
cat >python.json <<'JSON'
{"schemaVersion": 1, "traceEvents": [
 {"ph": "X", "cat": "python_function", "name": "train.py(40): main", "pid": 5, "tid": 5, "ts": 0, "dur": 1000},
 {"ph": "X", "cat": "python_function", "name": "train.py(12): step", "pid": 5, "tid": 5, "ts": 10, "dur": 400},
 {"ph": "X", "cat": "python_function", "name": "nn.Module: Linear_0", "pid": 5, "tid": 5, "ts": 20, "dur": 100},
 {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 5, "tid": 5, "ts": 30, "dur": 50, "args": {"External id": 1}},
 {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 5, "tid": 5, "ts": 40, "dur": 10,
  "args": {"correlation": 9, "External id": 1}},
 {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 60, "dur": 300,
  "args": {"device": 0, "stream": 7, "correlation": 9, "External id": 1}},
 {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 5, "tid": 5, "ts": 500, "dur": 50, "args": {"External id": 2}},
 {"ph": "X", "cat": "kernel", "name": "add", "pid": 0, "tid": 7, "ts": 600, "dur": 100,
  "args": {"device": 0, "stream": 7, "External id": 2}}
]}
JSON
profdump stacks python.json | sed 's/; no source lines (profdump was built without libdw)//'
profdump stacks --folded python.json
profdump stacks --format tsv python.json
echo "== functions"
profdump stacks --functions python.json
profdump stacks --functions --sort total --format tsv python.json
profdump stacks --functions --rows 1 --format markdown python.json
profdump stacks --functions --json python.json
for words in "--sort self" "--functions --sort calls" "--functions --folded" "--functions -o out.svg"; do
    profdump stacks $words python.json; echo "exit $?"
done
echo "== no Python functions in the file"
profdump stacks "$CASES/inputs/kineto.json" 2>&1 | sed 's/; no source lines (profdump was built without libdw)//'

# Kernels and operators get their work; all else stays as it is written: order, spelling, members twice.
cat >in.json <<'END'
{
 "schemaVersion": 1, "schemaVersion": 2,
 "traceEvents": [
  {"ph": "X", "cat": "cpu_op", "name": "aten::linear", "pid": 5, "tid": 6, "ts": 10.0, "dur": 90, "args": {"External id": 1, "Input Dims": [[2, 3], [4, 3], [4]], "Input type": ["float", "float", "float"]}},
  {"ph": "X", "cat": "cpu_op", "name": "aten::addmm", "pid": 5, "tid": 6, "ts": 2.0E1, "dur": 50.000, "args": {
    "External id": 2, "Input Dims": [[4], [2, 3], [3, 4], [], []], "Input type": ["float", "float", "float", "Scalar", "Scalar"],
    "Concrete Inputs": ["", "", "", "1", "1"]
  }},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 5, "tid": 6, "ts": 30, "dur": 5, "args": {"External id": 2, "correlation": 70}},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 5, "tid": 6, "ts": 40, "dur": 5, "args": {"External id": 2, "correlation": 71}},
  {"ph": "s", "id": 70, "pid": 5, "tid": 6, "ts": 30, "cat": "ac2g", "name": "ac2g"},
  {"ph": "X", "cat": "kernel", "name": "sgemm \u00e9", "pid": 0, "tid": 7, "ts": 100, "dur": 30, "args": {"External id": 2, "correlation": 70, "device": 0, "stream": 7 }},
  {"ph": "X", "cat": "kernel", "name": "sgemm split", "pid": 0, "tid": 7, "ts": 140, "dur": 10, "args": {"kernel_flop": 0, "correlation": 71, "stream": 7, "stream": 7}},
  {"ph": "X", "cat": "kernel", "name": "alone", "pid": 0, "tid": 7, "ts": 160, "dur": 10, "args": {"correlation": 99, "stream": 7}},
  {"ph": "X", "cat": "kernel", "name": "bare", "pid": 0, "tid": 7, "ts": 180, "dur": 10},
  {"ph": "X", "cat": "kernel", "name": "told", "pid": 0, "tid": 7, "ts": 190, "dur": 10, "args": {"correlation": 98, "stream": 7, "kernel_flop": 1.0e3, "kernel_num_gb": 0.50}}
 ],
 "traceName": "in.json"
}
END
profdump pytorch augment in.json - | diff in.json - | sed 's/"External id": 1,.*Scalar"\]/.../'
# to a file, packed
profdump pytorch augment in.json both.json 2>/dev/null && profdump pytorch augment in.json - 2>/dev/null | cmp - both.json
profdump pytorch augment in.json out.json.gz 2>/dev/null && zcat out.json.gz | cmp - both.json
# what is there stays
profdump pytorch augment both.json again.json && cmp both.json again.json

# Ids that two processes share, ids that are missing, kernels of no duration: nothing of it is an error.
cat >a.json <<'END'
[
{"ph": "X", "cat": "Operator", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 10, "dur": 10, "args": {"external id": 3, "Input Dims": [[2, 3], [3, 4]], "Input type": ["float", "float"]}},
{"ph": "X", "cat": "Runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 12, "dur": 2, "args": {"external id": 3, "correlation": 5}},
{"ph": "X", "cat": "Kernel", "name": "gemm", "pid": 0, "tid": "stream 7", "ts": 20, "dur": 0, "args": {"device": 0, "stream": 7, "correlation": 5}},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 30, "dur": 4, "args": {"External id": 3, "device": 0, "stream": 7}},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 40, "dur": 4, "args": {"External id": 4, "device": 0, "stream": 7}}
]
END
profdump pytorch augment a.json a2.json && grep -o '"name": "[a-z:]*".*"kernel_.*' a2.json; head -c 2 a2.json
# the same twice in one file
profdump -o ab.json a.json a.json && profdump pytorch augment ab.json - | grep -c kernel_flop
profdump pytorch combine a.json a.json out.json

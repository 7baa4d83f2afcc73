# A trace of AMD's devices: nothing is CUDA's in reports, nor in what is read back of an export. What kind of the host's memory
# was copied, the file does not say.
cat >rocm.json <<'JSON'
{"deviceProperties": [{"id": 0, "name": "AMD Instinct MI300X", "numSms": 304}], "traceEvents": [
 {"ph": "X", "cat": "cpu_op", "name": "aten::copy_", "pid": 5, "tid": 5, "ts": 0, "dur": 40, "args": {"External id": 1}},
 {"ph": "X", "cat": "cuda_runtime", "name": "__hipPushCallConfiguration", "pid": 5, "tid": 5, "ts": 1, "dur": 1, "args": {}},
 {"ph": "X", "cat": "cuda_runtime", "name": "roctxMarkA", "pid": 5, "tid": 5, "ts": 3, "dur": 1, "args": {}},
 {"ph": "X", "cat": "cuda_runtime", "name": "hipMemcpyAsync", "pid": 5, "tid": 5, "ts": 10, "dur": 20, "args": {"correlation": 1}},
 {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy DtoH (Device -> Host)", "pid": 0, "tid": 0, "ts": 50, "dur": 30,
  "args": {"device": 0, "stream": 0, "correlation": 1, "bytes": 4096}},
 {"ph": "X", "cat": "cuda_runtime", "name": "hipLaunchKernel", "pid": 5, "tid": 5, "ts": 60, "dur": 10, "args": {"correlation": 2}},
 {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 0, "ts": 100, "dur": 30, "args": {"device": 0, "stream": 0, "correlation": 2}}
]}
JSON
profdump rocm.json
profdump -o rocm.sqlite rocm.json
profdump -o again.json --window 0s.. rocm.json
for file in rocm.sqlite again.json; do
    echo "== $file"
    profdump --kind memcpy $file
done
echo "== by kind"
profdump --group-by thread --rows 1 --sort name rocm.json | grep calls
profdump query --format tsv 'SELECT name, source, target FROM memcpys' rocm.sqlite
profdump --tree rocm.json | grep '% of parent'
profdump explain rocm.json | grep -E "CUDA|cuda[A-Z]|other HIP"
echo "== another maker's"
sed 's/hip[A-Z][A-Za-z]*/urEnqueue/; s/cuda_runtime/xpu_runtime/; s/AMD Instinct/Max/' rocm.json >other.json
profdump --rows 1 other.json | grep -E "mode|calls|Self"

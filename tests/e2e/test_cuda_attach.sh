#!/usr/bin/env bash
# profrun --attach to a program that uses CUDA already: its kernels are recorded from then on, each with its launch.
. "$(dirname "$0")/cuda_common.sh"
. "$(dirname "$0")/attach_common.sh"

# A call that was under way when libprof came has an operation, but no launch: there may be one.
recorded() {
    "$PROF_BIN/profdump" check "$1" >check.txt || fail "$1: $(cat check.txt)"
    "$PROF_BIN/profdump" --json "$1" >facts.json
    python3 - facts.json <<'SCRIPT' || fail "$1: $("$PROF_BIN/profdump" "$1" 2>&1)"
import json, sys
text = open(sys.argv[1]).read()
facts = json.loads(text)
def find(value, name):
    if isinstance(value, dict):
        if name in value:
            return value[name]
        value = list(value.values())
    for part in value if isinstance(value, list) else []:
        found = find(part, name)
        if found is not None:
            return found
    return None
launched, recorded, orphans = (find(facts, name) for name in ("launched", "recorded", "orphans"))
assert find(facts, "mode") == "cupti" and "Simulated GPU 0" in text
assert recorded > 0 and launched == recorded and (orphans or 0) <= 1, (launched, recorded, orphans)
SCRIPT
}

compile_cuda attach_loop
begin env LD_LIBRARY_PATH="$SIM_LIB" ./attach_loop
attach -o late.prof --for 300ms --no-table
end 0 OK
no_violations "attaching"
recorded late.prof
found -a "libprof was loaded into the running process" <late.prof || fail "no note of what is missing"
"$PROF_BIN/profdump" late.prof | found "on by attach, off by time" || fail "the window"

# Python that calls CUDA.
cat >cuda.py <<'SCRIPT'
import ctypes, os, time
cuda = ctypes.CDLL("libcudart.so.13")
memory = ctypes.c_void_p()
cuda.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(1 << 20))
os.set_blocking(0, False)
print("begun", flush=True)
while True:
    try:
        if not os.read(0, 1):
            break
    except BlockingIOError:
        pass
    cuda.cudaMemset(memory, 0, ctypes.c_size_t(1 << 16))
    time.sleep(0.002)
print("OK")
SCRIPT
begin env LD_LIBRARY_PATH="$SIM_LIB" "$(python3 -c 'import sys; print(sys.executable)')" cuda.py
attach -o python.prof --for 300ms --no-table
end 0 OK
no_violations "attaching to Python"
recorded python.prof

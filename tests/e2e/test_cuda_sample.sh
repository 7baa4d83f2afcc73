#!/usr/bin/env bash
# A device that waits for the host: profdump explain names the function that it waited for, in C and in Python.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda starved
export SIM_CUPTI_LAYOUT=12.4 PROF_SAMPLE=99

# explained FILE EXPRESSION...: true of `report` and of `share(function)`, percent of the samples in idle time
explained() {
    "$PROF_BIN/profdump" explain --json "$1" >report.json || fail "explain $1"
    python3 - report.json "${@:2}" <<'EOF' || fail "$1: $(cat report.json)"
import json, sys
report = json.load(open(sys.argv[1]))
waited = report["waited_for"]
def share(name):
    return sum(100 * (w["run_ns"] + w["wait_ns"]) / w["sampled_ns"] for w in waited if w["function"] == name)
for expression in sys.argv[2:]:
    if not eval(expression):
        sys.exit(f"not true: {expression}")
EOF
}

simulate busy.prof ./starved
explained busy.prof 'waited[0]["function"] == "slow_decode"' '60 < share("slow_decode") < 88' '12 < share("augment") < 40' \
    'any("slow_decode" in frame for frame in waited[0]["stack"])' 'waited[0]["wait_ns"] < waited[0]["run_ns"]' \
    '1.2e9 < waited[0]["sampled_ns"] < 3e9' 'waited[0]["pid"] == waited[0]["tid"]'
"$PROF_BIN/profdump" explain busy.prof >report.txt
found '  slow_decode: .* on the CPU' <report.txt || fail "the text does not name slow_decode: $(cat report.txt)"

simulate disk.prof ./starved disk
explained disk.prof 'any("read_disk" in frame for frame in waited[0]["stack"])' 'waited[0]["wait_ns"] > 0.9e9'

PROF_SAMPLE=0 simulate off.prof ./starved disk
explained off.prof 'waited == []'

cat >loader.py <<'EOF'
import ctypes, time
cuda = ctypes.CDLL("libcudart.so.13")
pointer = ctypes.c_void_p()
cuda.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(4096))
def decode_image(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(1000))
def train_step():
    decode_image(0.1)
    cuda.cudaMemsetAsync(pointer, 0, ctypes.c_size_t(4096), None)
    cuda.cudaDeviceSynchronize()
for _ in range(10):
    train_step()
EOF
find_pythons 3.9
for each in "${pythons[@]}"; do
    version=${each%%:*}
    simulate "python-$version.prof" "${each#*:}" loader.py
    explained "python-$version.prof" 'waited[0]["function"] == "decode_image"' 'share("decode_image") > 80' \
        'any("loader.py:5" in frame for frame in waited[0]["stack"])'
done
no_violations "the starved device"

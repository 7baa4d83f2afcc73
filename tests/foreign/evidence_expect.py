"""What profdump says of Chrome traces that lack records: evidence_expect.py PROFDUMP, in an empty folder."""
import json
import subprocess
import sys

EXIT_LOSS = 3


def profdump(*arguments, status=0):
    done = subprocess.run([sys.argv[1], *arguments], capture_output=True, text=True)
    assert done.returncode == status, (arguments, done.returncode, done.stdout, done.stderr)
    return " ".join((done.stdout + done.stderr).split())


def write(name, events):
    with open(name, "w") as out:
        json.dump({"schemaVersion": 1, "traceEvents": events}, out)


def call(name, time, correlation, tid=7, **more):
    return {"ph": "X", "cat": "cuda_runtime", "name": name, "pid": 7, "tid": tid, "ts": time, "dur": 5, "args": {"correlation": correlation}, **more}


def kernel(time, correlation, name="gemm"):
    return {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 3, "ts": time, "dur": 20,
            "args": {"device": 0, "stream": 3, "correlation": correlation}}


def has(text, *parts):
    for part in parts:
        assert part in text, f"no {part!r} in: {text}"


# ---- launches without any device record ----

launches = []
for i in range(10):
    launches += [call("cudaLaunchKernel", 100 * i, 2 * i + 1), call("cudaMemcpyAsync", 100 * i + 20, 2 * i + 2)]
write("calls.json", launches)
has(profdump("calls.json"), "Ledger: launched 20 = recorded 0 + unobserved 20; not everything was recorded:",
    "GPU mode: none, the file has no device records")
has(profdump("check", "--ledger", "--fail-on-loss", "calls.json", status=EXIT_LOSS), "Launched 20 = recorded 0 + unobserved 20")
has(profdump("--window", "..450us", "calls.json"), "launched 10 = recorded 0 + unobserved 10")

write("hip.json", [call("hipLaunchKernel", 10, 1), call("hipExtModuleLaunchKernel", 20, 2), call("hipLaunchHostFunc", 30, 3)])
has(profdump("--fail-on-loss", "hip.json", status=EXIT_LOSS), "launched 2 = recorded 0 + unobserved 2")

# one of the runtime's that makes one of the driver's is one
write("nested.json", [call("cudaLaunchKernel", 10, 1, dur=20), call("cuLaunchKernel", 15, 2), kernel(100, 2)])
has(profdump("--verbose", "--fail-on-loss", "nested.json"), "launched 1 = recorded 1; each launch has its record")

# what failed launched nothing; copies of no bytes have no record where other launches have theirs
write("copies.json", [call("cudaLaunchKernel", 10, 1), kernel(100, 1), call("cudaMemcpyAsync", 20, 2)])
has(profdump("--verbose", "--fail-on-loss", "copies.json"), "launched 1 = recorded 1; each launch has its record; the file does not say")
write("some.json", [call("cudaLaunchKernel", 10, 1), kernel(100, 1), call("cudaLaunchKernel", 20, 2)])
has(profdump("--fail-on-loss", "some.json", status=EXIT_LOSS), "launched 2 = recorded 1 + unobserved 1")
# an operation that names its operator may be that launch's
write("loose.json", [call("cudaLaunchKernel", 10, 1), kernel(100, 1), call("cudaLaunchKernel", 20, 2), kernel(200, 99)])
assert "unobserved" not in profdump("loose.json")

# ---- launches into a stream capture ----

capture = [call("cudaStreamBeginCapture", 1, 1)]
capture += [call("cudaLaunchKernel", 10 + 10 * i, 2 + i, tid=7 + i % 2) for i in range(421)]
capture += [call("cudaStreamEndCapture", 5000, 1000)]
write("capture.json", capture)
has(profdump("--verbose", "capture.json"), "launched 0 = recorded 0, and 421 captured; whether anything was lost cannot be judged: the file has no launches")
has(profdump("check", "--ledger", "capture.json"), "and 421 captured")
write("capture_and_run.json", capture + [call("cudaLaunchKernel", 6000, 2000), kernel(6100, 2000)])
has(profdump("--verbose", "--fail-on-loss", "capture_and_run.json"), "launched 1 = recorded 1, and 421 captured; each launch has its record")

# ---- nothing of a device at all ----

write("host.json", [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 7, "tid": 7, "ts": 0, "dur": 50}])
has(profdump("host.json"), "whether anything was lost cannot be judged: the file has no launches")

# ---- reports: no all-clear without evidence ----

NO_RECORD = "what devices did cannot be judged: 10 launches and 10 copies have no device record"
has(profdump("explain", "calls.json"), NO_RECORD, "If the program uses a GPU, record what the GPU does as well")
has(profdump("breakdown", "calls.json"), NO_RECORD)
has(profdump("roofline", "calls.json", status=5), NO_RECORD)
has(profdump("diff", "calls.json", "capture.json"), "base: " + NO_RECORD, "new: what devices did cannot be judged: 421 launches went into")
has(profdump("check", "calls.json"), "20 launches have no device record", "0 errors, 1 warning")
has(profdump("hang", "calls.json"), "Hang: whether anything hangs cannot be judged: the file does not say what was open")
write("kernels.json", [kernel(100 * i, i + 1) for i in range(20)])
has(profdump("explain", "kernels.json"), "In this recording, what devices waited for cannot be judged: no CUDA calls were recorded")
write("nothing.json", [{"ph": "M", "name": "process_name", "pid": 7, "args": {"name": "train"}}])

# ---- memory and graphs: what is in the file is not denied ----

memory = [call("cudaMalloc", 10 * i, i + 1) for i in range(76)] + [call("cudaFree", 1000 + 10 * i, i + 100) for i in range(3)]
write("memory.json", memory)
has(profdump("memory", "memory.json"), "Memory cannot be judged: the file has no memory records; 76 allocation calls, 3 frees.")
has(profdump("memory", "calls.json"), "Memory cannot be judged: the file has no memory records.")
nodes = [kernel(100 * i, 5) for i in range(993)]
for node in nodes:
    node["args"].update({"graph id": 2, "graph node id": 3})
write("nodes.json", nodes)
has(profdump("graphs", "nodes.json"), "graphs cannot be judged: 993 operations of CUDA graphs were recorded, but no graph launch or capture")
has(profdump("graphs", "capture.json"), "421 launches went into a stream capture, and no graph was launched")
has(profdump("graphs", "host.json"), "graphs cannot be judged: no CUDA calls were recorded")

# the same launches again and again, of a program that captures: no advice to capture
steps = []
for i in range(50):
    steps.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{i}", "pid": 7, "tid": 7, "ts": 1000 * i, "dur": 900})
    for k in range(20):
        steps.append(call("cudaLaunchKernel", 1000 * i + 40 * k, 100 * i + k + 1, dur=30))
        steps.append(kernel(1000 * i + 40 * k + 35, 100 * i + k + 1) | {"dur": 1})
write("steps.json", steps)
has(profdump("explain", "steps.json"), "Capture them in a CUDA graph")
captured = [call("cudaStreamBeginCapture", 60000, 90000), call("cudaLaunchKernel", 60010, 90001), call("cudaStreamEndCapture", 60020, 90002)]
write("steps_captured.json", steps + captured)
assert "Capture them in a CUDA graph" not in profdump("explain", "steps_captured.json")

# ---- advice fits the device ----


def explain_on(name, major, minor, warp=32):
    """A program that multiplies in single precision all the time, on such a device."""
    events = []
    for i in range(50):
        events.append(call("cudaLaunchKernel", 100 * i, i + 1))
        events.append(kernel(100 * i + 10, i + 1, "volta_sgemm_128x64_nn") | {"dur": 80})
    with open("device.json", "w") as out:
        json.dump({"schemaVersion": 1, "traceEvents": events, "deviceProperties": [
            {"id": 0, "name": name, "computeMajor": major, "computeMinor": minor, "warpSize": warp, "numSms": 80}]}, out)
    return profdump("explain", "device.json")


RULE = "fp32-without-tensor-cores"
text = explain_on("Tesla V100-SXM2-16GB", 7, 0)
has(text, RULE, "Compute in FP16", "have neither TF32 nor BF16")
assert "Allow TF32" not in text, text
has(explain_on("Tesla T4", 7, 5), RULE, "Compute in FP16")
has(explain_on("NVIDIA A100-SXM4-80GB", 8, 0), RULE, "Allow TF32")
for none in (("Tesla P100", 6, 0), ("NVIDIA GeForce GTX 1660", 7, 5), ("AMD Instinct MI300X", 9, 4, 64)):
    assert RULE not in explain_on(*none), none

# each finding states its cost
done = subprocess.run([sys.argv[1], "explain", "--json", "steps.json"], capture_output=True, text=True)
findings = json.loads(done.stdout)["findings"]
assert findings and all(finding["cost_ns"] > 0 for finding in findings), findings
text = profdump("explain", "--rows", "-1", "steps.json")
assert text.count(": costs ") == len(findings), text

# ---- devices of makers that are not known ----

ascend = [{"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}} for pid, name in
          ((10, "Python"), (20, "Ascend Hardware"), (30, "Overlap Analysis"))]
ascend += [{"ph": "M", "name": "process_labels", "pid": pid, "tid": 0, "args": {"labels": label}} for pid, label in ((10, "CPU"), (30, "NPU"))]
ascend += [{"ph": "X", "pid": pid, "tid": tid, "ts": 10, "dur": 20, "name": name} for pid, tid, name in
           ((10, 1, "aten::mm"), (20, 2, "MatMul"), (20, 3, "Add"), (30, 1, "Computing"), (30, 3, "Free"))]
write("ascend.json", ascend)
LIKE = "4 rows look like device rows and are counted as threads"
has(profdump("ascend.json"), LIKE)
has(profdump("check", "ascend.json"), LIKE)
has(profdump("explain", "ascend.json"), "what devices did cannot be judged")
write("aiu.json", [{"ph": "X", "cat": "aiu_compute", "pid": 5, "tid": 9, "ts": 0, "dur": 5, "name": "conv"}])
has(profdump("aiu.json"), "1 row looks like a device row and is counted as a thread")
write("browser.json", [{"ph": "M", "name": "process_name", "pid": 5, "args": {"name": "GPU Process"}},
                       {"ph": "X", "cat": "gpu,benchmark", "pid": 5, "tid": 9, "ts": 0, "dur": 5, "name": "draw"}])
assert "device rows" not in profdump("browser.json")

# a device without a name
text = explain_on("", 8, 0)
has(text, "GPU 0: 50 operations")
assert "GPU 0, :" not in text

"""training.py DIRECTORY: writes traces of training loops in PyTorch's format, made from the constants below.

    training.json    eight steps; in steps 3 to 5, the GPU waits longer for `load`, which calls a function of Python
    busy.json        four steps whose kernels follow each other: the GPU never waits
"""

import json
import sys
from pathlib import Path

STEPS, SLOW_STEPS = 8, (3, 4, 5)
# Microseconds. `load` ends, then `forward` launches a kernel after START, which runs once the call has returned.
LOAD_US, SLOW_LOAD_US = 100, 700
FORWARD_US, START_US, CALL_US, KERNEL_US, RETURN_US, BETWEEN_US = 40, 10, 10, 500, 5, 20
BUSY_STEPS, BUSY_KERNEL_US = 4, 10_000


def load_us_total():
    return len(SLOW_STEPS) * SLOW_LOAD_US + (STEPS - len(SLOW_STEPS)) * LOAD_US


class Trace:
    def __init__(self):
        self.events = []
        self.calls = 0

    def add(self, cat, name, start_us, duration_us, **arguments):
        device = cat == "kernel"
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": 0 if device else 4242, "tid": 7 if device else 4242,
                            "ts": start_us, "dur": duration_us, "args": arguments})

    def launch(self, name, call_us, kernel_us, duration_us):
        self.calls += 1
        self.add("cuda_runtime", "cudaLaunchKernel", call_us, CALL_US, correlation=self.calls)
        self.add("kernel", name, kernel_us, duration_us, correlation=self.calls, device=0, context=1, stream=7)

    def write(self, path):
        content = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "A GPU"}], "traceEvents": self.events}
        path.write_text(json.dumps(content), encoding="utf-8")


def training():
    trace, begin = Trace(), 1000
    for step in range(1, STEPS + 1):
        load = SLOW_LOAD_US if step in SLOW_STEPS else LOAD_US
        forward = begin + 10 + load + 5
        kernel = forward + START_US + CALL_US + 5
        end = kernel + KERNEL_US + RETURN_US
        trace.add("user_annotation", f"ProfilerStep#{step}", begin, end + 10 - begin)
        trace.add("user_annotation", "load", begin + 10, load)
        trace.add("python_function", "train.py(12): read", begin + 10, load, **{"Python id": step})
        trace.add("user_annotation", "forward", forward, FORWARD_US)
        trace.launch("gemm", forward + START_US, kernel, KERNEL_US)
        trace.calls += 1
        wait = forward + FORWARD_US + 5
        trace.add("cuda_runtime", "cudaDeviceSynchronize", wait, end - wait, correlation=trace.calls)
        begin = end + BETWEEN_US
    return trace


def busy():
    """Each kernel is launched long before the one in front of it ends."""
    trace = Trace()
    for step in range(BUSY_STEPS):
        trace.add("user_annotation", f"ProfilerStep#{step + 1}", 1000 + 30 * step, 25)
        trace.launch("gemm", 1005 + 30 * step, 1020 + BUSY_KERNEL_US * step, BUSY_KERNEL_US)
    return trace


def main():
    directory = Path(sys.argv[1])
    training().write(directory / "training.json")
    busy().write(directory / "busy.json")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""gpu_torch.py - PyTorch for the GPU suite: what libprof is compared with.

    gpu_torch.py train PROFILER STEPS [TRACE]   steps of a small convolutional network
    gpu_torch.py rate PROFILER LAUNCHES         launches of one small kernel

PROFILER: none; nvtx (emit_nvtx with shapes); torch (torch.profiler); proton (Triton's). `train` marks its
measured steps with a range "measured" and prints lines "sum NANOSECONDS" and "operations COUNT" of what
torch.profiler saw on the device, from the Chrome trace that it exports (to TRACE when given). `rate` prints
"ns NANOSECONDS" for each launch.
"""
import contextlib
import json
import os
import sys
import tempfile
import time

import torch

DEVICE_CATEGORIES = {"kernel", "gpu_memcpy", "gpu_memset"}


def network():
    """cuDNN's convolution, cuBLAS's GEMM, elementwise kernels, and an optimizer."""
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 32, 3, padding=1),
        torch.nn.ReLU(),
        torch.nn.Conv2d(32, 64, 3, stride=2),
        torch.nn.Flatten(),
        torch.nn.Linear(64 * 31 * 31, 128),
        torch.nn.ReLU(),
        torch.nn.Linear(128, 10),
    ).cuda()
    return model, torch.optim.SGD(model.parameters(), lr=0.01)


def step(model, optimizer, batch, target):
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(batch), target).backward()
    optimizer.step()


@contextlib.contextmanager
def profiler(name, trace):
    """Yields nothing; the profiler is on inside."""
    if name == "nvtx":
        with torch.autograd.profiler.emit_nvtx(record_shapes=True):
            yield
    elif name == "torch":
        with torch.profiler.profile() as profile:
            yield
            torch.cuda.synchronize()
        profile.export_chrome_trace(trace)
    elif name == "proton":
        import triton.profiler as proton

        proton.start(os.path.join(tempfile.mkdtemp(), "proton"))
        yield
        torch.cuda.synchronize()
        proton.finalize()
    else:
        yield


def say_device_work(trace):
    """What torch.profiler saw on the device."""
    with open(trace) as stream:
        events = json.load(stream)["traceEvents"]
    durations = [round(float(event["dur"]) * 1000) for event in events
                 if event.get("ph") == "X" and event.get("cat") in DEVICE_CATEGORIES]
    print("sum", sum(durations))
    print("operations", len(durations))


def train(name, steps, trace):
    torch.manual_seed(1)
    torch.backends.cudnn.deterministic = True
    model, optimizer = network()
    batch = torch.randn(32, 3, 64, 64, device="cuda")
    target = torch.randint(10, (32,), device="cuda")
    for _ in range(5):
        step(model, optimizer, batch, target)
    torch.cuda.synchronize()
    with profiler(name, trace):
        torch.cuda.nvtx.range_push("measured")
        for _ in range(steps):
            step(model, optimizer, batch, target)
        torch.cuda.synchronize()
        torch.cuda.nvtx.range_pop()
    if name == "torch":
        say_device_work(trace)


def rate(name, launches, trace):
    value = torch.zeros(32, device="cuda")

    def run(count):
        for i in range(count):
            value.add_(1)
            if i % 500 == 499:
                torch.cuda.synchronize()
        torch.cuda.synchronize()

    run(2000)
    with profiler(name, trace):
        run(2000)
        start = time.perf_counter_ns()
        run(launches)
        took = time.perf_counter_ns() - start
    print(f"ns {took / launches:.1f}")


def main():
    what, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    trace = sys.argv[4] if len(sys.argv) > 4 else os.path.join(tempfile.mkdtemp(), "torch.json")
    {"train": train, "rate": rate}[what](name, count, trace)


if __name__ == "__main__":
    main()

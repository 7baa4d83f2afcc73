#!/usr/bin/env python3
"""bench_torch.py - what a profile adds to a PyTorch program, beside torch.profiler.

    bench_torch.py BUILD_DIR

A model forward and backward, and operators on tiny tensors, each bare, under torch.profiler and under libprof.profile:
in turns, 9 runs of 60 iterations, first quartile of the CPU time of an iteration in the thread that computes, because other
programs slow down the remaining iterations. "share" is libprof's overhead divided by torch.profiler's. Names alone, then with
shapes, FLOPs, memory, Python functions, and shapes with Python functions. The goals: at most 0.6 for names alone and with
shapes, 0.5 with Python functions. Without PyTorch it prints a message and measures nothing.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Dict, List

sys.path.insert(0, str(Path(__file__).parents[1] / "python_shim"))
RUNS, ITERATIONS = 9, 60
OPTIONS: Dict[str, Dict[str, bool]] = {
    "names": {},
    "shapes": {"record_shapes": True},
    "FLOPs": {"with_flops": True},
    "memory": {"profile_memory": True},
    "stacks": {"with_stack": True},
    "both": {"record_shapes": True, "with_stack": True},
}
GOALS = {"names": 0.6, "shapes": 0.6, "stacks": 0.5}


def make_programs(torch: Any) -> Dict[str, Callable[[], None]]:
    layers = [layer for _ in range(10) for layer in (torch.nn.Linear(64, 64), torch.nn.ReLU())]
    model, batch, tiny = torch.nn.Sequential(*layers), torch.randn(16, 64), torch.randn(4, 4)

    def train() -> None:
        model(batch).sum().backward()

    def compute() -> None:
        for _ in range(100):
            (tiny + tiny) * tiny

    return {"model": train, "tiny": compute}


def cpu_us(program: Callable[[], None], profile: Any) -> List[float]:
    """Of each iteration."""
    times = []
    with profile:
        for _ in range(ITERATIONS):
            began = time.thread_time_ns()
            program()
            times.append((time.thread_time_ns() - began) / 1e3)
    return times


def first_quartile(times: List[float]) -> float:
    return sorted(times)[len(times) // 4]


def report(libprof: Any, torch: Any) -> None:
    torch.set_num_threads(1)
    for name, program in make_programs(torch).items():
        program()
        for what, options in OPTIONS.items():
            makers = {
                "bare": contextlib.nullcontext,
                "torch": lambda options=options: torch.profiler.profile(**options),
                "libprof": lambda options=options: libprof.profile(**options),
            }
            times: Dict[str, List[float]] = {which: [] for which in makers}
            for _ in range(RUNS):
                for which, make in makers.items():
                    times[which] += cpu_us(program, make())
            bare, theirs, ours = (first_quartile(times[which]) for which in makers)
            goal = f"   {(ours - bare) / (theirs - bare) / GOALS[what]:4.2f} of the goal" if what in GOALS else ""
            print(
                f"{name:<5} {what:<6}   bare {bare:6.1f} us   torch {theirs / bare:4.2f}   libprof {ours / bare:4.2f}   "
                f"share {(ours - bare) / (theirs - bare):4.2f}{goal}"
            )


def main() -> None:
    build = Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()
    os.environ.setdefault("LIBPROF_LIBRARY", str(build / "lib" / "libprof.so.0"))
    os.environ.setdefault("LIBPROF_BIN", str(build / "bin"))
    with tempfile.TemporaryDirectory() as directory:
        os.environ["PROF_OUTPUT"] = str(Path(directory) / "bench.prof")
        import libprof

        try:
            import torch
        except ImportError:
            print("bench_torch: there is no PyTorch here")
            return
        report(libprof, torch)


if __name__ == "__main__":
    main()

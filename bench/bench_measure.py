#!/usr/bin/env python3
"""bench_measure.py - what libprof.bench() itself takes, over the calls that it measures.

    bench_measure.py BUILD_DIR

A kernel of 10 us on the simulated CUDA, called 1,000 times. The calls' own time is that of a loop which launches and waits, without
libprof. The L2 cache is not cleared: the simulation would write 100 MB of host memory each time. The goal: bench() takes at most
1.5 times the calls' own time and 50 ms, profdump's start included. A line for each round; the last one is the median of the ratios to
the goal. The first round also attaches CUPTI.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from pathlib import Path
from typing import Callable

ROOT = Path(__file__).parents[1]
CALLS, ROUNDS = 1000, 12
FACTOR, MORE_S = 1.5, 0.05


def restart(build: Path) -> None:
    """The simulation and libprof read their variables before Python starts."""
    sim = str(build / "lib" / "sim")
    if os.environ.get("LD_LIBRARY_PATH") == sim:
        return
    os.environ.update(
        LD_LIBRARY_PATH=sim,
        SIM_KERNEL_NS="10000",
        LIBPROF_LIBRARY=str(build / "lib" / "libprof.so.0"),
        LIBPROF_BIN=str(build / "bin"),
        PYTHONPATH=f"{ROOT / 'python_shim'}:{ROOT / 'tests' / 'python'}",
    )
    os.execv(sys.executable, [sys.executable, *sys.argv])


def seconds(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def main() -> int:
    restart(Path(sys.argv[1]).resolve())
    import sim_cuda

    import libprof

    def call() -> None:
        sim_cuda.launch("_Z4workv")

    def calls() -> None:
        for _ in range(CALLS):
            call()
            sim_cuda.check(sim_cuda.rt.cudaDeviceSynchronize())

    call()
    ratios = []
    for number in range(ROUNDS):
        own_s = seconds(calls)
        bench_s = seconds(lambda: libprof.bench(call, repeats=CALLS, cold_l2=False))
        ratios.append(bench_s / (FACTOR * own_s + MORE_S))
        first = " (attaches CUPTI)" if number == 0 else ""
        print(f"calls {own_s * 1e3:6.1f} ms, bench() {bench_s * 1e3:6.1f} ms: {bench_s / own_s:.2f} of the calls, {ratios[-1]:.2f} of the goal{first}")
    print(f"median: {statistics.median(ratios):.2f} of the goal")
    return 0 if statistics.median(ratios) <= 1 else 1


if __name__ == "__main__":
    sys.exit(main())

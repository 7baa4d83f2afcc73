#!/usr/bin/env python3
"""bench_python.py - what a range costs in Python, over a context manager that does nothing.

    bench_python.py BUILD_DIR

Both are measured in turns within one run, the fastest of many rounds counts. "made" constructs the object
each time, as `with record_function("x")` does; "kept" enters one that is there. The goal: at most 0.5 us over
the empty one.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "python_shim"))
GOAL_NS = 500
ROUNDS, CALLS = 400, 2000


class Empty:
    """What every context manager written in Python costs."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> "Empty":
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        return None


def made(kind: type) -> float:
    began = time.perf_counter_ns()
    for _ in range(CALLS):
        with kind("train step"):
            pass
    return (time.perf_counter_ns() - began) / CALLS


def kept(kind: type) -> float:
    one = kind("train step")
    began = time.perf_counter_ns()
    for _ in range(CALLS):
        with one:
            pass
    return (time.perf_counter_ns() - began) / CALLS


def report(libprof: object, what: str) -> None:
    record = libprof.record_function  # type: ignore[attr-defined]
    for way in (made, kept):
        best = {kind: float("inf") for kind in (Empty, record)}
        for _ in range(ROUNDS):
            for kind in best:
                best[kind] = min(best[kind], way(kind))
        over = best[record] - best[Empty]
        goal = "" if what == "off" else f"   {over / GOAL_NS:4.2f} of the goal"
        print(
            f"{what:<4} {way.__name__}   empty {best[Empty]:5.0f} ns   range {best[record]:5.0f} ns   "
            f"{best[record] / best[Empty]:4.2f} times   {over:4.0f} ns over{goal}"
        )


def main() -> None:
    build = Path(sys.argv[1]).resolve()
    os.environ.setdefault("LIBPROF_LIBRARY", str(build / "lib" / "libprof.so.0"))
    os.environ.setdefault("LIBPROF_BIN", str(build / "bin"))
    import libprof

    with tempfile.TemporaryDirectory() as directory:
        os.environ.setdefault("PROF_OUTPUT", os.path.join(directory, "%p.prof"))
        report(libprof, "off")
        libprof.start()
        report(libprof, "on")
        libprof.stop()


if __name__ == "__main__":
    main()

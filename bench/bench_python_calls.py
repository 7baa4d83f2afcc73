#!/usr/bin/env python3
"""What recording Python calls costs: ratios of the time of one call, by what is watching.

    LD_PRELOAD=build/lib/libprof.so PROF_OUTPUT=/dev/shm/calls.prof PROF_TABLE=0 python3 bench/bench_python_calls.py

Run by hand, with each Python that matters. A call is that of a function that returns its argument, in a loop: more
than most functions suffer, as they do something. Each way is measured ROUNDS times in turn with the others, on one
thread; the smallest CPU time of the thread counts, so that other programs count little. Prints nanoseconds per call, how many of these are the way's own, and both as ratios
to libprof's. `--torch` adds torch.profiler with with_stack=True, where PyTorch is installed.
"""
import argparse
import ctypes
import cProfile
import sys
import time

CALLS = 200_000
ROUNDS = 7


def leaf(value):
    return value


def calls():
    for value in range(CALLS):
        leaf(value)


def timed():
    start = time.thread_time()
    calls()
    return (time.thread_time() - start) / CALLS * 1e9


def bare():
    return timed()


def libprof():
    """prof_python_calls(2): what the whole tool costs."""
    library = ctypes.PyDLL(None)
    status = library.prof_python_calls(2)
    if status:
        sys.exit(f"prof_python_calls(2) gave {status}: is libprof preloaded?")
    try:
        return timed()
    finally:
        library.prof_python_calls(0)


def set_profile():
    """sys.setprofile() with a Python function that does nothing."""
    sys.setprofile(lambda frame, event, argument: None)
    try:
        return timed()
    finally:
        sys.setprofile(None)


def c_profile():
    profile = cProfile.Profile()
    profile.enable()
    try:
        return timed()
    finally:
        profile.disable()


def monitoring():
    """sys.monitoring with Python functions that do nothing, of begins and ends."""
    watch, tool = sys.monitoring, sys.monitoring.DEBUGGER_ID
    events = watch.events.PY_START | watch.events.PY_RETURN
    watch.use_tool_id(tool, "bench")
    for event in (watch.events.PY_START, watch.events.PY_RETURN):
        watch.register_callback(tool, event, lambda *arguments: None)
    watch.set_events(tool, events)
    try:
        return timed()
    finally:
        watch.set_events(tool, 0)
        watch.free_tool_id(tool)


def torch_profiler():
    import torch.profiler
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], with_stack=True):
        return timed()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--torch", action="store_true", help="torch.profiler too")
    ways = [bare, libprof, set_profile, c_profile]
    if hasattr(sys, "monitoring"):
        ways.append(monitoring)
    if parser.parse_args().torch:
        ways.append(torch_profiler)
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(ROUNDS):
        for way in ways:
            best[way] = min(best[way], way())
    own = best[libprof] - best[bare]
    print(f"Python {sys.version.split()[0]}: {CALLS} calls, best of {ROUNDS}")
    print(f"{'':16} {'ns/call':>9} {'own ns':>9} {'of bare':>9} {'own, of libprof':>16}")
    for way in ways:
        extra = best[way] - best[bare]
        print(f"{way.__name__:16} {best[way]:9.1f} {extra:9.1f} {best[way] / best[bare]:8.2f}x {extra / own:15.2f}x")


if __name__ == "__main__":
    main()

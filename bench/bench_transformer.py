#!/usr/bin/env python3
"""bench_transformer.py - a transformer's training under torch.profiler and under libprof, as a page in Markdown.

    bench_transformer.py BUILD_DIR [STEPS]

A language model of four layers trains for STEPS steps (default: 20): without a profile, under torch.profiler and under
libprof.profile. Each profiler runs with names alone, and with shapes and stacks. Each run is a process of its own; each
configuration runs three times, in turns.

The page shows medians: time and CPU time of the steps, time until the first table, time of a loop over `events()` that reads
names and intervals, time of the Chrome trace's export and its size, and peak memory. Without PyTorch, it prints a message and
measures nothing.

The overhead in CPU time comes from one more process for each row of options: it trains without a profiler, under
torch.profiler and under libprof in turns, for a few steps at a time. The overhead is the difference of the medians of all
steps: a busy machine slows the steps of all three down.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple

RUNS = 3
BLOCKS, BLOCK_STEPS = 20, 5
PROFILERS = ("none", "torch.profiler", "libprof")
IN_TURNS = "in turns"
OPTIONS: Dict[str, Dict[str, bool]] = {"names": {}, "shapes, stacks": {"record_shapes": True, "with_stack": True}}
COLUMNS = ("steps", "CPU time", "first table", "events", "export", "trace file", "peak memory", "whole process")


def make_training(torch: Any) -> Any:
    """A function that trains for one step."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    words, width = torch.nn.Embedding(1000, 64), 64
    layer = torch.nn.TransformerEncoderLayer(width, 4, 128, batch_first=True)
    model = torch.nn.Sequential(words, torch.nn.TransformerEncoder(layer, 4), torch.nn.Linear(width, 1000))
    optimizer = torch.optim.AdamW(model.parameters())
    batch = torch.randint(1000, (8, 32))

    def step() -> None:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(batch).flatten(0, 1), batch.flatten()).backward()
        optimizer.step()

    return step


def measure(profiler: str, options: Dict[str, bool], steps: int) -> Dict[str, float]:
    """One run, in this process: seconds and bytes by column."""
    import torch

    if profiler == "libprof":
        import libprof as source
    else:
        source = torch.profiler
    train = make_training(torch)
    train()
    found: Dict[str, float] = {}
    with nullcontext() if profiler == "none" else source.profile(**options) as prof:
        began, began_cpu = time.perf_counter(), time.process_time()
        for _ in range(steps):
            train()
            if prof:
                prof.step()
        found["steps"], found["CPU time"] = time.perf_counter() - began, time.process_time() - began_cpu
        ended = time.perf_counter()
    if prof:
        prof.key_averages().table(sort_by="self_cpu_time_total", row_limit=10)
        found["first table"] = time.perf_counter() - ended
        listed = time.perf_counter()
        max((event.time_range.end, event.name) for event in prof.events())
        found["events"] = time.perf_counter() - listed
        exported = time.perf_counter()
        prof.export_chrome_trace("trace.json")
        found["export"] = time.perf_counter() - exported
        found["trace file"] = os.path.getsize("trace.json")
    usage = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    found["peak memory"] = 1024 * max(usage)
    return found


def measure_steps(options: Dict[str, bool]) -> Dict[str, float]:
    """Median seconds of CPU time of a step under each profiler, in turns in this process."""
    import libprof
    import torch

    makers: Dict[str, Callable[[], Any]] = {
        "none": nullcontext, "torch.profiler": lambda: torch.profiler.profile(**options), "libprof": lambda: libprof.profile(**options),
    }  # fmt: skip
    train = make_training(torch)
    times: Dict[str, List[float]] = {profiler: [] for profiler in PROFILERS}
    for block in range(1 + BLOCKS):
        for profiler in PROFILERS:
            with makers[profiler]():
                train()
                for _ in range(BLOCK_STEPS):
                    began = time.thread_time()
                    train()
                    if block:  # the first one warms up
                        times[profiler].append(time.thread_time() - began)
    return {profiler: statistics.median(found) for profiler, found in times.items()}


def run(build: Path, profiler: str, what: str, steps: int) -> Dict[str, float]:
    """One run, in a process of its own."""
    shim = Path(__file__).resolve().parents[1] / "python_shim"
    environment = {
        **os.environ, "PYTHONPATH": os.pathsep.join([str(shim), os.environ.get("PYTHONPATH", "")]), "LIBPROF_BIN": str(build / "bin"),
        "LIBPROF_LIBRARY": str(build / "lib" / "libprof.so"),
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        command = [sys.executable, str(Path(__file__).resolve()), "--one", profiler, what, str(steps)]
        done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, check=True, text=True)
        found: Dict[str, float] = json.loads(done.stdout.splitlines()[-1])
        return {**found, "whole process": time.perf_counter() - began}


def cell(column: str, value: float) -> str:
    """Seconds or megabytes."""
    return f"{value / 1e6:.0f} MB" if column in ("trace file", "peak memory") else f"{value:.2f} s"


def share(found: Dict[str, float]) -> float:
    """libprof's overhead as a fraction of torch.profiler's."""
    return (found["libprof"] - found["none"]) / (found["torch.profiler"] - found["none"])


def page(results: Dict[Tuple[str, str], Dict[str, float]], shares: Dict[str, float], steps: int, version: str) -> str:
    """The medians, and libprof's as a fraction of torch.profiler's."""
    lines = [f"# A transformer's training: {steps} steps", ""]
    lines += [f"PyTorch {version} on {os.cpu_count()} processors of {platform.machine()}; medians of {RUNS} runs.", ""]
    lines += ["| |" + "".join(f" {column} |" for column in COLUMNS), "|---|" + "--:|" * len(COLUMNS)]
    for (profiler, what), found in results.items():
        head = profiler if profiler == "none" else f"{profiler}, {what}"
        lines.append(f"| {head} |" + "".join(f" {cell(column, found[column]) if column in found else '-'} |" for column in COLUMNS))
    for what in OPTIONS:
        theirs, ours = results["torch.profiler", what], results["libprof", what]
        lines.append(f"| ratio, {what} |" + "".join(f" {ours[column] / theirs[column]:.2f} |" for column in COLUMNS))
    said = ", ".join(f"{what} {found:.2f}" for what, found in shares.items())
    turns = f"medians of {BLOCKS * BLOCK_STEPS} steps each, in turns"
    return "\n".join([*lines, "", f"Overhead in CPU time, as a fraction of torch.profiler's: {said} ({turns})."])


def main(build: Path, steps: int) -> int:
    try:
        import torch
    except ImportError:
        print("PyTorch is not installed: nothing is measured")
        return 0
    kinds = [("none", "names"), *((profiler, what) for what in OPTIONS for profiler in PROFILERS[1:])]
    runs: Dict[Tuple[str, str], List[Dict[str, float]]] = {kind: [] for kind in kinds}
    run(build, "libprof", "names", 1)  # not measured: this run may compile the observer
    for _ in range(RUNS):
        for kind in kinds:
            runs[kind].append(run(build, *kind, steps))
    results = {kind: {column: statistics.median(one[column] for one in found) for column in found[0]} for kind, found in runs.items()}
    shares = {what: share(run(build, IN_TURNS, what, steps)) for what in OPTIONS}
    print(page(results, shares, steps, torch.__version__))
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        asked = OPTIONS[sys.argv[3]]
        print(json.dumps(measure_steps(asked) if sys.argv[2] == IN_TURNS else measure(sys.argv[2], asked, int(sys.argv[4]))))
        sys.exit(0)
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 20))

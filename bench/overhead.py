#!/usr/bin/env python3
"""overhead.py [OPTION]... PROGRAM [ARGUMENT]...: what libprof and other profilers cost a whole program, from start to end.

    --build DIR      the build to measure (default: build)
    --runs N         of each configuration (default: 9)
    --sim            on the simulated CUDA, in every configuration: what simulating costs is in the bare run, too
    --only NAME,...  only these configurations, and bare

Each configuration runs once in every round; each round begins with another one. The table in Markdown shows the median of its
ratios to the bare run of the same round, and an interval that contains the true median with a probability of 99 % (of nine
rounds, from the smallest to the largest ratio). CPU time is that of all processes and threads; memory is the peak of the
largest process, in addition to that of the bare run (what is below this script's own memory does not show); written is the size
of all files. An interval that contains 1 means that no cost was detected.

    bare        the program as it is
    CUPTI       CUPTI records kernels, copies and sets, and calls back at launches; nothing reads that (cupti_alone.c, which needs
                a C compiler)
    idle        libprof is loaded, and recording does not begin
    minimal, standard, full   recorded with this PROF_GPU_DETAIL
    stacks      standard, with call stacks of launches and ranges
    sampling    standard, with 99 samples of each thread per second of its CPU time
    torch       a Python script under torch.profiler, which writes a Chrome trace
    nsys, py-spy, perf        with their defaults

The last four and CUPTI run where they are installed. The program must end by itself and do the same each time. A configuration
that fails is left out, with a message.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Tuple

from against import interval

HERE = Path(__file__).resolve().parent
DEVICES = ("/dev/nvidiactl", "/dev/dxg", "/dev/nvhost-ctrl-gpu")
TORCH = """
import os, runpy, sys, torch
path, sys.argv = sys.argv[1], sys.argv[2:]
sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
profile = torch.profiler.profile()
try:
    with profile:
        runpy.run_path(sys.argv[0], run_name="__main__")
finally:
    profile.export_chrome_trace(path)
"""


class Cost(NamedTuple):
    cpu_s: float
    wall_s: float
    memory_mb: float
    written_mb: float


class Configuration(NamedTuple):
    command: List[str]
    environment: Dict[str, str]


def simulated(build: Path) -> Dict[str, str]:
    """The variables by which every program finds the simulated CUDA, as profrun --sim sets them."""
    libraries = [str(one) for name in ("cuda", "cudart", "cupti") for one in (build / "lib/sim").glob(f"lib{name}.so.*")]
    lists = {"LD_LIBRARY_PATH": [str(build / "lib/sim")], "LD_PRELOAD": libraries}
    return {name: ":".join([*ours, *filter(None, [os.environ.get(name)])]) for name, ours in lists.items()}


def build_alone(library: Path) -> bool:
    """Compiles cupti_alone.c."""
    compiler = shlex.split(os.environ.get("CC", "cc"))
    words = ["-shared", "-fPIC", "-O2", "-I", str(HERE.parent / "cupti"), str(HERE / "cupti_alone.c"), "-ldl", "-o", str(library)]
    return bool(shutil.which(compiler[0])) and subprocess.run([*compiler, *words], check=False).returncode == 0


def configurations(build: Path, sim: bool, out: Path, program: List[str]) -> Dict[str, Configuration]:
    """Those that can run here, bare first."""
    every = simulated(build) if sim else {}
    found: Dict[str, Configuration] = {}

    def add(name: str, command: List[str], **environment: str) -> None:
        found[name] = Configuration(command, {**os.environ, **every, **environment})

    def record(name: str, *words: str, **environment: str) -> None:
        profrun = [str(build / "bin/profrun"), "--quiet", *(["--sim"] if sim else []), "-o", str(out / "trace.prof")]
        add(name, [*profrun, *words, "--", *program], **environment)

    add("bare", program)
    alone = out.parent / "cupti_alone.so"
    if (sim or any(os.path.exists(device) for device in DEVICES)) and build_alone(alone):
        add("CUPTI", program, CUDA_INJECTION64_PATH=str(alone))
    record("idle", PROF_START="api")
    for level in ("minimal", "standard", "full"):
        record(level, PROF_GPU_DETAIL=level)
    record("stacks", "--stacks=range")
    record("sampling", "--sample", "99")
    is_python = Path(program[0]).name.startswith("python") and len(program) > 1 and program[1].endswith(".py")
    if is_python and subprocess.run([program[0], "-c", "import torch"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
        add("torch", [program[0], "-c", TORCH, str(out / "trace.json"), *program[1:]])
    others = {
        "nsys": ["nsys", "profile", "--output", str(out / "trace"), "--force-overwrite", "true"],
        "py-spy": ["py-spy", "record", "--output", str(out / "trace"), "--format", "raw", "--"],
        "perf": ["perf", "record", "--output", str(out / "trace"), "--"],
    }
    for name, words in others.items():
        if shutil.which(words[0]) and (is_python or name != "py-spy"):
            add(name, [*words, *program])
    return found


def run(configuration: Configuration, out: Path) -> Optional[Cost]:
    """None if it fails."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    began = time.monotonic()
    process = subprocess.Popen(
        configuration.command, env=configuration.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - began
    written = sum(one.stat().st_size for one in out.rglob("*") if one.is_file())
    cost = Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024, written / 1e6)
    return cost if status == 0 else None


def take_turns(found: Dict[str, Configuration], rounds: int, out: Path) -> Dict[str, List[Cost]]:
    """Of each configuration that never fails, the costs of every round."""
    costs: Dict[str, List[Cost]] = {name: [] for name in found}
    for turn in range(-1, rounds):  # the first is to warm up
        names = list(costs)
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            cost = run(found[name], out)
            if cost is None:
                print(f"overhead.py: {name} fails: {' '.join(found[name].command[:8])} ...", file=sys.stderr)
                del costs[name]
            elif turn >= 0:
                costs[name].append(cost)
        if "bare" not in costs:
            sys.exit("overhead.py: the program fails")
    return costs


def against_bare(costs: List[Cost], bare: List[Cost], which: int) -> Tuple[float, float, float]:
    """Median and interval of the ratios."""
    ratios = [mine[which] / max(its[which], 1e-6) for mine, its in zip(costs, bare)]
    return (statistics.median(ratios), *interval(ratios))


def show(costs: Dict[str, List[Cost]], program: List[str], rounds: int) -> None:
    bare = [statistics.median(values) for values in zip(*costs["bare"])]
    print(f"`{' '.join(program)}`, {rounds} rounds: {bare[0]:.3f} s of CPU time, {bare[1]:.3f} s, {bare[2]:.0f} MB\n")
    print("| | CPU time | elapsed | memory | written |\n|---|---|---|---|---|")
    for name, values in costs.items():
        if name == "bare":
            continue
        cells = ["{:.3f} ({:.3f} to {:.3f})".format(*against_bare(values, costs["bare"], which)) for which in (0, 1)]
        memory = statistics.median(mine.memory_mb - its.memory_mb for mine, its in zip(values, costs["bare"]))
        written = statistics.median(one.written_mb for one in values)
        print(f"| {name} | {cells[0]} | {cells[1]} | {memory:+.1f} MB | {written:.1f} MB |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs=argparse.REMAINDER, metavar="PROGRAM")
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--sim", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    build, program = options.build.resolve(), options.program
    if not program or not shutil.which(program[0]):
        parser.error(f"there is no program {program[0]}" if program else "no program")
    if not (build / "bin/profrun").exists():
        parser.error(f"there is no finished build in {build}")
    if options.runs < 8:
        parser.error("fewer than 8 runs show no interval of 99 %")
    with tempfile.TemporaryDirectory() as work:
        out = Path(work) / "out"
        found = configurations(build, options.sim, out, program)
        wanted = ["bare", *options.only.split(",")] if options.only else list(found)
        missing = [name for name in wanted if name not in found]
        if missing:
            parser.error(f"not here: {', '.join(missing)}; there are {', '.join(found)}")
        costs = take_turns({name: one for name, one in found.items() if name in wanted}, options.runs, out)
    show(costs, program, options.runs)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The same question to HTA and to 'profdump fleet': bench_hta.py BUILD TRACE [OPTION]...

The question is the breakdown of each rank: compute, communication, idle time, and how much of communication is hidden.
The job is a Kineto trace (JSON, may be compressed by gzip) written N times, each time with another rank. HTA
reads the traces and answers; here, 'profdump pack' and 'profdump fleet breakdown' do. Each runs in processes of its own:
CPU time of all of them, wall time, memory of the largest one. Skips where HTA cannot be imported.
"""
import argparse
import concurrent.futures
import gzip
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bench_fleet import SOURCE, run

QUESTION = """
import sys
from hta.trace_analysis import TraceAnalysis
job = TraceAnalysis(trace_dir=sys.argv[1])
print(job.get_temporal_breakdown(visualize=False))
print(job.get_comm_comp_overlap(visualize=False))
"""


def write_job(trace, folder, ranks):
    """The trace once for each rank. Returns its events."""
    text = gzip.open(trace) if trace.suffix == ".gz" else trace.open("rb")
    with text:
        content = json.load(text)
    folder.mkdir()
    for rank in range(ranks):
        content["distributedInfo"] = {**content.get("distributedInfo", {}), "rank": rank, "world_size": ranks}
        with gzip.open(folder / f"rank-{rank:04}.json.gz", "wt", compresslevel=1) as file:
            json.dump(content, file)
    return len(content["traceEvents"])


def add(first, second):
    """CPU and wall seconds of both, memory of the larger one."""
    return first[0] + second[0], first[1] + second[1], max(first[2], second[2])


def show(what, ranks, measured):
    print(f"{ranks:5d} ranks  {what:<24} {measured[0]:8.2f} s CPU {measured[1]:8.2f} s {measured[2]:6.0f} MB", flush=True)


def compare(options, environment, work, ranks):
    folder, dataset = work / f"job{ranks}", work / f"dataset{ranks}"
    with concurrent.futures.ProcessPoolExecutor(1) as pool:  # a command's memory begins as large as this process
        events = pool.submit(write_job, options.trace, folder, ranks).result()
    print(f"{ranks} ranks x {events} events")
    libprof = [sys.executable, "-m", "libprof"]
    packed = run([*libprof, "pack", folder, "-o", dataset], environment)
    asked = run([*libprof, "fleet", "breakdown", dataset], environment)
    show("pack", ranks, packed)
    show("fleet breakdown", ranks, asked)
    theirs = run([options.hta_python, "-c", QUESTION, folder], dict(os.environ), quiet=True)
    show("HTA", ranks, theirs)
    for name, ours in (("pack and breakdown", add(packed, asked)), ("breakdown again", asked)):
        print(f"{ranks:5d} ranks  HTA / {name}: {theirs[0] / ours[0]:.1f} x CPU, {theirs[1] / ours[1]:.1f} x time, {theirs[2] / ours[2]:.1f} x memory")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path, help="build directory")
    parser.add_argument("trace", type=Path, help="a Kineto trace of one rank")
    parser.add_argument("--ranks", default="8,64", help="sizes of jobs (default: 8,64)")
    parser.add_argument("--hta-python", default=sys.executable, help="a Python that has HolisticTraceAnalysis")
    options = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # installed packages are compiled; HTA is, too, once it was imported
    for python, module in ((options.hta_python, "hta.trace_analysis"), (sys.executable, "duckdb")):
        if subprocess.run([python, "-c", f"import {module}"], stderr=subprocess.DEVNULL, check=False).returncode:
            print(f"skipped: no {module.split('.')[0]} in {python}")
            return
    build = options.build.resolve()
    environment = dict(os.environ, LIBPROF_BIN=str(build / "bin"), LIBPROF_LIBRARY=str(build / "lib/libprof.so"))
    environment["PYTHONPATH"] = f"{SOURCE / 'python_shim'}:{environment.get('PYTHONPATH', '')}"
    with tempfile.TemporaryDirectory() as work:
        environment["PYTHONPYCACHEPREFIX"] = f"{work}/compiled"
        run([sys.executable, "-m", "libprof", "fleet", "--help"], environment)
        for ranks in map(int, options.ranks.split(",")):
            compare(options, environment, Path(work), ranks)


if __name__ == "__main__":
    main()

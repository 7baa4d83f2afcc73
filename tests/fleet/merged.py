"""merged.py MAKE_JOB PROFDUMP: ends of collectives in merged Chrome traces agree within the stated error, in 95 % of the cases.

The hosts' clocks are 50 ms apart, drift, or are set during the job; tests/fleet/make_job.c says how far."""

import collections
import gzip
import json
import re
import shutil
import subprocess
import sys

from libprof import fleet

LABEL = re.compile(r"on the clock of node0, (?:the reference|within ([0-9.]+) (ns|us)); causality violations in the job: ([0-9]+)$")
ENDS_NS = 1000
"""In make_job, the ends of a collective differ by up to that in truth."""


def merged(make_job, profdump, clock, seed):
    """The events of the merged trace, and by process the stated error in nanoseconds."""
    for path in ("merged.job", "merged.dataset"):
        shutil.rmtree(path, ignore_errors=True)
    subprocess.run([make_job, "ranks=8", "gpus=2", "steps=20", f"seed={seed}", f"clock={clock}", "merged.job"], check=True)
    fleet.pack(["merged.job"], "merged.dataset", workers=1)
    subprocess.run([profdump, "-o", "merged.json.gz", "--rank", "0-7", "merged.dataset"], check=True)
    with gzip.open("merged.json.gz") as file:
        trace = json.load(file)
    errors = {}
    for process in trace["traceProcesses"]:
        found = LABEL.match(process["clock"])
        assert found, process["clock"]
        assert int(found[3]) <= (clock == "jump"), process["clock"]  # one collective may be under way when a clock is set
        error = float(found[1] or 0) * (1000 if found[2] == "us" else 1)
        errors.update({int(pid): error for pid in process["pids"]})
    return trace["traceEvents"], errors


def judge(events, errors):
    """How many ends of collectives are within the error of that of the reference, and of how many."""
    ends = collections.defaultdict(dict)
    kernels = [e for e in events if e.get("cat") == "kernel" and e["name"].startswith("nccl")]
    counts = collections.Counter()
    for event in sorted(kernels, key=lambda e: e["ts"]):
        row = (event["pid"], event["args"]["stream"])
        ends[event["args"]["stream"], counts[row]][event["pid"]] = (event["ts"] + event["dur"]) * 1000
        counts[row] += 1
    within = places = 0
    for pids in ends.values():
        assert len(pids) == 8
        middle = sum(end for pid, end in pids.items() if errors[pid] == 0) / sum(errors[pid] == 0 for pid in pids)
        for pid, end in pids.items():
            if errors[pid]:
                places += 1
                within += abs(end - middle) <= errors[pid] + ENDS_NS
    return within, places


def main():
    within = places = 0
    for clock in ("good", "bad", "jump"):
        some, all_of_them = judge(*merged(sys.argv[1], sys.argv[2], clock, 1))
        within, places = within + some, places + all_of_them
    print(f"{within} of {places} ends within the stated error")
    sys.exit(places < 1000 or within < 0.95 * places)


if __name__ == "__main__":
    main()

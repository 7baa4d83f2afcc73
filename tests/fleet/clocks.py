"""clocks.py MAKE_JOB SEEDS: compares the clocks of jobs whose offsets are known; the error is within its bar in 95 % of the places."""

import json
import shutil
import subprocess
import sys

from libprof import fleet
from libprof.fleet import _clocks, _engine

JOB_NS = 1_790_000_001_000_000_000
MS = 1_000_000
BAR_NS = 5_000


def true_ahead(host, time_ns):
    """How far a host's clock is ahead of true time."""
    jump = 3 * MS if 0 <= host["jump_at_ns"] <= time_ns else 0
    return host["offset_ns"] + jump + time_ns * host["drift_ppm"] / 1e6


def judge(make_job, clock, seed):
    """Makes a job; returns in how many places a clock was within its error, in how many it was looked at, and the largest error."""
    shutil.rmtree("job", ignore_errors=True)
    shutil.rmtree("dataset", ignore_errors=True)
    fault = "fault=slow_input" if seed % 2 else "fault=none"  # asymmetric arrivals
    subprocess.run([make_job, "ranks=16", "tp=4", "gpus=4", "steps=20", f"seed={seed}", f"clock={clock}", fault, "job"], check=True)
    with open("job/truth.json") as file:
        hosts = {host["host"]: host for host in json.load(file)["hosts"]}
    fleet.pack(["job"], "dataset", workers=1)
    engine = _engine.DuckDB(fleet.Dataset.open("dataset"))
    clocks = _clocks.compare_clocks(engine)
    assert len(clocks) == 4 and not any(c.refusal for c in clocks), clocks
    broken = _clocks.violations(engine, clocks)
    assert broken is not None and broken <= (clock == "jump"), broken  # one collective may be under way when a clock is set
    within = places = 0
    reference = hosts[clocks[0].reference]
    for c in clocks[1:]:
        for time_ns in range(5 * MS, 140 * MS, 10 * MS):
            base = true_ahead(reference, time_ns)
            within += abs(c.ahead(JOB_NS + time_ns + base) - true_ahead(hosts[c.host], time_ns) + base) <= c.error_ns
            places += 1
    return within, places, max(c.error_ns for c in clocks)


def main():
    make_job, seeds = sys.argv[1], int(sys.argv[2])
    results = [judge(make_job, clock, seed) for clock in ("good", "bad", "jump") for seed in range(seeds)]
    within, places, error = sum(r[0] for r in results), sum(r[1] for r in results), max(r[2] for r in results)
    print(f"{within} of {places} within the error, which is at most {error:.0f} ns")
    sys.exit(within < 0.95 * places or error > BAR_NS)


if __name__ == "__main__":
    main()

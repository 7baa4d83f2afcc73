"""verdicts.py MAKE_JOB SEEDS: packs jobs with each fault, and compares what is found with the truth beside them."""

import json
import random
import shutil
import subprocess
import sys

from libprof import fleet
from libprof.fleet import _engine, _verdict

FAULTS = ("none", "slow_gpu", "slow_link", "slow_input", "late_rank", "dead_rank", "mismatch")
SHAPES = ((8, 1), (8, 2), (16, 4), (16, 2), (24, 4))


def make(make_job, fault, seed):
    """A job of this fault; returns the truth about it, and what was found."""
    shutil.rmtree("job", ignore_errors=True)
    shutil.rmtree("dataset", ignore_errors=True)
    ranks, tp = random.Random(seed).choice(SHAPES)
    if fault == "slow_link":
        tp = max(tp, 2)  # a single communicator has nothing to be compared with
    words = [f"ranks={ranks}", f"tp={tp}", "gpus=4", "steps=8", f"seed={seed}", f"fault={fault}"]
    subprocess.run([make_job, *words, "job"], check=True)
    with open("job/truth.json") as file:
        truth = json.load(file)
    fleet.pack(["job"], "dataset", workers=1)
    return truth, _verdict.judge(_engine.DuckDB(fleet.Dataset.open("dataset")))


def is_right(fault, victim, found):
    """Exactly the fault that was injected, where it was injected."""
    if fault == "none":
        return not found
    kinds = {"slow_link": "link", "dead_rank": "stopped", "mismatch": "mismatch"}
    causes = {"slow_gpu": "compute", "slow_input": "host", "late_rank": "host"}
    if len(found) != 1 or found[0].kind != kinds.get(fault, "straggler") or found[0].cause != causes.get(fault, ""):
        return False
    return found[0].hosts == (f"node{victim}",) if fault == "slow_link" else found[0].ranks == (victim,)


def main():
    make_job, seeds = sys.argv[1], int(sys.argv[2])
    wrong = 0
    for fault in FAULTS:
        right = 0
        for seed in range(seeds):
            truth, found = make(make_job, fault, seed)
            if is_right(fault, truth["victim"], found):
                right += 1
            else:
                print(f"{fault}, seed {seed}, victim {truth['victim']}: {[finding.sentence for finding in found]}")
        print(f"{fault}: {right} of {seeds}")
        wrong += seeds - right
    sys.exit(wrong > 0.05 * seeds * len(FAULTS))


if __name__ == "__main__":
    main()

"""verdicts.py MAKE_JOB SEEDS: packs jobs with each fault, and compares what is found with the truth beside them."""

import json
import random
import shutil
import subprocess
import sys

from libprof import fleet
from libprof.fleet import _clocks, _engine, _verdict

FAULTS = ("none", "slow_gpu", "slow_link", "slow_input", "late_rank", "dead_rank", "mismatch")
SHAPES = ((8, 1, 1), (8, 2, 1), (16, 4, 1), (16, 2, 1), (24, 4, 1))
"""Ranks, tensor-parallel ranks, pipeline stages."""
PIPELINES = ((8, 2, 2), (16, 2, 4), (24, 2, 3), (16, 1, 4), (32, 4, 4))
HOPS = PIPELINES[1:]
"""With two stages, there is one link between stages: nothing to compare it with."""


def make(make_job, shapes, fault, seed, *more):
    """A job of this fault; returns the truth about it, and an engine over its dataset."""
    shutil.rmtree("job", ignore_errors=True)
    shutil.rmtree("dataset", ignore_errors=True)
    ranks, tp, pp = random.Random(seed).choice(shapes)
    if fault == "slow_link":
        tp = max(tp, 2)  # a single communicator has nothing to be compared with
    words = [f"ranks={ranks}", f"tp={tp}", f"pp={pp}", "gpus=4", "steps=8", f"seed={seed}", f"fault={fault}"]
    subprocess.run([make_job, *words, *more, "job"], check=True)
    with open("job/truth.json") as file:
        truth = json.load(file)
    fleet.pack(["job"], "dataset", workers=1)
    return truth, _engine.DuckDB(fleet.Dataset.open("dataset"))


def stage_ranks(truth, stage):
    size = truth["ranks"] // truth["pp"]
    return tuple(range(stage * size, (stage + 1) * size))


def is_right(truth, found):
    """Exactly the fault that was injected, where it was injected."""
    fault, victim = truth["fault"], truth["victim"]
    if fault == "none":
        return not found
    kinds = {"slow_link": "link", "dead_rank": "stopped", "mismatch": "mismatch", "slow_stage": "stage", "slow_hop": "link"}
    causes = {"slow_gpu": "compute", "slow_input": "host", "late_rank": "host", "slow_stage": "compute"}
    if len(found) != 1 or found[0].kind != kinds.get(fault, "straggler") or found[0].cause != causes.get(fault, ""):
        return False
    if fault == "slow_link":
        return found[0].hosts == (f"node{victim}",)
    if fault == "slow_stage":
        return found[0].ranks == stage_ranks(truth, victim)
    if fault == "slow_hop":
        return found[0].ranks == stage_ranks(truth, victim) + stage_ranks(truth, victim + 1)
    if fault == "mismatch" and truth["ranks"] // truth["tp"] // truth["pp"] == 2:
        return len(found[0].ranks) == 2 and victim in found[0].ranks  # it is not known which of the two is wrong
    return found[0].ranks == (victim,)


def judged(make_job, shapes, fault, seed, *more):
    truth, engine = make(make_job, shapes, fault, seed, *more)
    found = _verdict.judge(engine)
    return is_right(truth, found), f"victim {truth['victim']}: {[finding.sentence for finding in found]}"


def without_a_file(make_job, seed):
    """The rank is named, and no other fault is."""
    missing = seed % 8
    found = _verdict.judge(make(make_job, SHAPES, "none", seed, f"missing={missing}")[1])
    return [(finding.kind, finding.ranks) for finding in found] == [("missing", (missing,))], f"missing {missing}: {found}"


def set_clock(make_job, seed):
    """The host whose clock is set under way has two lines and is 53 ms ahead in the end; no other fault is found."""
    truth, engine = make(make_job, SHAPES, "none", seed, "clock=jump", "steps=20")
    clocks = _clocks.compare_clocks(engine)
    bad = truth["hosts"][-1]["host"]
    lines = {clock.host: len(clock.lines) for clock in clocks}
    ahead = {clock.host: clock.lines[-1].offset_ns for clock in clocks if clock.lines}
    right = lines == {host: 1 + (host == bad) for host in lines} and abs(ahead[bad] - 53e6) < 0.2e6
    return right and not _verdict.judge(engine), f"{lines}, {ahead}"


def main():
    make_job, seeds = sys.argv[1], int(sys.argv[2])
    cases = [(fault, lambda seed, fault=fault: judged(make_job, SHAPES, fault, seed)) for fault in FAULTS]
    cases += [(f"pipeline, {fault}", lambda seed, fault=fault: judged(make_job, PIPELINES, fault, seed)) for fault in (*FAULTS, "slow_stage")]
    cases += [("pipeline, slow_hop", lambda seed: judged(make_job, HOPS, "slow_hop", seed))]
    graphs = ("groups=1", "graphs=1")
    cases += [(f"graphs, {fault}", lambda seed, fault=fault: judged(make_job, SHAPES, fault, seed, *graphs)) for fault in FAULTS if fault != "mismatch"]
    cases += [("a rank without a file", lambda seed: without_a_file(make_job, seed)), ("a clock that is set", lambda seed: set_clock(make_job, seed))]
    wrong = 0
    for name, case in cases:
        results = [(seed, *case(seed)) for seed in range(seeds)]
        for seed, right, found in results:
            if not right:
                print(f"{name}, seed {seed}, {found}")
        print(f"{name}: {sum(right for _, right, _ in results)} of {seeds}", flush=True)
        wrong += sum(not right for _, right, _ in results)
    sys.exit(wrong > 0.05 * seeds * len(cases))


if __name__ == "__main__":
    main()

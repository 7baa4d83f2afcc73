"""fault_table.py MAKE_JOB SEEDS [OPTION]...: injects each fault into jobs of several sizes and compares what is found with the truth.

--sizes 8,32,128      ranks of the jobs
--sources kineto,prof traces as torch.profiler writes them (kineto.py), and our own recordings
--healthy N           also N jobs without a fault, of different kinds, in which nothing may be found
--only NAME,...       these faults

The table is that of docs/ranks.md. Exits with status 1 if a fault was missed, or something else was found.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys

import kineto
from libprof import fleet
from libprof.fleet import _engine, _verdict

SIZES = (8, 32, 128)
GPUS = 4
"""Ranks of a host."""


def parallel(ranks):
    return "tp=2"


def pipeline(ranks):
    return "tp=2 pp=4"


def hosts(ranks):
    return "tp=4"


FAULTS = {  # options of make_job; kind of the finding; its cause, words of its sentence
    "a GPU is 30 % slower": ("fault=slow_gpu", parallel, "straggler", "compute"),
    "a GPU is 5 % slower": ("fault=slow_gpu size=5", parallel, "straggler", "compute"),
    "a GPU is slower from the middle of the job on": ("fault=throttle", parallel, "straggler", "compute"),
    "two GPUs are slower": ("fault=two_gpus", parallel, "straggler", "compute"),
    "all GPUs of a host are slower": ("fault=slow_host", parallel, "host", "compute"),
    "all GPUs of a pipeline stage are slower": ("fault=slow_stage", pipeline, "stage", "compute"),
    "a GPU of a pipeline is slower": ("fault=slow_gpu", pipeline, "straggler", "compute"),
    "the loader of a rank is slow": ("fault=slow_input", parallel, "straggler", "host", "'input'"),
    "... while all ranks spend 30 ms outside of ranges": ("fault=slow_input host=30000", parallel, "straggler", "host", "'input'"),
    "the loader of a rank is slow every third step": ("fault=late_rank", parallel, "straggler", "host", "'input'"),
    "copies to a device are slow": ("fault=slow_copy copies=1", parallel, "straggler", "copies"),
    "host code of a rank is slow": ("fault=slow_launch host=1000", parallel, "straggler", "host"),
    "a rank stalls once": ("fault=stall", parallel, "straggler", "host", "in step "),
    "a rank writes checkpoints alone": ("fault=checkpoint", parallel, "straggler", "host", "'checkpoint'"),
    "ranks pause for garbage collection at random": ("fault=pauses steps=40", parallel, "pauses", "host", "garbage collection"),
    "the network of a host is slow": ("fault=slow_link", parallel, "link", ""),
    "the links of a tensor-parallel group are slow": ("fault=slow_group", hosts, "link", ""),
    "a link between two stages is slow": ("fault=slow_hop gpus=2", pipeline, "link", ""),
    "a rank dies": ("fault=dead_rank", parallel, "stopped", ""),
    "a rank ends early": ("fault=early_end", parallel, "stopped", ""),
    "a rank calls another collective": ("fault=mismatch", parallel, "mismatch", ""),
    "a rank calls a collective of another size": ("fault=wrong_size", parallel, "mismatch", ""),
    "a rank has no recording": ("missing=3", parallel, "missing", ""),
}
HEALTHY = ("", "noise=8", "noise=20", "eval=5", "warm=1", "host=3000 copies=1", "eval=5 warm=1 noise=10", "fault=hidden", "groups=1", "groups=1 graphs=1")
"""Kinds of healthy jobs. "hidden": a rank does more, but nobody waits for it."""


def sampled(ranks, seed, shape):
    """A shape for a healthy job."""
    return pipeline(ranks) if shape % 3 == 2 and seed % 2 else parallel(ranks) if shape % 3 else hosts(ranks)


def run_job(make_job, words, source):
    """Makes, converts and packs a job; returns the truth about it and what is found."""
    for folder in ("job", "traces", "dataset"):
        shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([make_job, f"gpus={GPUS}", *words, "job"], check=True)
    truth = json.loads(pathlib.Path("job/truth.json").read_text())
    if source == "kineto":
        kineto.convert("job", "traces")
    fleet.pack(["traces" if source == "kineto" else "job"], "dataset", workers=1)
    return truth, _verdict.judge(_engine.DuckDB(fleet.Dataset.open("dataset")))


def places(truth):
    """Ranks and hosts that the finding must name, as far as the fault has them: a list, as two faults are two findings."""
    fault, victim, ranks = truth["fault"], truth["victim"], truth["ranks"]
    of_stage = ranks // truth["pp"]
    if fault == "none":
        return [((truth["missing"],), ())]
    if fault == "two_gpus":
        return [((rank,), ()) for rank in sorted((victim, (victim + ranks // 2) % ranks))]
    if fault == "slow_host":
        return [(tuple(range(GPUS * victim, GPUS * victim + GPUS)), (f"node{victim}",))]
    if fault == "slow_link":
        return [(None, (f"node{victim}",))]
    if fault == "slow_group":
        return [(tuple(range(truth["tp"] * victim, truth["tp"] * (victim + 1))), None)]
    if fault == "slow_stage":
        return [(tuple(range(of_stage * victim, of_stage * (victim + 1))), ())]
    if fault == "slow_hop":
        return [(tuple(range(of_stage * victim, of_stage * (victim + 2))), None)]
    return [(None if fault == "pauses" else (victim,), ())]


def is_named(truth, found, kind, cause, *words):
    """Whether what is found is the fault, where it is, and nothing else."""
    wanted = places(truth)
    if len(found) != len(wanted):
        return False
    for finding, (ranks, at) in zip(sorted(found, key=lambda finding: finding.ranks), wanted):
        if finding.kind != kind or finding.cause != cause or not all(word in finding.sentence for word in words):
            return False
        if kind == "mismatch" and len(finding.ranks) == 2:
            ranks = ranks if ranks[0] in finding.ranks else ()  # of two ranks, neither is known to be wrong
            if not ranks:
                return False
        elif ranks is not None and finding.ranks != ranks:
            return False
        if at is not None and finding.hosts != at:
            return False
    return True


def words_of(options, shape, ranks, seed):
    steps = "steps=20" if "steps=" not in options else ""
    return [*f"ranks={ranks} layers=2 kernels=2 seed={seed} {shape} {steps} {options}".split()]


def count_named(make_job, name, ranks, source, seeds):
    """How many of so many jobs with this fault are diagnosed; prints the others."""
    options, shape, kind, *rest = FAULTS[name]
    named = 0
    for seed in range(seeds):
        truth, found = run_job(make_job, words_of(options, shape(ranks), ranks, seed), source)
        right = is_named(truth, found, kind, *rest)
        named += right
        if not right:
            print(f"{name}, {ranks} ranks, {source}, seed {seed}, victim {truth['victim']}: {[one.sentence for one in found]}", file=sys.stderr, flush=True)
    return named


def count_alarms(make_job, jobs, sizes, sources):
    """How many healthy jobs something is found in; prints it."""
    alarms = 0
    for i in range(jobs):
        options, ranks, source = HEALTHY[i % len(HEALTHY)], sizes[i // len(HEALTHY) % len(sizes)], sources[i % len(sources)]
        shape = "tp=2" if "graphs" in options else sampled(ranks, i // len(HEALTHY), i)
        source = "prof" if "groups" in options else source  # kineto.py writes single calls
        words = words_of(options, shape, ranks, i)
        _, found = run_job(make_job, words, source)
        if found:
            print(f"healthy, {' '.join(words)}, {source}: {[one.sentence for one in found]}", file=sys.stderr, flush=True)
        alarms += bool(found)
    return alarms


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("make_job")
    parser.add_argument("seeds", type=int)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--sources", default="kineto,prof")
    parser.add_argument("--healthy", type=int, default=0)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    sizes, sources = [int(size) for size in options.sizes.split(",")], options.sources.split(",")
    names = [name for name in FAULTS if not options.only or name in options.only.split(",")]
    titles = {"kineto": "traces of PyTorch", "prof": "our recordings"}
    print("| fault | ranks | " + " | ".join(titles[source] for source in sources) + " | named? |\n|---|---|" + "---|" * len(sources) + "---|", flush=True)
    missed = 0
    for name in names:
        rows = {}  # sizes with the same result share a row
        for ranks in sizes:
            counts = [count_named(options.make_job, name, ranks, source, options.seeds) for source in sources]
            missed += options.seeds * len(sources) - sum(counts)
            rows.setdefault(tuple(counts), []).append(str(ranks))
        for counts, alike in rows.items():
            cells = [f"{count} of {options.seeds}" for count in counts]
            lacking = options.seeds * len(sources) - sum(counts)
            print(f"| {name} | {', '.join(alike)} | {' | '.join(cells)} | {'no' if lacking else 'yes'} |", flush=True)
    alarms = count_alarms(options.make_job, options.healthy, sizes, sources)
    print(f"\n{missed} faults missed, {alarms} false alarms in {options.healthy} healthy jobs")
    sys.exit(bool(missed or alarms))


if __name__ == "__main__":
    main()

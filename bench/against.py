#!/usr/bin/env python3
"""against.py OLD_BUILD NEW_BUILD [OPTION]... [BENCH...]: the benchmarks of two builds in turns, and what differs between them.

    --runs N      of each benchmark in each build, at least 8 (default: 9)
    --all         list all figures, not only those that differ beyond noise, which have a '!'

BENCH is a name such as "push", or a name with arguments, as "read_json 100000"; without any, all benchmarks written in C that
both builds have. Lines of the two builds belong together if they differ only in numbers, and every number with a unit is compared.

The ratio is the new figure divided by the old one: the median of the pairs of runs. The interval contains the true median with
a probability of at least 99 % (two of the ratios in order, by the binomial distribution). A figure differs beyond noise if its
interval excludes 1. Of a hundred figures that are the same, about one does, by chance: run that benchmark again. A floor that
differs means that the machine did, not libprof.

Exits with status 1 if a benchmark failed, and 0 otherwise: what differs is for a person to judge.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Dict, List, Tuple

NUMBER = re.compile(r"(?<![\w.])([+-]?\d+(?:\.\d+)?(?:e[+-]\d+)?)( ?(?:ns|us|ms|s|x|%|MB/s|M [a-z]+/s|MB|bytes))?(?![\w.])")
Figures = Dict[Tuple[str, int, int], Tuple[float, str]]


def figures_of(text: str) -> Figures:
    """Each number with a unit, by its line without numbers, how many such lines came before, and its place in the line."""
    figures: Figures = {}
    lines: Counter[str] = Counter()
    heading = ""
    for line in text.splitlines():
        found = list(NUMBER.finditer(line))
        label = " ".join(NUMBER.sub("#", line).split())
        if not any(one[2] for one in found):
            heading = label
        for place, one in enumerate(found):
            if one[2]:
                named = label if label.strip("# :,x%")[:1].isalpha() else f"{heading} {label}"
                figures[named, lines[label], place] = (float(one[1]), one[2].strip())
        lines[label] += 1
    return figures


def run(build: Path, name: str) -> Figures:
    """Ends the program if the benchmark fails."""
    with tempfile.TemporaryDirectory() as directory:
        environment = dict(os.environ, LD_LIBRARY_PATH=str(build / "lib"))
        words = name.split()
        program = [str(build / "bench" / f"bench_{words[0]}"), *words[1:]]
        done = subprocess.run(program, cwd=directory, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"against.py: {' '.join(program)} fails with status {done.returncode}")
    return figures_of(done.stdout)


def interval(ratios: List[float]) -> Tuple[float, float]:
    """Of the median: the k-th smallest and the k-th largest, for the largest k with at least 99 %."""
    count, k, outside = len(ratios), 0, 0.0
    while 2 * (outside + math.comb(count, k) / 2**count) <= 0.01:
        outside += math.comb(count, k) / 2**count
        k += 1
    ordered = sorted(ratios)
    return ordered[max(k - 1, 0)], ordered[min(count - k, count - 1)]


def compare(old: Path, new: Path, name: str, runs: int, is_all: bool) -> None:
    """Prints what differs."""
    taken: List[List[Figures]] = [[], []]
    for turn in range(runs):
        for which in (0, 1) if turn % 2 == 0 else (1, 0):
            taken[which].append(run((old, new)[which], name))
    listed = 0
    shared = [key for key in taken[0][0] if all(key in one for one in taken[0] + taken[1])]
    print(f"{name}: {len(shared)} figures", flush=True)
    for key in shared:
        before, after = ([one[key][0] for one in figures] for figures in taken)
        ratios = [b / a if a else float("inf") if b else 1 for a, b in zip(before, after)]
        low, high = interval(ratios)
        is_beyond = low > 1 or high < 1
        if not is_beyond and not is_all:
            continue
        listed += 1
        print(
            f"  {statistics.median(ratios):5.2f} ({low:.2f} to {high:.2f}){'!' if is_beyond else ' '}  "
            f"{statistics.median(before):.4g} -> {statistics.median(after):.4g} {taken[0][0][key][1]}  {key[0][:90]} [{key[1]}.{key[2]}]",
            flush=True,
        )
    if not listed:
        print("  nothing differs beyond noise", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("benches", nargs="*")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--all", action="store_true")
    options = parser.parse_intermixed_args()
    if options.runs < 8:
        parser.error("fewer than 8 runs show no interval of 99 %")
    old, new = options.old.resolve(), options.new.resolve()
    there = [{one.name[len("bench_") :] for one in (build / "bench").glob("bench_*") if os.access(one, os.X_OK)} for build in (old, new)]
    names = options.benches or sorted(there[0] & there[1])
    for name in names:
        if not all(name.split()[0] in one for one in there):
            sys.exit(f"against.py: bench_{name.split()[0]} is not in both builds")
    for name in names:
        compare(old, new, name, options.runs, options.all)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""judge.py [--profdump PATH] FILE...: a second opinion on profdump's numbers.

It computes from the bytes of trace files what profdump prints as JSON, with nothing of profdump's: neither its code nor its
order of doing things. Chrome traces (Kineto's above all) and databases of nsys and nvprof are read as they are. Of all other
files, such as traces of libprof, profdump's exports to a database and to a Chrome trace are read, and both must have what
the file has. The numbers are

    events, calls        how many of each kind and of each row (ranges, calls, kernels, copies, sets, marks)
    cpu, device times    self and total time of each row, least, most, mean, deviation, percentiles, first calls
    launched within      how many operations of a name were launched within which ranges, and how long they ran
    copied               bytes by direction; of memory events what was allocated, freed, live, and the peaks
    busy, idle, window   of each device, to the nanosecond, and what it did: computing, communicating, moving memory

Where the rules stand: timeline.py says what is inside of what and who launched what (profdump(1), INPUTS); numbers_of.py
what each number is (profdump(1), "The table", "Breakdown", "Memory"); kineto.py and databases.py how the formats are read.

Exit status: 1 after printing each disagreement (file, number, profdump's, the judge's); 77 if no file could be judged.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from typing import Any, Dict, Iterator, List, Tuple

import databases
import kineto
from answers import CannotRead, ask, numbers_in, run
from numbers_of import Key, Numbers, agree, numbers_of
from timeline import Trace

# What only a Chrome trace of libprof's has: the time that CUPTI and the driver took for themselves, memory that allocators
# of the program's own handed out, and the threads that allocated.
NOT_IN_DATABASES = ("window", "idle", "after", "before")
NO_SUBJECT_IN_DATABASES = ("memory of device -1", "cpu memory of range", "cuda memory of range")


def disagreements(judges: Numbers, ours: Numbers) -> List[str]:
    return [f"{key.number} of {key.subject!r}: profdump {_shown(ours.get(key))}, judge {_shown(judges.get(key))}"
            for key in sorted({*judges, *ours}) if not agree(ours.get(key), judges.get(key))]


def _shown(number: Any) -> str:
    return "says nothing" if number is None else str(number)


def judge(profdump: str, path: str) -> Iterator[Tuple[int, List[str]]]:
    """How many numbers were judged and the disagreements, for each way to read the file."""
    kind = _kind(path)
    with tempfile.TemporaryDirectory() as directory:
        if kind == "other":
            yield from _judge_exports(profdump, path, directory)
            return
        trace = trace_of(path)
        ours = numbers_in(ask(profdump, path if kind != "zip" else databases.unpack(path, directory)))
        name_calls(trace, ours)
        judges = numbers_of(trace)
        yield len(judges), disagreements(judges, ours)


def trace_of(path: str) -> Trace:
    """Of a Chrome trace or a database."""
    if _kind(path) == "chrome":
        return kineto.read(path)
    return databases.read(path)


def _kind(path: str) -> str:
    with open(path, "rb") as file:
        first = file.read(16)
    if first[:2] == b"\x1f\x8b":
        first = databases.unpacked(path)[:16]
    if first[:2] == b"PK":
        return "zip"
    return "database" if first.startswith(b"SQLite") else "chrome" if first.lstrip()[:1] in (b"{", b"[") else "other"


def _judge_exports(profdump: str, path: str, directory: str) -> Iterator[Tuple[int, List[str]]]:
    ours = numbers_in(ask(profdump, path))
    database, chrome = os.path.join(directory, "trace.sqlite"), os.path.join(directory, "trace.json")
    run(profdump, ["-o", database, "--chrome", chrome], path)
    judges = numbers_of(kineto.read(chrome))
    yield len(judges), disagreements(judges, ours)
    judges = _in_databases(numbers_of(databases.read(database)))
    yield len(judges), [f"(database) {each}" for each in disagreements(judges, _in_databases(ours))]


def _in_databases(numbers: Numbers) -> Numbers:
    return {key: value for key, value in numbers.items()
            if key.number not in NOT_IN_DATABASES and not key.subject.startswith(NO_SUBJECT_IN_DATABASES)}


def name_calls(trace: Trace, ours: Numbers) -> None:
    """nvprof numbers calls, and CUPTI's headers have the names of a thousand numbers. Of calls that have only a number, the
    judge takes the name from profdump's row with as many calls and the same total, least and most time."""
    if not any(each.name.startswith(databases.NUMBERED) for each in trace.slices):
        return
    judges = numbers_of(trace)
    names: Dict[Tuple[Any, ...], str] = {_times(ours, key.subject): key.subject for key in ours}
    for each in trace.slices:
        subject = f"{each.kind} {each.name}"
        if each.name.startswith(databases.NUMBERED) and _times(judges, subject) in names:
            each.name = names[_times(judges, subject)].split(" ", 1)[1]


def _times(numbers: Numbers, subject: str) -> Tuple[Any, ...]:
    return tuple(numbers.get(Key(number, subject)) for number in ("calls", "cpu total", "least", "most"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profdump", default="build/bin/profdump")
    parser.add_argument("--rows", type=int, default=20, help="how many disagreements to print of each file")
    parser.add_argument("files", nargs="+", metavar="FILE")
    options = parser.parse_args()
    judged = numbers = wrong = 0
    for path in options.files:
        try:
            results = list(judge(options.profdump, path))
        except CannotRead as error:
            print(f"skipped: {error}")
            continue
        judged += 1
        numbers += sum(count for count, _ in results)
        found = [each for _, some in results for each in some]
        wrong += len(found)
        for each in found[:options.rows]:
            print(f"{path}: {each}")
        if len(found) > options.rows:
            print(f"{path}: {len(found) - options.rows} more")
    print(f"{judged} files, {numbers} numbers, {wrong} disagreements")
    return 1 if wrong else 0 if judged else 77


if __name__ == "__main__":
    sys.exit(main())

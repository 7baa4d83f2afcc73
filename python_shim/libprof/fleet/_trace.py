"""Ranks of a dataset as Chrome traces, which profdump reads like the recordings themselves.

Standard output gets a document for each rank: a form feed, a line with its name, and a trace in Kineto's dialect. JSON
has no form feed outside of escapes, so that the reader can tell them apart without parsing. What a document lacks,
compared with the recording, the dataset lacks: see docs/ranks.md.
"""

from __future__ import annotations

import argparse
import functools
import json
import sys
from typing import Any, Dict, Iterable, List, Optional, Sequence, TextIO, Tuple

from .._times import time_text
from ..errors import ProfError
from . import _clocks, _engine
from ._dataset import Dataset

FEW = 8
"""So many ranks are read without being asked for."""
AHEAD_NS = 1_000_000_000
"""Times in a document begin here, so that none is negative."""
CPU_ROWS = 1 << 24
"""Rows of the process have its pid plus this: those of devices have the device's number."""
BATCH = 1 << 16


def parse_ranks(lists: Iterable[str], option: str = "--rank") -> List[int]:
    """``3,5-8`` and so on; :class:`ProfError` for anything else."""
    ranks: List[int] = []
    for item in ",".join(lists).split(","):
        first, dash, last = item.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise ProfError(f"{option}: '{item}' is no rank, nor a range such as 5-8")
        ranks += range(int(first), int(last if dash else first) + 1)
    return sorted(set(ranks))


def _choose(dataset: Dataset, present: Sequence[int], asked: Sequence[str]) -> List[int]:
    """The ranks to read. Those that the dataset lacks are reported; it is an error if nothing is left."""
    if not present:
        raise ProfError(f"{dataset.path}: the dataset is empty")
    if not asked and len(present) > FEW:
        raise ProfError(f"{dataset.path}: it has {len(present)} ranks: choose some with --rank, or ask 'profdump fleet {dataset.path}' about all")
    wanted = parse_ranks(asked) if asked else list(present)
    lacking = [rank for rank in wanted if rank not in set(present)]
    if lacking:
        sentence = f"{dataset.path}: it has no rank {', '.join(map(str, lacking[:FEW]))}{', ...' if len(lacking) > FEW else ''}"
        if len(lacking) == len(wanted):
            raise ProfError(f"{sentence}: its ranks are {min(present)} to {max(present)}")
        print(f"profdump: {sentence}; the others are read", file=sys.stderr)
    return [rank for rank in wanted if rank in set(present)]


# ---- one clock ----


def _shift(clock: Optional[_clocks.Clock]) -> str:
    """What a time by this clock is by that of the reference, in SQL; nested ranges stay nested, as every time is treated alike."""
    if clock is None or not clock.lines:
        return "t"
    ahead = ""
    for line in reversed(clock.lines[1:]):
        ahead += f"WHEN t >= {_own_begin(line)} THEN {_ahead(line)} "
    first = _ahead(clock.lines[0])
    return f"t - (CASE {ahead}ELSE {first} END)::BIGINT" if ahead else f"t - ({first})::BIGINT"


def _own_begin(line: _clocks.Line) -> int:
    return line.from_ns + round(line.offset_ns)


def _ahead(line: _clocks.Line) -> str:
    """The line by its own clock: that one runs faster by the drift."""
    return f"{line.offset_ns!r}::DOUBLE + {line.drift / (1 + line.drift)!r}::DOUBLE * (t - {_own_begin(line)})"


def _clock_notes(engine: Any, hosts: Sequence[str]) -> Tuple[Dict[str, _clocks.Clock], Dict[str, str]]:
    """By host, the clock, and what to say of it. Nothing for ranks of one host: their clock stays as it is."""
    if len(hosts) < 2:
        return {}, {}
    clocks = _clocks.compare_clocks(engine)
    broken = _clocks.violations(engine, clocks)
    notes = {}
    for clock in clocks:
        place = "the reference" if clock.host == clock.reference else f"within {time_text(clock.error_ns)}"
        notes[clock.host] = f"on the clock of {clock.reference}, {place}; causality violations in the job: {broken}"
        if clock.refusal:
            notes[clock.host] = "; ".join(part for part in (f"on its own clock: {clock.refusal}", clock.note) if part)
            print(f"profdump: {clock.host}: its times are {notes[clock.host]}", file=sys.stderr)
    return {clock.host: clock for clock in clocks}, notes


# ---- one rank ----


def _head(rank: Dict[str, Any], base_ns: int, note: str) -> str:
    """Everything before the events."""
    row = CPU_ROWS + rank["pid"]
    process: Dict[str, Any] = {"host_name": rank["host"], "pids": {str(row): rank["pid"]}}
    if rank["rank_known"]:
        process["rank"] = rank["rank"]
        if rank["world_size"] and rank["world_size"] > 0:
            process["world_size"] = rank["world_size"]
    if note:
        process["clock"] = note
    head: Dict[str, Any] = {
        "traceProcesses": [process],
        "libprof": {
            "source": "a dataset" if rank["closed"] else "a dataset; the recording was cut off",
            "span_ns": rank["duration_ns"],
            "simulated": (rank["device"] or "").startswith("Simulated GPU"),
        },
        "baseTimeNanoseconds": base_ns,
    }
    if rank["devices"] and rank["device"]:
        head["deviceProperties"] = [{"id": device, "name": rank["device"]} for device in rank["devices"]]
    name = {"ph": "M", "name": "process_name", "pid": row, "tid": 0, "args": {"name": rank["program"]}}
    return f"{json.dumps(head)[:-1]},\n\"traceEvents\":[\n{json.dumps(name)}"


def _events(engine: Any, rank: Dict[str, Any], base_ns: int, shift: str) -> Iterable[str]:
    """The events, many at a time, each on a line that begins with a comma."""
    values = {"$rank": rank["rank"], "$row": CPU_ROWS + rank["pid"], "$base": base_ns}
    engine.connection.execute(f"CREATE OR REPLACE TEMP MACRO shifted(t) AS {shift}")
    for statement in filter(str.strip, _engine.sql_text("trace").split(";\n")):
        for word, value in values.items():
            statement = statement.replace(word, str(value))
        for rows in iter(functools.partial(engine.execute(statement).fetchmany, BATCH), []):
            yield "".join(text for (text,) in rows)


def _ranks(engine: Any) -> List[Dict[str, Any]]:
    """A row for each recording."""
    names, rows = engine.run("SELECT * FROM ranks ORDER BY rank, start")
    return [dict(zip(names, row)) for row in rows]


def _shift_time(clock: Optional[_clocks.Clock], time_ns: int) -> int:
    if clock is None or not clock.lines:
        return time_ns
    line = ([clock.lines[0]] + [line for line in clock.lines[1:] if time_ns >= _own_begin(line)])[-1]
    return time_ns - round(line.offset_ns + line.drift / (1 + line.drift) * (time_ns - _own_begin(line)))


def write_ranks(dataset: Dataset, asked: Sequence[str], one_clock: bool, out: TextIO) -> None:
    """Writes the documents. `asked`: lists of ranks; empty: all, if they are few. `one_clock`: shift the ranks of all
    hosts to the clock of the first one, as far as collectives tell how. :class:`ProfError` if there is nothing to write."""
    engine = _engine.DuckDB(dataset)
    missing = (f"missing file: {path}; what it held is left out" for path in dataset.missing())
    for sentence in (*dataset.damaged, *missing, *engine.left_out):
        print(f"profdump: {sentence}", file=sys.stderr)
    recordings = _ranks(engine)
    chosen = _choose(dataset, sorted({row["rank"] for row in recordings}), asked)
    recordings = [row for row in recordings if row["rank"] in set(chosen)]
    clocks, notes = _clock_notes(engine, sorted({row["host"] for row in recordings})) if one_clock else ({}, {})
    engine.connection.execute("CREATE TEMP MACRO us(t) AS printf('%d.%03d', t // 1000, t % 1000)")
    before: Optional[int] = None
    for rank in recordings:
        if rank["rank"] == before:
            print(f"profdump: {dataset.path}: it has several recordings of rank {before}; they are read as one", file=sys.stderr)
            continue
        before = rank["rank"]
        clock = clocks.get(rank["host"])
        base_ns = _shift_time(clock, rank["start"]) - AHEAD_NS
        _, devices = engine.run(
            f"SELECT DISTINCT device FROM (SELECT device FROM kernels WHERE rank = {before} "
            f"UNION ALL SELECT device FROM copies WHERE rank = {before}) WHERE device IS NOT NULL ORDER BY device"
        )
        rank["devices"] = [device for (device,) in devices]
        name = f"rank {before}" if rank["rank_known"] else rank["file"]
        out.write(f"\f{dataset.path}, {name}\n{_head(rank, base_ns, notes.get(rank['host'], ''))}")
        for text in _events(engine, rank, base_ns, _shift(clock)):
            out.write(text)
        out.write("\n]}\n")


def run(words: List[str]) -> None:
    """``DATASET [--rank LIST]... [--one-clock]``: what profdump asks for when an input is a dataset."""
    parser = argparse.ArgumentParser(prog="profdump")
    parser.add_argument("dataset")
    parser.add_argument("--rank", action="append", default=[])
    parser.add_argument("--one-clock", action="store_true")
    options = parser.parse_args(words)
    dataset = Dataset.open(options.dataset)
    try:
        write_ranks(dataset, options.rank, options.one_clock, sys.stdout)
    except (_engine.duckdb_error(), ProfError) as error:
        sentence = str(error).splitlines()[0]  # DuckDB's go on with the statement
        named = sentence.startswith((f"{dataset.path}: ", "--rank: "))
        raise ProfError(sentence if named else f"{dataset.path}: {sentence}") from error

"""The dataset of a job: its tables, and which files they consist of.

    dataset/
        dataset.json                                  version of the layout
        packed/NODE-ID.json                           what one part was made of; written last
        table=kernels/part-NODE-ID.parquet            the rows of that part, and so on for each table

A part holds the recordings of some ranks of one node. Any engine that reads Parquet can read ``table=*/*.parquet``.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple, Union

from ..errors import ProfError

PathLike = Union[str, "os.PathLike[str]"]

VERSION = 1
"""Version of the layout. A reader refuses a higher version; within one version, columns are only added."""


@dataclass(frozen=True)
class Column:
    """A column: its type in SQL, its unit ("" none) and what it means."""

    name: str
    type: str
    unit: str
    meaning: str


def _columns(text: str) -> Tuple[Column, ...]:
    """One column a line: name, type, unit, meaning; a dash where there is nothing to say."""
    rows = (line.split(None, 3) for line in text.strip().splitlines())
    return tuple(Column(name, kind, unit.strip("-"), meaning.strip("-")) for name, kind, unit, meaning in rows)


TABLES: Dict[str, Tuple[Column, ...]] = {
    "ranks": _columns("""
        rank INTEGER - of the job; negative where the recording has none
        rank_known BOOLEAN - false: the recording has no rank
        host VARCHAR - name of the host, empty unknown
        pid BIGINT - process id in its own namespace
        local_rank INTEGER - on its host
        world_size INTEGER - ranks of the job
        program VARCHAR - file name of the executable
        device VARCHAR - name of its first device
        start BIGINT ns since 1970 by the clock of the host
        duration_ns BIGINT ns first to last event
        closed BOOLEAN - false: the process was killed, or still runs
        source VARCHAR - what wrote the recording
        file VARCHAR - its name, without folders
        identity VARCHAR - of the file's content
        clock_synchronized BOOLEAN - chrony, ntpd or PTP kept the clock of the host; NULL unknown
        clock_error_ns BIGINT ns the kernel's bound of that clock's error; NULL unknown
    """),
    "steps": _columns("""
        rank INTEGER - ranks.rank
        step INTEGER - its number
        start BIGINT ns since 1970 by the clock of the host
        duration_ns BIGINT ns compute + communication + copy + idle_host + idle_device
        compute_ns BIGINT ns a compute kernel ran
        overlapped_ns BIGINT ns of compute_ns: a communication kernel ran, too
        communication_ns BIGINT ns only communication ran, or communication and copies
        copy_ns BIGINT ns only copies and sets ran
        idle_host_ns BIGINT ns nothing ran, and the next operation was not launched yet
        idle_device_ns BIGINT ns nothing ran, although the next operation was launched
        tid BIGINT - of its thread
    """),
    "idle": _columns("""
        rank INTEGER - ranks.rank
        step INTEGER - steps.step
        range BIGINT - names.id of the outermost range in which the host kept the device waiting; NULL none
        host_ns BIGINT ns part of steps.idle_host_ns
    """),
    "kernels": _columns("""
        rank INTEGER - ranks.rank
        step INTEGER - in which it was launched; NULL outside of all
        device INTEGER - CUDA's number
        stream INTEGER - CUDA's number
        start BIGINT ns since 1970 by the clock of the host
        duration_ns BIGINT ns -
        name BIGINT - names.id
        range BIGINT - names.id of the innermost range around its launch
        class VARCHAR - compute or communication
        correlation BIGINT - id that it shares with the call that launched it
        queue_ns BIGINT ns from the end of that call to the start
        graph BIGINT - id of the CUDA graph
        whole_graph BOOLEAN - a graph that was recorded as one operation
        context INTEGER - CUDA's number
        grid_x INTEGER - blocks
        grid_y INTEGER - blocks
        grid_z INTEGER - blocks
        block_x INTEGER - threads
        block_y INTEGER - threads
        block_z INTEGER - threads
        registers INTEGER - of a thread
        shared_bytes INTEGER bytes shared memory of a block
    """),
    "copies": _columns("""
        rank INTEGER - ranks.rank
        step INTEGER - in which it was launched
        device INTEGER - CUDA's number
        stream INTEGER - CUDA's number
        start BIGINT ns since 1970 by the clock of the host
        duration_ns BIGINT ns -
        name BIGINT - names.id
        range BIGINT - names.id of the innermost range around its launch
        kind VARCHAR - memcpy or memset
        bytes BIGINT bytes -
        correlation BIGINT - id that it shares with the call that launched it
        context INTEGER - CUDA's number
    """),
    "ranges": _columns("""
        rank INTEGER - ranks.rank
        step INTEGER - in which it began
        tid BIGINT - of its thread
        start BIGINT ns since 1970 by the clock of the host
        duration_ns BIGINT ns -
        name BIGINT - names.id
        depth INTEGER - 0 outermost
        self_ns BIGINT ns without the ranges and calls directly inside
        device_ns BIGINT ns of the operations launched inside
        crosses BOOLEAN - it need not nest: its begin and its end are calls of their own
    """),
    "calls": _columns("""
        rank INTEGER - ranks.rank
        step INTEGER - in which it began
        tid BIGINT - of its thread
        start BIGINT ns since 1970 by the clock of the host
        duration_ns BIGINT ns -
        name BIGINT - names.id
        correlation BIGINT - id that it shares with what it launched
        result INTEGER - 0 success; NULL it did not return
    """),
    "collectives": _columns("""
        rank INTEGER - ranks.rank
        step INTEGER - in which it was called, or the CUDA graph that replayed it was launched
        communicator BIGINT - NCCL's id, halved; NULL unknown: then collectives are matched by function
        sequence INTEGER - 0-based place among the rank's collectives of that communicator (or function); NULL a send or receive
        function VARCHAR - ncclAllReduce ..., or the kernel's name
        bytes BIGINT bytes message size, as NCCL states it
        called BIGINT ns when the host called it, or launched the graph, since 1970 by the clock of the host
        start BIGINT ns of its kernel; NULL no kernel: it did not end, or was lost
        duration_ns BIGINT ns of its kernel
        stream INTEGER - CUDA's number
        algorithm VARCHAR - as NCCL's profiler states it: RING, TREE, NVLS ...; NULL unknown, as are the next four
        protocol VARCHAR - LL, LL128 or SIMPLE
        channels INTEGER - that NCCL uses for it
        type VARCHAR - of its elements: ncclFloat32 ...
        counted BIGINT - NCCL's sequence number, counted for each function of a communicator, without captured calls
        peer INTEGER - number in the communicator of whom it sends to or receives from; NULL a collective, or unknown
        communicator_rank INTEGER - number of this rank in the communicator; NULL unknown
        group_place INTEGER - place among the calls of the communicator that share its kernel, collectives apart; NULL it shares none
        group_bytes BIGINT bytes sum of bytes of the calls of the communicator that share its kernel
    """),
    "memory": _columns("""
        rank INTEGER - ranks.rank
        step INTEGER - in which the peak was; NULL outside of all
        device INTEGER - CUDA's number; NULL the host
        kind VARCHAR - device, pinned, managed ..., or the program's allocator
        peak_bytes BIGINT bytes largest amount in use at a time
        time BIGINT ns of the peak, since 1970 by the clock of the host
        range BIGINT - names.id of the innermost range around the allocation that made the peak; NULL none
    """),
    "ledger": _columns("""
        rank INTEGER - ranks.rank
        launched BIGINT - operations
        recorded BIGINT - of these
        lost BIGINT - of these
    """),
    "names": _columns("""
        id BIGINT - 63 bits of the name's MD5: md5_number_lower(name) // 2 in DuckDB
        name VARCHAR - -
    """),
    "stacks": _columns("""
        id BIGINT - 63 bits of the text's MD5, as in names
        stack VARCHAR - frames, innermost first, separated by ';'
    """),
    "summary": _columns("""
        rank INTEGER - ranks.rank
        step INTEGER - NULL outside of all
        kind VARCHAR - compute, communication, copy, range, call
        name BIGINT - names.id
        count BIGINT - -
        sum_ns BIGINT ns of durations
        min_ns BIGINT ns -
        max_ns BIGINT ns -
        histogram MAP(INTEGER,BIGINT) - count of durations by the integer part of their base-2 logarithm
    """),
}


class Dataset:
    """An existing dataset: ``Dataset.open(path)``. Threads: any. `damaged`: a sentence for each part that is left out."""

    def __init__(self, path: Path, parts: List[Dict[str, Any]], damaged: List[str]) -> None:
        self.path = path
        self.parts = parts
        self.damaged = damaged

    @classmethod
    def open(cls, path: PathLike) -> "Dataset":
        """Reads what the dataset consists of; :class:`ProfError` where there is none, or one of a newer version."""
        folder = Path(path)
        try:
            head = json.loads((folder / "dataset.json").read_text())
        except (OSError, ValueError) as error:
            raise ProfError(f"{folder}: not a dataset: create one with 'profdump pack'") from error
        if not isinstance(head, dict) or not isinstance(head.get("version"), int):
            raise ProfError(f"{folder}/dataset.json: it has no version")
        if head["version"] > VERSION:
            raise ProfError(f"{folder}: the dataset has version {head['version']}, this libprof reads up to {VERSION}")
        parts, damaged = [], []
        for path in sorted(folder.glob("packed/*.json")):
            part = _read_part(path)
            if part is None:
                damaged.append(f"{path}: it does not say what its part consists of; the part is left out: pack its recordings again")
            else:
                parts.append(part)
        return cls(folder, parts, damaged)

    def files(self, table: str) -> List[str]:
        """The Parquet files of a table, of complete parts only; missing ones are left out, see :meth:`missing`."""
        return [os.fspath(path) for path in self._paths(table) if path.exists()]

    def missing(self) -> List[str]:
        """Files that should be there."""
        return [os.fspath(path) for table in TABLES for path in self._paths(table) if not path.exists()]

    def _paths(self, table: str) -> List[Path]:
        return [part_path(self.path, table, part["part"]) for part in self.parts if table in part["tables"]]


def _read_part(path: Path) -> Optional[Dict[str, Any]]:
    """What a part consists of; None where the file is truncated or somebody else's."""
    try:
        part = json.loads(path.read_text())
        whole = isinstance(part["part"], str) and all(isinstance(table, str) for table in part["tables"])
        return part if whole and all(isinstance(file["identity"], str) for file in part["files"]) else None
    except (OSError, ValueError, TypeError, KeyError):
        return None


def part_path(folder: Path, table: str, part: str) -> Path:
    """Where the rows of a part are."""
    return folder / f"table={table}" / f"part-{part}.parquet"


def describe(table: Optional[str] = None) -> str:
    """The tables with their columns, as Markdown."""
    lines: List[str] = []
    for name in [table] if table else TABLES:
        lines += [f"### {name}", "", "| column | type | unit | meaning |", "|:--|:--|:--|:--|"]
        lines += [f"| `{c.name}` | {c.type} | {c.unit} | {c.meaning.replace('|', chr(92) + '|')} |" for c in TABLES[name]]
        lines.append("")
    return "\n".join(lines)

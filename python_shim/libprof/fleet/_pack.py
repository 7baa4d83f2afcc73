"""Recordings become a dataset.

Files are packed in groups, each by a process of its own, so memory does not grow with the number of ranks. A group's
rows become one part, which counts once its entry in ``packed/`` is there: that is written last. A part's name depends
on the content of its files alone, so packing again finds what is done, and what a killed process left is replaced.
"""

from __future__ import annotations

import concurrent.futures
import functools
import hashlib
import json
import multiprocessing
import os
import platform
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Sequence, Set, Tuple

from .. import _reader
from .._profdump import run_profdump
from ..errors import ProfError
from ..frames import Frame
from . import _engine
from ._dataset import TABLES, VERSION, Dataset, PathLike, create_tables, part_path

GROUP_BYTES = 256 << 20
"""Target for the total size of a part's recordings."""
GROUP_FILES = 256
BATCH_EVENTS = 250_000
"""Events and calls of recordings that are packed at once."""
IDENTITY_BYTES = 1 << 16
ROW_GROUP = 122880

ORDER = {
    "kernels": "rank, device, stream, start",
    "copies": "rank, device, stream, start",
    "ranges": "rank, tid, start, depth",
    "calls": "rank, tid, start",
    "collectives": "communicator, sequence, rank",
    "steps": "rank, step",
    "summary": "rank, step, kind, name",
    "memory": "rank, device, kind",
}

TRACE_NAMES = (".prof", ".json", ".json.gz", ".json.zst", ".sqlite", ".nvvp")


@dataclass(frozen=True)
class Packed:
    """What pack() did."""

    packed: int
    """Recordings that were added."""
    skipped: int
    """Recordings that the dataset had already."""
    refused: Tuple[str, ...]
    """A sentence for each recording that could not be read."""


def find_files(inputs: Iterable[PathLike]) -> List[Path]:
    """Files as given, and the recordings in directories, sorted."""
    files: List[Path] = []
    for item in map(Path, inputs):
        if item.is_dir():
            files += sorted(path for path in item.iterdir() if path.name.endswith(TRACE_NAMES) and path.name != "truth.json")
        elif item.exists():
            files.append(item)
        else:
            raise ProfError(f"{item}: there is no such file or directory")
    return files


def identity_of(path: Path) -> str:
    """Identity by content: the same for a copy elsewhere. A recording's first 64 KiB have its process and its start."""
    with path.open("rb") as file:
        digest = hashlib.sha256(file.read(IDENTITY_BYTES))
    digest.update(str(path.stat().st_size).encode())
    return digest.hexdigest()[:16]


def _groups(files: Sequence[Tuple[Path, str]]) -> Iterable[List[Tuple[Path, str]]]:
    group: List[Tuple[Path, str]] = []
    size = 0
    for path, identity in files:
        if group and (size > GROUP_BYTES or len(group) == GROUP_FILES):
            yield group
            group, size = [], 0
        group.append((path, identity))
        size += path.stat().st_size
    if group:
        yield group


def _prepare(folder: Path) -> Set[str]:
    """Makes the dataset where there is none. Returns what it has."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "dataset.json").exists():
        others = [path.name for path in folder.iterdir() if path.name != "packed" and not path.name.startswith("table=")]
        if others:
            raise ProfError(f"{folder}: it holds other files ({others[0]}): name a new directory for the dataset")
        _write(folder / "dataset.json", json.dumps({"format": "libprof", "version": VERSION}) + "\n")
    for name in ["packed", *(f"table={table}" for table in TABLES)]:
        (folder / name).mkdir(exist_ok=True)
    return {entry["identity"] for part in Dataset.open(folder).parts for entry in part["files"]}


def _write(path: Path, text: str) -> None:
    """As a whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    temporary.write_text(text)
    os.replace(temporary, path)


# ---- one recording ----


@functools.lru_cache(maxsize=None)
def _statements(name: str) -> List[str]:
    return [text for text in re.split(r";\s*\n", _engine.sql_text(name)) if text.strip()]


def _processes(reader: _reader.Reader) -> List[Dict[str, Any]]:
    return reader.query(
        "SELECT p.*, (SELECT name FROM devices d WHERE d.process = p.id ORDER BY device LIMIT 1) AS device_name, "
        "(SELECT sum(launched) FROM ledger l WHERE l.process = p.id) AS launched, "
        "(SELECT sum(recorded) FROM ledger l WHERE l.process = p.id) AS recorded, "
        "(SELECT sum(lost) FROM ledger l WHERE l.process = p.id) AS lost, "
        "(SELECT value FROM meta WHERE name = 'base_utc_ns') AS base FROM processes p"
    )


def _add_peaks(engine: Any, reader: _reader.Reader) -> None:
    """The peaks of memory as table `m`."""
    engine.execute('CREATE OR REPLACE TEMP TABLE m (process INTEGER, device INTEGER, kind VARCHAR, bytes BIGINT, time BIGINT, "range" VARCHAR)')
    for peak in reader.query(
        "WITH RECURSIVE around(heap, slice) AS ("
        "SELECT h.id, a.slice FROM heaps h JOIN allocations a ON a.id = h.peak_allocation "
        "UNION ALL SELECT heap, s.parent FROM around JOIN slices s ON s.id = around.slice WHERE s.kind <> 'range') "
        "SELECT h.process, h.device, h.name, h.peak, h.peak_time, "
        "(SELECT s.name FROM around JOIN slices s ON s.id = around.slice WHERE heap = h.id AND s.kind = 'range') AS range "
        "FROM heaps h WHERE h.peak_time IS NOT NULL"
    ):
        engine.execute("INSERT INTO m VALUES (?, ?, ?, ?, ?, ?)", list(peak.values()))


def _add_processes(engine: Any, processes: List[Dict[str, Any]], path: Path, identity: str, unknown: List[int]) -> None:
    """The tables that have a row for each process; `p` says which rank a process is. Unknown ranks count down from -1."""
    engine.execute("CREATE OR REPLACE TEMP TABLE p (process INTEGER, pid UINTEGER, rank INTEGER, base BIGINT)")
    for process in processes:
        known = process["rank"] is not None and process["rank"] >= 0
        if not known:
            unknown.append(process["pid"])
        rank = process["rank"] if known else -len(unknown)
        engine.execute("INSERT INTO p VALUES (?, ?, ?, ?)", [process["id"], process["pid"], rank, process["base"]])
        engine.execute(
            f"INSERT INTO ranks VALUES ({', '.join('?' * len(TABLES['ranks']))})",
            [
                rank, known, process["host"] or "", process["pid"], process["local_rank"], process["world_size"],
                process["name"], process["device_name"], process["base"] + process["start"], process["end"] - process["start"],
                bool(process["closed"]), process["format"] or "libprof", path.name, identity,
            ],
        )  # fmt: skip
        engine.execute(
            "INSERT INTO ledger VALUES (?, ?, ?, ?)",
            [rank, process["launched"] or 0, process["recorded"] or 0, process["lost"] or 0],
        )


class _Batch:
    """Recordings whose rows are made at once: a statement costs milliseconds even for a small one."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine
        self._ranks: Set[int] = set()

    def add(self, path: Path, identity: str, unknown: List[int]) -> None:
        """All of a recording or nothing."""
        with _reader.Reader([os.fspath(path)]) as reader:
            processes = _processes(reader)
            ranks = {process["rank"] for process in processes if process["rank"] is not None}
            if self._ranks & ranks:
                self.finish()
            _add_peaks(self._engine, reader)
            self._engine.register("k", Frame("kernels", lambda: reader.stream(_reader.KERNELS)))
            self._engine.register("e", Frame("events", lambda: reader.stream(_reader.EVENTS)))
            _add_rows(self._engine, processes, path, identity, unknown, "load")
        self._ranks |= ranks
        if self._engine.execute("SELECT count(*) FROM event_text").fetchone()[0] >= BATCH_EVENTS:
            self.finish()

    def finish(self) -> None:
        """Makes the rows of what was added."""
        if self._engine.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'event_text'").fetchone()[0]:
            for statement in _statements("pack"):
                self._engine.execute(statement)
        self._ranks.clear()


def _add_rows(engine: Any, processes: List[Dict[str, Any]], path: Path, identity: str, unknown: List[int], statements: str) -> None:
    engine.execute("BEGIN")
    try:
        _add_processes(engine, processes, path, identity, unknown)
        for statement in _statements(statements):
            engine.execute(statement)
        engine.execute("COMMIT")
    except BaseException:
        engine.execute("ROLLBACK")
        raise


# ---- the summaries of one recording ----

_OPERATIONS = "kind IN ('kernel', 'memcpy', 'memset', 'graph')"
_DEVICE_LOSSES = "cause IN ('cupti_dropped', 'zero_time', 'out_of_window', 'unknown_record', 'gpu_buffer', 'graph_nodes')"


def _query_summaries(path: Path, sql: str, format: str) -> str:
    return run_profdump(["query", "--no-events", f"--format={format}", sql, os.fspath(path)])


def _summarized_processes(path: Path) -> List[Dict[str, Any]]:
    """As _processes(); launches were not counted, so an operation that is not lost counts as launched."""
    processes: List[Dict[str, Any]] = json.loads(
        _query_summaries(
            path,
            "SELECT p.*, (SELECT name FROM devices d WHERE d.process = p.id ORDER BY device LIMIT 1) AS device_name, "
            "(SELECT count(*) FROM summary s WHERE s.process = p.id) AS rows, "
            f"(SELECT sum(count) FROM summary s WHERE s.process = p.id AND {_OPERATIONS}) AS recorded, "
            f"(SELECT sum(count) FROM losses l WHERE l.process = p.id AND {_DEVICE_LOSSES}) AS lost, "
            "(SELECT max(max) FROM summary s WHERE s.process = p.id AND kind = 'round') AS until, "
            "(SELECT value FROM meta WHERE name = 'base_utc_ns') AS base FROM processes p",
            "json",
        )
    )
    if not any(process["rows"] for process in processes):
        raise ProfError(f"{path}: it has no summaries: record with profrun --summary, or pack it without --summaries")
    for process in processes:
        process["start"], process["end"] = 0, process["until"] or 0
        process["launched"] = (process["recorded"] or 0) + (process["lost"] or 0)
    return processes


def _add_summaries(engine: Any, path: Path, identity: str, unknown: List[int]) -> None:
    """All of them or nothing. Only the META chunks of the recording are read."""
    processes = _summarized_processes(path)
    with tempfile.TemporaryDirectory() as folder:
        for table, name in (("summary", "s"), ("summary_steps", "t")):
            file = Path(folder) / f"{table}.csv"
            file.write_text(_query_summaries(path, f"SELECT * FROM {table}", "csv"))
            types = "{'name': 'VARCHAR', 'kind': 'VARCHAR', 'durations': 'VARCHAR'}" if name == "s" else "{}"
            engine.execute(
                f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT * FROM "
                f"read_csv('{_engine.quoted(file)}', header = true, delim = ',', quote = '\"', escape = '\"', types = {types})"
            )
        _add_rows(engine, processes, path, identity, unknown, "summaries")


# ---- one part ----


def _write_tables(engine: Any, folder: Path, part: str) -> List[str]:
    """Under temporary names first: readers see a part's files one after the other, but each of them whole."""
    temporary: List[Tuple[Path, Path]] = []
    for table in TABLES:
        distinct = "DISTINCT" if table in ("names", "stacks") else ""
        order = f"ORDER BY {ORDER[table]}" if table in ORDER else ""
        target = part_path(folder, table, part)
        hidden = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        engine.execute(
            f"COPY (SELECT {distinct} * FROM {table} {order}) TO '{_engine.quoted(hidden)}' "
            f"(FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE {ROW_GROUP})"
        )
        temporary.append((hidden, target))
    for hidden, target in temporary:
        os.replace(hidden, target)
    return list(TABLES)


def pack_part(
    folder: Path, node: str, files: Sequence[Tuple[Path, str]], summaries: bool = False
) -> Tuple[int, List[str]]:
    """Packs some recordings as one part. Returns how many, and a sentence for each that could not be read."""
    engine = _engine.duckdb_connection(threads=1)
    for statement in create_tables():
        engine.execute(statement)
    engine.execute("CREATE MACRO content_id(t) AS (md5_number_lower(t) // 2)::BIGINT")
    batch = _Batch(engine)
    unknown: List[int] = []
    done: List[Dict[str, str]] = []
    refused: List[str] = []
    for path, identity in files:
        try:
            if summaries:
                _add_summaries(engine, path, identity, unknown)
            else:
                batch.add(path, identity, unknown)
            done.append({"identity": identity, "file": path.name})
        except ProfError as error:
            refused.append(str(error))
    batch.finish()
    if done:
        part = f"{node}-{hashlib.sha256(''.join(sorted(entry['identity'] for entry in done)).encode()).hexdigest()[:12]}"
        entry = {"part": part, "tables": _write_tables(engine, folder, part), "files": done}
        _write(folder / "packed" / f"{part}.json", json.dumps(entry, indent=1) + "\n")
    return len(done), refused


def _remove_leftovers(folder: Path, node: str) -> None:
    """Files that a killed process of this node left under temporary names."""
    for path in folder.glob(f"table=*/.part-{node}-*.tmp"):
        path.unlink()


def pack(
    inputs: Iterable[PathLike],
    output: PathLike,
    node: Optional[str] = None,
    workers: Optional[int] = None,
    summaries: bool = False,
) -> Packed:
    """Adds recordings to a dataset, which is made where there is none.

    `inputs`: files that profdump reads, and directories of them. `node`: a name for the parts, by default the host's;
    several nodes may pack into one dataset at the same time, a node only once at a time. `workers`: processes, by
    default one for each processor. `summaries`: read only what PROF_SUMMARY wrote to the recordings; tables of events and
    ``idle`` stay empty. Recordings that the dataset has are skipped. One that cannot be read is left out and
    reported, the others are packed. :class:`ProfError` where nothing can be done at all.
    """
    _engine.require_duckdb()
    folder, name = Path(output), re.sub(r"[^A-Za-z0-9_.]", "_", node or platform.node() or "node")
    files = [(path, identity_of(path)) for path in find_files(inputs)]
    if not files:
        raise ProfError("no recordings among the inputs")
    have = _prepare(folder)
    _remove_leftovers(folder, name)
    new = list({identity: (path, identity) for path, identity in files if identity not in have}.values())
    packed, refused = 0, []
    with concurrent.futures.ProcessPoolExecutor(
        workers or os.cpu_count() or 1, mp_context=multiprocessing.get_context("spawn")
    ) as pool:
        for count, sentences in pool.map(pack_part, *zip(*((folder, name, group, summaries) for group in _groups(new)))) if new else ():
            packed += count
            refused += sentences
    return Packed(packed, len(files) - len(new), tuple(refused))

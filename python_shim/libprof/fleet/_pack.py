"""Recordings become a dataset.

Files are packed in groups, one after the other on each thread, so memory does not grow with the number of ranks. Threads
run in parallel because libprofdump.so and DuckDB work without the GIL. A group's rows become one part, which counts once its
entry in ``packed/`` is there: that is written last. A part's name depends on the content of its files alone, so packing
again finds what is done, and what a killed process left is replaced.
"""

from __future__ import annotations

import concurrent.futures
import functools
import hashlib
import json
import os
import platform
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Sequence, Set, Tuple

from .. import _reader
from ..errors import ProfError
from ..frames import Frame
from . import _engine
from ._dataset import TABLES, VERSION, Dataset, PathLike, part_path

GROUP_BYTES = 64 << 20
"""Limit of the total size of a part's recordings, about 10^6 events, which bounds memory: 80 bytes each."""
SIZES = {".gz": 4.0, ".zst": 4.0, ".json": 0.25}
"""Recording bytes per byte of other file types, for equal event counts."""
LEAST_GROUP_BYTES = 16 << 20
"""Smaller groups are not split among threads: that would only add files."""
GROUP_FILES = 256
IDENTITY_BYTES = 1 << 16
MAGIC = b"\x89PROF\r\n\x1a"
"""Our own recordings begin with it, and with who was recorded: the fields pid, and start_ticks to process_start_ns (format.h)."""
ORIGIN_FIELDS = ((24, 28), (48, 80))
STATE_FIELD = (36, 40)
CLOSED = 2
"""PROF_STATE_CLOSED: the process closed its recording. It closes no dump."""
FORMAT = (
    "FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE 122880, "
    "DICTIONARY_SIZE_LIMIT 1000, WRITE_BLOOM_FILTER false"
)
"""Times differ from row to row: a dictionary of them is tried for so long only."""

SORTED = {"collectives": "communicator, sequence, rank"}
"""The rows of the other tables come by rank, then by step, or by device or thread and time."""

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
    copies: Tuple[str, ...] = ()
    """A sentence for each copy of a recording that is left out."""


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


@dataclass(frozen=True)
class Recording:
    """A file. `identity`: of its content, the same for a copy elsewhere. `origin`: of what was recorded, the same for dumps and
    copies that were made on request while it was being written; empty where the format has none. `closed`: it is no such copy."""

    path: Path
    identity: str
    origin: str
    closed: bool
    bytes: int


def recording_of(path: Path) -> Recording:
    """Reads the first 64 KiB, which have the process and its start."""
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(IDENTITY_BYTES)
    digest = hashlib.sha256(head)
    digest.update(str(size).encode())
    origin = b"".join(head[first:end] for first, end in ORIGIN_FIELDS) if head.startswith(MAGIC) else b""
    closed = bool(origin) and int.from_bytes(head[slice(*STATE_FIELD)], "little") == CLOSED
    return Recording(path, digest.hexdigest()[:16], origin.hex(), closed, size)


def _without_copies(files: Sequence[Recording], origins: Dict[str, str]) -> Tuple[List[Recording], List[str]]:
    """Of each origin the closed file, else the largest; a sentence for each other one. `origins`: the file of those that
    the dataset has."""
    kept: Dict[str, Recording] = {}
    for file in sorted(files, key=lambda file: (not file.closed, -file.bytes, file.path)):
        kept.setdefault(file.origin or file.identity, file)
    sentences: List[str] = []
    for file in files:
        of = kept[file.origin or file.identity]
        if file.origin in origins:
            sentences.append(f"{file.path}: left out: {origins[file.origin]}, of the same process, is in the dataset")
        elif of is not file and of.identity != file.identity:
            sentences.append(f"{file.path}: left out: it duplicates a part of {of.path}")
    chosen = {id(file) for file in kept.values() if file.origin not in origins}
    return [file for file in files if id(file) in chosen], sentences


def _groups(files: Sequence[Recording], workers: int) -> Iterable[List[Recording]]:
    """Shares for all workers; several for each where these would be too large."""
    sizes = [file.bytes * SIZES.get(file.path.suffix, 1.0) for file in files]
    limit = min(GROUP_BYTES, max(LEAST_GROUP_BYTES, sum(sizes) / workers))
    group: List[Recording] = []
    size = 0.0
    for file, bytes_of_it in zip(files, sizes):
        if group and (size >= limit or len(group) == GROUP_FILES):
            yield group
            group, size = [], 0.0
        group.append(file)
        size += bytes_of_it
    if group:
        yield group


def _prepare(folder: Path) -> Tuple[Set[str], Dict[str, str]]:
    """Makes the dataset where there is none. Returns what it has: identities, and the file of each origin."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "dataset.json").exists():
        others = [path.name for path in folder.iterdir() if path.name != "packed" and not path.name.startswith("table=")]
        if others:
            raise ProfError(f"{folder}: it holds other files ({others[0]}): name a new directory for the dataset")
        _write(folder / "dataset.json", json.dumps({"format": "libprof", "version": VERSION}) + "\n")
    for name in ["packed", *(f"table={table}" for table in TABLES)]:
        (folder / name).mkdir(exist_ok=True)
    entries = [entry for part in Dataset.open(folder).parts for entry in part["files"]]
    return {entry["identity"] for entry in entries}, {entry["origin"]: entry["file"] for entry in entries if entry.get("origin")}


def _write(path: Path, text: str) -> None:
    """As a whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    temporary.write_text(text)
    os.replace(temporary, path)


# ---- one part ----


def _copy(engine: Any, rows: _reader.DatasetRows, table: str, path: Path) -> None:
    """Writes the rows of a table to a file."""
    distinct = "DISTINCT" if table in ("names", "stacks") else ""
    order = f"ORDER BY {SORTED[table]}" if table in SORTED else ""
    engine.register("rows", Frame(table, functools.partial(rows.stream, table)))
    engine.execute(f"COPY (SELECT {distinct} * FROM rows {order}) TO '{_engine.quoted(path)}' ({FORMAT})")
    engine.unregister("rows")


def _write_tables(engine: Any, rows: _reader.DatasetRows, folder: Path, part: str) -> List[str]:
    """Under temporary names first: readers see a part's files one after the other, but each of them whole."""
    targets = {table: part_path(folder, table, part) for table in TABLES}
    temporary = {table: target.with_name(f".{target.name}.{os.getpid()}.tmp") for table, target in targets.items()}
    try:
        for table, hidden in temporary.items():
            _copy(engine, rows, table, hidden)
    except _engine.duckdb_error() as error:
        for hidden in temporary.values():  # the disk may be full
            hidden.unlink(missing_ok=True)
        raise ProfError(f"{folder}: part {part} cannot be written: {error}") from None
    for table, hidden in temporary.items():
        os.replace(hidden, targets[table])
    return list(TABLES)


def pack_part(engine: Any, folder: Path, node: str, files: Sequence[Recording], summaries: bool) -> Tuple[int, List[str]]:
    """Packs some recordings as one part. Returns how many, and a sentence for each that could not be read."""
    done: List[Dict[str, str]] = []
    refused: List[str] = []
    with _reader.DatasetRows() as rows:
        for file in files:
            try:
                rows.add(os.fspath(file.path), file.path.name, file.identity, summaries)
                done.append({"identity": file.identity, "origin": file.origin, "file": file.path.name})
            except ProfError as error:
                refused.append(str(error))
        if done:
            part = f"{node}-{hashlib.sha256(''.join(sorted(entry['identity'] for entry in done)).encode()).hexdigest()[:12]}"
            entry = {"part": part, "tables": _write_tables(engine, rows, folder, part), "files": done}
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
    several nodes may pack into one dataset at the same time, a node only once at a time. `workers`: threads, by
    default one for each processor. `summaries`: read only what PROF_SUMMARY wrote to the recordings; tables of events and
    ``idle`` stay empty. Recordings that the dataset has are skipped; of several files of one process, such as
    dumps beside its recording, the recording is packed. One that cannot be read is left out and reported, the others are
    packed. :class:`ProfError` where nothing can be done at all.
    """
    _engine.require_duckdb()
    folder, name = Path(output), re.sub(r"[^A-Za-z0-9_.]", "_", node or platform.node() or "node")
    files = [recording_of(path) for path in find_files(inputs)]
    if not files:
        raise ProfError("no recordings among the inputs")
    have, origins = _prepare(folder)
    _remove_leftovers(folder, name)
    new, copies = _without_copies([file for file in files if file.identity not in have], origins)
    packed, refused = 0, []
    threads = workers or os.cpu_count() or 1
    database = _engine.duckdb_connection(threads=1)  # each cursor works on the thread that uses it
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        for count, sentences in pool.map(lambda group: pack_part(database.cursor(), folder, name, group, summaries), _groups(new, threads)):
            packed += count
            refused += sentences
    return Packed(packed, len(files) - len(new) - len(copies), tuple(refused), tuple(copies))

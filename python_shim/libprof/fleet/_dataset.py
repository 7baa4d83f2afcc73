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
import re
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


def _tables() -> Dict[str, Tuple[Column, ...]]:
    """What dataset.def lists. The C library's tables are made of the same lines."""
    words = {"WORD": "VARCHAR", "MAP": "MAP(INTEGER,BIGINT)"}
    tables: Dict[str, Tuple[Column, ...]] = {}
    text = (Path(__file__).parent / "dataset.def").read_text()
    for table, lines in re.findall(r"^TABLE\((\w+)\)$(.*?)^END$", text, re.DOTALL | re.MULTILINE):
        columns = re.findall(r'^COLUMN\((\w+), (\w+), "(.*?)", "(.*)"\)$', lines, re.MULTILINE)
        tables[table] = tuple(Column(name, words.get(kind, kind), unit, meaning) for name, kind, unit, meaning in columns)
    return tables


TABLES = _tables()


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


def described() -> List[Dict[str, Any]]:
    """The same as members of JSON."""
    return [{"name": name, "columns": [{"name": c.name, "type": c.type, "unit": c.unit, "description": c.meaning} for c in TABLES[name]]} for name in TABLES]


def describe(table: Optional[str] = None) -> str:
    """The tables with their columns, as Markdown."""
    lines: List[str] = []
    for name in [table] if table else TABLES:
        lines += [f"### {name}", "", "| column | type | unit | meaning |", "|:--|:--|:--|:--|"]
        lines += [f"| `{c.name}` | {c.type} | {c.unit} | {c.meaning.replace('|', chr(92) + '|')} |" for c in TABLES[name]]
        lines.append("")
    return "\n".join(lines)

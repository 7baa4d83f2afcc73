"""What the commands of this package answer to programs: one JSON object with the members that every command has, and exit statuses."""

from __future__ import annotations

import argparse
import json
import math
from typing import Any, Callable, Collection, Dict, List, Mapping, Optional, Sequence, Tuple

from .version import __version__

SCHEMA_VERSION = 1
FOUND = 4
INCONCLUSIVE = 5
ANY = "any"

Input = Dict[str, Any]
Row = Tuple[Any, ...]


# ---- JSON ----


def one_input(file: str, format: str = "", program: str = "", rank: Optional[int] = None) -> Input:
    """An element of ``inputs``; what is unknown is empty, or None."""
    return {"file": file, "format": format, "program": program, "rank": rank}


def answer(
    command: str,
    inputs: Sequence[Input],
    members: Mapping[str, Any],
    lost: Optional[Mapping[str, int]] = None,
    simulated: bool = False,
    abstained: Optional[str] = None,
    truncated: Sequence[Mapping[str, Any]] = (),
    units: Optional[Mapping[str, str]] = None,
) -> str:
    """The object that a command prints: the head of every command, as envelope.h has it, its own `members`, and the tail.

    `lost`: counts by what was lost. `abstained`: why nothing can be judged. `truncated`: see :func:`cut_rows`. `units`: of members whose
    name does not end in their unit. Numbers that JSON does not have become null."""
    head = {
        "schema_version": SCHEMA_VERSION,
        "command": command,
        "libprof": __version__,
        "inputs": list(inputs),
        "mode": "other",
        "mode_reason": "",
        "simulated": simulated,
        "lost_anything": any((lost or {}).values()),
        "lost": {what: count for what, count in (lost or {}).items() if count},
        "abstained": abstained,
    }
    body = {**head, **members, "truncated": list(truncated)}
    found = _units(body)
    return json.dumps(_plain({**body, "units": {**found, **(units or {})}}), indent=1)


def row_dicts(columns: Sequence[str], rows: Sequence[Row]) -> List[Dict[str, Any]]:
    """An object for each row; the second column of a name is ``name_2``."""
    names: List[str] = []
    for column in columns:
        name, count = column, 1
        while name in names:
            count += 1
            name = f"{column}_{count}"
        names.append(name)
    return [dict(zip(names, row)) for row in rows]


def cut_rows(table: str, rows: Sequence[Any], most: Optional[int]) -> Tuple[Sequence[Any], List[Dict[str, Any]]]:
    """At most that many rows (None or negative: all), and the element of ``truncated`` that says so."""
    if most is None or most < 0 or len(rows) <= most:
        return rows, []
    return rows[:most], [{"table": table, "rows": most, "total_rows": len(rows)}]


def _unit_of(name: str) -> Optional[str]:
    endings = (("_ns", "ns"), ("bytes", "bytes"), ("_gb_per_s", "GB/s"), ("_gb_s", "GB/s"), ("_ppm", "ppm"), ("_percent", "percent"))
    return next((unit for ending, unit in endings if name.endswith(ending)), None)


def _units(value: Any) -> Dict[str, str]:
    """Units of all members whose name ends in one."""
    found: Dict[str, str] = {}
    if isinstance(value, dict):
        for name, inner in value.items():
            unit = _unit_of(name) if isinstance(name, str) else None
            if unit:
                found[name] = unit
            found.update(_units(inner))
    elif isinstance(value, (list, tuple)):
        for inner in value:
            found.update(_units(inner))
    return found


def _plain(value: Any) -> Any:
    """The value in JSON's types: NaN and infinity become null, other numbers float, the rest text."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, Mapping):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(inner) for inner in value]
    try:
        number = float(value)
    except (TypeError, ValueError):
        return value.hex() if isinstance(value, (bytes, bytearray)) else str(value)
    return number if math.isfinite(number) else None


# ---- gates ----


def kinds_option(kinds: Collection[str]) -> Callable[[str], List[str]]:
    """For argparse: a list of findings such as ``a,b``, each one of `kinds` or "any"."""

    def parse(text: str) -> List[str]:
        words = text.split(",")
        unknown = next((word for word in words if word not in (ANY, *kinds)), None)
        if unknown is not None:
            raise argparse.ArgumentTypeError(f"{unknown!r} is not one of {', '.join((ANY, *kinds))}")
        return words

    return parse


def gate(wanted: Collection[str], found: Collection[str], unknown: Mapping[str, Collection[str]]) -> Tuple[int, str]:
    """Exit status of --fail-on, and a sentence that says why, empty for 0: 4 if a `wanted` kind was found, 5 if not, and a sentence of
    `unknown` says that such kinds cannot be judged. "any" wants all, also of `unknown`, whose kinds may have it."""
    hits = sorted(set(found) if ANY in wanted else set(found) & set(wanted))
    if wanted and hits:
        return FOUND, f"--fail-on: found {', '.join(hits)}"
    for sentence, kinds in unknown.items():
        judged = [ANY] if ANY in wanted and ANY in kinds else [word for word in wanted if word in kinds]
        if judged:
            why = sentence.rpartition("cannot be judged: ")[2]
            return INCONCLUSIVE, f"--fail-on: cannot judge '{', '.join(judged)}': {why}"
    return 0, ""

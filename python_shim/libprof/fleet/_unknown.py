"""Recordings whose rank is unknown. The tables have negative numbers for them; reports show the GPU and its host, or the file."""

from __future__ import annotations

import functools
import re
from collections import Counter
from typing import Any, Dict, List, Sequence, Tuple


@functools.lru_cache(maxsize=2)
def names(engine: Any) -> Dict[int, str]:
    """The name of each unknown rank."""
    rows = engine.run("SELECT rank, min(host), min(file) FROM ranks WHERE NOT rank_known GROUP BY rank")[1]
    if not rows:
        return {}
    devices: Dict[int, List[int]] = {}
    for rank, device in engine.run("SELECT DISTINCT rank, device FROM kernels WHERE rank < 0 AND device IS NOT NULL")[1]:
        devices.setdefault(rank, []).append(device)
    places = {rank: (host, *devices.get(rank, [])) for rank, host, _ in rows}
    count = Counter(places.values())
    return {
        rank: f"GPU {places[rank][1]} of {host}" if host and len(places[rank]) == 2 and count[places[rank]] == 1 else f"'{file}'"
        for rank, host, file in rows
    }


def named(engine: Any, text: str) -> str:
    """The text with names in place of negative ranks."""
    known = names(engine)
    return re.sub(r"(?:\branks? )?(-\d+)\b", lambda found: known.get(int(found[1]), found[0]), text) if known else text


def named_rows(engine: Any, columns: Sequence[str], rows: Sequence[Tuple[Any, ...]]) -> List[Tuple[Any, ...]]:
    """The same in rows of reports, in columns of ranks and in texts."""
    known = names(engine)
    if not known:
        return list(rows)

    def cell(column: str, value: Any) -> Any:
        if isinstance(value, str):
            return named(engine, value)
        return known.get(value, value) if isinstance(value, int) and column in RANK_COLUMNS else value

    return [tuple(map(cell, columns, row)) for row in rows]


RANK_COLUMNS = ("rank", "worst_rank", "sender", "receiver")

"""A page for single ranks beside the page of a job: profdump's own report, made from the dataset."""

from __future__ import annotations

import concurrent.futures
import os
from pathlib import Path
from typing import Any, List, Sequence, Tuple

from .._profdump import run_profdump
from ..errors import ProfError
from . import _trace, _verdict
from ._limits import Limits

SUSPECTS, ALL = "suspects", "all"
MOST_SUSPECTS = 16
"""With more suspects than that, their pages say the same: the first ones suffice."""


def rank_page(page: str, rank: int) -> Path:
    """Where the page of a rank lies if that of the job is `page`."""
    return Path(page).with_name(f"rank-{rank}.html")


def choose_ranks(engine: Any, wanted: str, limits: Limits) -> Tuple[List[int], List[str]]:
    """``suspects``, ``all`` or a list such as ``3,5-8``: the ranks, and a sentence for what is left out."""
    present = sorted(row[0] for row in engine.run("SELECT DISTINCT rank FROM ranks WHERE rank_known")[1])
    if wanted == ALL:
        return present, []
    if wanted != SUSPECTS:
        ranks = _trace.parse_ranks([wanted], "--pages")
        lacking = [rank for rank in ranks if rank not in set(present)]
        return [rank for rank in ranks if rank in set(present)], [f"there is no rank {rank}: no page" for rank in lacking]
    suspects = sorted({rank for finding in _verdict.judge(engine, limits) for rank in finding.ranks} & set(present))
    left_out = len(suspects) - MOST_SUSPECTS
    return suspects[:MOST_SUSPECTS], [f"{left_out} of {len(suspects)} suspects get no page"] if left_out > 0 else []


def write_rank_pages(dataset: str, page: str, ranks: Sequence[int]) -> Tuple[List[int], List[str]]:
    """Writes them, one process of profdump for each. Returns the ranks that have a page now, and a sentence for each other."""

    def write(rank: int) -> str:
        try:
            run_profdump(["--rank", str(rank), "-o", os.fspath(rank_page(page, rank)), dataset])
        except ProfError as error:
            return f"rank {rank}: {error}"
        return ""

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        refused = list(pool.map(write, ranks))
    return [rank for rank, sentence in zip(ranks, refused) if not sentence], list(filter(None, refused))

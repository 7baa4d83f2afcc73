"""Which events are PyTorch's operators, and which FLOPs they carry: torch.profiler's rules.

PyTorch emits operators and the ranges of its record_function() alike through NVTX or ITT, in its own ITT domain or with
attributes. Then only the name distinguishes them. ``torch_observer.cc`` sets attributes: "rf_id" on operators only,
"user_rf_id" on a record_function() with arguments.
"""

from __future__ import annotations

import re
from typing import Any, Dict, Iterable, NamedTuple, Optional, Tuple

DOMAIN = "PyTorch"
ATTRIBUTES = ("rf_id", "op_id", "Input Dims", "sizes", "seq", "stashed_seq", "Sequence number")
_NO_KEYWORDS = frozenset((*ATTRIBUTES, "flops", "overload_name", "not described", "continued"))
_NUMBER, _NUMBER_OF_PROGRAM = '"rf_id":', '"user_rf_id":'  # keys in JSON; within texts, their quotes are escaped
_KEYS = tuple(f'"{name}":' for name in (*ATTRIBUTES, "Input type"))
_TRUTHS: Dict[Any, Any] = {"True": True, "False": False}  # as PyTorch writes them
_NAME = re.compile(r"[A-Za-z_]\w*::[A-Za-z_]|.*\wBackward\d*$", re.DOTALL)

COUNTED = frozenset(
    f"aten::{name}" for name in ("mm", "addmm", "bmm", "baddbmm", "conv2d", "mul", "add")
)
"""Operators whose FLOPs torch.profiler counts. aten::matmul and aten::linear around them do the same work."""


class Range(NamedTuple):
    """What is known of a range, and the name of the event around it. `attributes` is JSON."""

    name: str
    kind: str
    domain: Optional[str]
    sequence: Optional[int]
    shapes: Optional[str]
    attributes: Optional[str]
    around: Optional[str]


def is_operator(one: Range) -> bool:
    """Whether it is one of PyTorch's operators or backward functions."""
    if one.kind not in ("range", "async"):
        return False
    keys = one.attributes or ""
    emitted = one.domain == DOMAIN or (one.sequence is not None and one.sequence >= 0) or one.shapes not in (None, "", "[]")
    if not (emitted or any(key in keys for key in _KEYS)):
        return False
    if _NUMBER in keys or _NUMBER_OF_PROGRAM in keys:
        return _NUMBER in keys
    # "detach" in "aten::detach" is no name of the program's
    return bool(_NAME.match(one.name)) or (one.around is not None and one.around.endswith(f"::{one.name}"))


def is_annotation(one: Range) -> bool:
    """Whether the program named it."""
    return one.kind in ("range", "async", "step") and one.domain in (None, DOMAIN) and not is_operator(one)


def keywords_of(attributes: Dict[str, Any]) -> Dict[str, Any]:
    """Keyword arguments of a range that only profilers see, such as Inductor's around a kernel."""
    if "rf_id" not in attributes or "Collective name" in attributes:
        return {}
    told = {key: value for key, value in attributes.items() if key not in _NO_KEYWORDS}
    return {key: _TRUTHS.get(value, value) for key, value in told.items()}


def flops_of(name: str, flops: Optional[float], around: Iterable[Tuple[str, Optional[float]]]) -> int:
    """FLOPs where torch.profiler has them: an operator's once, neither on those around it nor on calls of cuBLAS inside.
    `around`: names and FLOPs of the events around it.
    """
    if not flops or (name.startswith("aten::") and name not in COUNTED):
        return 0
    if name.startswith("cublas") and any(other in COUNTED and int(others or 0) for other, others in around):
        return 0
    return int(flops)

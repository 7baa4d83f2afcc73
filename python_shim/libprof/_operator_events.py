"""Which events are PyTorch's operators, and which FLOPs they carry: torch.profiler's rules.

PyTorch emits operators and the ranges of its record_function() alike through NVTX or ITT, in its own ITT domain or with
attributes. Then only the name distinguishes them. ``torch_observer.cc`` sets attributes: "rf_id" on operators only,
"user_rf_id" on a record_function() with arguments.
"""

from __future__ import annotations

import re
from typing import Any, Dict, Iterable, List, Optional

from .events import FunctionEvent

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


def is_operator(event: FunctionEvent, shapes: Optional[str], attributes: Optional[str]) -> bool:
    """Whether the range is one of PyTorch's operators or backward functions. `attributes` is JSON."""
    if event.kind != "range":
        return False
    keys = attributes or ""
    emitted = event.domain == DOMAIN or event.sequence_nr >= 0 or shapes not in (None, "", "[]")
    if not (emitted or any(key in keys for key in _KEYS)):
        return False
    if _NUMBER in keys or _NUMBER_OF_PROGRAM in keys:
        return _NUMBER in keys
    around = event.cpu_parent  # "detach" in "aten::detach" is no name of the program's
    return bool(_NAME.match(event.name)) or (around is not None and around.name.endswith(f"::{event.name}"))


def keywords_of(attributes: Dict[str, Any]) -> Dict[str, Any]:
    """Keyword arguments of a range that only profilers see, such as Inductor's around a kernel."""
    if "rf_id" not in attributes or "Collective name" in attributes:
        return {}
    told = {key: value for key, value in attributes.items() if key not in _NO_KEYWORDS}
    return {key: _TRUTHS.get(value, value) for key, value in told.items()}


def _is_counted_above(event: FunctionEvent) -> bool:
    around = event.cpu_parent
    while around is not None:
        if around.name in COUNTED and around.flops:
            return True
        around = around.cpu_parent
    return False


def settle(events: Iterable[FunctionEvent], shapes: Iterable[Optional[str]], attributes: Iterable[Optional[str]]) -> None:
    """Says of each event whether it is the program's annotation, and leaves FLOPs where torch.profiler has them: an
    operator's once, neither on those around it nor on calls of cuBLAS inside.
    """
    operators: List[FunctionEvent] = []
    for event, inputs, keys in zip(events, shapes, attributes):
        if is_operator(event, inputs, keys):
            operators.append(event)
        if event.name.startswith("aten::") and event.name not in COUNTED:
            event.flops = 0
        elif event.name.startswith("cublas") and event.flops and _is_counted_above(event):
            event.flops = 0
    for event in operators:
        event.is_user_annotation = False

"""Which events are PyTorch's operators, and which FLOPs they carry: torch.profiler's rules.

PyTorch emits operators and the ranges of its record_function() alike through NVTX or ITT, in its own ITT domain or with
attributes. What tells them apart then is the name. ``torch_observer.cc`` gives operators attributes; "rf_id" is of operators
only, and "user_rf_id" of a record_function() with arguments.
"""

from __future__ import annotations

import re
from typing import Any, Dict, Iterable, List

from .events import FunctionEvent

DOMAIN = "PyTorch"
ATTRIBUTES = ("rf_id", "op_id", "Input Dims", "sizes", "seq", "stashed_seq", "Sequence number")
_NO_KEYWORDS = frozenset((*ATTRIBUTES, "flops", "overload_name", "not described", "continued"))
_TRUTHS: Dict[Any, Any] = {"True": True, "False": False}  # as PyTorch writes them
_NAME = re.compile(r"[A-Za-z_]\w*::[A-Za-z_]|.*\wBackward\d*$", re.DOTALL)

COUNTED = frozenset(
    f"aten::{name}" for name in ("mm", "addmm", "bmm", "baddbmm", "conv2d", "mul", "add")
)
"""Operators whose FLOPs torch.profiler counts. aten::matmul and aten::linear around them do the same work."""


def is_operator(event: FunctionEvent) -> bool:
    """Whether PyTorch emitted the range for one of its operators or of its backward functions."""
    emitted = event.domain == DOMAIN or event.sequence_nr >= 0 or event.input_shapes or event.input_dtypes
    if event.kind != "range" or not (emitted or any(name in event.attributes for name in ATTRIBUTES)):
        return False
    if "rf_id" in event.attributes or "user_rf_id" in event.attributes:
        return "rf_id" in event.attributes
    around = event.cpu_parent  # "detach" in "aten::detach" is no name of the program's
    return bool(_NAME.match(event.name)) or (around is not None and around.name.endswith(f"::{event.name}"))


def keywords_of(event: FunctionEvent) -> Dict[str, Any]:
    """Keyword arguments of a range that only profilers see, such as Inductor's around a kernel."""
    if "rf_id" not in event.attributes or "Collective name" in event.attributes:
        return {}
    told = {key: value for key, value in event.attributes.items() if key not in _NO_KEYWORDS}
    return {key: _TRUTHS.get(value, value) for key, value in told.items()}


def _is_counted_above(event: FunctionEvent) -> bool:
    around = event.cpu_parent
    while around is not None:
        if around.name in COUNTED and around.flops:
            return True
        around = around.cpu_parent
    return False


def settle(events: Iterable[FunctionEvent]) -> None:
    """Says of each event whether it is the program's annotation, and leaves FLOPs where torch.profiler has them: an
    operator's once, neither on those around it nor on calls of cuBLAS inside.
    """
    operators: List[FunctionEvent] = []
    for event in events:
        if is_operator(event):
            operators.append(event)
        if event.name.startswith("aten::") and event.name not in COUNTED:
            event.flops = 0
        elif event.name.startswith("cublas") and event.flops and _is_counted_above(event):
            event.flops = 0
    for event in operators:
        event.is_user_annotation = False
        event.kwinputs = keywords_of(event)

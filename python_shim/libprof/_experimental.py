"""What of PyTorch's ``_ExperimentalConfig`` has an effect here.

Its fields cannot be read, but its pickled state has them in order: where two states differ is the field that differs.
"""

from __future__ import annotations

from typing import Any, Dict, FrozenSet, Optional, Sequence

from ._configs import warn_deprecated
from .errors import warn

OVERLOADS, GARBAGE = "capture_overload_names", "record_python_gc_info"
_HONOURED = (OVERLOADS, GARBAGE)
_ALWAYS = ("verbose", "profile_all_threads")
"""Always on: libprof records stacks of operators (with with_stack) and all threads anyway."""
_IGNORED = (
    "adjust_timestamps", "adjust_profiler_step", "disable_external_correlation", "enable_cuda_sync_events",
    "expose_kineto_event_metadata", "profiler_measure_per_kernel", "trace_only",
)  # fmt: skip
_STEP, _OTHERS = "adjust_profiler_step", "other settings"


def _state(config: Any) -> Sequence[Any]:
    state: Sequence[Any] = config.__getstate__()
    return state


def _differences(one: Sequence[Any], other: Sequence[Any]) -> Sequence[int]:
    return [at for at, both in enumerate(zip(one, other)) if both[0] != both[1]]


def _place(kind: Any, field: str) -> Optional[int]:
    """The field's index in the pickled state; None if this PyTorch has no such field."""
    try:
        places = _differences(_state(kind()), _state(kind(**{field: True})))
    except TypeError:
        return None
    return places[0] if len(places) == 1 else None


def requested(config: Any) -> FrozenSet[str]:
    """Which of OVERLOADS and GARBAGE are set. Warns about other settings of the configuration that have no effect."""
    if not config:
        return frozenset()
    names: Dict[int, str] = {}
    try:
        changed = _differences(_state(config), _state(type(config)()))
        if changed:
            places = {_place(type(config), field): field for field in (*_HONOURED, *_ALWAYS, *_IGNORED)}
            names = {place: field for place, field in places.items() if place is not None}
    except (AttributeError, TypeError):
        changed = [-1]  # not PyTorch's configuration class
    asked = {names.get(place, _OTHERS) for place in changed}
    without_effect = asked.difference((*_HONOURED, *_ALWAYS))
    if _STEP in asked:
        warn_deprecated(_STEP, 15, "it has no effect")
    if without_effect:
        warn(f"experimental_config: without effect here: {', '.join(sorted(without_effect))}")
    return frozenset(asked.intersection(_HONOURED))

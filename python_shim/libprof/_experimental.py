"""What of PyTorch's ``_ExperimentalConfig`` has an effect here.

Its fields cannot be read, but its pickled state has them in order: where two states differ is the field that differs.
"""

from __future__ import annotations

from typing import Any, Optional, Sequence

from .errors import warn

_FIELD = "capture_overload_names"
_NO_EFFECT = f"experimental_config: only {_FIELD} has an effect here"


def _state(config: Any) -> Sequence[Any]:
    state: Sequence[Any] = config.__getstate__()
    return state


def _differences(one: Sequence[Any], other: Sequence[Any]) -> Sequence[int]:
    return [at for at, both in enumerate(zip(one, other)) if both[0] != both[1]]


def _place(kind: Any) -> Optional[int]:
    """Of the field in the state; None in PyTorch up to 2.6, which has no such field."""
    try:
        places = _differences(_state(kind()), _state(kind(**{_FIELD: True})))
    except TypeError:
        return None
    return places[0] if len(places) == 1 else None


def wants_overload_names(config: Any) -> bool:
    """Whether names of overloads are to be recorded. Warns of what else the configuration asks for."""
    if not config:
        return False
    try:
        changed, place = _differences(_state(config), _state(type(config)())), _place(type(config))
    except (AttributeError, TypeError):
        changed, place = [-1], None  # no configuration of PyTorch's
    if any(at != place for at in changed):
        warn(_NO_EFFECT)
    return place in changed

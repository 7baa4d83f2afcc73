"""Details of events that callers read from few events only: inputs, stacks and attributes."""

from __future__ import annotations

import ast
import functools
import json
from typing import Any, Callable, Dict, List, Tuple

from ._operator_events import keywords_of
from ._recorded import own_attributes
from ._source_paths import Shortened
from .events import DEFAULTS, DETAILS, FunctionEvent


def _parsed(text: str) -> List[Any]:
    try:
        listed = json.loads(text or "[]")
    except ValueError:
        listed = text
    return listed if isinstance(listed, list) else [listed]


def _without_lists(text: str) -> List[Any]:
    """Shapes as in torch.profiler: a list of tensors has no sizes."""
    return [[] if isinstance(one, list) and one and isinstance(one[0], list) else one for one in _parsed(text)]


def _values(text: str) -> List[Any]:
    return [_value_of(one) for one in _parsed(text)]


@functools.lru_cache(maxsize=4096)
def _value_of(text: str) -> Any:
    """The value of an input that is not a tensor, as PyTorch wrote it; None for all others."""
    if text in ("nan", "inf", "-inf"):
        return float(text)
    try:
        return ast.literal_eval(text) if text else None
    except (ValueError, SyntaxError):
        return text


class Details:
    """Reads details from columns. Parses each distinct text once."""

    def __init__(self, *columns: Callable[[int], Any], shortened: Shortened) -> None:
        self._columns = columns  # shapes, stack and attributes, by row
        self._frames = lambda text: shortened.stack(text, ";")
        self._known: Dict[Tuple[Callable[[str], List[Any]], str], List[Any]] = {}

    def fields(self) -> Dict[str, Callable[[FunctionEvent], Any]]:
        """Functions that read details of an event, by name."""
        return {name: functools.partial(self._read, name) for name in DETAILS}

    def _read(self, name: str, event: FunctionEvent) -> Any:
        value = self._value(name, event)
        return DEFAULTS[name](event) if value is None else value

    def _value(self, name: str, event: FunctionEvent) -> Any:
        """One detail of an event. None if it is empty."""
        shapes, stack, attributes = (column(event._row) for column in self._columns)
        if name in ("structured_input_shapes", "input_shapes"):
            return self._list_of(_parsed if name == "structured_input_shapes" else _without_lists, shapes) if shapes else None
        if name in ("shape_text", "stack"):
            return shapes if name == "shape_text" else self._list_of(self._frames, stack) if stack else None
        if name == "kwinputs":
            return keywords_of(event.attributes) if event.kind == "range" else None
        given = json.loads(attributes or "{}")
        found = {
            "attributes": given,
            "input_dtypes": self._list_of(_parsed, given.pop("Input type", "")),
            "structured_input_strides": self._list_of(_parsed, given.pop("Input Strides", "")),
            "concrete_inputs": self._list_of(_values, given.pop("Concrete Inputs", "")),
            "overload_name": given.pop("overload_name", ""),
        }
        own = own_attributes(event)
        for detail, value in found.items():  # the program may have set others
            own.setdefault(detail, value)
        return found[name]

    def _list_of(self, read: Callable[[str], List[Any]], text: str) -> List[Any]:
        """A copy of the parsed list, which the caller may change."""
        known = self._known.get((read, text))
        if known is None:
            known = self._known[read, text] = read(text)
        return known.copy()

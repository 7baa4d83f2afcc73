"""Ranges around Python's garbage collections, while a profile requests them. They have torch.profiler's name."""

from __future__ import annotations

import contextlib
import gc
import threading
from typing import Any, Dict, Iterator

from . import ranges

_NAME = b"Python GC"
_lock = threading.Lock()
_users = 0
_is_open = False  # one thread collects at a time


def _collects(phase: str, info: Dict[str, Any]) -> None:
    """One of gc.callbacks, called on the thread that collects."""
    global _is_open
    if phase == "start":
        _is_open = ranges.is_recording()
        if _is_open:
            ranges._push(_NAME)
    elif _is_open:
        _is_open = False
        ranges._pop()


@contextlib.contextmanager
def recorded(wanted: bool) -> Iterator[None]:
    """Records collections as ranges within the context, if `wanted`."""
    global _users
    if not wanted:
        yield
        return
    with _lock:
        _users += 1
        if _users == 1:
            gc.callbacks.append(_collects)
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if not _users:
                gc.callbacks.remove(_collects)

"""Pauses the garbage collector while millions of objects are created."""

from __future__ import annotations

import contextlib
import gc
from typing import Iterator


@contextlib.contextmanager
def collected_later() -> Iterator[None]:
    """Pauses the garbage collector, which would scan all objects again and again while millions are created."""
    is_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_on:
            gc.enable()

"""The garbage collector, while millions of objects are made."""

from __future__ import annotations

import contextlib
import gc
from typing import Iterator


@contextlib.contextmanager
def collected_later() -> Iterator[None]:
    """Without the garbage collector, which would look at all objects again and again while millions are made."""
    is_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_on:
            gc.enable()

"""What libprof does in a program that did not ask for it there must not disturb it."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any, Callable, Type


def guarded(function: Callable[..., None], *arguments: Any) -> None:
    """Calls it; says what went wrong and lets the program go on."""
    try:
        function(*arguments)
    except Exception as error:
        print(f"libprof: {error}", file=sys.stderr)


def _find_thread_local() -> Type[threading.local]:
    for one in object.__subclasses__():
        if (one.__module__, one.__name__) == ("_thread", "_local"):
            return one  # type: ignore[return-value]
    return threading.local


if TYPE_CHECKING:
    thread_local = threading.local
else:
    thread_local = _find_thread_local()
    """The interpreter's own ``threading.local``, with attributes for each thread. gevent and eventlet put one of theirs in its
    place, which has attributes for each greenlet; several greenlets take turns on a thread, and share its log."""

"""What libprof does in a program that did not ask for it there must not disturb it."""

from __future__ import annotations

import sys
from typing import Any, Callable


def guarded(function: Callable[..., None], *arguments: Any) -> None:
    """Calls it; says what went wrong and lets the program go on."""
    try:
        function(*arguments)
    except Exception as error:
        print(f"libprof: {error}", file=sys.stderr)

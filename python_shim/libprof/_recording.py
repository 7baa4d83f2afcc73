"""A recording that a profile asks again and again: the part of a trace between two moments, and what was
answered.
"""

from __future__ import annotations

import json
import os
import threading
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ._arrow import ArrowTable, read_table
from ._profdump import run_profdump
from .errors import ProfdumpError, ProfError
from .trace import Trace, window_words

NOTHING = "nothing has been recorded yet"


class Window(NamedTuple):
    """From one moment to another, nanoseconds since the epoch (UTC)."""

    start_ns: int
    end_ns: int


class Recording:
    """Files of one timeline, none where nothing was recorded; ``window`` None is all of it.

    Each question is put to profdump once.
    """

    def __init__(self, paths: Sequence[str], window: Optional[Window] = None) -> None:
        self.paths = list(paths)
        self.window = window
        self._answers: Dict[Tuple[str, ...], str] = {}
        self._made: Dict[str, Any] = {}

    @property
    def trace(self) -> Trace:
        """The same for everything else that profdump knows; ProfError where nothing was recorded."""
        if not self.paths:
            raise ProfError(NOTHING)
        return Trace(*self.paths, window=self.window)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was recorded, or nothing in the window."""
        return not self.paths or bool(self.once("empty", self._has_no_time))

    def _has_no_time(self) -> bool:
        try:
            self.ask("--format", "json")
        except ProfdumpError as error:
            if "there is no time between" in str(error):
                return True
            raise
        return False

    def ask(self, *arguments: str) -> str:
        """What profdump prints with these arguments about this recording."""
        if not self.paths:
            raise ProfError(NOTHING)
        if arguments not in self._answers:
            words = [*arguments, *window_words(self.window), "--", *self.paths]
            self._answers[arguments] = run_profdump(words)
        return self._answers[arguments]

    def facts(self, *arguments: str) -> Dict[str, Any]:
        """profdump's JSON."""
        facts: Dict[str, Any] = json.loads(self.ask("--format", "json", *arguments))
        return facts

    def once(self, name: str, make: Callable[[], Any]) -> Any:
        """What `make` makes, the first time."""
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]

    def table(self, table: ArrowTable) -> Dict[str, List[Any]]:
        """A table of prof/arrow.h."""
        return {} if self.is_empty else read_table(self.paths, table, self.window)

    def export_text(self, path: str, *arguments: str) -> None:
        """Writes what profdump prints with these arguments."""
        _write(path, self.ask(*arguments))


def _write(name: str, text: str) -> None:
    """Beside the old file, which stays until the new one is complete."""
    if os.path.exists(name) and not os.path.isfile(name):
        with open(name, "w", encoding="utf-8") as device:
            device.write(text)
        return
    part = f"{name}.{os.getpid()}-{threading.get_ident()}.part"
    with open(part, "x", encoding="utf-8") as file:  # for whom the umask allows it, unlike tempfile's
        try:
            file.write(text)
            file.close()
            os.replace(part, name)
        except BaseException:
            os.unlink(part)
            raise


def table_of(text: str) -> str:
    """A table as profdump prints it, without the summary of the run above it."""
    return text.partition("\n\n")[2] or text

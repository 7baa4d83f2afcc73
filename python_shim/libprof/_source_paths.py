"""Names of Python functions with paths that fit into a table: relative to the directory of sys.path that has the file, as
torch.profiler has them. Files of traces keep whole paths.
"""

from __future__ import annotations

import os
import re
import sys
from typing import Dict, List, Optional

_PLACE = re.compile(r"/[^;]*?\(\d+\): ")  # "/usr/lib/python3/queue.py(171): "


def is_place(name: str) -> bool:
    """Whether a name begins with a file and a line."""
    return bool(re.match(r"[^;]*?\(\d+\): ", name))


class Shortened:
    """Shortens names; each different one once."""

    def __init__(self) -> None:
        roots = {os.path.abspath(root).rstrip("/") + "/" for root in sys.path}
        self._roots = sorted(roots, key=len, reverse=True)
        self._known: Dict[str, str] = {}

    def __call__(self, name: str) -> str:
        known = self._known.get(name)
        if known is None:
            root = next((root for root in self._roots if name.startswith(root)), "") if _PLACE.match(name) else ""
            known = self._known[name] = name[len(root) :]
        return known

    def stack(self, frames: Optional[str], between: str) -> List[str]:
        """A call stack's frames, innermost first."""
        return list(map(self, frames.split(between))) if frames else []

"""Does something once a module of somebody else's has been imported, without importing it."""

from __future__ import annotations

import importlib.machinery
import sys
from types import ModuleType
from typing import Callable, Dict, List, Optional, Sequence

from ._guest import guarded

Then = Callable[[ModuleType], None]


class _Finder:
    """Finds nothing itself: the loader that another finder knows also calls `then` when the module is there.

    Programs ask for a module's spec without importing it, to see whether it is installed. So the finder waits until the
    module is executed.
    """

    def __init__(self) -> None:
        self.waiting: Dict[str, List[Then]] = {}

    def find_spec(
        self, fullname: str, path: Optional[Sequence[str]], target: Optional[ModuleType] = None
    ) -> Optional[importlib.machinery.ModuleSpec]:
        if fullname not in self.waiting:
            return None
        for finder in list(sys.meta_path):
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec = find(fullname, path, target) if find else None
            if spec is not None:
                self._follow(spec)
                return spec  # type: ignore[no-any-return]
        return None

    def _follow(self, spec: importlib.machinery.ModuleSpec) -> None:
        execute = getattr(spec.loader, "exec_module", None)
        if execute is None:
            return

        def exec_module(module: ModuleType) -> None:
            execute(module)
            self._imported(spec.name, module)

        spec.loader.exec_module = exec_module  # type: ignore[union-attr,method-assign]

    def _imported(self, name: str, module: ModuleType) -> None:
        then = self.waiting.pop(name, [])
        if not self.waiting and self in sys.meta_path:
            sys.meta_path.remove(self)
        for one in then:
            guarded(one, module)


_finder = _Finder()


def after_import(name: str, then: Then) -> None:
    """Calls `then` with the module: now if it has been imported, else when it is."""
    module = sys.modules.get(name)
    if module is not None:
        guarded(then, module)
        return
    _finder.waiting.setdefault(name, []).append(then)
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)

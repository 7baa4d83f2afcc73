"""Imported by every interpreter that 'python -m libprof run' starts: the site's own sitecustomize, then libprof's part."""

import os
import sys


def _import_next() -> None:
    """Imports the sitecustomize that this one stands before."""
    here = os.path.dirname(os.path.abspath(__file__))
    own = sys.modules.pop("sitecustomize", None)
    rest = [path for path in sys.path if os.path.abspath(path or ".") != here]
    sys.path[:], former = rest, sys.path[:]
    try:
        __import__("sitecustomize")
    except ImportError:
        pass
    finally:
        sys.path[:] = former
        if own is not None:
            sys.modules.setdefault("sitecustomize", own)


def _start() -> None:
    """libprof may not be where this interpreter looks for packages."""
    parent = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    sys.path.append(parent)
    try:
        from libprof import _startup
    finally:
        sys.path.remove(parent)
    _startup.start(os.environ.get("LIBPROF_STARTUP", ""))


_import_next()
try:
    _start()
except Exception as error:  # a guest never stops the program
    print(f"libprof: {error}", file=sys.stderr)

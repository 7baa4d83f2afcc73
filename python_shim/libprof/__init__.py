"""libprof for Python: the interface of torch.profiler, with a recorder that survives ``kill -9``.

    import libprof

    with libprof.profile() as prof:
        with libprof.record_function("train step"):
            train_step()
    print(prof.key_averages().table(sort_by="self_cuda_time_total"))
    prof.export_chrome_trace("trace.json")

Importing the package loads ``libprof.so`` if it can be found, and starts no recording. Import it before PyTorch to record
PyTorch's operators.
"""

import os as _os
import sys as _sys
from importlib import import_module as _import_module
from importlib.util import find_spec as _find_spec
from types import ModuleType as _ModuleType
from typing import TYPE_CHECKING, Any

from . import _native
from ._after_import import after_import as _after_import
from .version import __version__ as __version__

# "python -m libprof" needs few of the names. A program gets all now: later it may have changed its root or its user.
# While Python imports the package of "-m", that is the first argument.
_is_command = getattr(_sys, "argv", [])[:1] == ["-m"] and any(
    word.split(".")[0] == "libprof" for word in getattr(_sys, "orig_argv", ["libprof"])
)
if TYPE_CHECKING:
    from ._public import *
    from ._public import _KinetoProfile as _KinetoProfile
    from ._public import __all__ as __all__


def _import_names() -> None:
    """All but those of memory snapshots, which few programs use."""
    names = vars(_import_module(f"{__name__}._public"))
    for name in ("_KinetoProfile", "__all__", *names["__all__"]):
        if name in names:
            globals().setdefault(name, names[name])


def _add_dynamo_rules(dynamo: _ModuleType) -> None:
    from ._compiled import add_rules

    add_rules(dynamo)


def _adopt_types(profiler_util: _ModuleType) -> None:
    from ._torch_types import adopt

    adopt(profiler_util)


if not _is_command:
    _import_names()
_native.load_if_there()
_after_import("torch._dynamo", _add_dynamo_rules)
_after_import("torch.autograd.profiler_util", _adopt_types)
if _os.environ.get("PROF_DAEMON") == "always":  # trace requests count steps, even without a profile
    from ._schedule import count_optimizer_steps as _count_optimizer_steps

    _after_import("torch.optim.optimizer", _count_optimizer_steps)


def load_ipython_extension(shell: Any) -> None:
    """``%load_ext libprof``: the magic ``%%prof``."""
    from .hooks import ipython  # the host, which is not there elsewhere

    ipython.load_ipython_extension(shell)


def __getattr__(name: str) -> Any:
    """Makes or imports a name on first use. It leaves submodules to Python's import."""
    if name == "ExecutionTraceObserver":
        from ._execution_trace import observer_class

        return observer_class()
    if name in ("MemorySnapshot", "memory_snapshot"):
        return getattr(_import_module(f"{__name__}._snapshot"), name)
    is_special = name.startswith("__") and name != "__all__"
    if _is_command and not is_special and "__all__" not in globals() and not _find_spec(f"{__name__}.{name}"):
        _import_names()
        if name in globals():
            return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""How torch.compile and TorchScript treat ranges: as they treat PyTorch's own ``record_function``.

Dynamo, the front end of torch.compile, reads a function's code instead of running it. A range that it had to read would
stop it, and the function would not be compiled. So it knows PyTorch's own range, and omits it. For ours, this adds
entries to the tables in which Dynamo looks up special objects, as soon as Dynamo is imported. The public function
``torch.compiler.substitute_in_graph()`` adds entries to the same tables, but accepts no classes.

TorchScript compiles PyTorch's class instead of ours, see ScriptName. Nothing here imports torch before the program does.
"""

from __future__ import annotations

import functools
import logging
import sys
from types import ModuleType
from typing import Any, Dict, Type

_log = logging.getLogger("libprof")
_OMITTED = (
    "libprof: ranges within functions that torch.compile compiles are not recorded, like those of torch.profiler. "
    "Put them around the call"
)
_FAILED = "libprof: torch.compile does not compile functions with ranges, because PyTorch %s differs from what libprof expects: %s"


class Unrecorded:
    """Replaces a range of a compiled function in those parts of it that the interpreter executes."""

    name = ""

    def __enter__(self) -> "Unrecorded":
        return self

    def __exit__(self, *error: Any) -> None:
        pass

    def attr(self, key: str, value: Any) -> None:
        """The attribute is not recorded either."""


def _nothing(*arguments: Any, **keywords: Any) -> None:
    """attr() and range_end() within a compiled function, where no range is open."""


def _zero(*arguments: Any, **keywords: Any) -> int:
    """range_start() there: the number of no range."""
    return 0


@functools.lru_cache(maxsize=None)
def _warn_once() -> None:
    _log.warning(_OMITTED)


def _make_rules() -> Dict[str, Any]:
    """The kinds of variables that represent the class and its objects in Dynamo."""
    import torch
    from torch._dynamo import config, variables
    from torch._dynamo.variables.ctx_manager import NullContextVariable
    from torch._dynamo.variables.torch import TorchCtxManagerClassVariable
    from torch._dynamo.variables.user_defined import UserDefinedClassVariable

    none = variables.ConstantVariable.create

    class RangeVariable(NullContextVariable):  # type: ignore[misc]
        """A range. Entering and leaving it does nothing."""

        def enter(self, tx: Any, *arguments: Any) -> Any:
            return self

        def module_name(self) -> str:
            return __name__

        def fn_name(self) -> str:
            return Unrecorded.__name__

        def python_type(self) -> Type[Any]:
            return Unrecorded

        def call_method(self, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
            if name == "__enter__":
                return self
            return none(None) if name in ("__exit__", "attr") else super().call_method(tx, name, args, kwargs)

    class RangeClassVariable(UserDefinedClassVariable):  # type: ignore[misc]
        """The class ``record_function``."""

        def call_function(self, tx: Any, args: Any, kwargs: Any) -> Any:
            if getattr(config, "capture_profiler_record_function", False):
                known = {key: value for key, value in kwargs.items() if key in ("name", "args")}
                return TorchCtxManagerClassVariable(torch.autograd.profiler.record_function).call_function(
                    tx, args, known
                )
            _warn_once()
            return RangeVariable()

    return {"class": RangeClassVariable, "object": RangeVariable, "function": variables.UserFunctionVariable}


def _add_rules() -> None:
    """Adds the entries: by identity for the class and functions, by type for objects that exist already."""
    from torch._dynamo.guards import GuardBuilder
    from torch._dynamo.variables.builder import VariableBuilder

    from . import annotations, ranges

    rules = _make_rules()

    def class_of(builder: Any, value: Any) -> Any:
        builder.install_guards(GuardBuilder.ID_MATCH)
        return rules["class"](value, source=builder.source)

    def object_of(builder: Any, value: Any) -> Any:
        builder.install_guards(GuardBuilder.TYPE_MATCH)
        _warn_once()
        return rules["object"](source=builder.source)

    def function_of(instead: Any) -> Any:
        def variable(builder: Any, value: Any) -> Any:
            builder.install_guards(GuardBuilder.ID_MATCH)
            return rules["function"](instead)

        return variable

    by_identity = VariableBuilder._id_dispatch()
    for kind in (ranges.record_function, Unrecorded):
        by_identity[id(kind)] = class_of
        VariableBuilder._type_dispatch()[kind] = object_of
    for function in (annotations.attr, annotations.set_attribute, ranges.range_end):
        by_identity[id(function)] = function_of(_nothing)
    by_identity[id(ranges.range_start)] = function_of(_zero)


def add_rules(dynamo: ModuleType) -> None:
    """Call it when Dynamo has been imported. A PyTorch that is not as expected does not stop the program."""
    try:
        _add_rules()
    except Exception as error:
        _log.warning(_FAILED, getattr(sys.modules.get("torch"), "__version__", "?"), error)


class ScriptName:
    """``record_function._jit_override_qualname``: the name under which TorchScript looks for a class's compiled form.

    It is the name of PyTorch's own range, which is compiled here when TorchScript first reads it.
    """

    def __get__(self, instance: Any, owner: Any) -> str:
        torch: Any = sys.modules.get("torch")
        if not hasattr(torch, "jit"):
            raise AttributeError("_jit_override_qualname")
        own, internal = torch.autograd.profiler.record_function, torch._jit_internal
        name = internal._qualified_name(own)
        torch.jit._recursive._compile_and_register_class(own, internal.createResolutionCallbackForClassMethods(own), name)
        for attribute, value in vars(own("")).items():  # TorchScript copies all of them from a module's range
            if not hasattr(owner, attribute):
                setattr(owner, attribute, value)
        return str(name)

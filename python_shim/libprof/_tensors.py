"""Which tensors operators, modules and optimizers held while a profile recorded, and what was allocated for them.

Addresses are meaningless in another process, so this stays in memory. torch_observer.cc logs tensors and allocations. The
recorder of Python calls reports modules and optimizers. Tensors have the same numbers as in torch.profiler.
"""

from __future__ import annotations

import contextlib
import functools
import os
import struct
import sys
import threading
import time
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from . import _native
from ._torch_observer import TENSOR_ROW_BYTES, Observer
from .errors import warn

_ROWS_MAX = 1 << 22  # TENSOR_ROWS_MAX
_ROW = struct.Struct("=9q")  # struct tensor_row
_NO_LIST, _NO_STORAGE = 0xFFFFFFFF, -1
_LAYOUTS = ("strided", "sparse_coo", "sparse_csr", "_mkldnn", "sparse_csc", "sparse_bsr", "sparse_bsc", "jagged")


def _torch() -> Any:
    return sys.modules["torch"]


class Tensor:
    """One use of a tensor. ``id`` is the same for tensors that shared memory or used it one after the other.
    ``allocation_id`` identifies the memory. Both are None if unknown. ``storage`` is the address, None for sparse tensors.
    """

    __slots__ = ("allocation_id", "device", "dtype", "id", "impl", "layout", "storage")

    def __init__(self, dtype: Any, layout: Any, device: Any, impl: int, storage: Optional[int]) -> None:
        self.dtype, self.layout, self.device, self.impl, self.storage = dtype, layout, device, impl, storage
        self.id: Optional[int] = None
        self.allocation_id: Optional[int] = None


class Allocation(Tensor):
    """An allocation, or a free, whose ``size`` is negative. ``handle`` is the innermost operator's (0: none), ``latest`` that
    of the operator that began last on the thread. ``allocated`` and ``reserved`` are the device's bytes at that time.
    """

    __slots__ = ("allocated", "handle", "latest", "reserved", "size", "tid", "time_ns")

    def __init__(self, row: Tuple[int, ...], time_ns: int) -> None:
        self.time_ns = time_ns
        kind, self.tid, _, self.handle, self.size, self.allocated, storage, device, self.reserved = row
        self.latest = ~kind
        super().__init__(None, None, _device(device), 0, storage)


class Parameter(Tensor):
    """A tensor that Python code holds."""

    __slots__ = ("sizes", "strides")

    def __init__(self, value: Any) -> None:
        strided = value.layout == _torch().strided
        storage = value.untyped_storage().data_ptr() if strided else None
        super().__init__(value.dtype, value.layout, value.device, value._cdata, storage)
        self.sizes = list(value.shape)
        self.strides = list(value.stride()) if strided else []


class Held(NamedTuple):
    """A module at its first call, or an optimizer at the end of its first step. ``parameters`` lists each parameter's name,
    tensor, gradient and optimizer state.
    """

    time_ns: int
    is_module: bool
    address: int
    class_address: int
    class_name: str
    parameters: List[Tuple[str, Parameter, Optional[Parameter], List[Tuple[str, Parameter]]]]

    def tensors(self) -> Iterator[Tensor]:
        """All of them, in order."""
        for _, tensor, gradient, state in self.parameters:
            yield from (one for one in (tensor, gradient, *(value for _, value in state)) if one is not None)


class Seen:
    """What was logged during one window of a profile. Times are nanoseconds of CLOCK_MONOTONIC; add ``offset_ns`` for time
    since the epoch.
    """

    def __init__(self, rows: memoryview, held: Dict[int, Held], calls: List[Tuple[int, int]], offset_ns: int) -> None:
        self.inputs: Dict[int, Dict[int, Any]] = {}  # by handle and index of the input: a tensor or a list of tensors
        self.times_ns: Dict[int, int] = {}  # when operators with inputs began
        self.exact: Set[int] = set()  # those whose time was measured
        self.allocations: List[Allocation] = []
        self.held, self.calls, self.offset_ns = held, calls, offset_ns
        self._add(rows)
        self._number()

    def _add(self, rows: memoryview) -> None:
        last_ns = 0
        for row in _ROW.iter_unpack(rows):
            kind, _, time_ns, handle, place, impl, storage, device, _ = row
            last_ns = max(time_ns, last_ns + 1)
            if kind < 0:
                self.allocations.append(Allocation(row, last_ns))
                continue
            address = None if storage == _NO_STORAGE else storage
            tensor = Tensor(_dtype(kind >> 8), _layout(kind & 0xFF), _device(device), impl, address)
            number, inputs = place >> 32, self.inputs.setdefault(handle, {})
            self.times_ns.setdefault(handle, last_ns)
            if time_ns:
                self.exact.add(handle)
            if place & _NO_LIST == _NO_LIST:
                inputs[number] = tensor
            else:
                inputs.setdefault(number, []).append(tensor)

    def _number(self) -> None:
        moments: List[Tuple[int, List[Tensor]]] = [(one.time_ns, [one]) for one in self.allocations]
        for handle, inputs in self.inputs.items():
            flat = [one for _, value in sorted(inputs.items()) for one in (value if isinstance(value, list) else [value])]
            moments.append((self.times_ns[handle], flat))
        moments += [(one.time_ns, list(one.tensors())) for one in self.held.values()]
        moments.sort(key=lambda moment: moment[0])
        number_tensors([one for _, tensors in moments for one in tensors if one.storage is not None])


def number_tensors(tensors: Sequence[Tensor]) -> None:
    """Numbers tensors and allocations, in the order of logging. Allocations without any logged tensor get no number."""
    alive: Dict[Tuple[Optional[int], Any], int] = {}
    count = 0
    for one in tensors:
        place = (one.storage, one.device)
        if place not in alive:
            count += 1
            alive[place] = count
        one.allocation_id = alive[place]
        if isinstance(one, Allocation) and one.size < 0:
            del alive[place]
    first: Dict[int, int] = {}
    pairs: Set[Tuple[int, int]] = set()  # allocations that one tensor used
    for one in tensors:
        if one.impl and one.allocation_id:
            earlier = first.setdefault(one.impl, one.allocation_id)
            pairs.add((min(earlier, one.allocation_id), max(earlier, one.allocation_id)))
    numbers: Dict[int, int] = {}
    count = 0
    for lower, higher in sorted(pairs):
        if lower not in numbers:
            numbers[lower] = count
            count += 1
        numbers.setdefault(higher, numbers[lower])
    for one in tensors:
        one.id = numbers.get(one.allocation_id or 0)
        if one.id is None:
            one.allocation_id = None


@functools.lru_cache(maxsize=None)
def _dtype(number: int) -> Any:
    return _torch().ops.aten.empty([0], dtype=number).dtype


def _layout(number: int) -> Any:
    return getattr(_torch(), _LAYOUTS[number], None) if number < len(_LAYOUTS) else None


@functools.lru_cache(maxsize=None)
def _device(number: int) -> Any:
    kind, index = number >> 32, number & 0xFFFFFFFF
    name = _torch()._C._autograd.DeviceType(kind).name.lower()
    return _torch().device(name, index) if index < 1 << 16 else _torch().device(name)


# ---- while it records ----


def _parameter(value: Any) -> Optional[Parameter]:
    """None unless the value is a plain tensor or parameter: torch.profiler ignores subclasses."""
    torch = _torch()
    if type(value) in (torch.Tensor, torch.nn.Parameter):
        with contextlib.suppress(Exception):  # a tensor within a transform of functorch's has no storage
            return Parameter(value)
    return None


def _hold(named: List[Tuple[str, Any, Dict[str, Any]]]) -> List[Any]:
    """The tensors among a module's or an optimizer's (name, parameter, state)."""
    held: List[Any] = []
    for name, value, state in named:
        tensor = _parameter(value)
        if tensor is not None:
            states = [(key, _parameter(one)) for key, one in state.items()]
            gradient = _parameter(value.grad) if value.is_leaf else None  # others warn
            held.append((name, tensor, gradient, [(key, one) for key, one in states if one is not None]))
    return held


class Capture:
    """Captures one window. With `observer`: tensors and allocations. With `modules`: modules and optimizers, which the
    recorder of Python calls reports.
    """

    def __init__(self, observer: Optional[Observer], modules: bool) -> None:
        self._observer, self._modules = observer, modules
        if observer is not None and not _logged:
            observer.clear_tensors()  # of earlier windows
        _logged.add(self)
        self._first = observer.tensors(0, 0)[0] if observer is not None else 0
        self._is_full = False
        self._held: Dict[int, Held] = {}
        self._calls: List[Tuple[int, int]] = []
        if modules:
            _captures.append(self)
            _observe(_seen)

    def see(self, one: Any) -> None:
        """Logs a module that is called, or an optimizer whose step ends. For a module, only the first call counts."""
        address, is_module = id(one), hasattr(one, "_parameters")
        if is_module and address in self._held:
            return
        if address not in self._held:
            self._held[address] = self._look_at(one, is_module)
        self._calls.append((threading.get_native_id(), address))

    def _look_at(self, one: Any, is_module: bool) -> Held:
        named: List[Tuple[str, Any, Dict[str, Any]]]
        if is_module:
            named = [(name, value, {}) for name, value in one._parameters.items()]
        else:
            named = [("", value, one.state.get(value, {})) for group in one.param_groups for value in group["params"]]
        kind = type(one)
        return Held(time.monotonic_ns(), is_module, id(one), id(kind), kind.__name__, _hold(named))

    def warn(self) -> None:
        """After end(), about what is missing."""
        if self._is_full:
            warn(f"profile_memory: only the first {_ROWS_MAX} tensors and allocations are identified")

    def end(self) -> Any:
        """Returns a function that creates :class:`Seen`, which is more expensive than recording."""
        rows, first = memoryview(b""), self._first
        _logged.discard(self)
        if self._modules:
            _captures.remove(self)
            _observe(_seen if _captures else None)
        if self._observer is not None:
            count = self._observer.tensors(0, 0)[0]
            rows = self._observer.tensors(first, count - first)[1]
            self._is_full = count >= _ROWS_MAX
        offset_ns = time.time_ns() - time.monotonic_ns()
        return functools.lru_cache(maxsize=None)(functools.partial(Seen, rows, self._held, self._calls, offset_ns))


_logged: Set[Capture] = set()  # windows that are open
_captures: List[Capture] = []  # the open windows that capture modules


def _observe(callback: Any) -> None:
    observe = _native.library().builtin("modules_observe")
    if observe is not None:
        observe(callback)


def _seen(one: Any) -> None:
    for capture in list(_captures):
        capture.see(one)


assert _ROW.size == TENSOR_ROW_BYTES
os.register_at_fork(after_in_child=_logged.clear)  # the first window of a child clears the log, which then begins

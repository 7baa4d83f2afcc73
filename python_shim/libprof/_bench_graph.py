"""A call as a CUDA graph: captured once, then replayed."""

from __future__ import annotations

import ctypes
import inspect
import sys
from typing import Any, Callable, Sequence

from .errors import BenchError

_NON_BLOCKING, _CAPTURE_RELAXED = 1, 2


def captured(function: Callable[..., Any], arguments: Sequence[Any]) -> Callable[[], Any]:
    """The function that replays the call. :class:`BenchError` if it cannot be captured."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available() and torch.cuda.is_initialized():
        return _with_torch(torch, function, arguments)
    try:
        takes_stream = "stream" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        takes_stream = False
    if not takes_stream:
        raise BenchError("graph=True needs PyTorch with CUDA initialised, or a function with a parameter 'stream' that it launches on")
    return _with_driver(function, arguments)


def _with_torch(torch: Any, function: Callable[..., Any], arguments: Sequence[Any]) -> Callable[[], Any]:
    """As PyTorch's documentation has it: the first calls run on a side stream."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            function(*arguments)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        function(*arguments)
    replay: Callable[[], Any] = graph.replay
    return replay


def _check(status: int, what: str) -> None:
    if status:
        raise BenchError(f"graph=True: {what} failed with CUDA error {status}: the call does what a capture does not allow")


def _with_driver(function: Callable[..., Any], arguments: Sequence[Any]) -> Callable[[], Any]:
    """Stream and graph live as long as the process: the work of a replay may still run when the last reference is gone."""
    cuda = ctypes.CDLL("libcuda.so.1")
    stream, graph, executable = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    function(*arguments, stream=None)  # loads modules and creates the context, which a capture does not allow
    _check(cuda.cuStreamCreate(ctypes.byref(stream), _NON_BLOCKING), "cuStreamCreate")
    _check(cuda.cuStreamBeginCapture_v2(stream, _CAPTURE_RELAXED), "cuStreamBeginCapture")
    try:
        function(*arguments, stream=stream.value)
    finally:
        status = cuda.cuStreamEndCapture(stream, ctypes.byref(graph))
    _check(status, "cuStreamEndCapture")
    _check(cuda.cuGraphInstantiateWithFlags(ctypes.byref(executable), graph, ctypes.c_ulonglong(0)), "cuGraphInstantiate")

    def replay() -> None:
        _check(cuda.cuGraphLaunch(executable, stream), "cuGraphLaunch")

    return replay

"""Kernels on the simulated CUDA for tests in Python, and what its model says that they take.

Run with LD_LIBRARY_PATH=$SIM_LIB. What nvcc would generate around a kernel is written out, as in examples/cuda_by_hand.h.
"""

from __future__ import annotations

import ctypes
from typing import Dict, Tuple

Dim = Tuple[int, int, int]


class Dim3(ctypes.Structure):
    """CUDA's dim3."""

    _fields_ = [("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint)]


class _Wrapper(ctypes.Structure):
    _fields_ = [("magic", ctypes.c_int), ("version", ctypes.c_int), ("data", ctypes.c_void_p), ("unused", ctypes.c_void_p)]


rt = ctypes.CDLL("libcudart.so.13")
rt.cudaLaunchKernel.argtypes = [ctypes.c_void_p, Dim3, Dim3, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
rt.cudaMemsetAsync.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t, ctypes.c_void_p]
rt.cudaMemcpyAsync.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p]
rt.cudaMalloc.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_begin, _function, _end = (rt[f"__cudaRegister{what}"] for what in ("FatBinary", "Function", "FatBinaryEnd"))
_begin.restype = ctypes.c_void_p
_wrapper = _Wrapper(0x466243B1, 1)
_wrapper.data = ctypes.addressof(_wrapper)
_stubs: Dict[str, ctypes.Array[ctypes.c_char]] = {}

DEVICE_GBPS, COPY_GBPS, COPY_BASE_NS = 1500, 24, 1200
MULTIPROCESSORS, THREADS = 132, 2048


def check(status: int) -> None:
    """Raises the way PyTorch does."""
    if status:
        raise RuntimeError(f"CUDA error {status}")


def _stub(name: str) -> "ctypes.Array[ctypes.c_char]":
    if name not in _stubs:
        _stubs[name] = ctypes.create_string_buffer(8)
        handle = ctypes.c_void_p(_begin(ctypes.byref(_wrapper)))
        _function(handle, _stubs[name], name.encode(), name.encode(), -1, None, None, None, None, None)
        _end(handle)
    return _stubs[name]


def launch(name: str, grid: Dim = (1, 1, 1), block: Dim = (128, 1, 1), shared: int = 0, stream: object = None) -> None:
    """Launches a kernel of that (mangled) name."""
    check(rt.cudaLaunchKernel(_stub(name), Dim3(*grid), Dim3(*block), None, shared, stream))


def malloc(size: int) -> int:
    """Device memory; raises where there is none."""
    at = ctypes.c_void_p()
    check(rt.cudaMalloc(ctypes.byref(at), size))
    return at.value or 0


def _fnv(data: bytes, hash: int = 0xCBF29CE484222325) -> int:
    for byte in data:
        hash = ((hash ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return hash


def kernel_ns(name: str, grid: Dim = (1, 1, 1), block: Dim = (128, 1, 1)) -> int:
    """What the model says: sim/README.md, "Timing model"."""
    hash = _fnv(name.encode())  # as sim_model.c
    shaped = _fnv(b"".join(side.to_bytes(4, "little") for side in block), hash ^ 0xCBF29CE484222325)
    threads = block[0] * block[1] * block[2]
    held = MULTIPROCESSORS * min(max(THREADS // threads, 1), 32)
    waves = -(-grid[0] * grid[1] * grid[2] // held)
    return 2000 + hash % 6000 + (600 + shaped % 1400) * min(waves, 2000)


def memset_ns(size: int) -> int:
    """The same of a set."""
    return COPY_BASE_NS + size // DEVICE_GBPS


# ---- products of matrices: kernels of one shape whose time depends on k ----

FLOP_PER_NS = 50000
_blas: Dict[str, object] = {}


def sgemm(m: int, n: int, k: int) -> None:
    """A product of float32 matrices; the simulation reads none of them."""
    if not _blas:
        library, handle = ctypes.CDLL("libcublas.so.13"), ctypes.c_void_p()
        check(library.cublasCreate_v2(ctypes.byref(handle)))
        _blas.update(library=library, handle=handle, one=ctypes.c_float(1), at=ctypes.c_void_p(malloc(1 << 20)))
    one, at = ctypes.byref(_blas["one"]), _blas["at"]  # type: ignore[arg-type]
    check(_blas["library"].cublasSgemm_v2(_blas["handle"], 0, 0, m, n, k, one, at, m, at, k, one, at, m))  # type: ignore[attr-defined]


def sgemm_ns(m: int, n: int, k: int) -> int:
    """What the model says: sim/README.md."""
    return 2000 + int(max(2 * m * n * k / FLOP_PER_NS, 4 * (m * k + k * n + m * n) / DEVICE_GBPS))

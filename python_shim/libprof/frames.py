"""Tables of a trace for data-frame libraries, through Arrow's C stream interface.

    kernels = libprof.read("run.prof").kernels()
    kernels.to_pandas().groupby("name").duration_ns.sum()
    polars.DataFrame(kernels)                       # whatever takes an object with __arrow_c_stream__
    duckdb.sql("select name, sum(duration_ns) from kernels group by all")

Nothing is copied on the way, and none of these libraries is needed until it is asked for.
"""

from __future__ import annotations

import ctypes
import importlib
from types import MappingProxyType
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional

from ._columns import Column
from ._reader import ArrowArrayStream

CAPSULE_NAME = b"arrow_array_stream"

_Destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
_get_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)
_new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, _Destructor)(
    ("PyCapsule_New", ctypes.pythonapi)
)

_in_capsules: Dict[int, ArrowArrayStream] = {}
"""What capsules point to, by address: they know no Python objects."""


def _drop_capsule(capsule: int) -> None:
    """Called with a capsule that is being deallocated: its reference count must not be touched."""
    stream = _in_capsules.pop(_get_pointer(capsule, CAPSULE_NAME), None)
    if stream is not None:
        stream.release_now()


_drop = _Destructor(_drop_capsule)


def capsule_of(stream: ArrowArrayStream) -> object:
    """A PyCapsule of Arrow's PyCapsule interface that owns the stream: what is not taken from it is released."""
    address = ctypes.addressof(stream)
    _in_capsules[address] = stream
    return _new_capsule(address, CAPSULE_NAME, _drop)


def _module(name: str, why: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"{why} needs {name}, which cannot be imported here: {error}") from error


def _types_mapper(pandas: Any, dtype_backend: Optional[str]) -> Optional[Callable[[Any], Any]]:
    """From Arrow's types to pandas' dtypes; None, or a result of None, is pyarrow's own choice."""
    if dtype_backend is None:
        return None
    if dtype_backend == "pyarrow":
        mapper: Callable[[Any], Any] = pandas.ArrowDtype
        return mapper
    if dtype_backend != "numpy_nullable":
        raise ValueError(f"dtype_backend must be numpy_nullable or pyarrow, not {dtype_backend!r}")
    numbers = [name for sign in ("Int", "UInt") for name in (f"{sign}{bits}" for bits in (8, 16, 32, 64))] + ["Float64"]
    dtypes = {("double" if name == "Float64" else name.lower()): pandas.api.types.pandas_dtype(name) for name in numbers}
    return lambda kind: dtypes.get(str(kind))


class Frame:
    """A table of a trace. Each use reads it anew from where it came, so it can be used more than once.

    `name` is what it is called in messages, `open_stream` gives a stream that is the caller's, `documented` its columns.
    """

    def __init__(
        self, name: str, open_stream: Callable[[], ArrowArrayStream], documented: Mapping[str, Column] = MappingProxyType({})
    ) -> None:
        self.name = name
        self._open_stream = open_stream
        self._columns = documented

    @property
    def columns(self) -> List[str]:
        """Names of the columns; help() of the method that gave the table says what they mean."""
        return list(self._columns)

    def __repr__(self) -> str:
        return f"<libprof.Frame {self.name}: {', '.join(self.columns)}>"

    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object:
        """Arrow's PyCapsule interface; the schema is always the table's own, as the interface allows."""
        return capsule_of(self._open_stream())

    def to_pyarrow(self) -> Any:
        """A ``pyarrow.Table``."""
        return _module("pyarrow", f"{self.name}.to_pyarrow()").table(self)

    def to_pandas(self, dtype_backend: Optional[str] = None) -> Any:
        """A ``pandas.DataFrame``; pandas takes Arrow's data through pyarrow. Names are categoricals.

        By default, columns of integers in which values are missing become floats, which are exact up to 2**53. With
        `dtype_backend` "numpy_nullable" or "pyarrow", as in pandas itself, they stay integers.
        """
        pandas = _module("pandas", f"{self.name}.to_pandas()")
        return self.to_pyarrow().to_pandas(types_mapper=_types_mapper(pandas, dtype_backend))

    def to_polars(self) -> Any:
        """A ``polars.DataFrame``."""
        return _module("polars", f"{self.name}.to_polars()").DataFrame(self)

    def to_duckdb(self, connection: Optional[Any] = None) -> Any:
        """A relation of DuckDB, on `connection` or the default one."""
        duckdb = _module("duckdb", f"{self.name}.to_duckdb()")
        return (connection or duckdb).from_arrow(self.to_pyarrow())

    def to_parquet(self, path: str) -> None:
        """Writes a Parquet file, batch by batch, through pyarrow."""
        parquet = _module("pyarrow.parquet", f"{self.name}.to_parquet()")
        reader = _module("pyarrow", "Parquet").RecordBatchReader.from_stream(self)
        with parquet.ParquetWriter(path, reader.schema) as writer:
            for batch in reader:
                writer.write_batch(batch)

    def rows(self) -> Iterator[Dict[str, Any]]:
        """Rows as dictionaries, through pyarrow."""
        for batch in _module("pyarrow", f"{self.name}.rows()").RecordBatchReader.from_stream(self):
            rows: List[Dict[str, Any]] = batch.to_pylist()
            yield from rows

"""Tables of traces as the data frames of four libraries."""

# packages: numpy pandas pyarrow polars duckdb

from __future__ import annotations

import gc
import inspect
import json
import sys
from pathlib import Path
from typing import Any, Dict

import pytest

import libprof
from libprof import _columns, frames
from libprof._profdump import run_profdump


@pytest.fixture(scope="module")
def device_ns(demo_trace: Path) -> Dict[str, int]:
    """What the table says that each operation took, in all."""
    table = json.loads(run_profdump(["--format=json", str(demo_trace)]))
    kinds = ("kernel", "memcpy", "memset")
    return {row["name"]: row["cuda_total_ns"] for row in table["key_averages"] if row["kind"] in kinds}


def test_pyarrow(demo_trace: Path, device_ns: Dict[str, int]) -> None:
    pytest.importorskip("pyarrow")
    table = libprof.read(demo_trace).kernels().to_pyarrow()
    table.validate(full=True)
    sums = table.group_by("name").aggregate([("duration_ns", "sum")]).to_pylist()
    assert {row["name"]: row["duration_ns_sum"] for row in sums} == device_ns


def test_pandas(demo_trace: Path, device_ns: Dict[str, int]) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = libprof.read(demo_trace).kernels().to_pandas()
    assert frame.groupby("name", observed=True).duration_ns.sum().to_dict() == device_ns
    assert str(frame.start.dtype) == "datetime64[ns, UTC]"


def test_pandas_keeps_integers(demo_trace: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    kernels = libprof.read(demo_trace).kernels()
    exact = kernels.to_pyarrow()["bytes"].to_pylist()
    assert None in exact and str(kernels.to_pandas()["bytes"].dtype) == "float64"
    for backend, dtype in (("numpy_nullable", "UInt64"), ("pyarrow", "uint64[pyarrow]")):
        frame = kernels.to_pandas(dtype_backend=backend)
        assert str(frame["bytes"].dtype) == dtype and str(frame.stream.dtype).lower().startswith("uint32")
        assert [None if size is pandas.NA else size for size in frame["bytes"]] == exact
    with pytest.raises(ValueError, match="dtype_backend must be numpy_nullable or pyarrow, not 'numpy'"):
        kernels.to_pandas(dtype_backend="numpy")


def test_columns_are_documented(demo_trace: Path) -> None:
    pytest.importorskip("pyarrow")
    trace = libprof.read(demo_trace)
    for name in ("events", "launches", "kernels", "counters"):
        frame, documented = getattr(trace, name)(), getattr(_columns, name.upper())
        assert frame.columns == frame.to_pyarrow().schema.names == list(documented)
        assert repr(frame).startswith(f"<libprof.Frame {name}: pid, ")
        text = inspect.getdoc(getattr(libprof.Trace, name)) or ""
        assert all(f"    {column} " in text and one.text in text for column, one in documented.items())


def test_polars(demo_trace: Path, device_ns: Dict[str, int]) -> None:
    polars = pytest.importorskip("polars")
    kernels = libprof.read(demo_trace).kernels()
    for frame in (kernels.to_polars(), polars.DataFrame(kernels)):
        rows = frame.group_by("name").agg(polars.col("duration_ns").sum()).rows()
        assert dict(rows) == device_ns


def test_duckdb(demo_trace: Path, device_ns: Dict[str, int]) -> None:
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    kernels = libprof.read(demo_trace).kernels()
    question = "select name, sum(duration_ns) from kernels group by name"
    assert dict(duckdb.sql(question).fetchall()) == device_ns
    assert dict(kernels.to_duckdb().query("kernels", question).fetchall()) == device_ns


def test_parquet(demo_trace: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    events = libprof.read(demo_trace).events()
    events.to_parquet(str(tmp_path / "events.parquet"))
    assert parquet.read_table(tmp_path / "events.parquet").num_rows == events.to_pyarrow().num_rows > 100


def test_launches_add_up_to_kernels(demo_trace: Path) -> None:
    pytest.importorskip("pyarrow")
    trace = libprof.read(demo_trace)
    launched = trace.launches().to_pyarrow()
    kernels = trace.kernels().to_pyarrow()
    assert sum(launched["device_ns"].to_pylist()) == sum(kernels["duration_ns"].to_pylist())
    assert sum(launched["operations"].to_pylist()) == kernels.num_rows


def test_traces_of_others(shared_dir: Path) -> None:
    pytest.importorskip("pyarrow")
    (path,) = shared_dir.glob("data/kineto/resnet50_nw0.*")
    table = libprof.read(path).kernels().to_pyarrow()
    table.validate(full=True)
    assert table.num_rows == 9096


def test_hostile_names(run_python: Any, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    names = ['a"b', "</script>", "\x1b[31m", "=cmd()", "é😀", "x" * 4000, "a;b\n"]
    run_python(
        "import ast, sys, libprof._native as n\nlib = n.library()\nlib.prof_start()\n"
        "for name in ast.literal_eval(sys.argv[1]) + ['end']:\n"
        "    lib.prof_range_push(name.encode()); lib.prof_range_pop()\n"
        "lib.prof_range_push(b'not \\xff utf-8'); lib.prof_range_pop()\n",
        repr(names),
        env={"PROF_OUTPUT": str(tmp_path / "names.prof")},
    )
    table = libprof.read(tmp_path / "names.prof").events().to_pyarrow()
    table.validate(full=True)
    assert table["name"].to_pylist()[: len(names)] == names
    assert table["name"].to_pylist()[-1].startswith("not ")


def test_streams_that_nobody_takes_are_released(demo_trace: Path) -> None:
    kernels = libprof.read(demo_trace).kernels()
    capsules = [kernels.__arrow_c_stream__() for _ in range(10)]
    assert len(frames._in_capsules) == 10
    capsules.clear()
    gc.collect()
    assert not frames._in_capsules


def test_says_which_library_is_missing(demo_trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match=r"^kernels.to_polars\(\) needs polars, which cannot be imported here"):
        libprof.read(demo_trace).kernels().to_polars()


def test_missing_file() -> None:
    with pytest.raises(libprof.ProfError, match="/nowhere.prof: No such file or directory"):
        libprof.read("/nowhere.prof").kernels().__arrow_c_stream__()

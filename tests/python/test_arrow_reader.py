"""Arrow's structures read by ctypes are what pyarrow reads."""

# packages: pyarrow

from __future__ import annotations

from pathlib import Path

import pytest

import libprof
from libprof import _reader
from libprof._arrow import ArrowTable, read_stream, read_table


@pytest.fixture(scope="module")
def path() -> str:
    with libprof.profile():
        for index in range(70000):
            with libprof.record_function(f"r{index % 7}"):
                pass
        with libprof.record_function("ünï"), libprof.record_function("inner"):
            libprof.step()  # it goes on after each of the two: three rows
    libprof.flush()
    return libprof.output_path()


def test_reads_columns(path: str) -> None:
    table = read_table([path], ArrowTable.EVENTS)
    count = len(table["name"])
    assert count == 70005 and all(len(values) == count for values in table.values())
    assert set(table["name"]) >= {"r0", "r6", "ünï"} and table["correlation"][0] is None
    assert table["start"] == sorted(table["start"]) and min(table["duration_ns"]) >= 0
    assert read_table([path], ArrowTable.EVENTS, columns=["tid", "no such"]).keys() == {"tid"}
    assert read_table([path], ArrowTable.KERNELS)["name"] == []


def test_is_what_pyarrow_reads(path: str) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    theirs = libprof.read(path).events().to_pyarrow()
    ours = read_table([path], ArrowTable.EVENTS)
    assert list(ours) == theirs.column_names
    for name in theirs.column_names:
        column = theirs[name]
        column = column.cast(pyarrow.int64()) if name == "start" else column
        assert column.to_pylist() == ours[name], name


def test_offsets_and_nulls() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    import ctypes

    batch = pyarrow.record_batch(
        {
            "int": pyarrow.array([1, None, -3, 4], pyarrow.int32()),
            "text": pyarrow.array(["a", None, "ü", ""], pyarrow.large_string()),
            "word": pyarrow.array(["x", "y", None, "x"]).dictionary_encode(),
            "real": pyarrow.array([0.5, 1.5, None, 2.5], pyarrow.float64()),
        }
    )
    stream = _reader.ArrowArrayStream()
    batches = [batch.slice(1, 3), batch.slice(0, 1)]
    reader = pyarrow.RecordBatchReader.from_batches(batch.schema, batches)
    reader._export_to_c(ctypes.addressof(stream))
    read = read_stream(stream)
    assert read == {
        "int": [None, -3, 4, 1], "text": [None, "ü", "", "a"], "word": ["y", None, "x", "x"],
        "real": [1.5, None, 2.5, 0.5],
    }  # fmt: skip


def test_bad_files(tmp_path: Path) -> None:
    for name, content in (("none", None), ("empty", b""), ("torn", b"PROF" * 40)):
        if content is not None:
            (tmp_path / name).write_bytes(content)
        with pytest.raises(libprof.ProfError, match=name):
            read_table([str(tmp_path / name)], ArrowTable.EVENTS)

#!/usr/bin/env bash
# Tables in Arrow's C stream interface, taken by pyarrow, from a trace and from the recording process itself. pyarrow is
# fetched once into the build directory; without a registry that has it the test is skipped.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/packages_common.sh"

fetch pyarrow pyarrow || skip "pyarrow cannot be had: $(tail -n 1 fetch.txt)"

"$BUILD_DIR/test/make_traces" .
"$PROF_BIN/profdump" --json demo.prof >facts.json
"$PROF_BIN/profdump" --json --kind kernels demo.prof >kernels.json

cat >arrow.py <<'PYTHON'
import collections, ctypes, json, sys
import pyarrow

library = ctypes.CDLL(sys.argv[1])

def table(path, which):
    stream = (ctypes.c_void_p * 5)()
    status = library.prof_arrow(path and path.encode(), which, ctypes.byref(stream))
    assert status == 0, status
    reader = pyarrow.RecordBatchReader._import_from_c(ctypes.addressof(stream))
    read = reader.read_all()
    read.validate(full=True)
    return read

def rows(read):
    """Without times of the clock: Python's own have no nanoseconds."""
    return read.drop_columns(["start"]).to_pylist()

facts = json.load(open("facts.json"))
events, launches, kernels = (table("demo.prof", which) for which in range(3))
print(events.schema, launches.schema, kernels.schema)
spent = collections.Counter()
for row in rows(kernels):
    spent[row["name"]] += row["duration_ns"]
wanted = {row["name"]: row["self_cuda_total_ns"] for row in facts["key_averages"]
          if row["kind"] in ("kernel", "memcpy", "memset", "graph")}
assert spent == wanted, (spent, wanted)
counted = collections.Counter(row["name"] for row in rows(events) if row["kind"] == "range")
for row in facts["key_averages"]:
    if row["kind"] == "range" and row["name"] != "ProfilerStep*" and row["name"] in counted:
        assert counted[row["name"]] == row["count"], row
assert sum(launches.column("device_ns").to_pylist()) <= sum(spent.values())
for name in ("hostile", "killed", "nvtx", "graphs", "lossy", "cpu"):
    for which in range(3):
        table(name + ".prof", which)

# Columns live on when the stream, the batches and the library's timeline are gone.
names = events.column("name")
del events, launches, kernels
assert len(names.to_pylist()) == len(names)

# What is no trace, and what is no argument: a status, and the stream as it was.
stream = (ctypes.c_void_p * 5)()
assert library.prof_arrow(b"arrow.py", 0, ctypes.byref(stream)) != 0
assert library.prof_arrow(b"demo.prof", 9, ctypes.byref(stream)) != 0
assert library.prof_arrow(b"demo.prof", 0, None) != 0
assert not any(stream)

# Windows side by side have the rows of the whole between them, whatever way they are cut.
def window(path, which, start, end):
    stream = (ctypes.c_void_p * 5)()
    status = library.prof_arrow_window(path and path.encode(), which, ctypes.c_int64(start), ctypes.c_int64(end),
                                       ctypes.byref(stream))
    return pyarrow.RecordBatchReader._import_from_c(ctypes.addressof(stream)).read_all() if status == 0 else status

ever = 2**63 - 1
for which in range(3):
    whole = table("demo.prof", which)
    assert window("demo.prof", which, 0, ever) == whole, which
    starts = sorted(value.value for value in whole.column("start"))
    for cut in (starts[0], starts[len(starts) // 2], starts[-1], starts[-1] + 1):
        before, after = window("demo.prof", which, 0, cut), window("demo.prof", which, cut, ever)
        assert before.num_rows + after.num_rows == whole.num_rows, (which, cut)
        assert which == 2 or all(value.value < cut for value in before.column("start")), (which, cut)
    assert which == 2 or window("demo.prof", which, 0, starts[0]).num_rows == 0 # kernels are with their launch
invalid = {window("demo.prof", 0, 5, 5), window("demo.prof", 9, 0, 5), window("", 0, 0, 5)}
assert len(invalid) == 1 and isinstance(max(invalid), int), invalid
assert window("arrow.py", 0, 0, ever) not in invalid

# The process's own recording.
library.prof_start()
library.prof_range_push(b"mine")
library.prof_range_pop()
mine = table(None, 0)
assert "mine" in mine.column("name").to_pylist()
import time
later = time.time_ns()
library.prof_range_push(b"later")
library.prof_range_pop()
assert set(window(None, 0, later, ever).column("name").to_pylist()) == {"later"}
assert "later" not in window(None, 0, 0, later).column("name").to_pylist()
print("all passed")
PYTHON
PYTHONPATH=$packages/pyarrow PROF_OUTPUT=own.prof python3 arrow.py "$lib" >out.txt 2>err.txt || fail "$(tail -3 err.txt)"
same "pyarrow takes every table" "all passed" "$(tail -1 out.txt)"

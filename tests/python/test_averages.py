"""Tables: what profdump prints and what Python renders are the same bytes."""

from __future__ import annotations

import copy
import os
import pickle
import re
from typing import Any

import pytest

import libprof
from libprof import EventList, profile, record_function
from libprof._build_events import build_events
from libprof._table import notes_of
from libprof.event_list import Groups, averages_of


@pytest.fixture(scope="module")
def prof() -> profile:
    with profile(profile_memory=True) as made:
        pool = libprof.Allocator("pool")
        for index in range(40):
            with record_function("shaped", sizes=f"[[{index % 3}, 2]]"):
                pass
            with record_function(f"row {index}"):
                with record_function("a name that is long: " + "x" * 40 + str(index % 2)):
                    pool.alloc(None, 1000 * index)
                with record_function("recursive"), record_function("recursive"):
                    pass
        for name in (
            "tab\there",
            "line\nbreak",
            "\x1b[31mred",
            "ünï→",
            "x" * 51,
            "x" * 52,
            "x" * 53,
            "\u202eback",
        ):
            with record_function(name):
                libprof.mark("mark")
        libprof.step()
    return made


def rendered(listed: EventList, **options: Any) -> str:
    return EventList(listed, layout=listed._layout).table(**options)


def rows_of(text: str) -> str:
    """Down to the totals: what is said of the recording as a whole only profdump prints."""
    return re.split(r"(?m)^(?:Device|GPU mode|Ledger)", text)[0]


OPTIONS = [
    ({"sort_by": "cpu_time_total"}, ["--sort=cpu_total"]),
    ({"sort_by": "cpu_time", "row_limit": -1}, ["--sort=cpu_avg"]),
    ({"sort_by": "name", "header": "a header"}, ["--sort=name", "--header=a header"]),
    ({"sort_by": "cuda_time", "time_unit": "us", "max_name_column_width": 20}, ["--time-unit=us", "--name-width=20"]),
    ({"time_unit": "ns", "max_name_column_width": 200}, ["--time-unit=ns", "--name-width=200"]),
    ({"top_level_events_only": True}, ["--top-level"]),
]


@pytest.mark.parametrize("options, words", OPTIONS, ids=str)
def test_two_printers_agree(prof: profile, monkeypatch: pytest.MonkeyPatch, options: Any, words: List[str]) -> None:
    """Python's and profdump's tables agree, except for the order of equal rows."""
    monkeypatch.setattr(prof, "profile_memory", False)
    _, _, text = prof.trace.table(*words, rows=-1).partition("\n\n")
    assert sorted(rows_of(text).splitlines()) == sorted(rows_of(prof.key_averages().table(**options)).splitlines())


def test_shapes_are_a_column_and_stacks_where_there_are_some(prof: profile) -> None:
    averages = prof.key_averages(group_by_input_shape=True, group_by_stack_n=3)
    text = averages.table(sort_by="cpu_time_total", row_limit=12)
    assert rows_of(text) == rendered(averages, sort_by="cpu_time_total", row_limit=12)
    assert "Input Shapes" in text and "Source Location" not in text
    assert len(averages) == len(prof.key_averages()) + 2


def test_memory_is_that_of_each_group(prof: profile) -> None:
    by_name = {row.key: row for row in prof.key_averages()}
    groups = prof.key_averages(group_by_input_shape=True)
    long = {row.key: row for row in groups if row.key.startswith("a name")}
    assert {key: row.cpu_memory_usage for key, row in long.items()} == {
        key: by_name[key].cpu_memory_usage for key in long
    }
    assert sum(row.self_cpu_memory_usage for row in groups) == sum(row.self_cpu_memory_usage for row in by_name.values())
    text = groups.table(sort_by="self_cpu_memory_usage", row_limit=1)
    assert "390.63 KB" in text and "Input Shapes" in text, text


@pytest.fixture(scope="module")
def grouped() -> profile:
    """Recursion into other groups, memory, FLOPs, and Python functions."""

    def work(depth: int) -> None:
        with record_function("aten::mm", sizes=f"[[{depth % 2}, 3], []]", overload_name="out" * (depth % 2), flops=100 + depth):
            pool.alloc(None, 1000 + depth)
            with record_function("aten::matmul", flops=7), record_function("own", flops=5):
                sorted(range(10), key=lambda number: -number)
            if depth:
                work(depth - 1)
            pool.free(None) if depth == 1 else None

    pool = libprof.Allocator("pool")
    with profile(profile_memory=True, with_flops=True, with_stack=True) as made:
        for depth in range(4):
            work(depth)
        libprof.step()
    return made


@pytest.mark.parametrize("functions", [False, True], ids=["", "functions"])
@pytest.mark.parametrize("overloads", [False, True], ids=["", "overload"])
@pytest.mark.parametrize("stack_n", [0, 1, 4])
@pytest.mark.parametrize("shapes", [False, True], ids=["", "shapes"])
def test_rows_are_the_sums_of_events(grouped: profile, shapes: bool, stack_n: int, overloads: bool, functions: bool) -> None:
    def rows_of(averages: EventList) -> Any:
        def texts_of(row: Any) -> Any:
            return (row.key, row.kind, str(row.input_shapes), tuple(row.stack), row.overload_name)

        def numbers_of(row: Any) -> Any:
            times = (row.cpu_total_ns, row.self_cpu_total_ns, row.cuda_total_ns, row.self_cuda_total_ns)
            memory = (row.cpu_memory_usage, row.self_cpu_memory_usage, row.device_memory_usage, row.self_device_memory_usage)
            return (row.count, row.outer_count, *times, *memory, row.flops)

        return sorted((texts_of(row), numbers_of(row)) for row in averages)

    keywords = {
        "group_by_input_shapes": shapes, "group_by_stack_n": stack_n,
        "group_by_overload_name": overloads, "include_python_functions": functions,
    }  # fmt: skip
    listed = grouped._events(with_functions=functions)
    added = EventList(listed, layout=listed._layout).key_averages(**keywords)
    averages = averages_of(grouped._cycles[0], Groups(shapes, stack_n, overloads, functions), grouped._layout())
    assert rows_of(averages) == rows_of(added)
    assert averages.table(row_limit=3)


def test_details_of_events_are_read_when_they_are_asked_for(grouped: profile) -> None:
    event = next(event for event in build_events(grouped._cycles[0]) if event.key == "aten::mm")
    assert "stack" not in vars(event) and "attributes" not in vars(event)
    assert event.input_shapes == [[0, 3], []] and event.stack is event.stack and "attributes" not in vars(event)
    assert event.overload_name == "" and "overload_name" not in event.attributes
    for other in (copy.copy(event), pickle.loads(pickle.dumps(EventList([event])))[0]):
        assert (other.input_shapes, other.stack, other.attributes) == (event.input_shapes, event.stack, event.attributes)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        event.nothing


def test_chosen_rows(prof: profile) -> None:
    averages = prof.key_averages()
    chosen = EventList(row for row in averages if row.key.startswith("row 1"))
    text = chosen.table(sort_by="cpu_time_total")
    assert (
        len(chosen) == 11 and text.count("row 1") == 11 and "recursive" not in text and "Ledger" not in text
    )
    averages.sort(key=lambda row: str(row.key))
    lines = [line.split("  ")[0] for line in averages.table().splitlines()]
    assert (
        "GPU mode" not in averages.table() and len(lines) > 20
    ), "a list that was changed is printed as it is"
    assert averages.table(max_shapes_column_width=10)


def test_events_add_up_to_the_averages(prof: profile) -> None:
    exact = {row.key: row for row in prof.key_averages()}
    added = EventList(prof.events()).key_averages()
    assert set(exact) == {row.key for row in added}
    for row in added:
        of = exact[row.key]
        assert (row.count, row.cpu_total_ns, row.self_cpu_total_ns) == (
            of.count,
            of.cpu_total_ns,
            of.self_cpu_total_ns,
        )


def test_total(prof: profile) -> None:
    averages = prof.key_averages()
    total = averages.total_average()
    assert total.key == "Total" and total.count == sum(row.count for row in averages)
    assert averages.self_cpu_time_total == pytest.approx(total.self_cpu_time_total)
    assert "Self CPU time total" in str(averages) and "key=Total" in repr(total)


def test_errors(prof: profile) -> None:
    with pytest.raises(
        ValueError, match="unknown column 'nothing'; known: name, self_cpu, .*self_cuda_time_total"
    ):
        prof.key_averages().table(sort_by="nothing")
    with pytest.raises(ValueError, match="unknown time_unit 'h'; known: s, ms, us, ns"):
        prof.key_averages().table(time_unit="h")
    with pytest.raises(AssertionError, match="is not added to"):
        prof.key_averages()[0].add(prof.key_averages()[1])
    with pytest.raises(libprof.ProfError, match="cannot export a list"):
        EventList(prof.events()).export_chrome_trace("x.json")
    assert EventList().table() == ""


def test_fields_of_torch(prof: profile) -> None:
    pytest.importorskip("torch")
    from torch.autograd.profiler_util import FunctionEvent, FunctionEventAvg

    event = FunctionEvent(id=1, name="x", thread=1, start_us=0, end_us=1)
    average = FunctionEventAvg()
    its_own = ("key", "cpu_children", "is_legacy")
    for theirs, ours in ((event, prof.events()[0]), (average, prof.key_averages()[0])):
        wanted = {name for name in dir(theirs) if not name.startswith("_") and name not in its_own}
        missing = {name for name in wanted if not hasattr(ours, name)}
        assert missing <= INTERNAL, sorted(missing - INTERNAL)


INTERNAL = {
    "activity_type", "event_metadata", "external_id", "flow_id", "flow_start", "flow_type", "input_dtypes",
    "is_python_function", "linked_correlation_id", "python_id", "python_module_id", "python_parent_id",
    "self_cpu_percent", "set_cpu_parent", "append_cpu_child", "structured_input_shapes",
    "structured_input_strides",
    "total_cpu_percent", "total_device_percent",
}  # fmt: skip


def test_cuda(run_python: Any) -> None:
    if not os.path.exists(os.path.join(os.environ["SIM_LIB"], "libcudart.so.13")):
        pytest.skip("the simulated CUDA is not built")
    done = run_python(CUDA, env={"LD_LIBRARY_PATH": os.environ["SIM_LIB"]})
    assert done.stdout == "OK\n", done.stdout + done.stderr


CUDA = """
import ctypes, re, libprof
from libprof import EventList, record_function
libprof.load()
rt = ctypes.CDLL("libcudart.so.13")
at, size = ctypes.c_void_p(), ctypes.c_size_t(1 << 20)
assert rt.cudaMalloc(ctypes.byref(at), size) == 0
with libprof.profile() as prof:
    with record_function("outer"):
        with record_function("fill"):
            for _ in range(3):
                assert rt.cudaMemsetAsync(at, 0, size, None) == 0
        assert rt.cudaMemsetAsync(at, 0, size, None) == 0
    assert rt.cudaMemsetAsync(at, 0, size, None) == 0
    assert rt.cudaDeviceSynchronize() == 0
averages = prof.key_averages()
row = {r.key: r for r in averages}
memset = next(r for r in averages if r.kind == "memset")
assert row["fill"].self_cuda_total_ns * 5 == memset.cuda_total_ns * 3 and memset.count == 5
assert row["outer"].cuda_total_ns * 5 == memset.cuda_total_ns * 4
assert abs(row["outer"].self_cuda_time_total * 5 - memset.device_time_total) < 1e-6
for sort in ("self_cuda_time_total", "cuda_time_total", "cuda_time", "count"):
    text = averages.table(sort_by=sort)
    rendered = EventList(averages, layout=averages._layout).table(sort_by=sort)
    assert re.split("(?m)^(?:CUDA time|Device|GPU mode|Ledger)", text)[0] == rendered
    assert "Self CUDA %" in text
events = prof.events()
for added in EventList(events).key_averages():
    if added.kind in ("range", "memset"):
        of = row[added.key]
        assert (added.count, added.cuda_total_ns) == (of.count, of.cuda_total_ns)
        assert added.self_cuda_total_ns == of.self_cuda_total_ns
fill = next(e for e in events if e.name == "fill")
assert len(fill.kernels) == 3 and fill.kernels[0].device == 0
assert fill.device_time_total == fill.self_cuda_time_total
assert [c.name for c in fill.cpu_children] == ["cudaMemsetAsync"] * 3 and fill.cpu_parent.name == "outer"
assert {e.device_type for e in events if e.kind == "memset"} == {libprof.DeviceType.CUDA}
with libprof.profile(activities=[libprof.ProfilerActivity.CPU]) as prof:
    with record_function("cpu only"):
        rt.cudaMemsetAsync(at, 0, size, None)
assert not [r for r in prof.key_averages() if r.kind == "memset"]
assert "CUDA total" not in prof.key_averages().table()
print("OK")
"""


def test_one_unit_for_all_times() -> None:
    """Totals below the table too, from profdump and of lists."""
    with libprof.profile() as prof, libprof.record_function("work"):
        pass
    for text in (prof.key_averages().table(time_unit="s"), libprof.EventList(prof.key_averages()).table(time_unit="s")):
        times = re.sub(r"^libprof cost .*", "", text, flags=re.MULTILINE)  # has its own units, with ms on a busy machine
        assert re.search(r"^Self CPU time total: 0\.000s$", times, re.MULTILINE) and not re.search(r"\d[mun]s\b", times), text


# ---- stacks, widths, pickles ----


def deep(depth: int) -> None:
    if depth:
        deep(depth - 1)
    else:
        with record_function("deep" + "p" * 60):
            pass


@pytest.fixture(scope="module")
def stacks() -> profile:
    with profile(with_stack=True) as made:
        deep(9)
    return made


@pytest.mark.parametrize("include_python_functions", [False, True])
def test_frames_of_a_group_are_one_per_line(stacks: profile, include_python_functions: bool) -> None:
    averages = stacks.key_averages(group_by_stack_n=7, include_python_functions=include_python_functions)
    row = next(one for one in averages if one.key.startswith("deep"))
    assert len(row.stack) == 7
    lines = averages.table(max_src_column_width=None).splitlines()
    at = next(index for index, line in enumerate(lines) if line.lstrip().startswith("deep"))
    column = lines[1].index("Source Location")
    assert [line[column:] for line in lines[at : at + 8]] == [*row.stack, ""]
    assert all(not line[:column].strip() for line in lines[at + 1 : at + 7])
    short = averages.table(max_src_column_width=20).splitlines()
    assert short[at][short[1].index("Source Location") :] == "..." + row.stack[0][-17:]


def test_notes_are_only_of_what_is_not_well() -> None:
    totals = "---\nSelf CPU time total: 1us\nSelf CUDA time total: 2us\n"
    assert notes_of(f"{totals}GPU mode: none, no CUDA\nLedger: nothing lost\nlibprof cost 1 %\n") == ""
    assert notes_of(f"{totals}Ledger: launched 2 = recorded 1\nNote: cut\n") == "Ledger: launched 2 = recorded 1\nNote: cut\n"


@pytest.mark.parametrize("limits", ["name", "src", "shapes", "name src shapes"])
def test_widths_without_a_limit(stacks: profile, limits: str) -> None:
    averages = stacks.key_averages()
    widths = {f"max_{one}_column_width": None for one in limits.split()}
    for one in (averages, EventList(averages[:])):
        assert ("deep" + "p" * 60 in one.table(**widths)) == ("name" in limits)


def test_pickles(stacks: profile, prof: profile) -> None:
    for averages in (stacks.key_averages(group_by_stack_n=7), prof.key_averages(), EventList([prof.total_average()])):
        again = pickle.loads(pickle.dumps(averages))
        assert [(one.key, one.count, one.is_user_annotation) for one in again] == [
            (one.key, one.count, one.is_user_annotation) for one in averages
        ]
        assert again.table(row_limit=3).splitlines()[:4] == EventList(averages, layout=averages._layout).table(
            row_limit=3
        ).splitlines()[:4]
    events = pickle.loads(pickle.dumps(prof.events()))
    assert [event.name for event in events] == [event.name for event in prof.events()]
    assert copy.deepcopy(prof.key_averages()).table()


def test_rows_of_thousands_of_shapes_add_up() -> None:
    with profile(record_shapes=True) as prof:
        for number in range(1500):
            with record_function("aten::mm", sizes=f"[[{number}]]"), record_function("mine", sizes=f"[[{number}]]"):
                pass
    by_shape = prof.key_averages(group_by_input_shape=True)
    plain = EventList(list(prof.events())).key_averages(group_by_input_shape=True)
    for averages in (by_shape, plain):
        assert len(averages) >= 3000
        rows = {row.key: row for row in averages.key_averages()}
        assert (rows["aten::mm"].is_user_annotation, rows["mine"].is_user_annotation) == (False, True)
        assert copy.copy(rows["mine"]).scope == pickle.loads(pickle.dumps(rows["mine"])).scope == rows["mine"].scope

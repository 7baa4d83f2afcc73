"""Compares what programs see of torch.profiler and libprof: rows, fields, types, exceptions. Each test runs the same code
under both.
"""

# packages: torch==2.13.0+cpu numpy

from __future__ import annotations

import asyncio
import copy
import pickle
import warnings
from pathlib import Path
from typing import Any, List, Tuple

import libprof
import pytest
from libprof import autograd
from libprof._profdump import find_program

torch = pytest.importorskip("torch")
from libprof import _torch_observer  # noqa: E402

BOTH = (torch.profiler, libprof)


@pytest.fixture(autouse=True)
def observer() -> None:
    found, why = _torch_observer.find(torch)
    if found is None:
        pytest.skip(f"the observer cannot be compiled: {why}")


class Square(torch.autograd.Function):  # type: ignore[misc,name-defined]
    @staticmethod
    def forward(ctx: Any, x: Any, times: int) -> Any:
        ctx.save_for_backward(x)
        return x * x * times

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        return 2 * ctx.saved_tensors[0] * gradient, None


def work() -> None:
    x = torch.ones(4, 5, requires_grad=True)
    with torch.profiler.record_function("squares"):
        y = Square.apply(x, 3)
    y.relu().backward(torch.ones(4, 5))
    with torch.no_grad():
        Square.apply(x, 2)


def profiles(**options: Any) -> List[Any]:
    work()
    made = []
    for profiler in BOTH:
        when = profiler.schedule(wait=0, warmup=1, active=2, repeat=1)
        with profiler.profile(schedule=when, **options) as prof:
            for _ in range(3):
                work()
                prof.step()
        made.append(prof)
    return made


def facts(event: Any) -> Tuple[Any, ...]:
    return (
        event.name, event.key, event.trace_name, event.activity_type, event.is_user_annotation, event.scope,
        event.input_shapes, event.input_dtypes, event.sequence_nr >= 0, bool(event.fwd_thread), event.flops,
        event.use_device, event.device_type == torch.autograd.DeviceType.CPU, event.is_async,
    )  # fmt: skip


@pytest.mark.parametrize("options", [{}, {"record_shapes": True}, {"with_flops": True, "record_shapes": True}])
def test_events_have_the_same_fields(options: Any) -> None:
    theirs, ours = ([facts(event) for event in prof.events()] for prof in profiles(**options))
    assert ours == theirs and any(name == "Square" and kind == "cpu_op" for name, _, _, kind, *_ in ours)


def rows_of(table: str) -> List[str]:
    """Titles of columns, and the name in each row."""
    _, titles, rule, *rows = table.splitlines()
    return [*titles.split(), *(row.split()[0] for row in rows[: rows.index(rule)])]


@pytest.mark.parametrize("options", [{}, {"record_shapes": True}, {"with_flops": True}])
def test_tables_have_the_same_rows_in_the_same_order(options: Any) -> None:
    theirs, ours = profiles(**options)
    for by in ({}, {"group_by_input_shape": True}):
        assert [row.key for row in ours.key_averages(**by)] == [row.key for row in theirs.key_averages(**by)]
        for sort in (None, "count", "self_cpu_memory_usage"):
            expected, shown = (rows_of(prof.key_averages(**by).table(sort_by=sort)) for prof in (theirs, ours))
            assert shown == expected and "Square" in shown


def test_memory_that_is_freed_outside_of_ranges_has_rows() -> None:
    def free() -> None:
        one = torch.ones(1000)
        with torch.profiler.record_function("range"):
            other = one + 1
        del one, other

    free()
    rows = []
    for profiler in BOTH:
        with profiler.profile(profile_memory=True) as prof:
            free()
        events = [event for event in prof.events() if event.name == "[memory]"]
        fields = [(one.cpu_memory_usage, one.self_cpu_memory_usage, one.trace_name, one.activity_type) for one in events]
        averages = prof.key_averages()
        (row,) = [one for one in averages if one.key == "[memory]"]
        rows.append((fields, row.count, row.cpu_memory_usage, [one.key for one in averages], "CUDA Mem" in averages.table()))
    assert rows[0] == rows[1] and rows[1][1:3] == (2, -8000) and not rows[1][4]


def test_memory_without_sqlite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with libprof.profile(profile_memory=True) as prof:
        torch.ones(1000)
    program = tmp_path / "profdump"
    program.write_text(f"""#!/bin/sh
[ "$1" != query ] || {{ echo "profdump: query: profdump was built without libsqlite3" >&2; exit 1; }}
exec {find_program("profdump")} "$@"
""")
    program.chmod(0o755)
    monkeypatch.setenv("LIBPROF_BIN", str(tmp_path))
    for rows in (prof.events(), prof.key_averages()):
        names = [row.key for row in rows]
        assert names[0] == "aten::ones" and "[memory]" not in names


def test_types_are_pytorchs_too() -> None:
    util, kind = torch.autograd.profiler_util, torch.autograd.DeviceType
    with libprof.profile() as prof:
        torch.ones(3)
    events, averages = prof.events(), prof.key_averages()
    assert isinstance(events, util.EventList) and isinstance(averages, util.EventList)
    assert isinstance(events[0], util.FunctionEvent) and isinstance(averages[0], util.FunctionEventAvg)
    assert not isinstance(averages[0], util.FunctionEvent) and issubclass(autograd.EventList, util.EventList)
    for one in (events[0], averages[0]):
        assert one.device_type == kind.CPU == one.device_type and one.device_type != kind.CUDA
        assert one.device_type in (kind.CUDA, kind.CPU) and one.device_type == libprof.DeviceType.CPU
        assert libprof.DeviceType.CPU == one.device_type and {one.device_type: 1}[kind.CPU] == 1
    assert util.FunctionEventAvg().add(events[0]).count == 1
    assert "aten::ones" in util.EventList(events).table() and "aten::ones" in util.EventList(averages).table()


@pytest.mark.parametrize("through", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_results_are_copied(through: Any) -> None:
    options: Any = {"record_shapes": True, "profile_memory": True, "with_stack": True}
    with libprof.profile(**options, schedule=lambda step: libprof.ProfilerAction.RECORD) as prof:
        torch.ones(3) + 1
    for one in (prof.events(), prof.key_averages(), prof.events()[0], prof.key_averages()[0], prof.total_average()):
        assert type(through(one)) is type(one)
    again = through(prof)
    assert [row.key for row in again.key_averages()] == [row.key for row in prof.key_averages()]
    assert again.events()[0].device_type == torch.autograd.DeviceType.CPU
    again.stop()
    with libprof.profile() as running, pytest.raises(TypeError, match="while it is running"):
        pickle.dumps(running)


def test_deep_events_are_copied() -> None:
    def even(depth: int) -> Any:
        return odd(depth - 1) if depth else torch.ones(3)

    def odd(depth: int) -> Any:
        return even(depth - 1)

    with libprof.profile(with_stack=True) as prof:
        even(400)
    events = prof.events()
    for again in (pickle.loads(pickle.dumps(events)), copy.deepcopy(events)):
        assert [event.name for event in again] == [event.name for event in events]
        parents = [[event.cpu_parent.id if event.cpu_parent else None for event in listed] for listed in (again, events)]
        assert parents[0] == parents[1]
        assert again[-1].cpu_parent in again and again[-1] in again[-1].cpu_parent.cpu_children


def test_names_of_modules() -> None:
    assert libprof.itt.is_available() and autograd.kineto_available() and libprof.kineto_available()
    assert isinstance(libprof.profile(), libprof._KinetoProfile)
    prof = libprof._KinetoProfile(activities=[libprof.ProfilerActivity.CPU])
    prof.start()
    with libprof.itt.range("a {}", 1):
        assert [libprof.itt.range_push(name) for name in "bc"] == [0, 1]
        libprof.itt.mark("m")
        assert [libprof.itt.range_pop() for _ in range(3)] == [1, 0, -1]
    prof.stop()
    assert [event.name for event in prof.events()] == ["a 1", "b", "c", "m"]


def raised(call: Any) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call()
    except Exception as error:
        return type(error)
    return None


@pytest.mark.parametrize("listed", ["events", "key_averages"])
def test_top_level_rows(listed: str) -> None:
    (prof,) = profiles(profile_memory=True, record_shapes=True)[1:]
    names = rows_of(getattr(prof, listed)().table(top_level_events_only=True))
    assert names.count("ProfilerStep*") == (2 if listed == "events" else 1) and "aten::mul" not in names
    with libprof.profile(profile_memory=True) as prof:
        kept = torch.ones(1000) + 1
        del kept
    text = prof.key_averages().table(top_level_events_only=True)
    assert rows_of(text)[-3:] == ["aten::ones", "[memory]", "aten::add"]
    assert [line.split()[6:8] for line in text.splitlines() if " aten::ones " in line] == [["3.91", "KB"]]


def test_members_are_equal_to_pytorchs() -> None:
    for ours, theirs in (
        (libprof.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CPU),
        (libprof.ProfilerAction.RECORD, torch.profiler.ProfilerAction.RECORD),
        (libprof.DeviceType.CUDA, torch.autograd.DeviceType.CUDA),
    ):
        assert ours == theirs and theirs in {ours} and ours in {ours: 1} and {ours: 1}[theirs] == 1
    assert libprof.ProfilerActivity.CPU != torch.profiler.ProfilerActivity.CUDA
    assert torch.profiler.ProfilerActivity.CPU in libprof.supported_activities()
    assert libprof.ProfilerActivity.CPU != libprof.DeviceType.CPU and libprof.DeviceType.CPU != 0


@pytest.mark.parametrize("row_limit", ["x", 2.5])
def test_limits_are_numbers(row_limit: Any) -> None:
    with libprof.profile() as prof:
        torch.ones(3)
    with pytest.raises(TypeError, match="row_limit must be an integer, -1 for all rows, not "):
        prof.key_averages().table(row_limit=row_limit)
    assert prof.key_averages().table(row_limit=None) == prof.key_averages().table(row_limit=-1)


def test_stop_without_start() -> None:
    for profiler in BOTH:
        with pytest.raises(AssertionError):
            profiler.profile().stop()
    when = libprof.schedule(wait=1, warmup=1, active=1)
    with pytest.warns(RuntimeWarning, match="not running"):
        libprof.profile(schedule=when).stop()
    with libprof.profile() as prof:
        pass
    prof.stop()


@pytest.mark.parametrize("name", ["m.json", "m.foo", "m", "m.gz", "m.raw.json.gz"])
def test_memory_timelines_of_any_name(tmp_path: Path, name: str) -> None:
    begins = []
    for profiler in BOTH:
        with profiler.profile(profile_memory=True, record_shapes=True, with_stack=True) as prof:
            torch.ones(1000) + 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            prof.export_memory_timeline(str(tmp_path / name), device="cpu")
        begins.append((tmp_path / name).read_bytes()[:2])
    assert begins[0] == begins[1]


def test_a_wrong_directory_of_programs_is_found_at_the_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LIBPROF_BIN", str(tmp_path))
    with pytest.raises(libprof.LibraryError, match="LIBPROF_BIN: profdump is not in"):
        libprof.profile().start()
    for text, mode, why in (
        ("", 0o644, "cannot be executed"),
        ("#!/bin/sh\necho hello", 0o755, "is not libprof's"),
        ("#!/bin/sh\necho profdump 9.8.7", 0o755, "is version 9.8.7; this package needs"),
    ):
        directory = tmp_path / str(len(why))
        directory.mkdir()
        (directory / "profdump").write_text(text)
        (directory / "profdump").chmod(mode)
        monkeypatch.setenv("LIBPROF_BIN", str(directory))
        with pytest.raises(libprof.LibraryError, match=why):
            libprof.profile().start()


async def task(name: str) -> None:
    with torch.profiler.record_function(name):
        torch.ones(3)
        await asyncio.sleep(0.002)
        with torch.profiler.record_function("inner"):
            await asyncio.sleep(0.001)
            torch.zeros(3)


async def tasks() -> None:
    await asyncio.gather(task("a"), task("b"))


def test_pytorchs_ranges_in_tasks() -> None:
    with libprof.profile(activities=[libprof.ProfilerActivity.CPU]) as prof:
        asyncio.run(tasks())
    for name in ("a", "b"):
        (event,) = [event for event in prof.events() if event.name == name]
        assert [child.name for child in event.cpu_children] == ["aten::ones", "inner"] and event.is_user_annotation
        assert [child.name for child in event.cpu_children[1].cpu_children] == ["aten::zeros"]
        assert event.activity_type == "user_annotation" and event.cpu_children[1].cpu_time_total >= 900
    assert {row.key: row.count for row in prof.key_averages()}["inner"] == 2


def test_futures_of_ranges_in_tasks() -> None:
    async def main() -> Any:
        future: Any = torch.futures.Future()
        with torch.profiler.record_function("sends") as range:
            same = range._call_end_callbacks_on_future(future)
            await asyncio.sleep(0)
        with pytest.raises(RuntimeError, match="only be called once"):
            range._call_end_callbacks_on_future(future)
        future.set_result(1)
        return same.wait()

    for profiler in BOTH:
        with profiler.profile() as prof:
            assert asyncio.run(main()) == 1
        assert "sends" in {event.name for event in prof.events()}


def test_pytorchs_ranges_are_its_own_without_a_profile() -> None:
    kind = torch.profiler.record_function
    before = dict(vars(kind))

    async def main() -> None:
        one = kind("outlives")
        with libprof.profile():
            assert vars(kind)["__enter__"] is not before["__enter__"]
            with libprof.profile():
                one.__enter__()
            with kind("ends"), one:
                await asyncio.sleep(0)
        one.__exit__(None, None, None)
        with kind("after"):
            await asyncio.sleep(0)

    asyncio.run(main())
    assert dict(vars(kind)) == before


def test_pytorchs_profiler_keeps_its_ranges_in_tasks() -> None:
    with libprof.profile():
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as theirs:
            asyncio.run(tasks())
    assert {row.key: row.count for row in theirs.key_averages()}["inner"] == 2


def test_scripts_still_have_pytorchs_ranges() -> None:
    with libprof.profile():
        pass

    @torch.jit.script
    def scripted(x: torch.Tensor) -> torch.Tensor:
        with torch.autograd.profiler.record_function("in a script"):
            return x + 1

    @torch.compile(backend="eager")
    def compiled(x: torch.Tensor) -> torch.Tensor:
        with torch.profiler.record_function("in a graph"):
            return x + 1

    with libprof.profile() as prof:
        scripted(torch.ones(2))
        assert compiled(torch.ones(2)).sum() == 4
    assert "in a script" in {row.key for row in prof.key_averages()}

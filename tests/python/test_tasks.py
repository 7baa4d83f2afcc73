"""Ranges of asyncio's tasks contain only their own task's events, even if other tasks run meanwhile."""

from __future__ import annotations

import asyncio
import time
from typing import Any, AsyncIterator, Dict, List

import libprof
import pytest
from libprof import _tasks, record_function


def children(prof: libprof.profile) -> Dict[str, List[str]]:
    """By name; for ranges with the same name, all of theirs."""
    found: Dict[str, List[str]] = {}
    for event in prof.events():
        if event.kind == "range":
            found.setdefault(event.name, []).extend(one.name for one in event.cpu_children if one.kind == "range")
            assert all(one.cpu_parent is event for one in event.cpu_children)
    return found


def compute(name: str) -> None:
    with record_function(name):
        sum(range(10_000))


def spin(seconds: float) -> None:
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


async def task(name: str, depth: int = 0) -> None:
    with record_function(name):
        compute(f"{name} begins")
        await asyncio.sleep(0.001)
        async with record_function("same"):
            compute(f"{name} goes on")
            await asyncio.sleep(0)
            compute(f"{name} goes further")
        if depth:
            await asyncio.gather(*(task(f"{name}{number}") for number in range(2)))
        compute(f"{name} ends")


def test_tasks_that_take_turns() -> None:
    async def main() -> None:
        await asyncio.gather(task("a"), task("b"), task("c", depth=1))

    with libprof.profile() as prof:
        with record_function("around"):
            asyncio.run(main())
    found = children(prof)
    assert found["around"] == ["a", "b", "c"]
    for name in ("a", "b", "c0", "c1"):
        assert found[name] == [f"{name} begins", "same", f"{name} ends"]
    assert found["c"] == ["c begins", "same", "c0", "c1", "c ends"]
    assert sorted(found["same"]) == sorted(f"{name} goes {how}" for name in ("a", "b", "c", "c0", "c1") for how in ("on", "further"))
    events = {event.name: event for event in prof.events()}
    assert all(event.self_cpu_time_total >= 0 and not event.is_async for event in prof.events())
    whole = sum(event.self_cpu_time_total for event in prof.events())
    assert whole == pytest.approx(events["around"].cpu_time_total, rel=0.01)
    assert events["a"].self_cpu_time_total < events["a"].cpu_time_total / 2, "it slept"
    rows = {row.key: row for row in prof.key_averages()}
    assert rows["same"].count == 5 and rows["same"].self_cpu_total_ns > 0


def test_generators_and_tasks_that_outlive_a_range() -> None:
    async def numbers() -> AsyncIterator[int]:
        for number in range(2):
            with record_function("numbers"):
                compute("inside")
                await asyncio.sleep(0)
            yield number

    async def main() -> None:
        with record_function("main"):
            async for _ in numbers():
                compute("between")
            later = asyncio.create_task(task("later"))
            await asyncio.sleep(0)
        await later

    with libprof.profile() as prof:
        asyncio.run(main())
    found = children(prof)
    assert found["numbers"] == ["inside"] * 2 and found["later"] == ["later begins", "same", "later ends"]
    assert found["main"] == ["numbers", "between"] * 2


def test_a_range_has_no_time_after_its_end() -> None:
    async def worker() -> None:
        await asyncio.sleep(0)
        spin(0.05)

    async def main() -> None:
        with record_function("main"):
            with record_function("spawn"):
                later = asyncio.create_task(worker())
            await later
            spin(0.01)

    with libprof.profile() as prof:
        asyncio.run(main())
    events = {event.name: event for event in prof.events()}
    assert events["spawn"].self_cpu_time_total <= events["spawn"].cpu_time_total < events["main"].cpu_time_total / 2
    assert events["main"].self_cpu_time_total >= 50_000, "the worker runs in it"


def test_a_profile_that_begins_in_a_task() -> None:
    async def main() -> libprof.profile:
        with libprof.profile() as prof:
            with record_function("sleeps"):
                await asyncio.sleep(0.2)
        return prof

    (event,) = (event for event in asyncio.run(main()).events() if event.name == "sleeps")
    assert event.self_cpu_time_total < event.cpu_time_total / 2


def test_switches_are_logged_for_profiles_alone() -> None:
    run = asyncio.Handle._run

    async def main(name: str) -> None:
        with record_function(name):
            later = asyncio.create_task(task(f"{name} later"))
        await later

    libprof.start()
    try:
        asyncio.run(main("without"))
        assert not _tasks._log and asyncio.Handle._run is run
        with libprof.profile() as outer:
            with libprof.profile() as inner:
                asyncio.run(main("within"))
            assert _tasks._log and asyncio.Handle._run is not run
        assert children(inner) == children(outer) and "within" in children(inner)
        asyncio.run(main("after"))
        assert not _tasks._log and asyncio.Handle._run is run
        lost = libprof.profile()
        lost.start()
        with pytest.warns(RuntimeWarning, match="a running profile was deleted"):
            del lost
        assert asyncio.Handle._run is run
    finally:
        libprof.stop()


def test_functions_stay_between(monkeypatch: pytest.MonkeyPatch) -> None:
    with libprof.profile(with_stack=True) as prof:
        asyncio.run(task("t"))

    def names(event: Any) -> List[str]:
        around = event.cpu_parent
        return [event.name, *(names(around) if around is not None else [])]

    (event,) = (event for event in prof.events() if event.name == "t goes on")
    assert names(event).index("same") < names(event).index("t") and any("compute" in name for name in names(event))

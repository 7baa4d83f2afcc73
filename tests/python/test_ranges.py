"""Ranges are recorded as they were, in whatever order they end and whoever runs in between."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List

import pytest

import libprof
from libprof import record_function


def recorded(prof: libprof.profile) -> Dict[str, Any]:
    return {row.key: row for row in prof.key_averages()}


def nesting(prof: libprof.profile) -> Dict[str, List[str]]:
    """For each name what its calls lie in, the outermost in ''."""
    around: Dict[str, List[str]] = {}
    for event in prof.events():
        around.setdefault(event.name, []).append(event.cpu_parent.name if event.cpu_parent else "")
    return around


def is_whole(prof: libprof.profile) -> bool:
    loss = prof.trace.facts["loss"]
    return not any(
        loss[name] for name in ("unopened", "unclosed", "unknown_ends", "homeless_attrs", "bad_argument")
    )


def test_nest_with_attributes(tmp_path: Path) -> None:
    with libprof.profile() as prof:
        with record_function("outer", "words", bytes=1 << 40, ratio=0.5, shape=[2, 3]) as outer:
            outer.attr("later", True)
            with libprof.range("inner"):
                libprof.attr("big", 1 << 70)
    assert nesting(prof) == {"outer": [""], "inner": ["outer"]} and is_whole(prof)
    prof.export_chrome_trace(str(tmp_path / "attributes.json"))
    text = (tmp_path / "attributes.json").read_text()
    for said in (
        '"bytes":1099511627776',
        '"ratio":0.5',
        '"args":"words"',
        '"shape":"[2, 3]"',
        '"later":1',
        str(1 << 70),
    ):
        assert said in text.replace('": ', '":').replace("[2,3]", "[2, 3]"), said


def test_decorates_every_kind_of_function() -> None:
    @record_function("plain")
    def plain(a: int) -> int:
        """Doc."""
        return a + 1

    @record_function("generator")
    def generator() -> Iterator[int]:
        got = yield 1
        try:
            yield got
        except KeyError:
            yield 7

    @record_function("coroutine")
    async def coroutine() -> int:
        await asyncio.sleep(0)
        return 5

    @record_function("stream")
    async def stream() -> Any:
        yield 1
        yield 2

    async def drain() -> List[int]:
        return [item async for item in stream()]

    with libprof.profile() as prof:
        assert plain(1) == 2 and plain.__doc__ == "Doc."
        run = generator()
        assert [next(run), run.send("x"), run.throw(KeyError)] == [1, "x", 7]
        with record_function("consumer"):
            pass
        run.close()
        assert asyncio.run(coroutine()) == 5 and asyncio.run(drain()) == [1, 2]
    rows = recorded(prof)
    assert [rows[name].count for name in ("plain", "generator", "coroutine", "stream")] == [1, 4, 1, 3]
    assert nesting(prof)["consumer"] == [""] and is_whole(prof)


def test_ends_in_the_wrong_order() -> None:
    with libprof.profile() as prof:
        a, b, c = (record_function(name) for name in "abc")
        a.__enter__()
        b.__enter__()
        c.__enter__()
        a.__exit__(None, None, None)
        with record_function("later"):
            pass
        b.__exit__(None, None, None)
        c.__exit__(None, None, None)
        with record_function("after"):
            pass
    around = nesting(prof)
    assert around == {
        "a": [""],
        "b": ["a", ""],
        "c": ["b", "b", ""],
        "later": ["c"],
        "after": [""],
    } and is_whole(prof)


def test_suspended_generator_keeps_out_of_what_follows() -> None:
    def numbers() -> Iterator[int]:
        with record_function("generator"):
            yield 1
            yield 2

    with libprof.profile() as prof:
        with record_function("outer"):
            run = numbers()
            next(run)
        ended_ns = time.time_ns()
        time.sleep(0.01)
        del run
        gc.collect()
        with record_function("after"):
            pass
    outer = next(event for event in prof.events() if event.name == "outer")
    assert outer.start_ns + outer.duration_ns <= ended_ns + 1_000_000
    assert nesting(prof)["generator"] == ["outer", ""] and nesting(prof)["after"] == [""] and is_whole(prof)


def test_exceptions_end_ranges() -> None:
    with libprof.profile() as prof:
        with pytest.raises(KeyError):
            with record_function("outer"), record_function("inner"):
                raise KeyError
        with record_function("after"):
            pass
    assert nesting(prof) == {"outer": [""], "inner": ["outer"], "after": [""]} and is_whole(prof)


def test_tasks_that_take_turns() -> None:
    async def task(name: str, pause: float) -> None:
        with record_function(name):
            await asyncio.sleep(pause)
            inside(name)

    def inside(name: str) -> None:
        with record_function(name + " work"), record_function(name + " part"):
            pass

    async def main() -> None:
        async with record_function("main"):
            await asyncio.gather(task("short", 0.02), task("long", 0.04))

    with libprof.profile() as prof:
        asyncio.run(main())
    rows = recorded(prof)
    times = [rows[name].cpu_time_total for name in ("short", "long", "main")]
    assert times[0] >= 20000 and times[1] >= 40000 and times == sorted(times)
    assert [rows[name].count for name in ("short", "long", "main")] == [1, 1, 1]
    assert nesting(prof)["short part"] == ["short work"] and is_whole(prof)


def test_one_object_in_two_tasks() -> None:
    shared = record_function("of two tasks")

    async def task(before: float, inside: float) -> None:
        await asyncio.sleep(before)
        async with shared:
            await asyncio.sleep(inside)

    async def main() -> None:
        await asyncio.gather(task(0, 0.3), task(0.1, 0.1))

    with libprof.profile() as prof:
        asyncio.run(main())
    row = recorded(prof)["of two tasks"].row
    assert (
        row["count"] == 2 and row["max_ns"] - row["min_ns"] > 100e6 and is_whole(prof)
    ), "0.3 s and 0.1 s, not 0.2 s twice"


def test_attributes_of_a_coroutine_warn() -> None:
    async def main() -> None:
        async with record_function("x", bytes=1):
            pass

    with libprof.profile():
        with pytest.warns(RuntimeWarning, match="attributes of the range 'x'"):
            asyncio.run(main())


def test_many_threads() -> None:
    shared = record_function("shared")

    def work(index: int) -> None:
        libprof.thread_name(f"worker {index}")
        for _ in range(200):
            with shared, record_function(f"own {index}"):
                pass

    with libprof.profile() as prof:
        threads = [threading.Thread(target=work, args=(index,)) for index in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    rows = recorded(prof)
    assert rows["shared"].count == 1600 and all(rows[f"own {i}"].count == 200 for i in range(8))
    assert {name for i in range(8) for name in nesting(prof)[f"own {i}"]} == {"shared"} and is_whole(prof)


def test_end_on_another_thread() -> None:
    wandering = record_function("wandering")
    with libprof.profile() as prof:
        with record_function("around"):
            wandering.__enter__()
            other = threading.Thread(target=wandering.__exit__, args=(None, None, None))
            other.start()
            other.join()
        with record_function("after"):
            pass
        number = libprof.range_start("free")
        other = threading.Thread(target=libprof.range_end, args=(number,))
        other.start()
        other.join()
    assert nesting(prof)["wandering"] == ["around"] and nesting(prof)["after"] == [""]
    assert recorded(prof)["free"].count == 1 and is_whole(prof)


def test_recording_that_stops_inside() -> None:
    first, second = libprof.profile(), libprof.profile()
    with record_function("before"):
        first.start()
        with record_function("cut"):
            first.stop()
            second.start()
            with record_function("new"):
                pass
        with record_function("next"):
            pass
    second.stop()
    assert {"new", "next"} <= set(recorded(second)) and "before" not in recorded(first)
    assert nesting(second)["next"] == [""] and is_whole(second)


def test_costs_nothing_while_off() -> None:
    assert not libprof.is_recording()
    with record_function("off", bytes=1) as off:
        off.attr("k", 1)
        libprof.mark("off")
        libprof.counter("off", 1)
        assert libprof.range_start("off") == 0
        libprof.range_end(0)


def test_names() -> None:
    names = ["", "é" * 10, "a\0b", "\udc80", "x" * 5000]
    with libprof.profile() as prof:
        for name in names:
            with record_function(name):
                pass
    assert len(prof.events()) == len(names)
    with pytest.raises(TypeError, match="a range's name is a str, not int"):
        record_function(3)  # type: ignore[arg-type]


def test_other_annotations() -> None:
    with libprof.profile(profile_memory=True) as prof:
        with record_function("allocates"):
            pool = libprof.Allocator("pool")
            pool.alloc(0x1000, 3000)
            pool.alloc(0x9000, 96)
            pool.free(0x9000)
            libprof.counter("queue", 3)
            libprof.mark("here")
        libprof.step()
    rows = recorded(prof)
    assert rows["allocates"].self_cpu_memory_usage == 3000 and rows["here"].kind == "mark"
    assert "2.93 KB" in prof.key_averages().table() and "ProfilerStep*" in rows
    with pytest.raises(ValueError):
        pool.alloc(0, -1)


def test_steps_with_numbers_of_ones_own() -> None:
    with libprof.profile() as prof:
        libprof.step(41)
        libprof.step(number=42)
        with pytest.raises(ValueError, match="cannot be negative: -1"):
            libprof.step(-1)
    assert [event.trace_name for event in prof.events()] == ["ProfilerStep#41", "ProfilerStep#42"]

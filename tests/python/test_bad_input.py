"""Profiles used wrongly: sentences, and nothing of libprof's is left on."""

from __future__ import annotations

import asyncio
import gc
import threading
from typing import Any, Generator, List

import pytest

import libprof
from libprof import ProfilerAction, profile, record_function


def names(prof: profile) -> List[str]:
    return [event.name for event in prof.events() if event.kind != "step"]


@pytest.fixture(autouse=True)
def nothing_left_on() -> Generator[None, None, None]:
    yield
    assert not libprof.is_recording()


@pytest.mark.parametrize(
    "keywords, text",
    [
        ({"schedule": 3}, "schedule must be callable, not 3"),
        ({"on_trace_ready": "x"}, "on_trace_ready must be callable, not 'x'"),
        ({"custom_trace_id_callback": b""}, "custom_trace_id_callback must be callable, not b''"),
        ({"activities": libprof.ProfilerActivity.CPU}, "activities must be a list or a set, not <ProfilerActivity.CPU: 0>"),
        ({"record_shape": True}, "unexpected keyword argument 'record_shape'"),
    ],
)
def test_wrong_keywords(keywords: Any, text: str) -> None:
    with pytest.raises(TypeError) as said:
        profile(**keywords)
    assert text in str(said.value)


def test_wrong_numbers_of_steps() -> None:
    with pytest.raises(TypeError, match=r"invalid schedule: wait='1' \(numbers of steps are integers\)"):
        libprof.schedule(wait="1", warmup=1, active=1)  # type: ignore[arg-type]


def test_activities_to_toggle() -> None:
    with profile() as prof, pytest.raises(TypeError, match="activities must be a list or a set"):
        prof.toggle_collection_dynamic(False, libprof.ProfilerActivity.CPU)  # type: ignore[arg-type]


def test_observers_that_are_none() -> None:
    """A start that fails leaves nothing on."""
    with pytest.raises(AttributeError):
        profile(execution_trace_observer=object()).start()


def test_wrong_order() -> None:
    prof = profile()
    for end in (prof.stop, lambda: prof.__exit__(None, None, None)):
        with pytest.raises(AssertionError, match=r"stop\(\) without start\(\)"):
            end()
    prof.stop_trace()
    with prof:
        libprof.mark("first")
        with pytest.raises(libprof.ProfError, match="already running"):
            prof.start()
    with prof:
        libprof.mark("again")
    assert names(prof) == ["again"]
    libprof.stop()


def test_handlers_that_end_their_profile() -> None:
    def ready(prof: profile) -> None:
        with profile():
            libprof.mark("inner")
        prof.stop()
        prof.step()

    with pytest.warns(RuntimeWarning, match="the profile is not running"), profile(on_trace_ready=ready) as prof:
        libprof.mark("outer")
    assert names(prof) == ["outer"]


def test_threads_take_turns() -> None:
    ready: List[int] = []

    def handler(prof: profile) -> None:
        ready.append(prof.step_num)

    prof = profile(schedule=lambda step: ProfilerAction.RECORD_AND_SAVE, on_trace_ready=handler)
    prof.start()
    threads = [threading.Thread(target=lambda: [prof.step() for _ in range(50)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    prof.stop()
    assert prof.step_num == 200 and ready == [*range(1, 201), 200]


def test_ends_on_another_thread() -> None:
    prof = profile()
    prof.start()
    with record_function("work"):
        pass
    thread = threading.Thread(target=prof.stop)
    thread.start()
    thread.join()
    assert names(prof) == ["work"]


def test_dropped_profiles_end() -> None:
    prof = profile()
    prof.start()
    assert libprof.is_recording()
    with pytest.warns(RuntimeWarning, match="a running profile was deleted"):
        del prof
        gc.collect()


def test_generators() -> None:
    def batches() -> Generator[profile, None, None]:
        with profile() as prof:
            yield prof
            yield prof

    for how in ("closed", "dropped"):
        running = batches()
        prof = next(running)
        with record_function(how):
            pass
        if how == "closed":
            running.close()
        del running
        gc.collect()
        assert names(prof) == [how]


def test_tasks() -> None:
    async def work(name: str, seconds: float) -> profile:
        with profile() as prof:
            with record_function(name):
                await asyncio.sleep(seconds)
        return prof

    async def both() -> List[profile]:
        return list(await asyncio.gather(work("long", 0.02), work("short", 0.01)))

    long, short = asyncio.run(both())
    assert "long" in names(long) and names(short) == ["short"]
    with pytest.raises((TypeError, AttributeError), match="asynchronous context manager|__aenter__"):
        asyncio.run(_entered())


async def _entered() -> None:
    async with profile():  # type: ignore[attr-defined]
        pass


ENDING = """
import atexit, sys, threading, libprof

prof = libprof.profile()
prof.start()

class Last:
    def __del__(self):
        with libprof.record_function("last"):
            pass

def late():
    with libprof.profile() as own:
        libprof.mark("late")
    print([event.name for event in own.events()])

def busy():
    while True:
        with libprof.record_function("busy"):
            pass

how = sys.argv[1]
if how == "open":
    libprof.record_function("open").__enter__()
elif how == "del":
    last = Last()
    last.itself = last
elif how == "atexit":
    atexit.register(late)
elif how == "daemon":
    threading.Thread(target=busy, daemon=True).start()
elif how == "exit":
    with libprof.profile():
        sys.exit(3)
print("done")
"""


@pytest.mark.parametrize("how", ["open", "del", "atexit", "daemon", "exit"])
def test_interpreters_that_end(run_python: Any, how: str) -> None:
    done = run_python(ENDING, how, status=3 if how == "exit" else 0)
    assert done.stdout == {"exit": "", "atexit": "done\n['late']\n"}.get(how, "done\n") and done.stderr == ""

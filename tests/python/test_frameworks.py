"""Ranges have their own times where a framework switches between tasks, whatever it replaces in the standard library."""

# packages: greenlet gevent eventlet trio uvloop anyio

from __future__ import annotations

import pytest
from conftest import RunPython

BODY = """
import sys, threading, time, libprof
around, within = {}, {}

def note(times, name, begin):
    times[name] = time.perf_counter() - begin

def check():
    rows = {}
    for event in prof.events():
        if event.name in around:
            rows.setdefault(event.name, []).append(event.time_range)
    assert len(around) > 3 and rows.keys() == around.keys(), (rows, around)
    for name, pieces in rows.items():
        got = (max(p.end for p in pieces) - min(p.start for p in pieces)) / 1e6
        assert within[name] - 1e-5 <= got <= around[name] + 1e-5, (name, within[name], got, around[name])
    loss = prof.trace.facts["loss"]
    assert not any(loss[k] for k in ("unopened", "unclosed", "unknown_ends")), loss

class measured:
    def __init__(self, name): self.name, self.range = name, libprof.record_function(name)
    def __enter__(self):
        self.outer = time.perf_counter()
        self.range.__enter__()
        self.inner = time.perf_counter()
    def __exit__(self, *error):
        note(within, self.name, self.inner)
        self.range.__exit__(*error)
        note(around, self.name, self.outer)
    async def __aenter__(self):
        self.outer = time.perf_counter()
        await self.range.__aenter__()
        self.inner = time.perf_counter()
    async def __aexit__(self, *error):
        note(within, self.name, self.inner)
        await self.range.__aexit__(*error)
        note(around, self.name, self.outer)

def handler(i, sleep):
    with measured(f"request {i}"):
        sleep(0.005)
        with measured(f"query {i}"):
            sleep(0.005 * (i + 1))
"""

GREENLETS = """
prof = libprof.profile(with_stack=bool(int(sys.argv[1])))
with prof:
    {run}
    for thread in [threading.Thread(target=handler, args=(9, time.sleep))]:
        thread.start(); thread.join()
check()
"""

# in turn: the one that began first does not end last
PLAIN = """
def main():
    hub = greenlet.getcurrent()
    tasks = [greenlet.greenlet(lambda i=i: handler(i, lambda s: [hub.switch() for _ in range(int(s * 400))])) for i in range(4)]
    while any(not task.dead for task in tasks):
        for task in tasks:
            if not task.dead: task.switch()
"""


@pytest.mark.parametrize("with_stack", ["0", "1"])
@pytest.mark.parametrize("patched", ["before", "after", "not"])
def test_gevent(run_python: RunPython, patched: str, with_stack: str) -> None:
    pytest.importorskip("gevent")
    patch = "import gevent, gevent.monkey\n" + ("" if patched == "not" else "gevent.monkey.patch_all()\n")
    source = patch + BODY if patched == "before" else "import libprof\n" + patch + BODY
    run = "gevent.joinall([gevent.spawn(handler, i, gevent.sleep) for i in range(4)])"
    run_python(source + GREENLETS.format(run=run), with_stack)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("patched", ["before", "after"])
def test_eventlet(run_python: RunPython, patched: str) -> None:
    pytest.importorskip("eventlet")
    patch = "import eventlet\neventlet.monkey_patch()\n"
    source = patch + BODY if patched == "before" else "import libprof\n" + patch + BODY
    run = "[thread.wait() for thread in [eventlet.spawn(handler, i, eventlet.sleep) for i in range(4)]]"
    run_python(source + GREENLETS.format(run=run), "0")


@pytest.mark.parametrize("with_stack", ["0", "1"])
def test_greenlet(run_python: RunPython, with_stack: str) -> None:
    pytest.importorskip("greenlet")
    run_python("import greenlet\n" + BODY + PLAIN + GREENLETS.format(run="main()"), with_stack)


TASKS = """
async def task(i):
    async with measured(f"request {i}"):
        await sleep(0.005)
        if SYNCHRONOUS:
            with measured(f"query {i}"):
                await sleep(0.005 * (i + 1))
        else:
            async with measured(f"query {i}"):
                await sleep(0.005 * (i + 1))
prof = libprof.profile()
SYNCHRONOUS = int(sys.argv[1])
"""

LOOPS = {
    "asyncio": "import asyncio\nfrom asyncio import sleep\nasync def main(): await asyncio.gather(*map(task, range(4)))\n"
    "with prof: asyncio.run(main())\n",
    "uvloop": "import asyncio, uvloop\nfrom asyncio import sleep\nasync def main(): await asyncio.gather(*map(task, range(4)))\n"
    "with prof: uvloop.run(main())\n",
    "trio": "import trio\nfrom trio import sleep\nasync def main():\n    async with trio.open_nursery() as nursery:\n"
    "        for i in range(4): nursery.start_soon(task, i)\nwith prof: trio.run(main)\n",
    "anyio": "import anyio\nfrom anyio import sleep\nasync def main():\n    async with anyio.create_task_group() as group:\n"
    "        for i in range(4): group.start_soon(task, i)\nwith prof: anyio.run(main)\n",
}


@pytest.mark.parametrize("synchronous", ["0", "1"])
@pytest.mark.parametrize("name", LOOPS)
def test_loops(run_python: RunPython, name: str, synchronous: str) -> None:
    pytest.importorskip(name)
    run_python(BODY + TASKS + LOOPS[name] + "check()\n", synchronous)


def test_one_object_for_all_tasks_of_trio(run_python: RunPython) -> None:
    pytest.importorskip("trio")
    run_python(
        "import libprof, trio\nshared = libprof.record_function('shared')\n"
        "async def task(wait, then):\n    async with shared:\n        then.set()\n        await wait.wait()\n"
        "async def main():\n"
        "    first, second, none = trio.Event(), trio.Event(), trio.Event()\n"
        "    async with trio.open_nursery() as nursery:\n"
        "        nursery.start_soon(task, first, none)\n        await none.wait()\n"
        "        nursery.start_soon(task, second, first)\n        await trio.sleep(0.05)\n        second.set()\n"
        "with libprof.profile() as prof: trio.run(main)\n"
        "a, b = sorted((e.time_range for e in prof.events() if e.name == 'shared'), key=lambda time: time.start)\n"
        "assert a.end < b.end, 'the task that began first ended first'\n"
    )


def test_threads_of_c(run_python: RunPython) -> None:
    """Each callback has a new thread state: what one leaves open is no business of the next."""
    run_python(
        "import ctypes\n" + BODY + "import itertools\nnumbers = itertools.count()\n"
        "@ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)\n"
        "def callback(argument):\n    handler(next(numbers), time.sleep)\n"
        "libc, thread = ctypes.CDLL(None), ctypes.c_ulong()\n"
        "prof = libprof.profile()\nwith prof:\n    for _ in range(3):\n"
        "        assert libc.pthread_create(ctypes.byref(thread), None, callback, None) == 0\n"
        "        libc.pthread_join(thread, None)\n"
        "check()\n"
    )


STACKS = """
import sys, threading, libprof
truth = []
def mark(name):
    frame, names = sys._getframe(), []
    while frame:
        names.append(frame.f_code.co_name)
        frame = frame.f_back
    truth.append((name, names))
    with libprof.record_function("mark " + name): pass
def inner(name, switch):
    for i in range(3):
        mark(name)
        switch()
def work(name, depth, switch):
    return work(name, depth - 1, switch) if depth else inner(name, switch)
def check():
    got = {}
    for event in sorted(prof.events(), key=lambda event: event.time_range.start):
        if event.name.startswith("mark "):
            names = [one.rsplit(": ", 1)[-1].rsplit(".", 1)[-1] for one in event.stack if "built-in" not in one]
            got.setdefault(event.name[5:], []).append(names)
    for name, names in truth:
        said = got[name].pop(0)
        assert said == names[:len(said)] and len(names) - len(said) <= BELOW, (name, names, said)
    assert len(truth) == 3 * len(got)
"""

GREENLET_STACKS = """
def main(names):
    import greenlet
    hub = greenlet.getcurrent()
    tasks = [greenlet.greenlet(lambda n=n: work(n, len(n), hub.switch)) for n in names]
    while any(not task.dead for task in tasks):
        for task in tasks:
            if not task.dead: task.switch()
with libprof.profile(with_stack=True) as prof:
    main(["a", "bbb", "c"])
    thread = threading.Thread(target=main, args=(["dd", "e"],))
    thread.start(); thread.join()
check()
"""


@pytest.mark.parametrize("early", ["import greenlet\n", ""])
def test_stacks_of_greenlets(run_python: RunPython, early: str) -> None:
    """Those that the interpreter has at each mark, also where greenlet is imported while calls are recorded."""
    pytest.importorskip("greenlet")
    run_python(early + "BELOW = 0\n" + STACKS + GREENLET_STACKS)


@pytest.mark.parametrize("library", ["gevent", "eventlet"])
def test_stacks_of_libraries_with_greenlets(run_python: RunPython, library: str) -> None:
    pytest.importorskip(library)
    run_python(
        f"import {library}\nBELOW = 0\n" + STACKS + "with libprof.profile(with_stack=True) as prof:\n"
        f"    tasks = [{library}.spawn(work, n, len(n), lambda: {library}.sleep(0)) for n in ('a', 'bbb', 'c')]\n"
        f"    [getattr(task, 'wait', task.join if hasattr(task, 'join') else None)() for task in tasks]\ncheck()\n"
    )


def test_stacks_do_not_grow_with_the_number_of_greenlets(run_python: RunPython) -> None:
    pytest.importorskip("greenlet")
    source = (
        "import greenlet, sys, libprof\nhub = greenlet.getcurrent()\n"
        "def step(i): return i\n"
        "def handler():\n    for i in range(3):\n        step(i)\n"
        "        with libprof.record_function('request'): pass\n        hub.switch()\n"
        "def main():\n    tasks = [greenlet.greenlet(handler) for _ in range(int(sys.argv[1]))]\n"
        "    for _ in range(4):\n        for task in tasks:\n            if not task.dead: task.switch()\n"
        "with libprof.profile(with_stack=True) as prof: main()\n"
        "print(max(len(event.stack) for event in prof.events()), len(prof.events()))\n"
    )
    (few, few_events), (many, many_events) = (map(int, run_python(source, n).stdout.split()) for n in ("20", "200"))
    assert few == many and many_events < 11 * few_events

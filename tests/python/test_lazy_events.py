"""A recording's events are objects once something reads them, in a list that behaves like any other."""

from __future__ import annotations

import copy
import gc
import itertools
import operator
import pickle
import threading
from pathlib import Path
from typing import Any, Callable, Iterable, List, Set

import pytest

import libprof
from libprof import EventList, profile, record_function
from libprof._build_events import build_events
from libprof._lazy_list import LazyList, Maker
from libprof.events import FunctionEvent

COUNT = 40


def work(number: int) -> None:
    with record_function("outer"), record_function(f"aten::inner{number % 3}", sizes=f"[[{number}]]"):
        sorted(range(10), key=lambda one: -one)


@pytest.fixture(params=[False, True], ids=["", "functions"])
def prof(request: pytest.FixtureRequest) -> profile:
    with profile(with_stack=request.param) as made:
        for number in range(COUNT):
            work(number)
        libprof.step()
    return made


def made(listed: Any) -> int:
    """How many objects exist."""
    return len(listed) if listed.maker is None else sum(one is not None for one in listed.maker._made)


def described(event: FunctionEvent) -> Any:
    around = event.cpu_parent
    links = (around and around.id, [child.id for child in event.cpu_children], len(event.kernels))
    times = (event.time_range.start, event.time_range.end, event.self_cpu_time_total, event.device_time_total)
    details = (event.input_shapes, event.stack, event.attributes, event.is_user_annotation, event.activity_type)
    return (event.id, event.name, event.kind, event.thread, event.count, event.flops, links, times, details)


def test_nothing_is_made_before_it_is_read(prof: profile, tmp_path: Path) -> None:
    events = prof.events()
    assert len(events) > 2 * COUNT and events and made(events) == 0
    prof.key_averages().table()
    events.key_averages()
    events.export_chrome_trace(str(tmp_path / "trace.json"))
    prof.events()
    assert made(events) == 0
    first = events[0]
    assert first is events[0] and first is events[-len(events)] and made(events) == 1
    assert events[2:6] == [events[at] for at in range(2, 6)] and made(events) == 5
    assert type(events) is EventList and type(events[:2]) is list
    next(iter(events))
    assert made(events) < 20
    assert [one.name for one in itertools.islice(events, 3)] and made(events) < 20


def test_links_lead_to_the_elements(prof: profile) -> None:
    events = prof.events()
    inner = next(event for event in events if event.name == "aten::inner2")
    outer = inner.cpu_parent
    while outer is not None and outer.name != "outer":
        outer = outer.cpu_parent
    assert outer is not None and any(outer is event for event in events)
    assert all(child.cpu_parent is event for event in events for child in event.cpu_children)
    assert all(one is other for one, other in zip(events, prof.events()))
    kept = prof.events()[-1]
    del events
    assert kept.time_range is kept.time_range


def test_the_order_of_reading_does_not_matter(prof: profile) -> None:
    recording, functions = prof._cycles[0], prof.with_stack
    forwards = [described(event) for event in build_events(recording, functions)]
    events = build_events(recording, functions)
    backwards = [described(events[at]) for at in reversed(range(len(events)))]
    assert forwards == backwards[::-1] and forwards == [described(event) for event in prof.events()]


CHANGES: List[Callable[[Any], Any]] = [
    lambda listed: listed.append("x"),
    lambda listed: listed.extend(["x", "y"]),
    lambda listed: listed.insert(1, "x"),
    lambda listed: listed.pop(),
    lambda listed: listed.remove(listed[3]),
    lambda listed: listed.clear(),
    lambda listed: listed.reverse(),
    lambda listed: listed.sort(key=lambda event: (event.name, -event.id)),
    lambda listed: operator.setitem(listed, 0, "x"),
    lambda listed: operator.setitem(listed, slice(1, 3), ["x"]),
    lambda listed: operator.delitem(listed, -1),
    lambda listed: operator.iadd(listed, ["x"]) and None,
    lambda listed: operator.imul(listed, 2) and None,
    lambda listed: [listed.append("x") for _ in zip(range(3), listed)],
]
READS: List[Callable[[Any], Any]] = [
    lambda listed: listed[-1],
    lambda listed: listed[1:-1:3],
    lambda listed: listed[::-1],
    lambda listed: listed[10**6:],
    lambda listed: list(reversed(listed)),
    lambda listed: listed[5] in listed and "x" not in listed,
    lambda listed: (listed.index(listed[7]), listed.count(listed[7])),
    lambda listed: listed.copy(),
    lambda listed: listed + ["x"],
    lambda listed: ["x"] + listed,
    lambda listed: listed * 2,
    lambda listed: 2 * listed,
    lambda listed: [*listed, *listed],
    lambda listed: tuple(listed),
    lambda listed: sorted(listed, key=lambda event: -event.id),
    lambda listed: listed == listed[:] and listed[:] == listed and not listed != listed[:],
    lambda listed: [event for event in listed if event.name == "outer"],
]


@pytest.mark.parametrize("number", range(len(CHANGES) + len(READS)))
def test_behaves_like_a_list(prof: profile, number: int) -> None:
    lazy = prof.events()
    plain = list(prof.events())
    operation = [*CHANGES, *READS][number]
    assert operation(lazy) == operation(plain) and lazy == plain and plain == lazy and len(lazy) == len(plain)
    if number < len(CHANGES):
        assert not lazy._is_as_given()
    else:
        assert lazy._is_as_given()


def test_two_lists_that_nothing_has_read_are_equal(prof: profile) -> None:
    assert prof.events() == prof.events() and prof.events() + prof.events() == 2 * list(prof.events())
    with pytest.raises(IndexError):
        prof.events()[10**6]
    with pytest.raises(TypeError):
        prof.events()["x"]  # type: ignore[call-overload]


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies(prof: profile, duplicate: Callable[[Any], Any]) -> None:
    other = duplicate(prof.events())
    assert type(other) is EventList and list(map(described, other)) == list(map(described, prof.events()))


def test_what_programs_set_stays(prof: profile) -> None:
    event = prof.events()[1]
    event.name, event.thread, event.own = "renamed", 7, "x"  # type: ignore[attr-defined]
    event.cpu_children.append(event)
    event.time_range.end = 5.0
    again = prof.events()[1]
    assert (again.name, again.thread, again.cpu_children[-1], again.time_range.end) == ("renamed", 7, event, 5.0)
    assert vars(again)["own"] == "x" and vars(again)["pid"] == again.pid and "stack" not in vars(again)


@pytest.fixture
def named() -> profile:
    """Of a program with many names."""
    with profile() as prof:
        for number in range(300):
            with record_function(f'"row" \\{number:03}é'):
                work(number)
    return prof


def test_tables_make_the_rows_that_they_show(named: profile) -> None:
    averages = named.key_averages()
    plain = EventList([*named.key_averages()], layout=averages._layout)
    assert made(averages) == 0 and len(averages) > 300 and plain.maker is None
    for sort in (None, "self_cpu_time_total", "cpu_time", "count", "name"):
        for rows in (5, 0, -1):
            ours, theirs = (listed.table(sort_by=sort, row_limit=rows) for listed in (averages, plain))
            assert ours.startswith(theirs) and made(averages) <= 25
    averages[3].key, averages[3].self_cpu_total_ns = "changed", 10**12
    assert averages.table(sort_by="self_cpu", row_limit=1).splitlines()[3].split()[0] == "changed"
    assert "changed" in averages.table(row_limit=-1) and "1000." in averages.table(row_limit=0)


def test_averages_are_in_the_order_of_their_first_calls(named: profile) -> None:
    averages = named.key_averages()
    assert [row.key for row in averages if "row" in str(row.key)] == [f'"row" \\{number:03}é' for number in range(300)]
    assert all(row.row["name"] == row.key and row.row["count"] == row.count for row in averages)
    assert averages[0] is averages[0] and averages._is_as_given()
    other = pickle.loads(pickle.dumps(averages))
    assert [vars(row)["cpu_total_ns"] for row in other] == [row.cpu_total_ns for row in averages]


class Numbers(Maker):
    """Makes its indices, as texts, and calls functions once: when it makes the first one, and after it made all at once."""

    def __init__(self, count: int, while_one: Callable[[], Any] = int, while_all: Callable[[], Any] = int) -> None:
        super().__init__([None] * count)
        self._while_one, self._while_all = [while_one], [while_all]
        self.was_enabled: Set[bool] = set()

    def make(self, place: int) -> str:
        self.was_enabled.add(gc.isenabled())
        while self._while_one:
            self._while_one.pop()()
        return str(place)

    def items(self, places: Iterable[int]) -> List[Any]:
        found = super().items(places)
        while self._while_all and len(found) == len(self):
            self._while_all.pop()()
        return found


def test_handlers_may_read_a_list_whose_elements_are_being_made() -> None:
    got: List[str] = []

    def handler(*_: Any) -> None:  # on the thread that makes elements
        got.append(listed[0])

    listed = LazyList.of(Numbers(40, while_one=handler))
    reader = threading.Thread(target=lambda: got.append(listed[0]), daemon=True)
    reader.start()
    reader.join(600)
    assert not reader.is_alive() and got[0] is got[1] is listed[0]


def test_changes_by_other_threads_stay() -> None:
    def change() -> None:
        other = threading.Thread(target=lambda: listed.append("x"))
        other.start()
        other.join()

    listed = LazyList.of(Numbers(3, while_all=change))
    listed.append("y")
    assert list(listed) == ["0", "1", "2", "x", "y"]


def test_lists_count_as_unchanged_while_they_are_completed(prof: profile) -> None:
    seen: List[bool] = []

    class Watched(EventList[FunctionEvent]):
        def __setattr__(self, name: str, value: Any) -> None:
            super().__setattr__(name, value)
            if name == "_maker":
                seen.append(self._is_as_given())

    events = Watched()
    events.make_later(build_events(prof._cycles[0]).maker)  # type: ignore[arg-type]
    events._comes_from(prof._cycles[0])
    events.index(events[-1])
    assert seen == [False, True] and events.maker is None


def test_only_long_reads_pause_the_collector() -> None:
    assert gc.isenabled()
    short, long = Numbers(9000), Numbers(9000)
    assert len(LazyList.of(short)[:100]) == len([*zip(range(1000), LazyList.of(short))]) / 10 == 100
    LazyList.of(long).copy()
    assert (short.was_enabled, long.was_enabled, gc.isenabled()) == ({True}, {False}, True)


DERIVED = ("attributes", "input_dtypes", "structured_input_strides", "concrete_inputs", "overload_name")


@pytest.mark.parametrize("name", DERIVED)
def test_details_that_programs_set_stay(prof: profile, name: str) -> None:
    event = prof.events()[1]
    setattr(event, name, ["x"])
    assert [getattr(event, other) for other in DERIVED].count(["x"]) == 1 and getattr(event, name) == ["x"]

"""Lists of events and of averages: printed, added up, exported."""

from __future__ import annotations

import operator
import sys
from inspect import signature
from typing import Any, Dict, FrozenSet, Iterable, List, NamedTuple, Optional, Tuple, TypeVar, Union, cast

from . import _table, _times, notebook
from ._arrow import ArrowTable
from ._average_rows import AverageRows
from ._collector import collected_later
from ._event_store import EventStore
from ._lazy_list import LazyList
from ._memory_events import KIND as MEMORY_KIND, memory_average
from ._output import replacing
from ._recorded import Fields
from ._recording import ALL_MEMORY, Recording, table_of
from ._source_paths import Shortened
from ._table import Layout
from .averages import FunctionEventAvg, in_order
from .errors import ProfError
from .events import FunctionEvent, flattened, unflattened

STACKS_METRICS = (
    "self_cpu_time_total", "self_cuda_time_total", "self_xpu_time_total", "self_privateuse1_time_total",
)  # fmt: skip
_WITH_FUNCTIONS = ["--kind", "with-python"]
_NAMES_SHOWN = 5


def _row_of(average: FunctionEventAvg) -> Dict[str, Any]:
    """As profdump's JSON has it."""
    return {
        "name": str(average.key),
        "count": average.count,
        "outer_count": average.outer_count,
        "self_cpu_total_ns": average.self_cpu_total_ns,
        "cpu_total_ns": average.cpu_total_ns,
        "self_cuda_total_ns": average.self_cuda_total_ns,
        "cuda_total_ns": average.cuda_total_ns,
    }


class Groups(NamedTuple):
    """What tells rows of averages apart beside the name."""

    shapes: bool = False
    stack_n: int = 0
    overloads: bool = False
    functions: bool = False  # Python functions are rows, too

    def key_of(self, event: Union[FunctionEvent, FunctionEventAvg]) -> Tuple[Any, ...]:
        """The key of the event's row."""
        kind = "range" if event.kind == "step" else event.kind
        shapes = str(event.input_shapes) if self.shapes else ""
        overload = event.overload_name if self.overloads else ""
        return (event.key, kind, event.device_type, shapes, tuple(event.stack[: self.stack_n]), overload)

    def is_inner(self, event: FunctionEvent, key: Tuple[Any, ...]) -> bool:
        """Whether it is inside another event of its row, whose time already includes it."""
        around = event.cpu_parent
        while around is not None and (around.key != event.key or self.key_of(around) != key):
            around = around.cpu_parent
        return around is not None

    def options(self, layout: Layout) -> List[str]:
        """profdump's options for these groups and this layout's columns."""
        wanted = {"shape": self.shapes, f"stack:{self.stack_n}": self.stack_n > 0, "overload": self.overloads}
        parts = ["name", *(part for part, is_wanted in wanted.items() if is_wanted)]
        columns = ["memory"] * layout.memory + ["flops"] * layout.flops
        return [
            *(["--group-by", ",".join(parts)] if len(parts) > 1 else []),
            *(["--columns", ",".join(columns)] if columns else []),
            *(_WITH_FUNCTIONS if self.functions else []),
        ]


def has_rows_of_functions(wanted: Optional[bool]) -> bool:
    """Whether Python functions have rows. None: as in the imported PyTorch (up to 2.13, if functions are events there)."""
    if wanted is not None:
        return wanted
    theirs = sys.modules.get("torch.autograd.profiler_util")
    if not hasattr(theirs, "EventList") or "is_python_function" not in signature(theirs.FunctionEvent.__init__).parameters:
        return False
    return "include_python_functions" not in signature(theirs.EventList.key_averages).parameters


Event = TypeVar("Event", bound=Union[FunctionEvent, FunctionEventAvg])


class Listed(LazyList[Event]):
    """Base of event lists. Unlike classes derived from `list` directly, its subclasses can be given another base."""


class EventList(Listed[Event]):
    """A list of :class:`FunctionEvent` or :class:`FunctionEventAvg`: a recording's, or one that the program built.
    ``EventList[FunctionEvent]``, ``EventList[FunctionEventAvg]``.

    Averages are in the order in which their names first occurred. The table of an unchanged list of a recording ends
    with notes on lost records. After filtering, sorting or combining, percentages and totals cover the listed events.
    """

    def __init__(
        self,
        events: Iterable[Event] = (),
        *,
        layout: Layout = Layout(),
        use_device: Optional[str] = None,
        profile_memory: bool = False,
        with_flops: bool = False,
    ) -> None:
        """torch.profiler's keywords select the columns of the table. Device columns appear only if devices were used."""
        super().__init__(events)
        self._layout = layout._replace(memory=layout.memory or profile_memory, flops=layout.flops or with_flops)
        self._source: Optional[Recording] = None
        self._options: Tuple[str, ...] = ()
        self._given: Tuple[Any, ...] = ()

    def _comes_from(self, recording: Recording, *options: str) -> "EventList[Event]":
        self._source, self._options = recording, options
        self._given = tuple(self) if self.maker is None else ()
        return self

    def _keep(self, made: List[Event]) -> None:
        self._given = tuple(made)

    def _is_as_given(self) -> bool:
        """Whether nothing has changed it."""
        if self.maker is not None:
            return self._source is not None
        given = self._given
        return self._source is not None and len(self) == len(given) and all(map(_is_same, self, given))

    def __reduce_ex__(self, protocol: Any) -> Any:
        """For pickle and copy: omits the recording, whose file is not part of the list. Flattens nested events, since copying
        them would recurse.
        """
        self._make_all()
        state = {**self.__dict__, "_source": None, "_options": (), "_given": ()}
        whole = len(self) and all(isinstance(event, FunctionEvent) for event in self)
        listed = cast(List[Any], self)
        rows = cast(List[Any], flattened(listed)) if whole else [*listed]
        return _restored, (type(self), rows, bool(whole), len(self), state)

    def supported_export_stacks_metrics(self) -> List[str]:
        """What ``export_stacks`` can weigh with."""
        return list(STACKS_METRICS)

    def __repr__(self) -> str:
        kind = type(self[0]).__name__ if self else "events"
        first = ", ".join(repr(event.key) for event in self[:_NAMES_SHOWN])
        more = ", ..." if len(self) > _NAMES_SHOWN else ""
        return f"<libprof.EventList of {len(self)} {kind}{': ' if first else ''}{first}{more}>"

    def __str__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        """In a notebook: averages as a table, other lists as their text."""
        if not self or not self._averaged:
            return notebook.preformatted(self.table(row_limit=notebook.ROWS_MAX))
        return notebook.averages_html([_row_of(average) for average in cast(List[FunctionEventAvg], self)])

    def table(
        self,
        sort_by: Optional[str] = None,
        row_limit: Optional[int] = 100,
        max_src_column_width: Optional[int] = 75,
        max_name_column_width: Optional[int] = 55,
        max_shapes_column_width: Optional[int] = 80,
        header: Optional[str] = None,
        top_level_events_only: bool = False,
        time_unit: Optional[str] = None,
    ) -> str:
        """The table as text; "" of an empty list.

        ``sort_by`` is a column such as ``self_cuda_time_total``, descending; None keeps the list's order. ``row_limit`` -1
        or None shows all rows. Widths limit columns; None means no limit. ``time_unit`` is s, ms, us or ns. Raises
        ValueError for an unknown column or unit, and TypeError if the limit is not an integer.
        """
        _times.check_unit(time_unit)
        row_limit = _limit(row_limit)
        sort = _table.canonical_sort(sort_by) if sort_by is not None else None
        if not self:
            return ""
        layout = self._layout._replace(
            header=header, top_level_events_only=top_level_events_only, time_unit=time_unit,
            name_width=_width(max_name_column_width), shapes_width=_width(max_shapes_column_width),
            stack_width=_width(max_src_column_width),
        )  # fmt: skip
        events: List[Any] = self
        if not self._averaged:
            layout = layout._replace(shapes=any(e.input_shapes for e in events), stack=any(e.stack for e in events))
        if top_level_events_only:
            events = self._top_level()
        if sort is not None:
            events = _table.sort_events(events, sort)
        return _table.table_text(events, row_limit, layout, self) + self._notes()

    def _top_level(self) -> List[Any]:
        """Top-level events. For a recording's averages, adds up the top-level calls again."""
        if not (self._source is not None and self._is_as_given() and self._averaged):
            return [event for event in self if event.cpu_parent is None]
        rows = AverageRows(self._source.rows(*self._options, "--top-level"))
        return in_order([*LazyList[FunctionEventAvg].of(rows), *(row for row in cast(List[FunctionEventAvg], self) if row.kind == MEMORY_KIND)])

    def _notes(self) -> str:
        """Notes on what a recording lost."""
        if self._source is None or not self._is_as_given() or not self._averaged:
            return ""
        return _table.notes_of(table_of(self._source.ask("--rows", "0")))

    @property
    def _averaged(self) -> bool:
        maker = self.maker
        return isinstance(self[0], FunctionEventAvg) if maker is None else not isinstance(maker, EventStore)

    def key_averages(
        self,
        group_by_input_shapes: bool = False,
        group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
        include_python_functions: Optional[bool] = None,
        group_by_input_shape: bool = False,
    ) -> "EventList[FunctionEventAvg]":
        """Its events added up by name, and by input shapes, the innermost `group_by_stack_n` functions, and the name of the
        overload. `include_python_functions`: see :meth:`libprof.profile.key_averages`. Averages keep all their rows.
        """
        shapes, functions = group_by_input_shapes or group_by_input_shape, has_rows_of_functions(include_python_functions)
        by = Groups(shapes, group_by_stack_n, group_by_overload_name, functions)
        is_recording = self._is_as_given() and self._source is not None and not (self and self._averaged)
        if is_recording:
            assert self._source is not None
            return averages_of(self._source, by, self._layout)
        return self._added_up(by)

    def _added_up(self, by: Groups) -> "EventList[FunctionEventAvg]":
        groups: Dict[Tuple[Any, ...], FunctionEventAvg] = {}
        leaves_out = bool(self) and not self._averaged and not by.functions  # averages have no children to ask
        for event in self:
            if event.kind == "python" and leaves_out:
                continue
            key = by.key_of(event)
            average = groups.setdefault(key, FunctionEventAvg())
            if isinstance(event, FunctionEvent):
                average.add_grouped(event, by.is_inner(event, key))
            else:
                average.add(event)
            average.self_cpu_total_ns += _functions_ns(event) if leaves_out else 0
            average.stack, average.overload_name = event.stack[: by.stack_n], event.overload_name if by.overloads else ""
            average.input_shapes = event.input_shapes if by.shapes else []
            average.shape_text = event.shape_text if by.shapes else None
        layout = self._layout._replace(shapes=by.shapes, stack=by.stack_n > 0)
        return EventList(groups.values(), layout=layout)

    def total_average(self) -> FunctionEventAvg:
        """All added up, under the key "Total"."""
        total = FunctionEventAvg()
        for event in self:
            total.add_any(event)
        total.key = "Total"
        return total

    @property
    def self_cpu_time_total(self) -> float:
        """Sum of self times on the CPU, microseconds."""
        return float(sum(event.self_cpu_time_total for event in self))

    def export_chrome_trace(self, path: str) -> None:
        """Writes the recording it comes from as a Chrome trace, packed where the name ends in .gz or .zst."""
        self._recording().export(path, "chrome")

    def export_stacks(self, path: str, metric: str) -> None:
        """Writes folded stacks for flamegraph.pl, weighted with one of the supported metrics, whole microseconds.

        A line is the Python functions around an event, outermost first, and its name. Each line's fraction of a microsecond
        is carried over to the next, so that their sum is exact. Without ``with_stack`` there are none.
        """
        export_stacks(self._recording(), path, metric)

    def _recording(self) -> Recording:
        if self._source is None:
            raise ProfError("cannot export a list that was filtered, sorted or combined: export the profile")
        return self._source


def _restored(kind: type, rows: List[Any], is_flat: bool, count: int, state: Dict[str, Any]) -> Any:
    listed = kind(unflattened(rows)[:count] if is_flat else rows)
    listed.__dict__.update(state)
    return listed


def _limit(row_limit: Optional[int]) -> int:
    """The limit as an integer, -1 for None. TypeError if it is not an integer."""
    if row_limit is None:
        return -1
    try:
        return operator.index(row_limit)
    except TypeError:
        raise TypeError(f"row_limit must be an integer, -1 for all rows, not {row_limit!r}") from None


def _width(limit: Optional[int]) -> int:
    return _table.UNLIMITED if limit is None else limit


def _functions_ns(event: Any) -> int:
    """Self times of the Python functions that it called, without those inside of other ranges and calls."""
    total, inside = 0, list(event.cpu_children)
    while inside:
        child = inside.pop()
        if child.kind == "python":
            total += round(1000 * child.self_cpu_time_total)
            inside += child.cpu_children
    return total


def _is_same(one: object, other: object) -> bool:
    return one is other


def export_stacks(recording: Recording, path: str, metric: str) -> None:
    """See :meth:`EventList.export_stacks`."""
    if metric not in STACKS_METRICS:
        raise ValueError(f"metric should be one of: {list(STACKS_METRICS)}")
    if metric in STACKS_METRICS[2:]:
        raise ValueError(f"no such devices for {metric}: only CUDA devices are recorded")
    sums = _sums_by_stack(recording, on_device=metric == STACKS_METRICS[1])
    lines, rest_ns, shortened = [], 0, Shortened()
    for (stack, name), ns in sorted(item for item in sums.items() if item[0][0]):
        us, rest_ns = divmod(ns + rest_ns, 1000)
        frames = [name, *shortened.stack(stack, ";")]
        if us > 0:
            lines.append(f"{';'.join(frame.translate(_UNFOLDED) for frame in reversed(frames))} {us}\n")
    with replacing(path, recording.paths) as file:
        file.write("".join(lines).encode())


_UNFOLDED = str.maketrans(" ;\t\n", "____")  # as torch.profiler replaces what separates


def _sums_by_stack(recording: Recording, on_device: bool) -> Dict[Tuple[str, str], int]:
    """Nanoseconds by stack and name: events' own time, or that of what they launched."""
    events = recording.table(ArrowTable.EVENTS)
    sums: Dict[Tuple[str, str], int] = {}
    stacks = [stack or "" for stack in events.get("stack", ())]
    rows = zip(stacks, events.get("name", ()), events.get("self_ns", ()))
    if on_device:
        kernels = recording.table(ArrowTable.KERNELS)
        by = (stacks[event] if event is not None else "" for event in kernels.get("event", ()))
        rows = zip(by, kernels.get("name", ()), kernels.get("duration_ns", ()))
    for stack, name, ns in rows:
        sums[stack, name] = sums.get((stack, name), 0) + (ns or 0)
    return sums


def averages_of(recording: Recording, by: Groups, layout: Layout) -> "EventList[FunctionEventAvg]":
    """A recording's averages, computed by profdump."""
    if by.functions and not recording.rows().facts.get("python_calls"):
        by = by._replace(functions=False)
    options = by.options(layout)
    rows = recording.rows(*options)
    find = lambda: annotations_of(recording)  # one function for all rows: those that are added up keep it once
    more: Fields = {"find_annotations": lambda place: find}
    known = recording.known_memory if layout.memory else ALL_MEMORY
    with collected_later():
        maker = AverageRows(rows, more, known, memory_average(recording))
    has_device = bool(rows.facts["timed_by_events"]) or maker.has_device
    more["use_device"] = lambda place: "cuda" if has_device else recording.use_device
    layout = layout._replace(shapes=by.shapes, stack=by.stack_n > 0, device=has_device)
    averages: EventList[FunctionEventAvg] = EventList(layout=layout)
    averages.make_later(maker)
    return averages._comes_from(recording, *options)


def annotations_of(recording: Recording) -> FrozenSet[str]:
    """Keys of ranges that the program named."""
    return cast(FrozenSet[str], recording.once("annotations", lambda: EventStore(recording).annotations()))


__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg"]

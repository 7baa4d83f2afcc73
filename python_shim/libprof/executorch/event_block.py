"""Event blocks of the Inspector: runs of the same events, iteration by iteration."""

from __future__ import annotations

import base64
import dataclasses
import logging
import math
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from .etrecord import DelegateMetadata, Handles, OperatorNode
from .event import (
    RESERVED_FRAMEWORK_EVENT_NAMES,
    DelegateMetadataParser,
    DelegateTimeScaleConverter,
    Event,
    Time,
    unwrapped_end,
)
from .parse_profiler_results import MemEvent
from .perf import PerfData
from .signatures import DebugEventSignature, EventSignature, ProfileEventSignature, RunSignature
from .tables import frame
from .time_scale import TimeScale
from .values import ProgramOutput, same_value, value_from

log = logging.getLogger(__name__)

Said = Dict[str, Any]
"""A part of profdump's JSON."""


@dataclasses.dataclass
class EventBlock:
    """Runs with the same events: a pattern of execution. A branch that is taken in some runs makes a block of
    its own.

    ``name``                 of the runs
    ``events``               put together by instruction, in the order in which each was first seen
    ``bundled_input_index``  the bundled input that they ran on; None: none
    ``run_output``           outputs of the whole run, the same in all of them
    ``reference_output``     what they should be, where an ETRecord says so
    ``memory``               bytes that each allocator handed out in the first iteration
    ``allocations``          by iteration, each allocation: (allocator, bytes)
    """

    name: str
    events: List[Event] = dataclasses.field(default_factory=list)
    source_time_scale: TimeScale = TimeScale.NS
    target_time_scale: TimeScale = TimeScale.MS
    bundled_input_index: Optional[int] = None
    run_output: Optional[ProgramOutput] = None
    reference_output: Optional[Sequence[Any]] = None
    memory: List[MemEvent] = dataclasses.field(default_factory=list)
    allocations: List[List[Tuple[str, int]]] = dataclasses.field(default_factory=list)

    @property
    def signature(self) -> RunSignature:
        """What its runs have in common."""
        events = tuple(event.signature for event in self.events if event.signature is not None)
        return RunSignature(self.name, events, self.bundled_input_index)

    def units(self, include_units: bool) -> str:
        """What is added to the names of columns that are times."""
        return f" ({self.target_time_scale.value})" if include_units else ""

    def rows(
        self, include_units: bool = False, include_delegate_debug_data: bool = False
    ) -> List[Dict[str, Any]]:
        """Of each event a value for each column; columns of delegates differ from event to event."""
        rows = []
        for event in self.events:
            row = {"event_block_name": self.name, **event.row(self.units(include_units))}
            if include_delegate_debug_data:
                row.update(_delegate_columns(event))
            rows.append(row)
        return rows

    def to_dataframe(self, include_units: bool = False, include_delegate_debug_data: bool = False) -> Any:
        """A pandas data frame, an event a line.

        A line OPERATOR_CALL is the operator before it and what the framework added to it. ``include_units``
        names the unit in the headers of times; ``include_delegate_debug_data`` adds a column of metadata of
        delegates, or those that the parser made.
        """
        return frame_of(self.rows(include_units, include_delegate_debug_data), self.units(include_units))

    def _gen_resolve_debug_handles(
        self, handle_map: Mapping[str, Handles], delegate_map: Optional[Mapping[str, DelegateMetadata]] = None
    ) -> None:
        """Tells each event its debug handles. Keys of both maps match as a whole, as numbers or as texts."""
        for event in self.events:
            instruction = str(event._instruction_id)
            if event._instruction_id is None or event.name in RESERVED_FRAMEWORK_EVENT_NAMES:
                continue
            if instruction in handle_map:
                _resolve(event, handle_map[instruction], (delegate_map or {}).get(instruction))


def frame_of(rows: Sequence[Mapping[str, Any]], units: str) -> Any:
    """A data frame of rows that need not have the same columns; without rows, it has those of every event."""
    columns = columns_of(rows, units)
    return frame(columns, [[row.get(column) for column in columns] for row in rows])


def columns_of(rows: Sequence[Mapping[str, Any]], units: str) -> List[str]:
    """All columns, in the order in which they come."""
    columns = dict.fromkeys(["event_block_name", *Event(name="").row(units)])
    for row in rows:
        columns.update(dict.fromkeys(row))
    return list(columns)


def _delegate_columns(event: Event) -> Dict[str, Any]:
    metadata = event.delegate_debug_metadatas
    if isinstance(metadata, dict):
        return metadata
    if not isinstance(metadata, list):
        raise ValueError(f"Unexpected type for delegate_debug_metadata: {type(metadata)}")
    return {"delegate_debug_metadata": metadata} if metadata else {}


# ---- debug handles ----


def _resolve(event: Event, handles: Handles, delegate: Optional[DelegateMetadata]) -> None:
    identifier = event.delegate_debug_identifier
    if delegate is not None and (identifier is not None or event.name == "DELEGATE_CALL"):
        event.delegate_backend_name = delegate.get("name", "")
    if identifier is None:
        event.debug_handles = handles
    elif delegate is None:
        event.debug_handles = handles
        log.warning(" No delegate mapping found for delegate with instruction id %s", event._instruction_id)
    else:
        parts = {str(key): value for key, value in (delegate.get("delegate_map") or {}).items()}
        event.debug_handles = parts.get(str(identifier))


# ---- from profdump's JSON ----


@dataclasses.dataclass(frozen=True)
class BlockOptions:
    """How event blocks are made."""

    source_time_scale: TimeScale = TimeScale.NS
    target_time_scale: TimeScale = TimeScale.MS
    debug_buffer: Optional[bytes] = None
    parser: Optional[DelegateMetadataParser] = None
    converter: Optional[DelegateTimeScaleConverter] = None


Key = Tuple[int, int, Optional[Union[int, str]]]


def _key(said: Said) -> Key:
    return said["instruction"], said["chain"], said["delegate"]


def _values_by_instruction(run: Said) -> Dict[Key, List[Said]]:
    by_key: Dict[Key, List[Said]] = {}
    for value in run["values"]:
        if not value["output"]:
            by_key.setdefault(_key(value), []).append(value)
    return by_key


def _same_in_all(what: str, iterations: Sequence[Sequence[Said]], buffer: Optional[bytes]) -> ProgramOutput:
    """Values of the first iteration that has some. :class:`AssertionError` where a later one has others."""
    first: ProgramOutput = []
    for number, said in enumerate(iterations):
        values = [value_from(value, buffer) for value in said]
        if not first:
            first = values
        elif values and (
            len(values) != len(first) or not all(same_value(a, b) for a, b in zip(first, values))
        ):
            raise AssertionError(
                f"{what}: iteration {number + 1} logged other values than the ones before it"
            )
    return first


def _identifiers(delegate: Optional[Union[int, str]]) -> Tuple[Optional[int], Optional[str]]:
    return (delegate, None) if isinstance(delegate, int) else (None, delegate)


def _signature(said: Said, values: Sequence[Said]) -> EventSignature:
    instruction = None if said["instruction"] == -1 else said["instruction"]
    number, text = _identifiers(said["delegate"])
    timed = None if said["is_value"] else ProfileEventSignature(said["name"], instruction, number, text)
    logged = DebugEventSignature(values[0]["name"], instruction, number, text) if values else None
    return EventSignature(said["instruction"], timed, logged)


def _delegate_times(name: str, said: Said, options: BlockOptions) -> Tuple[List[Time], List[Time]]:
    """Starts and durations of a part of a delegate: of its own clock, whose ticks only the converter
    understands."""

    def converted(ticks: int) -> Time:
        return ticks if options.converter is None else options.converter(name, ticks)

    starts: List[Time] = []
    durations: List[Time] = []
    for start, end in zip(said["start_ticks"], said["end_ticks"]):
        starts.append(converted(start))
        ended = math.nan if end is None else converted(unwrapped_end(start, end))
        durations.append(float(ended - converted(start)))
    return starts, durations


def _times(name: str, said: Said, options: BlockOptions) -> Tuple[List[Time], List[Time]]:
    if said["delegate"] is not None:
        return _delegate_times(name, said, options)
    for start, end in zip(said["start_ticks"], said["end_ticks"]):
        if end is not None:
            unwrapped_end(start, end)
    return said["start_times"], [math.nan if value is None else float(value) for value in said["durations"]]


def _metadatas(said: Said) -> List[bytes]:
    return [base64.b64decode(text) if text else b"" for text in said.get("delegate_metadatas", [])]


def _event(said: Said, values: Sequence[Sequence[Said]], options: BlockOptions) -> Event:
    """`values`: by iteration, those of its instruction."""
    delegate = said["delegate"]
    name = said["name"] if delegate is None else str(delegate)
    event = Event(
        name=name,
        delegate_debug_identifier=delegate,
        is_delegated_op=delegate is not None,
        debug_data=_same_in_all(f"event {name!r}", values, options.debug_buffer),
        _delegate_debug_metadatas=_metadatas(said),
        _instruction_id=said["instruction"],
        _delegate_metadata_parser=options.parser,
        _delegate_time_scale_converter=options.converter,
        signature=_signature(said, next((logged for logged in values if logged), [])),
    )
    if not said["is_value"]:
        event._start_time, durations = _times(name, said, options)
        event.perf_data = PerfData(durations)
    return event


def _event_block(said: Said, options: BlockOptions) -> EventBlock:
    runs = said["runs"]
    logged = [_values_by_instruction(run) for run in runs]
    outputs = [[value for value in run["values"] if value["output"]] for run in runs]
    return EventBlock(
        name=said["name"],
        events=[
            _event(event, [by_key.get(_key(event), []) for by_key in logged], options)
            for event in said["events"]
        ],
        source_time_scale=options.source_time_scale,
        target_time_scale=options.target_time_scale,
        bundled_input_index=None if said["bundled_input"] == -1 else said["bundled_input"],
        run_output=_same_in_all(f"block {said['name']!r}", outputs, options.debug_buffer),
        memory=[MemEvent(memory["allocator"], memory["first_bytes"]) for memory in said["memory"]],
        allocations=[[(each["allocator"], each["bytes"]) for each in run["allocations"]] for run in runs],
    )


def event_blocks(answer: Said, options: BlockOptions) -> List[EventBlock]:
    """The blocks of profdump's answer."""
    return [_event_block(said, options) for said in answer["blocks"]]


def associate(blocks: Sequence[EventBlock], nodes: Mapping[int, OperatorNode]) -> None:
    """Tells all events which operators of the model they are."""
    for block in blocks:
        for event in block.events:
            event._associate_with_op_graph_nodes(nodes)

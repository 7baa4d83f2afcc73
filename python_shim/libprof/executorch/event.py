"""An event of the Inspector: one operator, or one part of a delegate, over the iterations of its block."""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

from .etrecord import OperatorNode, handle_list
from .perf import PerfData
from .signatures import EventSignature
from .tables import frame
from .values import ProgramOutput

RESERVED_FRAMEWORK_EVENT_NAMES = ("Method::init", "Program::load_method", "Method::execute")
"""What the runtime does itself. It says instruction 0 though it is at none."""

COUNTER_TOP = 2**32 - 1

Time = Union[int, float]
DelegateMetadataParser = Callable[[List[bytes]], Dict[str, Any]]
"""Of the metadata of all iterations, empty where an iteration has none, makes columns."""

DelegateTimeScaleConverter = Callable[[Union[int, str], Time], Time]
"""Of an event's name and a time of the delegate's clock, makes the time in the target's unit."""


def unwrapped_end(start_time: int, end_time: int) -> int:
    """The end of a counter of 32 bits that began anew once, if it did. :class:`ValueError` when it cannot
    have been."""
    if end_time >= start_time:
        return end_time
    if start_time > COUNTER_TOP:
        raise ValueError(
            f"Expected start_time ({start_time}) and end_time ({end_time}) to be less than {COUNTER_TOP} "
            "for cases where there is wrap-around of time values."
        )
    return end_time + COUNTER_TOP + 1


def _shortened(texts: List[str]) -> Union[List[str], str]:
    if len(texts) < 5:
        return texts
    return f"['{texts[0]}', '{texts[1]}' ... '{texts[-1]}'] ({len(texts)} total)"


@dataclasses.dataclass
class Event:
    """An operator, a part of a delegate, or something that the runtime does.

    ``name``                       as recorded; of a part of a delegate, its identifier
    ``perf_data``                  durations in the block's target unit, and statistics; None: only a value
                                   was logged
    ``op_types``                   operators of the model that it is
    ``delegate_debug_identifier``  which part of a delegate it is; None: of none
    ``debug_handles``              the compiler's numbers for these operators
    ``stack_traces``               by operator, where in the model's source it is
    ``module_hierarchy``           by operator, the modules around it: {key: (path, class)}
    ``delegate_backend_name``      the delegate that ran it
    ``debug_data``                 values that were logged
    """

    name: str
    perf_data: Optional[PerfData] = None
    op_types: List[str] = dataclasses.field(default_factory=list)
    delegate_debug_identifier: Optional[Union[int, str]] = None
    debug_handles: Optional[Union[int, Sequence[int]]] = None
    stack_traces: Dict[str, str] = dataclasses.field(default_factory=dict)
    module_hierarchy: Dict[str, Dict[str, Any]] = dataclasses.field(default_factory=dict)
    is_delegated_op: Optional[bool] = None
    delegate_backend_name: Optional[str] = None
    _delegate_debug_metadatas: List[bytes] = dataclasses.field(default_factory=list)
    debug_data: ProgramOutput = dataclasses.field(default_factory=list)
    _instruction_id: Optional[int] = None
    _delegate_metadata_parser: Optional[DelegateMetadataParser] = None
    _delegate_time_scale_converter: Optional[DelegateTimeScaleConverter] = None
    _start_time: Optional[List[Time]] = None
    signature: Optional[EventSignature] = None

    @cached_property
    def delegate_debug_metadatas(self) -> Union[List[bytes], Dict[str, Any]]:
        """What the parser made of the delegate's metadata; without a parser, the metadata. The parser runs
        once."""
        metadatas, parser = self._delegate_debug_metadatas, self._delegate_metadata_parser
        return parser(metadatas) if self.is_delegated_op and parser and metadatas else metadatas

    @property
    def raw_delegate_debug_metadatas(self) -> List[bytes]:
        """Metadata of the delegate, by iteration; an empty list when no iteration has any."""
        return self._delegate_debug_metadatas

    @property
    def start_time(self) -> Optional[List[Time]]:
        """When each iteration began, in the unit of the durations."""
        return self._start_time

    @staticmethod
    def _calculate_elapsed_time(start_time: int, end_time: int) -> int:
        return unwrapped_end(start_time, end_time) - start_time

    def row(self, _units: str = "") -> Dict[str, Any]:
        """A value for each column of the data frame; ``_units`` is added to the names of those that are
        times."""
        perf = self.perf_data
        return {
            "event_name": self.name,
            "raw": perf.raw if perf else None,
            **{
                key + _units: getattr(perf, key) if perf else None
                for key in ("p10", "p50", "p90", "avg", "min", "max")
            },
            "op_types": _shortened(self.op_types),
            "delegate_debug_identifier": self.delegate_debug_identifier,
            "stack_traces": self.stack_traces,
            "module_hierarchy": self.module_hierarchy,
            "is_delegated_op": self.is_delegated_op,
            "delegate_backend_name": self.delegate_backend_name,
            "debug_data": self.debug_data,
            "start_time": self._start_time,
        }

    def asdict(self, _units: str = "") -> Dict[str, Any]:
        """As :meth:`row`, with lists of one for what is a list or a dictionary itself, as a data frame is
        made of."""
        boxed = ("raw", "op_types", "stack_traces", "module_hierarchy", "debug_data", "start_time")
        return {key: [value] if key in boxed else value for key, value in self.row(_units).items()}

    def to_dataframe(self, _units: str = "") -> Any:
        """A pandas data frame of one line."""
        row = self.row(_units)
        return frame(list(row), [list(row.values())])

    def _associate_with_op_graph_nodes(self, debug_handle_to_op_node_map: Mapping[int, OperatorNode]) -> None:
        """Takes over what is known of the operators that it is."""
        if self.name in RESERVED_FRAMEWORK_EVENT_NAMES:
            return
        for handle in handle_list(self.debug_handles):
            node = debug_handle_to_op_node_map.get(handle)
            if node is None or node.metadata is None:
                continue
            self.stack_traces[node.name] = node.metadata.get("stack_trace", "")
            self.module_hierarchy[node.name] = node.metadata.get("nn_module_stack") or {}
            if node.op:
                self.op_types.append(node.op)

"""The Inspector: what an ETDump says of a model's runs.

    from libprof.executorch import Inspector

    inspector = Inspector(etdump_path="etdump.etdp")
    inspector.print_data_tabular()
    for block in inspector.event_blocks:
        for event in block.events:
            print(event.name, event.perf_data.p50 if event.perf_data else None)

The interface is that of ExecuTorch's Inspector; it is ``profdump`` that decodes the file and puts events
together, so neither ``flatc`` nor torch nor pandas is needed (pandas for :meth:`Inspector.to_dataframe`). Any
other file with profiling blocks can be inspected as well: prof buffers, and traces of libprof's own.
"""

from __future__ import annotations

import io
import math
import os
import re
import sys
from typing import IO, Any, Dict, List, Mapping, Optional, Sequence, Union

from .._output import replacing
from ._answer import Source, ask, warn
from .compare import compare_dumps, compare_results, distance_key
from .etrecord import DelegateMetadata, ETRecord, OperatorNode, by_instruction, parse_etrecord
from .event import DelegateMetadataParser, DelegateTimeScaleConverter, Event
from .event_block import BlockOptions, EventBlock, associate, columns_of, event_blocks, frame_of
from .perf import PerfData
from .signatures import (
    DebugEventSignature,
    EventSignature,
    InstructionEventSignature,
    ProfileEventSignature,
    RunSignature,
)
from .tables import fancy_grid, frame
from .time_scale import TimeScale, calculate_time_scale_factor

__all__ = [
    "DebugEventSignature",
    "DelegateMetadata",
    "ETRecord",
    "Event",
    "EventBlock",
    "EventSignature",
    "Inspector",
    "InstructionEventSignature",
    "OperatorNode",
    "PerfData",
    "ProfileEventSignature",
    "RunSignature",
    "TimeScale",
    "calculate_time_scale_factor",
    "compare_results",
    "parse_etrecord",
]

Path = Union[str, "os.PathLike[str]"]

EXCLUDED_COLUMNS_WHEN_PRINTING = (
    "raw",
    "delegate_debug_identifier",
    "stack_traces",
    "module_hierarchy",
    "debug_data",
)
GAP_COLUMNS = (
    "event_block_name",
    "iteration",
    "event_name",
    "runtime_debug_handle",
    "output",
    "elements",
    "gap",
    "problem",
)
OPERATOR_CALL = "OPERATOR_CALL"


class Inspector:
    """An ETDump, opened. ``event_blocks`` are its blocks, in the order in which they first appeared.

    ``etdump_path``, ``etdump_data``   the file, or what is in it: exactly one of the two
    ``etrecord``                       what is known of the model: an ETRecord, or its file's path
    ``source_time_scale``              what a tick of the file is
    ``target_time_scale``              the unit of all times that come out
    ``debug_buffer_path``              the file with the elements of logged tensors
    ``delegate_metadata_parser``       makes columns of a delegate's metadata; called once for an event
    ``delegate_time_scale_converter``  makes times of a delegate's clock; without it they stay its ticks
    ``enable_module_hierarchy``        print_data_tabular() and save_data_to_tsv() have the column

    Raises :class:`ValueError`, :class:`TypeError` or :class:`RuntimeError` for arguments that do not go
    together, :class:`~libprof.ProfdumpError` for a file that cannot be read, and :class:`AssertionError` when
    iterations of one block logged different values. Any thread.
    """

    def __init__(
        self,
        etdump_path: Optional[Path] = None,
        etdump_data: Optional[bytes] = None,
        etrecord: Optional[Union[ETRecord, Path]] = None,
        source_time_scale: TimeScale = TimeScale.NS,
        target_time_scale: TimeScale = TimeScale.MS,
        debug_buffer_path: Optional[Path] = None,
        delegate_metadata_parser: Optional[DelegateMetadataParser] = None,
        delegate_time_scale_converter: Optional[DelegateTimeScaleConverter] = None,
        enable_module_hierarchy: bool = False,
    ) -> None:
        if (etdump_path is None) == (etdump_data is None):
            raise ValueError("Expecting exactly one of etdump_path or etdump_data to be specified.")
        calculate_time_scale_factor(source_time_scale, target_time_scale)
        self._source: Source = etdump_path if etdump_path is not None else etdump_data or b""
        self._source_time_scale = source_time_scale
        self._target_time_scale = target_time_scale
        self._debug_buffer_path = None if debug_buffer_path is None else os.fspath(debug_buffer_path)
        self._enable_module_hierarchy = enable_module_hierarchy
        self._etrecord = _etrecord_of(etrecord)
        options = BlockOptions(
            source_time_scale,
            target_time_scale,
            self._debug_buffer(),
            delegate_metadata_parser,
            delegate_time_scale_converter,
        )
        self.event_blocks: List[EventBlock] = event_blocks(self._answer(), options)
        if self._etrecord is not None:
            _consume_etrecord(self.event_blocks, self._etrecord)

    def _debug_buffer(self) -> Optional[bytes]:
        if self._debug_buffer_path is None:
            return None
        with open(self._debug_buffer_path, "rb") as file:
            return file.read()

    def _answer(self) -> Any:
        scales = ["--source-time-scale", self._source_time_scale.value]
        scales += ["--target-time-scale", self._target_time_scale.value]
        answer = ask(self._source, *scales, "--wrap32")
        if self._debug_buffer_path is None and _has_tensors(answer):
            warn("the ETDump logged tensors, but no debug_buffer_path was given: their elements are unknown")
        return answer

    # ---- tables ----

    def _rows(self, include_units: bool, include_delegate_debug_data: bool) -> List[Dict[str, Any]]:
        return [
            row
            for block in self.event_blocks
            for row in block.rows(include_units, include_delegate_debug_data)
        ]

    def _units(self, include_units: bool) -> str:
        return f" ({self._target_time_scale.value})" if include_units else ""

    def to_dataframe(self, include_units: bool = True, include_delegate_debug_data: bool = False) -> Any:
        """All events of all blocks as a pandas data frame: see :meth:`EventBlock.to_dataframe`. Needs
        pandas."""
        return frame_of(self._rows(include_units, include_delegate_debug_data), self._units(include_units))

    def print_data_tabular(
        self,
        file: Optional[IO[str]] = None,
        include_units: bool = True,
        include_delegate_debug_data: bool = False,
    ) -> None:
        """Prints the events as a grid, to `file`, standard output if None.

        Left out are OPERATOR_CALL and columns that need much room: raw, delegate_debug_identifier,
        stack_traces, module_hierarchy (unless it was enabled) and debug_data.
        """
        rows = self._rows(include_units, include_delegate_debug_data)
        excluded = set(EXCLUDED_COLUMNS_WHEN_PRINTING)
        if self._enable_module_hierarchy:
            excluded.discard("module_hierarchy")
        columns = [c for c in columns_of(rows, self._units(include_units)) if c not in excluded]
        shown = [
            [number, *(row.get(column) for column in columns)]
            for number, row in enumerate(rows)
            if row["event_name"] != OPERATOR_CALL
        ]
        print(fancy_grid(["", *columns], shown), file=file or sys.stdout)

    def save_data_to_tsv(
        self,
        file: Union[Path, IO[str]],
        include_units: bool = True,
        include_delegate_debug_data: bool = False,
    ) -> None:
        """Writes all events with all columns, the index first, separated by tabs; `file` is a path or a
        stream."""
        if isinstance(file, (str, os.PathLike)):
            inputs = [] if isinstance(self._source, (bytes, bytearray, memoryview)) else [self._source]
            with replacing(file, inputs) as raw, io.TextIOWrapper(raw, "utf-8") as stream:
                self.save_data_to_tsv(stream, include_units, include_delegate_debug_data)
            return
        rows = self._rows(include_units, include_delegate_debug_data)
        columns = columns_of(rows, self._units(include_units))
        file.write("\t".join(["", *columns]) + "\n")
        for number, row in enumerate(rows):
            file.write("\t".join([str(number), *(_cell(row.get(column)) for column in columns)]) + "\n")

    # ---- questions ----

    def find_total_for_module(self, module_name: str) -> float:
        """Mean time of all events of a module and the modules in it, in the target's unit; 0 without an
        ETRecord.

        ``module_name`` is the key of a module ("L__self___conv1") or its path or a part of that
        ("block.conv1"), which matches as a whole: conv1 is not conv10. Each event counts once, OPERATOR_CALL
        does not.
        """
        events = (
            event for block in self.event_blocks for event in block.events if event.name != OPERATOR_CALL
        )
        means = [e.perf_data.avg for e in events if e.perf_data is not None and _is_of_module(e, module_name)]
        return sum((mean for mean in means if not math.isnan(mean)), 0.0)

    def get_exported_program(self, graph: Optional[str] = None) -> Any:
        """The edge program of the ETRecord, or one of its ``graph_map``; None with a warning without an
        ETRecord.

        An ETRecord that was read from a file has no programs: to load one is to run what it says.
        """
        if self._etrecord is None:
            warn("an exported program can only be had with a valid etrecord")
            return None
        if graph is None:
            return self._etrecord.edge_dialect_program
        return (self._etrecord.graph_map or {}).get(graph)

    def calculate_numeric_gap(
        self,
        distance: str = "MSE",
        *,
        reference: Union["Inspector", Source],
        reference_debug_buffer: Optional[Path] = None,
    ) -> Any:
        """How far the logged values are from those of another run, as a pandas data frame. Needs pandas.

        ``distance`` is MSE, L1, SNR or COSINE (see :mod:`.compare`); the reference is another Inspector, or
        an ETDump with its debug buffer. Columns: event_block_name, iteration, event_name,
        runtime_debug_handle (where an ETRecord knows), output, elements, gap, and problem, which says why a
        gap is not known. Raises :class:`ValueError` for an unknown distance.
        """
        return frame(GAP_COLUMNS, self._gaps(distance, reference, reference_debug_buffer))

    def _gaps(
        self, distance: str, reference: Union["Inspector", Source], reference_debug_buffer: Optional[Path]
    ) -> List[List[Any]]:
        key = distance_key(distance)
        if isinstance(reference, Inspector):
            source, buffer = reference._source, reference._debug_buffer_path
        else:
            source = reference
            buffer = None if reference_debug_buffer is None else os.fspath(reference_debug_buffer)
        handles = by_instruction(_handle_map(self._etrecord), _is_handles)
        return [
            [
                row["block"],
                row["iteration"],
                row["name"],
                handles.get(str(row["instruction"])),
                row["output"],
                row["elements"],
                row.get(key),
                row.get("problem"),
            ]
            for row in compare_dumps(source, buffer, self._source, self._debug_buffer_path)
        ]


# ---- ETRecord ----


def _etrecord_of(etrecord: Optional[Union[ETRecord, Path]]) -> Optional[ETRecord]:
    if etrecord is None or isinstance(etrecord, ETRecord):
        return etrecord
    if isinstance(etrecord, (str, os.PathLike)):
        return parse_etrecord(etrecord)
    raise TypeError(f"Unsupported ETRecord type: {type(etrecord)}")


def _is_handles(entry: Any) -> bool:
    return not isinstance(entry, Mapping)


def _is_delegate(entry: Any) -> bool:
    return isinstance(entry, Mapping) and "delegate_map" in entry


def _handle_map(etrecord: Optional[ETRecord]) -> Optional[Mapping[Any, Any]]:
    return None if etrecord is None else etrecord._debug_handle_map


def _consume_etrecord(blocks: Sequence[EventBlock], etrecord: ETRecord) -> None:
    handles = by_instruction(etrecord._debug_handle_map, _is_handles)
    delegates = by_instruction(etrecord._delegate_map, _is_delegate)
    for block in blocks:
        block._gen_resolve_debug_handles(handles, delegates)
        outputs = (etrecord._reference_outputs or {}).get("forward", [])
        if block.bundled_input_index is not None and block.bundled_input_index < len(outputs):
            block.reference_output = outputs[block.bundled_input_index]
    associate(blocks, etrecord.op_nodes)


# ---- small things ----


def _has_tensors(answer: Any) -> bool:
    return any("tensors" in v for block in answer["blocks"] for run in block["runs"] for v in run["values"])


def _cell(value: Any) -> str:
    """As pandas writes it: nothing for None, and quotes around what has a tab, a quote or a newline in it."""
    text = "" if value is None else str(value)
    return '"' + text.replace('"', '""') + '"' if re.search('[\t"\r\n]', text) else text


def _has_parts(path: str, wanted: Sequence[str]) -> bool:
    parts = [part for part in re.split(r"\W+", path) if part]
    return any(parts[i : i + len(wanted)] == list(wanted) for i in range(len(parts) - len(wanted) + 1))


def _is_of_module(event: Event, module_name: str) -> bool:
    wanted = [part for part in re.split(r"\W+", module_name) if part]
    for stack in event.module_hierarchy.values():
        for key, module in stack.items():
            path = module[0] if isinstance(module, (tuple, list)) and module else ""
            if key == module_name or (wanted and (_has_parts(key, wanted) or _has_parts(str(path), wanted))):
                return True
    return False

"""What a trace file holds, as the judge sees it: slices of threads, operations of devices, marks, allocations.

Times are integer nanoseconds. A reader fills a Trace; finish() finds what was open when each slice began and when each
operation was launched. The rules, which docs/ and profdump(1) state:

- What a thread has open at an instant is everything that has begun by then and ends later, the earliest begin outermost;
  of slices that begin together the longer is outside, of equal ones a range is outside of a call, else the first of the
  file. A slice without length contains nothing. So a slice that crosses the end of another is inside it for a while and
  outside it afterwards.
- An operation belongs to the call with its correlation id. Without a call, it belongs to the operator that it names by
  External id. A device's row belongs to the process whose calls launched what is on it; if several processes have an
  id, the call of that process counts.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Dict, Hashable, List, Optional, Tuple

SlicesById = Dict[Optional[int], List["Slice"]]


@dataclass
class Slice:
    """A range or a call of a thread. A range that was begun and ended by number is apart: it nests in nothing."""

    kind: str  # range or cuda_api
    name: str
    process: int
    thread: Hashable
    start: int
    end: int
    correlation: Optional[int] = None
    external: Optional[int] = None
    apart: bool = False
    around: Tuple["Slice", ...] = ()  # what was open when it began, outermost first


@dataclass
class Operation:
    """Work of a device. process is None until finish() where the file does not tell."""

    kind: str  # kernel, memcpy, memset or graph
    name: str
    process: Optional[int]
    device: int
    start: int
    end: int
    size: Optional[int] = None
    correlation: Optional[int] = None
    external: Optional[int] = None
    row: Hashable = None  # where the file draws it
    launch: Optional[Slice] = None
    around: Tuple[Slice, ...] = ()  # its launch, outermost first, to the innermost range

    @property
    def ranges(self) -> List[Slice]:
        return [each for each in self.around if each.kind == "range"]


@dataclass
class Allocation:
    """A change of memory; total is what the allocator said was in use after it, where it did."""

    process: int
    thread: Hashable  # None: the file does not say
    device: int  # -1: the host's
    address: int
    size: int  # negative: freed
    time: int
    total: Optional[int] = None


@dataclass
class Trace:
    slices: List[Slice] = field(default_factory=list)
    operations: List[Operation] = field(default_factory=list)
    marks: List[Tuple[str, int, int]] = field(default_factory=list)  # name, process, time
    memory: List[Allocation] = field(default_factory=list)
    instants: List[Tuple[Hashable, int]] = field(default_factory=list)  # other events: process or row of a device, time

    def threads(self) -> Dict[Tuple[int, Hashable], List[Slice]]:
        """Slices that nest, by thread, as they begin."""
        found: Dict[Tuple[int, Hashable], List[Slice]] = defaultdict(list)
        for each in self.slices:
            if not each.apart:
                found[each.process, each.thread].append(each)
        for slices in found.values():
            slices.sort(key=lambda each: (each.start, -each.end, each.kind != "range"))
        return found

    def finish(self) -> "Trace":
        for slices in self.threads().values():
            _nest(slices)
        _correlate(self)
        return self


def _nest(slices: List[Slice]) -> None:
    """Of slices as they begin: what is open then."""
    open_now: List[Slice] = []
    for each in slices:
        open_now = [other for other in open_now if other.end > each.start]
        each.around = tuple(open_now)
        open_now.append(each)


def _correlate(trace: Trace) -> None:
    calls: SlicesById = defaultdict(list)
    operators: SlicesById = defaultdict(list)
    for each in trace.slices:
        by_id, number = (calls, each.correlation) if each.kind == "cuda_api" else (operators, each.external)
        if number:
            by_id[number].append(each)
    owners: Dict[Hashable, int] = {}
    for _ in range(2):  # ids of one process tell whose a row is, and this whose an id of several is
        for operation in trace.operations:
            _launch(operation, calls, operators, owners)
            if operation.launch is not None:
                owners.setdefault(operation.row, operation.launch.process)
    processes = dict.fromkeys([*(each.process for each in trace.slices), *(process for _, process, _ in trace.marks),
                               *(each.process for each in trace.memory)])
    first = next(iter(processes), 0)
    for operation in trace.operations:
        if operation.process is None:
            operation.process = operation.launch.process if operation.launch else owners.get(operation.row, first)
    trace.instants = [(owners.get(row, row if row in processes else first), time) for row, time in trace.instants]


def _launch(operation: Operation, calls: SlicesById, operators: SlicesById, owners: Dict[Hashable, int]) -> None:
    call = _of_process(calls[operation.correlation], operation, owners)
    operator = _of_process(operators[operation.external], operation, owners)
    if call is not None:
        operation.launch, operation.around = call, call.around
        while operation.around and operation.around[-1].kind != "range":
            operation.around = operation.around[:-1]
    elif operator is not None and not calls[operation.correlation]:
        operation.launch, operation.around = operator, operator.around + (operator,)


def _of_process(slices: List[Slice], operation: Operation, owners: Dict[Hashable, int]) -> Optional[Slice]:
    """Of the slices with an id, which several processes may have, the one of the operation's process."""
    if operation.process is None and len(slices) == 1:
        return slices[0]
    process = owners.get(operation.row) if operation.process is None else operation.process
    return next((each for each in slices if each.process == process), None)

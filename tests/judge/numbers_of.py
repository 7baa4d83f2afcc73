"""The judge's numbers of a trace, computed from its slices and operations by the definitions of profdump(1), "The table".

Each is found by its plainest definition rather than the fastest way. A name's total CPU time, for instance, is the time
during which a call of that name was open on a thread, which is the sum of its outermost calls.
"""

from __future__ import annotations

import bisect
import itertools
from collections import defaultdict
from fractions import Fraction
from typing import Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Sequence, Tuple, Union

from timeline import Allocation, Operation, Slice, Trace


class Root(NamedTuple):
    """A number that is known by its square."""

    square: Fraction


class Key(NamedTuple):
    """What a number is of: ("calls", "kernel void f(float*)")."""

    number: str
    subject: str


UNKNOWN = object()  # what profdump does not say, by its manual
HALF = Fraction(1, 2) + Fraction(1, 10**6)  # a half may have been rounded either way

Number = Union[int, Fraction, Root]
Numbers = Dict[Key, Number]
Span = Tuple[int, int]


def agree(ours: Any, judges: Any) -> bool:
    """Whole numbers are equal. Of others ours is the nearest whole number, or the same to ten digits."""
    if ours is UNKNOWN and judges is not None:
        return True
    if ours is None or judges is None:
        return False
    if isinstance(judges, int):
        return bool(ours == judges)
    error = HALF if isinstance(ours, int) else abs(Fraction(ours)) / 10**10
    if isinstance(judges, Root):
        return max(ours - error, Fraction(0)) ** 2 <= judges.square <= (ours + error) ** 2
    return bool(abs(ours - judges) <= error)


def row_name(name: str) -> str:
    return "ProfilerStep*" if name.startswith("ProfilerStep#") else name or "(unnamed)"


def numbers_of(trace: Trace) -> Numbers:
    found: Numbers = {}
    for part in (_counts, _cpu_times, _device_times, _durations, _cold_calls, _projections, _bytes, _totals, _devices,
                 _temporal, _launchers, _kernels, _copies, _memory, _memory_of_ranges):
        part(trace, found)
    return found


def _add(found: Numbers, number: str, subject: str, value: Number) -> None:
    found[Key(number, subject)] = found.get(Key(number, subject), 0) + value  # type: ignore[operator]


def _subject(each: Union[Slice, Operation]) -> str:
    return f"{each.kind} {row_name(each.name)}"


def _union(spans: Iterable[Span]) -> int:
    """The time that the spans cover, each nanosecond once."""
    covered, until = 0, None
    for start, end in sorted(spans):
        begin = start if until is None else max(start, until)
        if end > begin:
            covered += end - begin
            until = end
    return covered


def _outer(each: Slice) -> bool:
    """Not inside a call of the same row."""
    return not any(_subject(other) == _subject(each) for other in each.around)


def _counts(trace: Trace, found: Numbers) -> None:
    for each in [*trace.slices, *trace.operations]:
        _add(found, "events", each.kind, 1)
        _add(found, "calls", _subject(each), 1)
    for each in trace.slices:
        _add(found, "outer calls", _subject(each), int(_outer(each)))
    for operation in trace.operations:
        _add(found, "outer calls", _subject(operation), 1)
    for name, _, _ in trace.marks:
        _add(found, "events", "mark", 1)
        _add(found, "calls", f"mark {name}", 1)


def _cpu_times(trace: Trace, found: Numbers) -> None:
    for each in [*trace.slices, *trace.operations]:  # also where there is no time
        apart = isinstance(each, Slice) and each.apart
        _add(found, "cpu total", _subject(each), each.end - each.start if apart else 0)
        _add(found, "cpu self", _subject(each), 0)
    for slices in trace.threads().values():
        by_row: Dict[str, List[Span]] = defaultdict(list)
        for each in slices:
            by_row[_subject(each)].append((each.start, each.end))
        for subject, spans in by_row.items():
            _add(found, "cpu total", subject, _union(spans))
        _self_times(slices, found)


def _self_times(slices: Sequence[Slice], found: Numbers) -> None:
    """Between any two instants at which something begins or ends: the time is the innermost open slice's."""
    instants = sorted({time for each in slices for time in (each.start, each.end)})
    open_now: List[Slice] = []
    following = 0
    for start, end in zip(instants, instants[1:]):
        while following < len(slices) and slices[following].start <= start:
            open_now.append(slices[following])
            following += 1
        open_now = [each for each in open_now if each.end > start]
        if open_now:
            _add(found, "cpu self", _subject(open_now[-1]), end - start)


def _device_times(trace: Trace, found: Numbers) -> None:
    for each in trace.slices:
        _add(found, "device total", _subject(each), 0)
        _add(found, "device self", _subject(each), 0)
    for operation in trace.operations:
        duration = operation.end - operation.start
        for subject in {_subject(each) for each in operation.ranges} | {_subject(operation)}:
            _add(found, "device total", subject, duration)
        _add(found, "device self", _subject(operation), duration)
        if operation.ranges:
            _add(found, "device self", _subject(operation.ranges[-1]), duration)
        for each in trace.slices:
            if each.apart and operation.launch is not None and _began_within(operation.launch, each):
                _add(found, "device total", _subject(each), duration)


def _began_within(call: Slice, around: Slice) -> bool:
    return (call.process, call.thread) == (around.process, around.thread) and around.start <= call.start < around.end


def _percentile(ordered: Sequence[int], percent: int) -> Fraction:
    """Linear between the two closest ranks, as numpy's default."""
    rank = Fraction(percent * (len(ordered) - 1), 100)
    low = int(rank)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (rank - low)


def _deviation(subject: str, durations: Sequence[int]) -> Numbers:
    """Of a sample; one duration has none."""
    if len(durations) < 2:
        return {}
    mean = Fraction(sum(durations), len(durations))
    squares = sum(((each - mean) ** 2 for each in durations), Fraction(0))
    return {Key("deviation", subject): Root(squares / (len(durations) - 1))}


def _durations(trace: Trace, found: Numbers) -> None:
    by_row: Dict[str, List[int]] = defaultdict(list)
    for each in [*trace.slices, *trace.operations]:
        by_row[_subject(each)].append(each.end - each.start)
    for subject, durations in by_row.items():
        durations.sort()
        mean = Fraction(sum(durations), len(durations))
        found[Key("least", subject)] = durations[0]
        found[Key("most", subject)] = durations[-1]
        found[Key("mean", subject)] = mean
        found.update(_deviation(subject, durations))
        for percent in (10, 50, 90, 99):
            found[Key(f"p{percent}", subject)] = _percentile(durations, percent)


def _cold_calls(trace: Trace, found: Numbers) -> None:
    """The first call of a row in each process; of several that begin at once the longest."""
    by_row: Dict[str, Dict[int, List[Union[Slice, Operation]]]] = defaultdict(lambda: defaultdict(list))
    for each in [*trace.slices, *trace.operations]:
        by_row[_subject(each)][each.process or 0].append(each)
    for subject, processes in by_row.items():
        found[Key("cold calls", subject)] = len(processes)
        cold = [min(calls, key=lambda each: (each.start, -each.end)) for calls in processes.values()]
        warm = sum(len(calls) for calls in processes.values()) - len(cold)
        cold_ns = sum(each.end - each.start for each in cold)
        all_ns = sum(each.end - each.start for calls in processes.values() for each in calls)
        found[Key("cold mean", subject)] = Fraction(cold_ns, len(cold))
        found[Key("warm mean", subject)] = Fraction(all_ns - cold_ns, warm) if warm else 0


def _projections(trace: Trace, found: Numbers) -> None:
    """From the start of the first operation within a range to the end of the last; of outermost calls."""
    within: Dict[int, Tuple[Slice, int, int]] = {}
    for operation in trace.operations:
        for each in operation.ranges:
            _, start, end = within.get(id(each), (each, operation.start, operation.end))
            within[id(each)] = each, min(start, operation.start), max(end, operation.end)
    for each, start, end in within.values():
        if _outer(each):
            _add(found, "projected calls", _subject(each), 1)
            _add(found, "projected", _subject(each), end - start)


def _bytes(trace: Trace, found: Numbers) -> None:
    """What copies moved, by direction, and what sets set."""
    for operation in trace.operations:
        if operation.kind in ("memcpy", "memset"):
            _add(found, "bytes", _subject(operation), operation.size or 0)


def _totals(trace: Trace, found: Numbers) -> None:
    found[Key("cpu self", "all")] = 0
    for key, value in list(found.items()):
        if key.number == "cpu self":
            _add(found, "cpu self", "all", value)
    found[Key("device self", "all")] = sum(each.end - each.start for each in trace.operations)
    found[Key("device time outside ranges", "all")] = sum(
        each.end - each.start for each in trace.operations if each.launch is not None and not each.ranges)
    for process, (start, end) in _windows(trace).items():
        found[Key("window", f"process {process}")] = end - start


def _windows(trace: Trace) -> Dict[int, Span]:
    """From the first to the last event of each process."""
    instants: Dict[int, List[int]] = defaultdict(list)
    for each in [*trace.slices, *trace.operations]:
        instants[each.process or 0] += [each.start, each.end]
    for _, process, time in trace.marks:
        instants[process].append(time)
    for process, time in trace.instants:
        instants[process].append(time)
    return {process: (min(times), max(times)) for process, times in instants.items()}


def _by_device(trace: Trace) -> Dict[Tuple[int, int], List[Operation]]:
    found: Dict[Tuple[int, int], List[Operation]] = defaultdict(list)
    for operation in trace.operations:
        found[operation.process or 0, operation.device].append(operation)
    return found


def _spans(operations: Iterable[Operation]) -> List[Span]:
    return [(each.start, each.end) for each in operations]


def _devices(trace: Trace, found: Numbers) -> None:
    """Busy is the union of what ran, whatever the stream; busy and idle time are the window."""
    windows = _windows(trace)
    for (process, device), operations in _by_device(trace).items():
        subject = f"device {device} of {process}"
        start, end = windows[process]
        total, busy = sum(each.end - each.start for each in operations), _union(_spans(operations))
        for number, value in (("operations", len(operations)), ("device time", total), ("busy", busy),
                              ("overlap", total - busy), ("idle", end - start - busy), ("window", end - start)):
            found[Key(number, subject)] = value


def _temporal(trace: Trace, found: Numbers) -> None:
    """Each nanosecond between a device's first and last operation once: computing, else communicating, else moving."""
    windows = _windows(trace)
    for (process, device), operations in _by_device(trace).items():
        subject = f"device {device} of {process}"
        start, end = min(each.start for each in operations), max(each.end for each in operations)
        compute = [each for each in operations if each.kind in ("kernel", "graph") and not _communicates(each)]
        kernels = [each for each in operations if each.kind in ("kernel", "graph")]
        busy, computing, either = _union(_spans(operations)), _union(_spans(compute)), _union(_spans(kernels))
        for number, value in (("before", start - windows[process][0]), ("after", windows[process][1] - end),
                              ("span", end - start), ("idle in span", end - start - busy), ("computing", computing),
                              ("communicating", either - computing), ("moving memory", busy - either)):
            found[Key(number, subject)] = value


def _communicates(operation: Operation) -> bool:
    return operation.name.startswith("nccl")


def _launchers(trace: Trace, found: Numbers) -> None:
    """How many operations of a name were launched inside of which ranges, and for how long they ran."""
    for operation in trace.operations:
        path = [row_name(each.name) for each in operation.around] + [operation.name]
        _add(found, "launched within", " > ".join(path), 1)
        _add(found, "device time launched within", " > ".join(path), operation.end - operation.start)


def _kernels(trace: Trace, found: Numbers) -> None:
    """By device and name, with the calls that launched them, but for graphs, and how long after a call they started."""
    by_name: Dict[str, List[Operation]] = defaultdict(list)
    for each in trace.operations:
        by_name[f"{each.name} on device {each.device} of {each.process}"].append(each)
    for subject, operations in by_name.items():
        durations = [each.end - each.start for each in operations]
        mean = Fraction(sum(durations), len(durations))
        for number, value in (("operations", len(durations)), ("device time", sum(durations)), ("mean", mean),
                              ("shortest", min(durations)), ("longest", max(durations))):
            found[Key(number, subject)] = value
        found.update(_deviation(subject, durations))
        launched = [(each, each.launch) for each in operations
                    if each.launch and each.launch.kind == "cuda_api" and "GraphLaunch" not in each.launch.name]
        found[Key("operations with a call", subject)] = len(launched)
        if launched:
            calls = sum(call.end - call.start for _, call in launched)
            delays = sum(max(0, each.start - call.end) for each, call in launched)
            found[Key("mean call", subject)] = Fraction(calls, len(launched))
            found[Key("mean delay", subject)] = Fraction(delays, len(launched))


def _copies(trace: Trace, found: Numbers) -> None:
    for each in trace.operations:
        if each.kind in ("memcpy", "memset"):
            subject = f"{each.name} on device {each.device} of {each.process}"
            _add(found, "copies", subject, 1)
            _add(found, "copied", subject, each.size or 0)
            _add(found, "copying", subject, each.end - each.start)


def _memory(trace: Trace, found: Numbers) -> None:
    heaps: Dict[str, List[Allocation]] = defaultdict(list)
    for each in sorted(trace.memory, key=lambda each: each.time):
        heaps[f"memory of device {each.device} of {each.process}"].append(each)
    for subject, changes in heaps.items():
        _heap(changes, lambda number, value, subject=subject: found.__setitem__(Key(number, subject), value))


def _before(changes: Sequence[Allocation]) -> List[int]:
    """What is freed but was not allocated here was allocated before, and so was what the first total has beyond that;
    where there are no addresses, blocks of a size stand for one another."""
    blocks: Dict[Tuple[int, int], int] = defaultdict(int)  # how many are allocated, by address and size
    before: List[int] = []
    for each in changes:
        block = each.address, abs(each.size)
        if each.size > 0:
            blocks[block] += 1
        elif blocks[block]:
            blocks[block] -= 1
        else:
            before.append(-each.size)
    if changes[0].total is not None and changes[0].total - changes[0].size > sum(before):
        before.append(changes[0].total - changes[0].size - sum(before))
    return before


def _in_use(changes: Sequence[Allocation], before: Sequence[int]) -> List[int]:
    """Before the first change and after each."""
    return list(itertools.accumulate((each.size for each in changes), initial=sum(before)))


def _heap(changes: Sequence[Allocation], put: Callable[[str, int], None]) -> None:
    before = _before(changes)
    in_use = _in_use(changes, before)
    allocated = before + [each.size for each in changes if each.size > 0]
    freed = [-each.size for each in changes if each.size < 0]
    for number, value in (("allocations", len(allocated)), ("frees", len(freed)), ("allocated", sum(allocated)),
                          ("freed", sum(freed)), ("live", len(allocated) - len(freed)), ("live bytes", in_use[-1]),
                          ("peak", max(in_use))):
        put(number, value)


def _memory_of_ranges(trace: Trace, found: Numbers) -> None:
    """What each range allocated and freed on its thread, and the most that was in use meanwhile, whoever allocated it."""
    if any(each.thread is None for each in trace.memory):
        return
    for change, around in _ranges_around(trace):
        side = _side(change)
        for name in {row_name(each.name) for each in around}:
            for number, value in (("allocations", change.size > 0), ("frees", change.size < 0),
                                  ("allocated", max(change.size, 0)), ("freed", max(-change.size, 0)),
                                  ("net", change.size), ("self net", 0)):
                _add(found, number, f"{side} memory of range {name}", int(value))
        if around:
            _add(found, "self net", f"{side} memory of range {row_name(around[-1].name)}", change.size)
    for process, side in {(each.process, _side(each)) for each in trace.memory}:
        _peaks_within(trace, process, side, found)


def _ranges_around(trace: Trace) -> Iterator[Tuple[Allocation, List[Slice]]]:
    """Each change of memory with the ranges that were open on its thread, outermost first."""
    threads = trace.threads()
    by_thread: Dict[Any, List[Allocation]] = defaultdict(list)
    for change in trace.memory:
        by_thread[change.process, change.thread].append(change)
    for thread, changes in by_thread.items():
        ranges = [each for each in threads.get(thread, []) if each.kind == "range"]
        open_now: List[Slice] = []
        for change in sorted(changes, key=lambda each: each.time):
            while ranges and ranges[0].start <= change.time:
                open_now = [each for each in open_now if each.end > ranges[0].start] + [ranges.pop(0)]
            open_now = [each for each in open_now if each.end > change.time]
            yield change, open_now


def _side(change: Allocation) -> str:
    return "cpu" if change.device < 0 else "cuda"


def _peaks_within(trace: Trace, process: int, side: str, found: Numbers) -> None:
    """Of ranges that changed something."""
    changes = sorted((each for each in trace.memory if each.process == process and _side(each) == side),
                     key=lambda each: each.time)
    before = [size for device in {each.device for each in changes}
              for size in _before([each for each in changes if each.device == device])]
    in_use, times = _in_use(changes, before), [each.time for each in changes]
    for each in trace.slices:
        subject = f"{side} memory of range {row_name(each.name)}"
        if each.kind == "range" and each.process == process and Key("net", subject) in found:
            most = max(in_use[bisect.bisect_left(times, each.start):bisect.bisect_left(times, each.end) + 1])
            key = Key("peak", subject)
            found[key] = max(most, found.get(key, 0))  # type: ignore[type-var]

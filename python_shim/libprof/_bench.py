"""``libprof.bench()``: how long one call of a function takes on the device, from CUPTI's records.

    result = libprof.bench(step, batch)
    print(result)                       # a table of at most 80 columns
    result.device.median_ns, result.device.low_ns, result.device.high_ns

libprof.so calls the function in recorded ranges and clears the L2 cache between them (``prof/bench.h``); ``profdump bench`` does the
arithmetic, or says why there are no numbers, which is a :class:`BenchError`. See docs/bench.md.
"""

from __future__ import annotations

import copy
import ctypes
import itertools
import json
import os
import re
import threading
import time
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import _native, recorder
from ._answers import FOUND, INCONCLUSIVE
from ._bench_graph import captured
from ._profdump import answer_of_profdump, check_program, run_profdump
from .errors import BenchError

Window = Tuple[int, int]
_BUSY = _native.BUSY
_UNITS = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}
_names: Dict[str, int] = {}
_lock = threading.Lock()  # of _names


class BenchTime(NamedTuple):
    """A time of one call in nanoseconds, over all calls. ``low_ns`` to ``high_ns`` is the 95 % interval of the median, and
    ``relative_error`` half of that over the median, a fraction of 1; None where there are too few calls."""

    median_ns: float
    mean_ns: float
    p10_ns: float
    p90_ns: float
    min_ns: float
    max_ns: float
    low_ns: Optional[float]
    high_ns: Optional[float]
    relative_error: Optional[float]


class BenchOperation(NamedTuple):
    """One operation of a call. ``kind`` is kernel, copy, set or graph; times are medians in nanoseconds; ``share`` is a fraction of 1.
    ``gap_ns`` is the time before it in which none ran, None of the first. None also is what is unknown, or no kernel has."""

    kind: str
    name: str
    time_ns: float
    share: Optional[float]
    gap_ns: Optional[float]
    grid: Optional[str]
    block: Optional[str]
    registers: Optional[int]
    shared_bytes: Optional[int]
    occupancy_percent: Optional[int]
    copied_bytes: Optional[int]


class BenchComparison(NamedTuple):
    """Device time against that of `other`: ``ratio`` of the medians with its 95 % interval. ``verdict`` is faster, slower, same or
    inconclusive."""

    other: str
    ratio: Optional[float]
    low: Optional[float]
    high: Optional[float]
    verdict: str


class BenchResult:
    """What one call costs. Numbers are those of ``profdump bench --json``, which :meth:`to_dict` returns.

    ``device`` is the time during which at least one operation of the call ran, ``span`` that from its first operation to the end of
    its last one, ``gaps`` the difference, ``host`` what the call took on its thread. With ``allow_varying`` these are of the most
    frequent sequence of operations; ``to_dict()["groups"]``, ``"times"`` and ``"operations"`` have all of them. ``words`` are the
    options of ``profdump bench`` that ask for it again.
    """

    def __init__(self, name: str, answer: Dict[str, Any], words: Sequence[str]) -> None:
        self.name = name
        self._answer, self.words = answer, list(words)
        self._text: Optional[str] = None
        group = answer["groups"][0]
        times = {row["measure"]: row for row in answer["times"] if row["sequence"] == group["sequence"]}
        self.device, self.span, self.gaps, self.host = (_time(times[name]) for name in ("device_time", "span", "gaps", "host_time"))
        self.calls: int = group["calls"]
        self.kernels: int = group["kernels"]
        self.copies: int = group["copies"]
        self.copied_bytes: int = group["copied_bytes"]
        self.flop: Optional[float] = group["flop"]
        self.bytes: Optional[float] = group["bytes"]
        self.tflops: Optional[float] = group["tflops"]
        self.gbs: Optional[float] = group["gbs"]
        self.cache: str = answer["cache"]
        self.launch: str = answer["launch"]
        self.simulated: bool = answer["simulated"]
        self.devices: List[str] = [device["name"] for device in answer["devices"]]
        self.clock_mhz: Optional[Tuple[float, float]] = None
        if answer["clock_mhz"]["samples"]:
            self.clock_mhz = (answer["clock_mhz"]["min"], answer["clock_mhz"]["max"])
        self.operations = [_operation(row) for row in answer["operations"] if row["sequence"] == group["sequence"]]
        self.comparison = _comparison(answer)

    def to_dict(self) -> Dict[str, Any]:
        """The JSON of ``profdump bench``."""
        return copy.deepcopy(self._answer)

    def json(self) -> str:
        """The same as text."""
        return json.dumps(self._answer)

    def to_pandas(self, table: str = "operations") -> Any:
        """A table of the JSON as a data frame: operations, times, groups, sequences or devices. Needs pandas."""
        import pandas

        return pandas.DataFrame(self._answer[table])

    def __str__(self) -> str:
        """A table of at most 80 columns. Reads the recording again, the first time."""
        if self._text is None:
            self._text = run_profdump(["bench", "--table-width=80", *self.words]).rstrip("\n")
        return self._text

    def __repr__(self) -> str:
        median = self.device.median_ns / 1e3
        return f"<BenchResult {self.name}: {median:.3f} us on the device, {self.calls} calls, {self.launch}, L2 {self.cache}>"

    def __getstate__(self) -> Dict[str, Any]:
        """For pickle: the recording may not be there when it is unpickled."""
        return {**self.__dict__, "_text": str(self)}


def _time(row: Mapping[str, Any]) -> BenchTime:
    percent = row["relative_error_percent"]
    values = {**row, "relative_error": None if percent is None else percent / 100}
    return BenchTime(*(values[field] for field in BenchTime._fields))


def _operation(row: Mapping[str, Any]) -> BenchOperation:
    share = row["share_percent"]
    values = {**row, "share": None if share is None else share / 100}
    return BenchOperation(*(values[field] for field in BenchOperation._fields))


def _comparison(answer: Mapping[str, Any]) -> Optional[BenchComparison]:
    of = answer["comparison"]
    return BenchComparison(_shown(of["with"]), of["ratio"], of["low"], of["high"], of["verdict"]) if of else None


def _shown(range_name: str) -> str:
    return re.sub("^bench ", "", range_name)


# ---- options ----


class _How(NamedTuple):
    """Options that all runs of a benchmark share."""

    warmup: int
    repeats: int
    min_time_ms: int
    cold_l2: bool
    graph: bool
    setup: Optional[Callable[[], Any]]
    setup_each: bool
    rotate: int
    flops: float
    bytes: float


class _Limits(NamedTuple):
    """Options of profdump."""

    max_relative_error: float
    allow_varying: bool

    def words(self) -> List[str]:
        return [f"--max-relative-error={100 * self.max_relative_error:.6f}", *(["--allow-varying"] if self.allow_varying else [])]


def _milliseconds(time_text: Union[str, float]) -> int:
    """Of "200ms", "1.5s" or a number of seconds."""
    if isinstance(time_text, str):
        found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(ns|us|ms|s)", time_text.strip())
        if not found:
            raise ValueError(f"min_time {time_text!r}: a time such as '200ms' or '1.5s'")
        return int(float(found[1]) * _UNITS[found[2]])
    return int(time_text * 1e3)


def _checked(how: _How, limits: _Limits) -> _How:
    if how.warmup < 1:
        raise ValueError(f"warmup={how.warmup}: at least 1: the first call loads modules and compiles")
    if how.repeats < 0 or how.min_time_ms < 0:
        raise ValueError("repeats and min_time cannot be negative")
    if how.rotate < 1:
        raise ValueError(f"rotate={how.rotate}: at least 1")
    if how.setup_each and how.setup is None:
        raise ValueError("setup_each needs setup")
    if not limits.max_relative_error > 0:
        raise ValueError(f"max_relative_error={limits.max_relative_error}: a fraction above 0, such as 0.05")
    return how


def _name_of(function: Callable[..., Any], name: Optional[str]) -> str:
    """A name that no earlier benchmark of this process has: the recording holds them all."""
    base = name or getattr(function, "__qualname__", type(function).__name__)
    base = " ".join(str(base).split())[:150]
    with _lock:
        _names[base] = number = _names.get(base, 0) + 1
    return base if number == 1 else f"{base} #{number}"


# ---- calls ----


def _calls(function: Callable[..., Any], arguments: Sequence[Any], how: _How) -> Callable[[], Any]:
    """The call that is measured. Copies of the arguments take turns."""
    sets = [tuple(arguments)] + [tuple(copy.deepcopy(list(arguments))) for _ in range(how.rotate - 1)]
    if how.graph:
        replays = [captured(function, each) for each in sets]
        turn = itertools.cycle(replays)
        return replays[0] if how.rotate == 1 else lambda: next(turn)()
    if how.rotate == 1:
        return lambda: function(*arguments)
    order = itertools.cycle(sets)
    return lambda: function(*next(order))


class _Before:
    """setup_each: called by libprof.so between calls. What it raises is raised after that."""

    def __init__(self, how: _How) -> None:
        self.error: Optional[BaseException] = None
        self._setup = how.setup if how.setup_each else None
        self.function = _native.BENCH_BEFORE(self._run) if self._setup else _native.BENCH_BEFORE()

    def _run(self, _: Any) -> None:
        try:
            if self._setup and self.error is None:
                self._setup()
        except BaseException as error:
            self.error = error


def _options(name: str, how: _How, limits: _Limits, before: _Before) -> _native.BenchOptions:
    options = _native.BenchOptions(ctypes.sizeof(_native.BenchOptions), os.fsencode(name), how.warmup, how.repeats, how.min_time_ms)
    options.cold_l2, options.allow_varying = how.cold_l2, limits.allow_varying
    options.max_relative_error, options.flops, options.bytes = limits.max_relative_error, how.flops, how.bytes
    options.before_each = before.function
    return options


def _run(call: Callable[[], Any], name: str, how: _How, limits: _Limits) -> None:
    """Records the calls. What the call raises is passed on; recording is then as it was before."""
    library, process, before = _native.library(), os.getpid(), _Before(how)
    options = _options(name, how, limits, before)
    status = library.prof_bench_begin(ctypes.byref(options))
    if status == _BUSY:
        raise BenchError(f"bench({name}) within another benchmark of this process: one at a time")
    library.check(status)
    again = library.prof_bench_next
    try:
        while again() and before.error is None:
            call()
            if os.getpid() != process:
                raise BenchError(f"{name} forked, and the child returned from it: the parent goes on with the benchmark")
    finally:
        if os.getpid() == process:
            library.prof_bench_end(None)
    if before.error is not None:
        raise before.error


class _Recorded:
    """Recording is on while this is entered. Afterwards, ``window`` has it."""

    def __enter__(self) -> "_Recorded":
        check_program("profdump")
        self._process = os.getpid()
        self._start_ns = time.time_ns()
        recorder.start()
        return self

    def __exit__(self, *_: Any) -> None:
        if os.getpid() != self._process:
            return
        recorder.flush_if_any()
        recorder.stop()
        self.window: Window = (self._start_ns, time.time_ns() + 1)
        self.path = recorder.output_path()


# ---- answers ----


def _evidence(answer: Mapping[str, Any]) -> Iterator[str]:
    """The reasons; both sequences where there are several."""
    yield from answer["reasons"]
    if len(answer["sequences"]) > 1:
        for row in answer["sequences"][:2]:
            yield f"sequence {row['sequence']}, {row['calls']} calls, first in call {row['first_call']}: {', '.join(row['operations']) or 'nothing'}"


def _ask(name: str, words: Sequence[str], window: Optional[Window], path: str, cold: bool = False) -> BenchResult:
    """BenchError if there are no numbers."""
    if not path or not os.path.exists(path):
        raise BenchError(f"{name}: nothing was recorded: recording was switched off meanwhile, or the trace file cannot be written")
    all_words = [f"--range=bench {name}", *words, *([f"--window=@{window[0]}..@{window[1]}"] if window else []), "--", path]
    answer: Dict[str, Any] = json.loads(run_profdump(["bench", "--json", *all_words], accept=(0, INCONCLUSIVE)))
    if answer["reasons"]:
        raise BenchError(*_evidence(answer), answer=answer)
    if cold and answer["cache"] not in ("cold", "unknown"):
        reason = f"the L2 cache was not cold before every call, but {answer['cache']}: cold_l2=False measures a warm one"
        raise BenchError(reason, answer=answer)
    return BenchResult(name, answer, all_words)


def baselines_words() -> List[str]:
    """The directory of baselines as an option: profdump does not get the environment's PROF_ variables."""
    directory = os.environ.get("PROF_BASELINES")
    return [f"--baselines={directory}"] if directory else []


def _against(baseline: Union[None, str, BenchResult]) -> List[str]:
    if isinstance(baseline, BenchResult):
        return [f"--against=bench {baseline.name}"]
    return [f"--baseline={baseline}", *baselines_words()] if baseline else []


def compare_with_baseline(result: BenchResult, baseline: str, directory: str, limit: Optional[str]) -> Tuple[str, int]:
    """A result in one line, with the verdict against the baseline; and profdump's exit status, FOUND where it is slower than the limit."""
    words = ["bench", "--json", f"--baseline={baseline}", f"--baselines={directory}", *([f"--fail-if-slower={limit}"] if limit else [])]
    output, status = answer_of_profdump([*words, *result.words], accept=(0, FOUND, INCONCLUSIVE))
    of = json.loads(output)["comparison"]
    against = f"{of['verdict']} than {baseline}" if of["verdict"] in ("faster", "slower") else of["verdict"]
    ratio = f", {of['ratio']:.3f}x (95 %: {of['low']:.3f} to {of['high'] or float('inf'):.3f})" if of["low"] is not None else ""
    return f"{'SLOWER ' if status == FOUND else '  '}{result!r} {against}{ratio}", status


def bench(
    function: Callable[..., Any],
    *arguments: Any,
    setup: Optional[Callable[[], Any]] = None,
    warmup: int = 3,
    repeats: Optional[int] = None,
    min_time: Union[str, float] = "200ms",
    cold_l2: bool = True,
    graph: bool = False,
    setup_each: bool = False,
    rotate: int = 1,
    baseline: Union[None, str, BenchResult] = None,
    max_relative_error: float = 0.05,
    allow_varying: bool = False,
    flops: float = 0,
    bytes: float = 0,
    name: Optional[str] = None,
) -> BenchResult:
    """Measures one call of ``function(*arguments)`` on the device. Raises :class:`BenchError` if the recording does not support a number.

    function   called ``warmup`` times, then ``repeats`` times; without ``repeats`` 20 to 10,000 times, until ``min_time`` ("200ms", "1.5s",
               seconds) has passed. Each measured call begins on idle devices. What it raises is raised here.
    setup      called once before, or before each measured call with ``setup_each``; it is not measured.
    cold_l2    between calls, clears the L2 caches of the devices in use; False measures warm caches.
    graph      captures the call in a CUDA graph and measures replays: with torch.cuda.graph() where PyTorch's CUDA is initialised, else
               on a stream that is passed as ``function(*arguments, stream=...)``.
    rotate     calls take turns with so many deep copies of the arguments.
    baseline   an earlier result of this process, or the name of a baseline (``profdump baseline``, PROF_BASELINES) with a range of this
               name: ``result.comparison`` has the verdict.
    flops, bytes   of one call, for rates; by default what the recording knows of its operators.

    Works within a running profile, whose recording then has the calls. One benchmark at a time in a process; launches of all of its
    threads during a call belong to the call, those of other processes do not.
    """
    limits = _Limits(max_relative_error, allow_varying)
    how = _How(warmup, repeats or 0, _milliseconds(min_time), cold_l2, graph, setup, setup_each, rotate, flops, bytes)
    _checked(how, limits)
    own = _name_of(function, name)
    with _Recorded() as recorded:
        if setup is not None and not setup_each:
            setup()
        _run(_calls(function, arguments, how), own, how, limits)
    is_result = isinstance(baseline, BenchResult)
    return _ask(own, [*limits.words(), *_against(baseline)], None if is_result else recorded.window, recorded.path, cold_l2)


def bench_compare(
    functions: Mapping[str, Callable[[], Any]],
    setup: Optional[Callable[[], Any]] = None,
    warmup: int = 3,
    repeats: Optional[int] = None,
    min_time: Union[str, float] = "200ms",
    cold_l2: bool = True,
    graph: bool = False,
    setup_each: bool = False,
    rounds: int = 2,
    max_relative_error: float = 0.05,
    allow_varying: bool = False,
) -> Dict[str, BenchResult]:
    """Measures several functions in alternation and compares each with the first: ``{"a": f, "b": g}`` runs A B B A A B B A.

    Each of the ``rounds`` runs every function twice; ``repeats`` and ``min_time`` are those of a function in all. ``comparison`` of
    each result but the first has the verdict: faster, slower, same or inconclusive. Other arguments are those of :func:`bench`.
    """
    if len(functions) < 2 or rounds < 1:
        raise ValueError("bench_compare() needs two functions and a round at least")
    limits, runs = _Limits(max_relative_error, allow_varying), 2 * rounds
    each = -(-repeats // runs) if repeats else 0
    how = _How(warmup, each, _milliseconds(min_time) // runs, cold_l2, graph, setup, setup_each, 1, 0, 0)
    _checked(how, limits)
    own = {label: _name_of(function, label) for label, function in functions.items()}
    with _Recorded() as recorded:
        if setup is not None and not setup_each:
            setup()
        calls = {label: _calls(function, (), how) for label, function in functions.items()}
        for _ in range(rounds):
            for label in [*functions, *reversed(list(functions))]:
                _run(calls[label], own[label], how, limits)
    first: Optional[BenchResult] = None
    results: Dict[str, BenchResult] = {}
    for label, name in own.items():
        results[label] = _ask(name, [*limits.words(), *_against(first)], recorded.window, recorded.path, cold_l2)
        first = first or results[label]
    return results


__all__ = ["BenchComparison", "BenchError", "BenchOperation", "BenchResult", "BenchTime", "bench", "bench_compare"]

"""A trace file, of libprof or of another profiler, as a Python object.

    trace = libprof.read("run.prof")            # also Kineto's JSON, nsys and nvprof SQLite, ETDumps, several files
    print(trace.table(sort="cuda_total"))       # what profdump prints
    print(trace.explain())
    trace.query("SELECT name, sum(duration) AS ns FROM kernels GROUP BY name")   # SQL: a dictionary for each row
    trace.export("run.html")
    trace.kernels().to_pandas()
    print(trace.diff("other.prof"))

A notebook displays a trace as a summary, its key averages and its timeline.
"""

from __future__ import annotations

import base64
import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from . import _columns, _reader, notebook
from ._answers import FOUND
from ._profdump import run_profdump
from .errors import ProfdumpError, ProfError
from .frames import Frame

if TYPE_CHECKING:
    from ._origins import KernelOrigin

PathLike = Union[str, "os.PathLike[str]"]
Window = Tuple[int, int]


class Report(str):
    """Text printed by profdump. Notebooks display it in a fixed-width font."""

    def _repr_html_(self) -> str:
        return notebook.preformatted(self)


def export(run: Callable[..., str], path: str, format: Optional[str], *words: str) -> str:
    """Has `run`, of profdump, write a file. What it says of its options is said of Python's arguments."""
    try:
        return run("-o", path, *(["--to", format] if format else []), *words)
    except ProfdumpError as error:
        text = str(error).replace("--to FORMAT selects one", "format=... selects one").replace(" --to: ", " format: ")
        raise ProfdumpError(text.partition("\nTry 'profdump")[0], error.status) from None


def window_words(window: Optional[Window]) -> List[str]:
    """A window as options of profdump."""
    return [f"--window=@{window[0]}..@{window[1]}"] if window else []


def query_rows(sql: str, window: Optional[Window], paths: Sequence[str]) -> List[Dict[str, Any]]:
    """A dictionary for each row of an SQL statement."""
    answer = json.loads(run_profdump(["query", "--format=json", *window_words(window), "--", sql, *paths]))
    rows: List[Dict[str, Any]] = answer["rows"]
    return rows


class Trace:
    """One timeline from one or more files. Files are read when a method needs them, and must not move.

    `paths` are files of any format that profdump reads, or directories, of which all ``*.prof`` files are read.
    `window` selects what began in ``(from, to)``, nanoseconds since the epoch. Methods raise :class:`ProfError`
    with profdump's message. Any thread.
    """

    def __init__(self, *paths: PathLike, window: Optional[Window] = None) -> None:
        if not paths:
            raise ProfError("a trace needs at least one file")
        self.paths = [os.fspath(path) for path in paths]
        self.window = window
        self._facts: Optional[Dict[str, Any]] = None

    def __repr__(self) -> str:
        return f"<libprof.Trace {' '.join(self.paths)}>"

    def _profdump(self, *words: str, accept: Sequence[int] = (0,)) -> str:
        return run_profdump([*words, *window_words(self.window), *self.paths], accept)

    # ---- texts ----

    def table(self, *words: str, sort: Optional[str] = None, rows: Optional[int] = None, format: str = "text") -> Report:
        """The key averages. `format` is text, tsv, csv, json or markdown; `words` are more options of profdump."""
        chosen = [f"--format={format}"]
        if sort is not None:
            chosen.append(f"--sort={sort}")
        if rows is not None:
            chosen.append(f"--rows={rows}")
        return Report(self._profdump(*chosen, *words))

    def report(self, command: str, *words: str, format: str = "text") -> Report:
        """The output of a profdump command: explain, breakdown, stacks, roofline, memory, graphs, check, "check --ledger",
        "executorch blocks", "executorch tax". A broken invariant found by check is part of the text, not an exception."""
        chosen = [] if format == "text" else [f"--format={format}"]
        accept = (0, FOUND) if command.startswith("check") else (0,)
        return Report(self._profdump(*command.split(), *chosen, *words, accept=accept))

    def query(self, sql: str) -> List[Dict[str, Any]]:
        """Runs one SQL statement over the trace, like ``profdump query``, and returns a dictionary for each row.
        ``profdump query --schema`` and docs/query.md describe the tables. Integers are exact; NULL is None.

        ::

            libprof.read("run.prof").query("SELECT name, sum(duration) AS ns FROM kernels GROUP BY name ORDER BY ns")
        """
        return query_rows(sql, self.window, self.paths)

    def origins(self, *sources: PathLike) -> "List[KernelOrigin]":
        """Kernels that Inductor wrote: the operators that each fuses, and the lines of the program that they come from. `sources`
        are files or directories of PyTorch's provenance tracking (``INDUCTOR_PROVENANCE=1``): ``kernel_information.json``, logs of
        ``TORCH_TRACE``. Without any, files beside the trace are read.
        """
        from ._origins import origins  # seldom wanted

        return origins(self, [os.fspath(source) for source in sources])

    def explain(self) -> Report:
        """Where time went: responsible range, fix, and an upper bound on the savings."""
        return self.report("explain")

    def diff(self, other: Union["Trace", PathLike], *words: str, format: str = "text") -> Report:
        """What got slower or faster from this trace to `other`, and whether the change exceeds the noise. `words` are
        options of ``profdump diff``. With --fail-if-slower, raises :class:`ProfdumpError` of status 4 if something did, and
        of status 5 if that is inconclusive."""
        sides = [self, other if isinstance(other, Trace) else Trace(other)]
        for side in sides:
            if len(side.paths) != 1:
                raise ProfError("diff compares one file or directory with another")
        return Report(run_profdump(["diff", f"--format={format}", *words, *(side.paths[0] for side in sides)]))

    @property
    def facts(self) -> Dict[str, Any]:
        """The output of ``profdump --format json``: processes, devices, key averages, losses; times in nanoseconds."""
        if self._facts is None:
            self._facts = json.loads(self.table(format="json"))
        return self._facts

    # ---- files ----

    def export(self, path: PathLike, format: Optional[str] = None, *words: str) -> None:
        """Writes the trace in another format: `format`, such as "chrome" or "arrow" (``profdump --to``), by default that of
        the extension. An existing file is replaced once the new one is complete."""
        export(self._profdump, os.fspath(path), format, *words)

    # ---- tables ----

    def events(self) -> Frame:
        """What threads did: ranges, steps, CUDA calls."""
        return self._frame("events", _reader.EVENTS, _columns.EVENTS)

    def launches(self) -> Frame:
        """Calls that launched operations, with number and total time of these."""
        return self._frame("launches", _reader.LAUNCHES, _columns.LAUNCHES)

    def kernels(self) -> Frame:
        """Device operations: kernels, copies, sets, graphs recorded as one operation."""
        return self._frame("kernels", _reader.KERNELS, _columns.KERNELS)

    def counters(self) -> Frame:
        """Values over time: the program's counters, and memory in use."""
        return self._frame("counters", _reader.COUNTERS, _columns.COUNTERS)

    def functions(self) -> Frame:
        """Calls of Python functions, if they were recorded."""
        return self._frame("functions", _reader.FUNCTIONS, _columns.FUNCTIONS)

    def _frame(self, name: str, table: int, documented: Dict[str, _columns.Column]) -> Frame:
        def open_stream() -> _reader.ArrowArrayStream:
            with _reader.Reader(self.paths, self.window) as reader:
                return reader.stream(table)

        return Frame(name, open_stream, documented)

    # ---- notebooks ----

    def _repr_html_(self) -> str:
        return notebook.trace_html(self.facts, self._picture())

    def _picture(self) -> Optional[str]:
        """The timeline as a data URL, or None if it is empty."""
        with tempfile.TemporaryDirectory() as directory:
            picture = Path(directory) / "trace.svg"
            try:
                self.export(picture)
            except ProfError:
                return None
            return "data:image/svg+xml;base64," + base64.b64encode(picture.read_bytes()).decode()


def _document(method: Callable[[Trace], Frame], columns: Dict[str, _columns.Column]) -> None:
    """Has help() list the columns of a table."""
    note = 'Columns ("text" is a dictionary of strings, "time" nanoseconds since the epoch; null where not known):'
    method.__doc__ = f"{method.__doc__}\n\n{note}\n\n{_columns.documented(columns)}\n"


_document(Trace.events, _columns.EVENTS)
_document(Trace.launches, _columns.LAUNCHES)
_document(Trace.kernels, _columns.KERNELS)
_document(Trace.counters, _columns.COUNTERS)
_document(Trace.functions, _columns.FUNCTIONS)


def read(*paths: PathLike, window: Optional[Window] = None) -> Trace:
    """Opens files of any format that profdump reads as one :class:`Trace`."""
    return Trace(*paths, window=window)

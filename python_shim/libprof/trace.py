"""A trace file, of libprof or of another profiler, as a Python object.

    trace = libprof.read("run.prof")            # also Kineto's JSON, nsys and nvprof SQLite, ETDumps, several files
    print(trace.table(sort="cuda_total"))       # what profdump prints
    print(trace.explain())
    trace.query("SELECT name, sum(duration) AS ns FROM kernels GROUP BY name")   # SQL: a dictionary for each row
    trace.export("run.html")
    trace.kernels().to_pandas()
    print(trace.diff("other.prof"))

In a notebook a trace shows itself: what it holds, its key averages, its timeline.
"""

from __future__ import annotations

import base64
import json
import os
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from . import _reader, notebook
from ._profdump import run_profdump
from .errors import ProfError
from .frames import Frame

PathLike = Union[str, "os.PathLike[str]"]
Window = Tuple[int, int]

FORMATS = {
    ".speedscope.json": "speedscope",
    ".json": "chrome",
    ".pftrace": "perfetto",
    ".sqlite": "sqlite",
    ".svg": "svg",
    ".html": "html",
    ".pb.gz": "pprof",
    ".pprof": "pprof",
    ".prom": "prometheus",
    ".etprof": "etprof",
}
"""Formats of :meth:`Trace.export` by the ending of a name; behind each but ``.pb.gz``, ``.gz`` or ``.zst`` may stand."""


class Report(str):
    """A text of profdump's; in a notebook it keeps its columns."""

    def _repr_html_(self) -> str:
        return notebook.preformatted(self)


def format_of(path: PathLike) -> str:
    """The format that a name's ending asks for; :class:`ProfError` naming the endings there are."""
    name = os.fspath(path)
    for ending, kind in FORMATS.items():
        if name.endswith((ending, ending + ".gz", ending + ".zst")):
            return kind
    raise ProfError(f"{name}: what format? Known endings: {', '.join(FORMATS)}")


def window_words(window: Optional[Window]) -> List[str]:
    """A window as options of profdump."""
    return [f"--from=@{window[0]}", f"--to=@{window[1]}"] if window else []


class Trace:
    """One timeline out of one or more files; nothing is read before something is asked.

    `paths` are files of any format that profdump reads, or directories, whose ``*.prof`` files are meant. `window`:
    only what began in ``(from, to)``, nanoseconds since the epoch. The files must stay where they are.
    Raises :class:`ProfError` with profdump's sentence. Threads: any.
    """

    def __init__(self, *paths: PathLike, window: Optional[Window] = None) -> None:
        if not paths:
            raise ProfError("a trace wants at least one file")
        self.paths = [os.fspath(path) for path in paths]
        self.window = window
        self._facts: Optional[Dict[str, Any]] = None

    def __repr__(self) -> str:
        return f"<libprof.Trace {' '.join(self.paths)}>"

    def _profdump(self, *words: str, accept: Sequence[int] = (0,)) -> str:
        return run_profdump([*words, *window_words(self.window), *self.paths], accept)

    # ---- texts ----

    def table(self, *words: str, sort: Optional[str] = None, rows: Optional[int] = None, format: str = "text") -> Report:
        """The key averages; `format` is text, tsv, csv, json or markdown, `words` are further options of profdump."""
        chosen = [f"--format={format}"]
        if sort is not None:
            chosen.append(f"--sort={sort}")
        if rows is not None:
            chosen.append(f"--rows={rows}")
        return Report(self._profdump(*chosen, *words))

    def report(self, command: str, *words: str, format: str = "text") -> Report:
        """What a command of profdump prints: explain, memory, ledger, stacks, folded, blocks, tax, analyze, breakdown,
        graphs, check. Of check, also when an invariant is broken: the text says so."""
        chosen = [] if format == "text" else [f"--format={format}"]
        accept = (0, 1) if command == "check" else (0,)
        return Report(self._profdump(command, *chosen, *words, accept=accept))

    def query(self, sql: str) -> List[Dict[str, Any]]:
        """The rows of one SQL statement over the trace, a dictionary each: what ``profdump query`` prints. Its tables are
        described by ``profdump query --schema`` and docs/query.md. Integers are exact, NULL is None.

        ::

            libprof.read("run.prof").query("SELECT name, sum(duration) AS ns FROM kernels GROUP BY name ORDER BY ns")
        """
        rows: List[Dict[str, Any]] = json.loads(run_profdump(["query", "--format=json", *window_words(self.window), "--", sql, *self.paths]))
        return rows

    def explain(self) -> Report:
        """Where the time went, whose it is, what to do about it."""
        return self.report("explain")

    def diff(self, other: Union["Trace", PathLike], *words: str, format: str = "text") -> Report:
        """What got slower or faster from this trace to `other`, and whether that is more than noise. `words` are options
        of ``profdump diff``; with --fail-if-slower, :class:`ProfdumpError` of status 4 says that something did."""
        sides = [self, other if isinstance(other, Trace) else Trace(other)]
        for side in sides:
            if len(side.paths) != 1:
                raise ProfError("diff compares one file or directory with another")
        return Report(run_profdump(["diff", f"--format={format}", *words, *(side.paths[0] for side in sides)]))

    @property
    def facts(self) -> Dict[str, Any]:
        """What ``profdump --format json`` says: processes, devices, key averages, losses; times in nanoseconds."""
        if self._facts is None:
            self._facts = json.loads(self.table(format="json"))
        return self._facts

    # ---- files ----

    def export(self, path: PathLike, format: Optional[str] = None, *words: str) -> None:
        """Writes the trace in another format, by the name's ending or as `format` says (a name of :data:`FORMATS`);
        a file there is replaced once the new one is complete."""
        self._profdump(f"--{format or format_of(path)}", os.fspath(path), *words)

    # ---- tables ----

    def events(self) -> Frame:
        """What threads did: ranges, steps, CUDA calls (``PROF_ARROW_EVENTS`` of arrow.h has the columns)."""
        return self._frame("events", _reader.EVENTS)

    def launches(self) -> Frame:
        """Calls that launched something, with what that came to (``PROF_ARROW_LAUNCHES``)."""
        return self._frame("launches", _reader.LAUNCHES)

    def kernels(self) -> Frame:
        """What devices did: kernels, copies, sets, whole graphs (``PROF_ARROW_KERNELS``)."""
        return self._frame("kernels", _reader.KERNELS)

    def counters(self) -> Frame:
        """Values over time: the program's counters, and how much memory there was (``PROF_ARROW_COUNTERS``)."""
        return self._frame("counters", _reader.COUNTERS)

    def _frame(self, name: str, table: int) -> Frame:
        def open_stream() -> _reader.ArrowArrayStream:
            with _reader.Reader(self.paths, self.window) as reader:
                return reader.stream(table)

        return Frame(name, open_stream)

    # ---- notebooks ----

    def _repr_html_(self) -> str:
        return notebook.trace_html(self.facts, self._picture())

    def _picture(self) -> Optional[str]:
        """The timeline as a data URL; None where there is nothing to draw."""
        with tempfile.TemporaryDirectory() as directory:
            picture = Path(directory) / "trace.svg"
            try:
                self.export(picture)
            except ProfError:
                return None
            return "data:image/svg+xml;base64," + base64.b64encode(picture.read_bytes()).decode()


def read(*paths: PathLike, window: Optional[Window] = None) -> Trace:
    """A :class:`Trace` of files of any format that profdump reads."""
    return Trace(*paths, window=window)

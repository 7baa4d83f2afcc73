"""What the kernels that Inductor wrote come from: the operators that each fuses, and the lines of the program.

With ``record_shapes``, a launch has the attribute ``kernel_file``. Inductor's cache, in which that file is, also has the
wrapper that calls the kernel: a comment there names the file and what the kernel fuses.

Lines of the program are known only where PyTorch's provenance tracking was on (``INDUCTOR_PROVENANCE=1``). It writes, by
name of kernels,

- ``kernel_information.json``: what AOTInductor puts beside the model;
- logs of ``TORCH_TRACE``: artifacts, each a line of JSON and its payload in the lines below, which begin with a tab;
- ``inductor_provenance_tracking_node_mappings.json``: what ``TORCH_COMPILE_DEBUG=1`` leaves.
"""

from __future__ import annotations

import json
import os
import re
import stat
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ._arrow import ArrowTable, read_table
from ._times import ns_text, printable
from .averages import DEVICE_KINDS
from .errors import ProfError

FILES = ("kernel_information.json", "inductor_provenance_tracking_*.json", "dedicated_log_torch_trace_*.log")
_ARTIFACT = re.compile(r"^V\d{4} .*?\] (\{.*\"artifact\".*\})$")
_ARTIFACTS = ("inductor_provenance_tracking_node_mappings", "inductor_provenance_tracking_kernel_stack_traces")
_FRAME = re.compile(r'File "(.+?)", line (\d+), in (\S+)')
_CALLED = re.compile(r"# kernel path: (\S+)\n# Topologically Sorted Source Nodes: \[(.*?)\], Original ATen: \[(.*?)\]")
_GRAPH = re.compile(r"^graph_\d+_(?=cpp_)")  # what a C++ kernel's range has in front of the kernel's name


class KernelOrigin(NamedTuple):
    """A kernel that Inductor wrote. Times are nanoseconds: of the device, or of the range around its launch.

    ``operators`` are those that it fuses, ``nodes`` the values of the program's graph, ``stacks`` the lines that made
    them, each with the innermost function first. What is not known is empty.
    """

    name: str
    launches: int
    cuda_ns: int
    cpu_ns: int
    operators: List[str]
    nodes: List[str]
    stacks: List[str]
    file: str


class _Known:
    """What is known of a kernel, from all sources, in the order in which it was found."""

    def __init__(self) -> None:
        self.operators: Dict[str, None] = {}
        self.nodes: Dict[str, None] = {}
        self.stacks: Dict[str, None] = {}
        self.file = ""

    def add(self, operators: Iterable[str] = (), nodes: Iterable[str] = (), traces: Iterable[str] = ()) -> None:
        """Texts that are there already are not added again."""
        self.operators.update(dict.fromkeys(operators))
        self.nodes.update(dict.fromkeys(nodes))
        self.stacks.update(dict.fromkeys(filter(None, map(_stack_text, traces))))


Provenance = Dict[str, _Known]


def _stack_text(trace: str) -> str:
    """ "c.py:9 scaled < c.py:11 forward" of Python's text, which has the outermost first."""
    frames = [f"{os.path.basename(file)}:{line} {name}" for file, line, name in _FRAME.findall(trace)]
    return " < ".join(reversed(frames))


def _kernel(provenance: Provenance, name: str) -> _Known:
    """By name; a number for the place of its call may stand after it."""
    return provenance.setdefault(re.sub(r":\d+$", "", name), _Known())


# ---- sources ----


def _add(provenance: Provenance, data: Any) -> bool:
    """Adds what an artifact says; False: it is none of these."""
    if not isinstance(data, dict):
        return False
    if "cppCodeToPost" in data:
        before = data.get("postToPre", {})
        for name, nodes in data["cppCodeToPost"].items():
            _kernel(provenance, name).add(nodes, (node for post in nodes for node in before.get(post, [])))
        return True
    if set(data) == {"version"}:  # a graph without kernels
        return True
    for name, one in data.items():
        if isinstance(one, list):
            _kernel(provenance, name).add(traces=one)
        elif isinstance(one, dict) and "stack_traces" in one:
            _kernel(provenance, name).add(one["post_grad_nodes"], one["pre_grad_nodes"], one["stack_traces"])
        else:
            return False
    return True


def _artifacts(lines: Iterable[str]) -> Iterator[Any]:
    """Payloads of a log of TORCH_TRACE that say where kernels come from."""
    payload: Optional[List[str]] = None
    for line in lines:
        if payload is not None and line.startswith("\t"):
            payload.append(line[1:])
            continue
        if payload:
            yield json.loads("".join(payload))
        found = _ARTIFACT.match(line)
        payload = [] if found and json.loads(found.group(1))["artifact"].get("name") in _ARTIFACTS else None
    if payload:
        yield json.loads("".join(payload))


def _read(provenance: Provenance, path: Path) -> None:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            found = [_add(provenance, one) for one in (_artifacts(file) if path.suffix == ".log" else [json.load(file)])]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ProfError(f"{path}: cannot read Inductor's provenance data: {error}") from error
    if not all(found):
        raise ProfError(f"{path}: not a file with Inductor's provenance data")


def _files(place: Path) -> List[Path]:
    return sorted(file for pattern in FILES for file in place.glob(pattern)) if place.is_dir() else [place]


def _read_all(sources: Sequence[str], beside: Sequence[str]) -> Provenance:
    """Of the sources, or where none is named of what lies beside the recordings."""
    provenance: Provenance = {}
    found = [file for source in sources for file in _files(Path(source))]
    if sources and not found:
        raise ProfError(f"{sources[0]}: contains none of {', '.join(FILES)}")
    around = {Path(path) if os.path.isdir(path) else Path(path).parent for path in beside}
    for file in found or [file for place in sorted(around) for file in _files(place)]:
        _read(provenance, file)
    return provenance


# ---- the recording ----


_TEXT_MAX = 16 << 20  # bytes; Inductor's files have thousands


def _text(path: Path) -> str:
    """Of a regular file of sensible size. A recording names it, so that it may be anything: a device would never end."""
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode) or about.st_size > _TEXT_MAX:
            return ""
        return path.read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError):  # ValueError: no path, it contains a zero byte
        return ""


class _Cache:
    """Inductor's cache: what wrappers say of the files of kernels. Each cache is read once."""

    def __init__(self) -> None:
        self._called: Dict[Path, Dict[str, Tuple[List[str], List[str]]]] = {}

    def _read(self, cache: Path) -> Dict[str, Tuple[List[str], List[str]]]:
        found = (match for file in cache.glob("*/*.py") for match in _CALLED.findall(_text(file)))
        return {file: (operators.split(", "), nodes.split(", ")) for file, nodes, operators in found}

    def add(self, kernel: _Known, name: str, file: str) -> None:
        """Adds what a kernel fuses, and its line in the file."""
        cache = Path(file).parent.parent
        if cache not in self._called:
            self._called[cache] = self._read(cache)
        operators, nodes = self._called[cache].get(file, ([], []))
        if operators:
            kernel.operators = dict.fromkeys(operators)  # better than names of nodes
        kernel.add(nodes=nodes)
        lines = enumerate(_text(Path(file)).splitlines(), 1)
        line = next((f":{number}" for number, line in lines if line.startswith(f"def {name}(")), "")
        kernel.file = file + line


def _kernel_file(text: Optional[str]) -> str:
    """What a launch's attributes, a text of JSON, say of it; nothing where "kernel_file" is only part of a value."""
    words = json.loads(text) if text and '"kernel_file"' in text else None
    file = words.get("kernel_file") if isinstance(words, dict) else None
    return file if isinstance(file, str) else ""


def _add_launches(provenance: Provenance, events: Dict[str, List[Any]]) -> None:
    """Adds the kernels whose launches have the attribute, and what their files say."""
    files: Dict[str, str] = {}
    for name, text in zip(events.get("name", []), events.get("attributes", [])):
        file = "" if name in files else _kernel_file(text)
        if file:
            files[name] = file
    cache = _Cache()
    for name, file in files.items():
        cache.add(provenance.setdefault(name, _Known()), name, file)


def origins(trace: Any, sources: Sequence[str]) -> List[KernelOrigin]:
    """Of a Trace; see its method."""
    provenance = _read_all(sources, trace.paths)
    _add_launches(provenance, read_table(trace.paths, ArrowTable.EVENTS, trace.window, ["name", "attributes"]))
    sums: Dict[str, Tuple[int, int, int]] = {}
    for row in json.loads(trace.table("--rows=-1", format="json"))["key_averages"]:
        name = _GRAPH.sub("", row["name"])
        if name in provenance:
            is_device = row["kind"] in DEVICE_KINDS
            count, cuda_ns, cpu_ns = sums.get(name, (0, 0, 0))
            cuda_ns += row["self_cuda_total_ns"] if is_device else 0
            cpu_ns += 0 if is_device else row["cpu_total_ns"]
            sums[name] = (max(count, row["count"]), cuda_ns, cpu_ns)
    made = [_origin(name, *numbers, provenance[name]) for name, numbers in sums.items()]
    return sorted(made, key=lambda one: (-one.cuda_ns, -one.cpu_ns, one.name))


def _origin(name: str, count: int, cuda_ns: int, cpu_ns: int, known: _Known) -> KernelOrigin:
    return KernelOrigin(name, count, cuda_ns, cpu_ns, list(known.operators), list(known.nodes), list(known.stacks), known.file)


def origins_text(listed: Sequence[KernelOrigin], rows: int = -1) -> str:
    """One paragraph for each kernel, those that took longest first."""
    lines: List[str] = []
    shown = listed if rows < 0 else listed[:rows]
    for one in shown:
        times = f"{ns_text(one.cuda_ns)} on the device" if one.cuda_ns else f"{ns_text(one.cpu_ns)} on the CPU"
        lines += [f"{one.name}: {one.launches} launch{'' if one.launches == 1 else 'es'}, {times}"]
        lines += [f"  fuses  {', '.join(one.operators)}"] if one.operators else []
        lines += [f"  nodes  {', '.join(one.nodes)}"] if one.nodes else []
        lines += [f"  from   {stack}" for stack in one.stacks]
        lines += [f"  file   {one.file}"] if one.file else []
    if not listed:
        lines = ["Found no Inductor kernels in the recording or in the provenance files"]
    elif len(shown) < len(listed):
        lines.append(f"{len(shown)} of {len(listed)} kernels")
    return "\n".join([*map(printable, lines), ""])

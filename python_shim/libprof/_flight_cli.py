"""``profdump hang`` if dumps of PyTorch's flight recorder are among the files: reports on dumps and recordings."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Tuple

from . import _answers
from ._cli import finish
from ._flight import KINDS, RECORDED_KINDS, Dump, Verdict, call_text, is_dump, judge, read, sentence
from ._profdump import run_profdump
from ._times import printable, ranks_text
from .errors import ProfError

FRAMES_SHOWN = 5


class _Job(NamedTuple):
    dumps: List[Dump]
    unread: List[str]  # why files were skipped
    recordings: List[str]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="profdump hang")
    parser.add_argument("files", nargs="+", metavar="FILE|DIRECTORY")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("--json", dest="format", action="store_const", const="json")
    parser.add_argument("--fail-on", metavar="KIND", action="append", default=[])
    return parser


def _find(files: List[str]) -> _Job:
    """Dumps, and the files that profdump itself reads."""
    dumps: Dict[int, Dump] = {}
    unread: List[str] = []
    recordings: List[str] = []
    for path in (Path(name) for name in files):
        inside = sorted(path.iterdir()) if path.is_dir() else [path]
        recordings += [str(one) for one in inside if not is_dump(one) and (one == path or one.suffix == ".prof")]
        for one in inside:
            if not is_dump(one):
                continue
            try:
                dump = read(one)
            except ProfError as error:
                unread.append(str(error))
                continue
            other = dumps.setdefault(dump.rank, dump)
            if other is not dump:
                unread.append(f"{one}: {other.path} is of rank {dump.rank}, too")
    if not dumps:
        raise ProfError("; ".join(unread))
    return _Job(list(dumps.values()), unread, recordings)


def _recorded(recordings: List[str]) -> Dict[str, Any]:
    """profdump's report on the recordings."""
    found: Dict[str, Any] = json.loads(run_profdump(["hang", "--format", "json", *recordings])) if recordings else {}
    return found


def _place(stack: Tuple[str, ...]) -> List[str]:
    """Frames outside of PyTorch, innermost first; all of them if there are no others."""
    own = [frame for frame in stack if "/torch/" not in frame]
    return (own or list(stack))[:FRAMES_SHOWN]


def _open_ranges(recorded: Dict[str, Any], ranks: List[int]) -> List[Tuple[int, str]]:
    """The ranges that were open at the end of these ranks' recordings."""
    return [(one["rank"], " > ".join(one["open"])) for one in recorded.get("ranks", []) if one["rank"] in ranks and one["open"]]


def _lines(verdict: Verdict, recorded: Dict[str, Any]) -> List[str]:
    lines = []
    if verdict.at:
        who = ranks_text(verdict.waiting) if verdict.waiting else "the others"
        lines += [f"{who} called it at", *(f"  {frame}" for frame in _place(verdict.at))]
    if verdict.last and verdict.kind in ("missing", "unmatched"):
        state = "completed" if verdict.last.is_done else verdict.last.state
        lines += [f"last call of rank {verdict.ranks[0]}: {call_text(verdict.last)}, {state}, at"]
        lines += [f"  {frame}" for frame in _place(verdict.last.stack)]
    lines += [f"rank {rank} is in {chain}, by its recording" for rank, chain in _open_ranges(recorded, verdict.ranks)]
    return lines


def _text(job: _Job, verdicts: List[Verdict], recorded: Dict[str, Any]) -> str:
    heading = "Flight recorder: "
    lines: List[str] = []
    for verdict in verdicts:
        lines.append(f"{heading}{sentence(verdict)}")
        lines += [f"    {line}" for line in _lines(verdict, recorded)]
        heading = " " * len(heading)
    if not verdicts:
        lines.append(f"{heading}no collective is open or differs between ranks")
    lines += ["", f"Dumps: {ranks_text([dump.rank for dump in job.dumps])}"]
    return "".join(f"{printable(line)}\n" for line in lines)


def _json(verdict: Verdict, recorded: Dict[str, Any]) -> Dict[str, Any]:
    return {
        "kind": verdict.kind, "ranks": verdict.ranks, "process_group": list(verdict.group), "number": verdict.number,
        "call": verdict.call, "waiting": verdict.waiting, "sentence": sentence(verdict), "stack": list(verdict.at),
        "last": call_text(verdict.last) if verdict.last else None,
        "waits_in": call_text(verdict.blocked) if verdict.blocked else None,
        "open": dict(_open_ranges(recorded, verdict.ranks)),
    }  # fmt: skip


def _answer(job: _Job, flight: List[Dict[str, Any]], recorded: Dict[str, Any]) -> str:
    """profdump's JSON on the recordings, if there are any, with the dumps among its inputs."""
    inputs = [_answers.one_input(dump.path, "flight recorder of PyTorch", "", dump.rank) for dump in job.dumps]
    own = json.loads(_answers.answer("hang", inputs, {"verdicts": [], "ranks": [], "flight_recorder": flight}))
    both = {**own, **recorded, "inputs": [*recorded.get("inputs", []), *own["inputs"]]}
    return json.dumps(both, indent=1)


def _unknown(job: _Job, recorded: Dict[str, Any]) -> Dict[str, List[str]]:
    """By sentence, the kinds of verdicts that these files cannot show."""
    unknown: Dict[str, List[str]] = {}
    if job.unread:
        unknown[f"{len(job.unread)} files could not be read"] = [_answers.ANY, *KINDS]
    if recorded.get("abstained"):
        unknown[recorded["abstained"]] = [_answers.ANY, *RECORDED_KINDS]
    if not job.recordings:
        unknown["only recordings show these"] = list(RECORDED_KINDS)
    return unknown


def _run(words: List[str]) -> int:
    """An exit status."""
    parser = _parser()
    options = parser.parse_args(words)
    try:
        kinds = _answers.kinds_option(KINDS)
        wanted = [kind for text in options.fail_on for kind in kinds(text)]
    except argparse.ArgumentTypeError as error:
        parser.error(f"--fail-on: {error}")
    job = _find(options.files)
    for why in job.unread:
        print(printable(f"profdump: {why}"), file=sys.stderr)
    recorded = _recorded(job.recordings)
    verdicts = judge(job.dumps)
    if options.format == "json":
        flight = [_json(verdict, recorded) for verdict in verdicts]
        print(_answer(job, flight, recorded))
    else:
        print(_text(job, verdicts, recorded), end="")
        if job.recordings:
            print("\n" + run_profdump(["hang", *job.recordings]), end="")
    found = {verdict.kind for verdict in verdicts} | {verdict["kind"] for verdict in recorded.get("verdicts", [])}
    status, said = _answers.gate(wanted, found, _unknown(job, recorded))
    print(f"profdump: {said}" if said else "", end="\n" if said else "", file=sys.stderr)
    return status


def main(words: List[str]) -> int:
    """Exit status: 0; 1 after a message on standard error; 2 for wrong usage; 4 found (``--fail-on``)."""
    status = 0

    def run() -> None:
        nonlocal status
        status = _run(words)

    return finish("profdump", run) or status

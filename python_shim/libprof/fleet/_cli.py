"""``profdump pack`` and ``profdump fleet``."""

from __future__ import annotations

import argparse
import sys
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from .. import _answers
from .._cli import finish
from .._times import counted
from ..errors import ProfError
from . import _clocks, _diff, _engine, _faults, _groups, _rank_pages, _trace, _verdict
from ._dataset import Dataset, describe, described
from ._pack import pack
from ._limits import Limits, read_limits
from ._page import write_page
from ._text import table_text

REPORTS = {
    "stragglers": "ranks that others wait for in collectives, and what they spend more time on",
    "collectives": "communicators: skew, transfer time, bandwidths",
    "waits": "sends and receives: which rank waits for which, transfer time, bandwidth",
    "mismatches": "collectives that some ranks did not enter, or entered differently",
    "breakdown": "time of steps by rank: compute, communication, copies, idle",
    "averages": "key averages over all ranks, and the worst rank",
    "outliers": "kernels that are slower on one rank than on the others",
    "memory": "peaks of memory by rank, when they were and in which range",
    "ledger": "operations launched, recorded and lost, by rank",
}

CLOCKS = "clocks"
DIFF = "diff"
GROUPS = "groups"
SCHEMA = "schema"
CHANGES = ("slower", "faster")


def _tsv(columns: Sequence[str], rows: Sequence[Tuple[Any, ...]]) -> str:
    lines = ["\t".join(columns), *("\t".join("" if value is None else str(value) for value in row) for row in rows)]
    return "\n".join(lines)


FORMATS: Dict[str, Callable[[Sequence[str], Sequence[Tuple[Any, ...]]], str]] = {"text": table_text, "tsv": _tsv}
JSON = "json"


def _facts(engine: Any) -> Tuple[str, bool, int]:
    """The program, if all ranks have one; whether a GPU is simulated; how many operations were lost."""
    program, simulated, programs = engine.run("SELECT min(program), max(CASE WHEN device LIKE 'Simulated GPU%' THEN 1 ELSE 0 END), count(DISTINCT program) FROM ranks")[1][0]
    ((lost,),) = engine.run("SELECT sum(lost) FROM ledger")[1]
    return (program if programs == 1 else ""), bool(simulated), int(lost or 0)


def _answer(dataset: Dataset, engine: Any, members: Dict[str, Any], **more: Any) -> str:
    """The JSON about a dataset. Its recordings are many, so `inputs` has the dataset alone."""
    program, simulated, lost = _facts(engine)
    inputs = [_answers.one_input(str(dataset.path), "dataset", program)]
    return _answers.answer("fleet", inputs, members, {"operations": lost}, simulated, **more)


def _finding_json(finding: _faults.Finding, hosts: Dict[int, str]) -> Dict[str, Any]:
    where = finding.hosts or tuple(sorted({hosts[rank] for rank in finding.ranks if hosts.get(rank)}))
    return {
        "kind": finding.kind,
        "ranks": list(finding.ranks),
        "host": where[0] if len(where) == 1 else None,
        "hosts": list(where),
        "range": finding.in_range or None,
        "cause": finding.cause or None,
        "lost_ns": round(finding.cost_ns) if finding.cost_ns else None,
        "sentence": finding.sentence,
    }


def _overview_json(dataset: Dataset, engine: Any, limits: Limits) -> str:
    findings = _verdict.judge(engine, limits)
    hosts = dict(engine.run(_clocks.HOST_OF_RANK)[1])
    unknown = _verdict.cannot_judge(engine)
    attempts = engine.attempts
    members = {
        "job": {**_verdict.job_size(engine), "attempt": attempts.shown or None, "attempts": attempts.count},
        "verdicts": [_finding_json(finding, hosts) for finding in findings],
        "cannot_judge": [{"kinds": [kind for kind in kinds if kind != _answers.ANY], "sentence": sentence} for sentence, kinds in unknown.items()],
        "notes": _verdict.notes(engine),
        "detection_limit": _verdict.detection_limit(engine, limits) or None,
    }
    silent = [sentence for sentence, kinds in unknown.items() if _answers.ANY in kinds]
    is_silent = bool(silent) and all(finding.kind == "empty" for finding in findings)
    return _answer(dataset, engine, members, abstained="; ".join(silent) if is_silent else None)


def _overview(dataset: Dataset, engine: Any, limits: Limits) -> str:
    lines = [f"{dataset.path}: {_verdict.headline(engine)}", ""]
    findings = _verdict.judge(engine, limits)
    lines += [f"- {finding.sentence}" for finding in findings]
    if not findings:
        lines += _verdict.all_clear(engine)
    lines += [f"- {note}" for note in _verdict.notes(engine)]
    detection = _verdict.detection_limit(engine, limits)
    lines += ["", detection] if detection else []
    lines += ["", "More: profdump fleet REPORT DATASET, where REPORT is " + ", ".join((*REPORTS, CLOCKS, GROUPS, DIFF))]
    return "\n".join(lines)


def _pack_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="profdump pack", description="Add recordings to a dataset of Parquet files.")
    parser.add_argument("inputs", nargs="+", metavar="FILE|DIRECTORY", help="recordings, of any format that profdump reads")
    parser.add_argument("-o", "--output", required=True, metavar="DATASET", help="directory of the dataset; created if missing")
    parser.add_argument("--node", metavar="NAME", help="name parts after NAME (default: the host's name)")
    parser.add_argument("--summaries", action="store_true", help="read only the summaries that profrun --summary adds to recordings")
    parser.add_argument("--workers", type=int, metavar="N", help="use N threads (default: one per processor)")
    return parser


def _fleet_parser() -> argparse.ArgumentParser:
    reports = "\n".join(f"  {name:<12} {text}" for name, text in REPORTS.items())
    parser = argparse.ArgumentParser(
        prog="profdump fleet",
        usage="profdump fleet [REPORT]... DATASET [OPTION]...",
        description=f"Answer questions about all ranks of a job. Without REPORT: diagnose the job.\n\nReports:\n{reports}\n"
        f"  {CLOCKS:<12} offsets between the hosts' clocks, estimated from collectives, with the error\n"
        f"  {GROUPS:<12} ranks that share communicators\n"
        f"  {DIFF:<12} DATASET DATASET: what changed between two runs of a job, and on which ranks\n"
        f"  {SCHEMA:<12} tables and columns of a dataset",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("words", nargs="+", metavar="[REPORT]... DATASET", help=argparse.SUPPRESS)
    parser.add_argument("--sql", metavar="STATEMENT", help="run a statement of your own over the dataset's tables")
    parser.add_argument("-o", "--output", metavar="FILE.html", help="write the job as a page for a browser")
    parser.add_argument("--pages", metavar="RANKS", help="with -o: also write rank-N.html for suspects, all, or a list such as 3,5-8")
    parser.add_argument("--attempt", metavar="N", default="", help="read attempt N of a restarted job, or all; also for reports and --sql (default: the last one)")
    parser.add_argument("--limits", metavar="FILE", help="read thresholds of the diagnosis from FILE")
    parser.add_argument("--rows", type=int, metavar="N", help="print at most N rows")
    parser.add_argument("--format", choices=(*FORMATS, JSON), default="text", help="print text (default), tsv or json")
    parser.add_argument("--json", dest="format", action="store_const", const=JSON, help="print JSON: --format json")
    parser.add_argument("--fail-on", metavar="KIND", action="append", default=[], help=f"exit with status 4 if the diagnosis has a finding of this kind (any, {', '.join(_faults.KINDS)}; diff: slower, faster), 5 if that cannot be judged; may be a list: a,b")
    parser.add_argument("--fail-if-slower", metavar="LIMIT", type=_diff.limit_of, help="diff: exit with status 4 if steps are slower by more than LIMIT (5%% or 1.05x), 5 if noise may explain that or is unknown")
    parser.add_argument("--engine", default="duckdb", help="duckdb (default), spark://HOST:PORT, or local[N] for Spark here")
    return parser


def _run_pack(words: List[str]) -> int:
    options = _pack_parser().parse_intermixed_args(words)
    done = pack(options.inputs, options.output, options.node, options.workers, options.summaries)
    for sentence in (*done.copies, *done.refused):
        print(f"profdump: {sentence}", file=sys.stderr)
    print(f"{options.output}: packed {counted(done.packed, 'recording')}, {done.skipped} were there, {len(done.refused)} could not be read")
    return 1 if done.refused else 0


def _open(dataset: Dataset, name: str, attempt: str) -> Any:
    """An engine over the dataset; says which files are missing, and which it leaves out."""
    engine = _engine.open_engine(dataset, name, attempt)
    missing = (f"missing file: {path}; the rows in it are not counted" for path in dataset.missing())
    for sentence in (*dataset.damaged, *missing, *engine.left_out):
        print(f"profdump: {sentence}", file=sys.stderr)
    return engine


def _rows_of(engine: Any, report: str, statement: Optional[str]) -> _engine.Rows:
    if report == CLOCKS:
        return _clocks.clock_rows(_clocks.compare_clocks(engine))
    if report == GROUPS:
        return _groups.group_rows(engine)
    return _groups.label(engine, report, *engine.run(statement or _engine.sql_text(report)))


def _write_pages(options: argparse.Namespace, dataset: Dataset, engine: Any, limits: Limits) -> List[str]:
    """The pages that were written. That of the job links to those of ranks, so these come first."""
    pages: List[str] = []
    if options.pages:
        ranks, sentences = _rank_pages.choose_ranks(engine, options.pages, limits)
        written, refused = _rank_pages.write_rank_pages(str(dataset.path), options.output, ranks)
        for sentence in (*sentences, *refused):
            print(f"profdump: {sentence}", file=sys.stderr)
        pages = [_rank_pages.rank_page(options.output, rank) for rank in written]
    write_page(dataset, engine, options.output, limits)
    return [*pages, options.output]


def _judged(options: argparse.Namespace, found: Sequence[str], unknown: Dict[str, Tuple[str, ...]]) -> int:
    """The exit status of --fail-on, after a sentence on standard error."""
    status, sentence = _answers.gate(options.fail_on, found, unknown)
    print(f"profdump: {sentence}" if sentence else "", end="\n" if sentence else "", file=sys.stderr)
    return status


def _diagnosis(options: argparse.Namespace, dataset: Dataset, engine: Any, limits: Limits) -> int:
    """Without a report: what is wrong, or pages that show it."""
    if options.output:
        pages = _write_pages(options, dataset, engine, limits)
        print(_answer(dataset, engine, {"written": pages}) if options.format == JSON else "\n".join(f"{page}: written" for page in pages))
    else:
        print((_overview_json if options.format == JSON else _overview)(dataset, engine, limits))
    if not options.fail_on:
        return 0
    found = [finding.kind for finding in _verdict.judge(engine, limits)]
    # An empty dataset is a finding only for those who ask for it: otherwise, nothing can be judged.
    wants_empty = "empty" in options.fail_on
    return _judged(options, [kind for kind in found if kind != "empty" or wants_empty], _verdict.cannot_judge(engine))


def _print_report(options: argparse.Namespace, report: str, dataset: Dataset, engine: Any) -> None:
    """The rows of a report, or of --sql where `report` is empty."""
    columns, rows = _rows_of(engine, report, options.sql)
    if not rows and report:
        for note in _verdict.notes(engine):
            print(f"profdump: {note}", file=sys.stderr)
    shown_rows, truncated = _answers.cut_rows("rows", rows, options.rows)
    if options.format == JSON:
        print(_answer(dataset, engine, {"report": report or "sql", "rows": _answers.row_dicts(columns, shown_rows)}, truncated=truncated))
    else:
        print(FORMATS[options.format](columns, shown_rows))


def _run_reports(options: argparse.Namespace, reports: Sequence[str], dataset: Dataset) -> int:
    limits = read_limits(options.limits) if options.limits else Limits()
    engine = _open(dataset, options.engine, options.attempt)
    if options.output or (not reports and not options.sql):
        return _diagnosis(options, dataset, engine, limits)
    if engine.attempts.shown:
        shown, count = engine.attempts.shown, engine.attempts.count
        print(f"profdump: attempt {shown} of {count}: other attempts are left out (--attempt all reads them)", file=sys.stderr)
    for number, report in enumerate(reports or [""]):
        if len(reports) > 1 and options.format != JSON:
            print(("\n" if number else "") + f"{report}:")
        _print_report(options, report, dataset, engine)
    return 0


def _run_diff(options: argparse.Namespace) -> int:
    """Both datasets are read one after the other: Spark has one session, in which their tables have the same names."""
    limit = options.fail_if_slower
    engines = (_open(Dataset.open(path), options.engine, options.attempt) for path in options.words[1:])
    (before, one), (after, other) = ((_diff.measure(engine), _facts(engine)) for engine in engines)
    changes = _diff.diff(before, after)
    columns, all_rows = _diff.change_rows(changes)
    rows, truncated = _answers.cut_rows("rows", all_rows, options.rows)
    status, sentence = _diff.gate(changes, limit) if limit is not None else (0, "")
    verdict = _diff.verdict(changes)
    if options.format == JSON:
        inputs = [_answers.one_input(path, "dataset", facts[0]) for path, facts in zip(options.words[1:], (one, other))]
        lost = {"operations": one[2] + other[2]}
        members = {"report": DIFF, "verdict": verdict, "judged": "steps", "gate": sentence or None, "rows": _answers.row_dicts(columns, rows)}
        units = {name: "percent" for name in ("mean", "noise", "p50", "p99")}
        print(_answers.answer("fleet", inputs, members, lost, one[1] or other[1], truncated=truncated, units=units))
    elif options.format != "text":
        print(FORMATS[options.format](columns, rows))
    else:
        heads = [f"{path}: {job.headline}" for path, job in zip(options.words[1:], (before, after))]
        said = [f"Verdict: {verdict}, by step time", *_diff.sentences(before, after, changes)]
        print("\n".join([*heads, "", *said, "", table_text(columns, rows), *([sentence] if sentence else [])]))
    if options.format != "text":
        print(sentence, end="\n" if sentence else "", file=sys.stderr)
    is_unknown = verdict not in ("same", *CHANGES)
    judged = _judged(options, [verdict] if verdict in CHANGES else [], {f"the verdict is {verdict}": (_answers.ANY, *CHANGES)} if is_unknown else {})
    return status if status == _answers.FOUND else judged or status


def _run_fleet(words: List[str]) -> int:
    parser = _fleet_parser()
    options = parser.parse_intermixed_args(words)
    is_diff = options.words[0] == DIFF and len(options.words) > 1
    try:
        kinds = _answers.kinds_option(CHANGES if is_diff else _faults.KINDS)
        options.fail_on = [kind for text in options.fail_on for kind in kinds(text)]
    except argparse.ArgumentTypeError as error:
        parser.error(f"--fail-on: {error}")
    if is_diff:
        if len(options.words) != 3 or options.sql or options.output:
            parser.error("diff compares two datasets: profdump fleet diff BEFORE AFTER")
        return _run_diff(options)
    if options.fail_if_slower is not None:
        parser.error("--fail-if-slower: only 'diff' has it")
    if options.pages and not options.output:
        parser.error("--pages: it needs -o FILE.html, beside which it writes rank-N.html")
    if options.words == [SCHEMA]:
        print(_answers.answer("fleet", [], {"tables": described()}) if options.format == JSON else describe())
        return 0
    reports, known = options.words[:-1], (*REPORTS, CLOCKS, GROUPS)
    for report in reports:
        if report not in known:
            parser.error(f"no report {report!r}: it is one of {', '.join(known)}")
    if options.sql and len(reports) > 1:
        parser.error("--sql is one report: it cannot be combined with others")
    if options.fail_on and (reports or options.sql):
        parser.error("--fail-on: only the diagnosis, which no REPORT and no --sql is, and 'diff' have it")
    return _run_reports(options, reports, Dataset.open(options.words[-1]))


def main(command: str, words: List[str]) -> int:
    """Exit status of ``profdump pack`` or ``profdump fleet``: 0, 1 failed, 2 wrong usage, 4 found and 5 inconclusive (``--fail-on``, ``--fail-if-slower``).

    "trace" is what profdump asks for when an input is a dataset."""
    status = 0

    def run() -> None:
        nonlocal status
        if command == "trace":
            _trace.run(words)
        else:
            status = _run_pack(words) if command == "pack" else _run_fleet(words)

    try:
        return finish("profdump", run) or status
    except ProfError as error:
        print(f"profdump: {error}", file=sys.stderr)
        return 1

"""answers.py, in a directory with the datasets of test_answers.sh: JSON of every report of `profdump fleet`, and how it ends."""

import contextlib
import io
import json
import os
import shlex
import sys
from pathlib import Path

from libprof.fleet import _cli

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))
from schema_faults import faults, load

SCHEMA = load(os.environ["LIBPROF_BIN"] + "/profdump", "fleet")

HEAD = ["schema_version", "command", "libprof", "inputs", "mode", "mode_reason", "simulated", "lost_anything", "lost", "abstained"]
REPORTS = ("stragglers", "collectives", "waits", "mismatches", "breakdown", "averages", "outliers", "memory", "ledger", "clocks", "groups")
DATASETS = ("none", "slow_input", "dead_rank", "one", "nothing")


def constant(name):
    raise ValueError(f"{name} is not JSON")


def run(*words):
    """Exit status, standard output and error."""
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as said:
        try:
            status = _cli.main("fleet", list(words))
        except SystemExit as wrong_usage:
            status = wrong_usage.code
    return status, out.getvalue(), said.getvalue()


def answer(*words):
    status, out, said = run(*words, "--format", "json")
    assert status == 0, (words, status, said)
    found = json.loads(out, parse_constant=constant)
    assert list(found)[: len(HEAD)] == HEAD and list(found)[-2:] == ["truncated", "units"], (words, list(found))
    assert found["command"] == "fleet" and not list(faults(found, SCHEMA, "fleet")), (words, list(faults(found, SCHEMA, "fleet")))
    return found


for name in DATASETS:
    dataset = f"{name}.dataset"
    for report in REPORTS if name not in ("slow_input", "dead_rank") else ():
        found = answer(report, dataset)
        assert found["report"] == report and isinstance(found["rows"], list) and found["inputs"][0]["file"] == dataset, (name, report)
    found = answer(dataset)
    for one in found["verdicts"]:
        assert {"kind", "ranks", "host", "range", "lost_ns", "sentence"} <= set(one), one
    assert (found["abstained"] is None) == (name not in ("one", "nothing")), (name, found["abstained"])
    assert answer("-o", "page.html", dataset)["written"] == ["page.html"]

assert answer("none.dataset")["verdicts"] == []
(late,) = answer("slow_input.dataset")["verdicts"]
assert late["kind"] == "straggler" and late["cause"] == "host" and late["range"] and late["host"].startswith("node") and late["lost_ns"] > 0, late
(stopped,) = (one for one in answer("dead_rank.dataset")["verdicts"] if one["kind"] == "stopped")
assert len(stopped["ranks"]) == 1 and stopped["lost_ns"] is None, stopped
assert answer("one.dataset")["cannot_judge"]
assert answer("schema")["tables"][0]["columns"][0]["name"] == "rank"

cut = answer("averages", "none.dataset", "--rows", "1")
whole = answer("averages", "none.dataset", "--rows", "-1")
assert len(cut["rows"]) == 1 and whole["truncated"] == []
assert cut["truncated"] == [{"table": "rows", "rows": 1, "total_rows": len(whole["rows"])}]
assert whole["units"]["mean_ns"] == "ns", whole["units"]

change = answer("diff", "none.dataset", "slow_input.dataset")
assert change["inputs"][0]["program"] == "make_job", change["inputs"]
assert change["verdict"] == "slower" and change["judged"] == "steps" and change["units"]["noise"] == "percent" and change["rows"], change["verdict"]
assert answer("diff", "none.dataset", "none.dataset")["verdict"] in ("same", "inconclusive")
assert answer("diff", "none.dataset", "nothing.dataset")["verdict"] == "not comparable"

sql = "SELECT 1 AS a, 2 AS a, 'NaN'::DOUBLE AS n, '-inf'::DOUBLE AS i, 1.5::DECIMAL(4,1) AS d, DATE '2026-01-02' AS t, MAP {1: 2} AS m, '\\x01'::BLOB AS b, NULL AS z"
row = {"a": 1, "a_2": 2, "n": None, "i": None, "d": 1.5, "t": "2026-01-02", "m": {"1": 2}, "b": "01", "z": None}
assert answer("--sql", sql, "none.dataset")["rows"] == [row], answer("--sql", sql, "none.dataset")["rows"]

ENDS = """
0 --fail-on any none.dataset
4 --fail-on any slow_input.dataset
4 --fail-on link,straggler --format json slow_input.dataset
0 --fail-on stopped --fail-on mismatch slow_input.dataset
4 --fail-on stopped dead_rank.dataset
0 --fail-on missing dead_rank.dataset
4 --fail-on straggler -o page.html slow_input.dataset
5 --fail-on any one.dataset
5 --fail-on straggler one.dataset
5 --fail-on clock one.dataset
0 --fail-on double one.dataset
0 nothing.dataset
5 --fail-on any nothing.dataset
4 --fail-on empty nothing.dataset
2 --fail-on stragglers none.dataset
2 --fail-on '' none.dataset
2 --fail-on any stragglers none.dataset
2 --fail-on any --sql 'SELECT 1' none.dataset
1 --fail-on any missing.dataset
4 diff --fail-on slower none.dataset slow_input.dataset
4 diff --fail-on any --format json slow_input.dataset none.dataset
0 diff --fail-on faster none.dataset slow_input.dataset
5 diff --fail-on any none.dataset nothing.dataset
5 diff --fail-if-slower 5% none.dataset nothing.dataset
2 diff --fail-on straggler none.dataset slow_input.dataset
"""
for line in ENDS.strip().splitlines():
    wanted, *words = shlex.split(line)
    status, _, said = run(*words)
    assert status == int(wanted), (words, status, said)
assert run("--fail-on", "any", "slow_input.dataset")[2] == "profdump: --fail-on: found straggler\n"
assert run("--fail-on", "link,clock,double", "one.dataset")[2] == "profdump: --fail-on: cannot judge 'link, clock': no collectives were recorded\n"
assert run("--fail-on", "any", "nothing.dataset")[2].startswith("profdump: --fail-on: cannot judge 'any': ")
assert "'stragglers' is not one of any, empty, missing" in run("--fail-on", "stragglers", "none.dataset")[2]

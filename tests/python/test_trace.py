"""Traces as Python objects: texts, files, comparisons, notebooks."""

from __future__ import annotations

import base64
import gzip
import html.parser
import json
import re
from pathlib import Path
from typing import Any, List

import pytest

import libprof
from libprof import notebook
from libprof._profdump import run_profdump

ENDINGS = {
    "json": "chrome", "json.gz": "chrome", "pftrace": "perfetto", "sqlite": "sqlite", "svg": "svg", "html": "html", "pb.gz": "pprof",
    "speedscope.json": "speedscope", "prom": "prometheus", "arrow": "arrow", "folded": "folded", "csv": "csv",
}  # fmt: skip


def test_a_report_on_damage_is_a_report(demo_trace: Path, tmp_path: Path) -> None:
    path = tmp_path / "damaged.prof"
    path.write_bytes(demo_trace.read_bytes()[:-5000])
    assert "FAILED" in libprof.read(path).report("check")


def test_texts_are_profdumps(demo_trace: Path) -> None:
    opened = libprof.read(demo_trace)
    path = str(demo_trace)
    assert opened.table(sort="self_cpu", rows=3) == run_profdump(["--sort=self_cpu", "--rows=3", path])
    assert opened.table(format="csv") == run_profdump(["--format=csv", path])
    assert opened.explain() == run_profdump(["explain", path])
    assert opened.report("check --ledger", format="json") == run_profdump(["check", "--ledger", "--format=json", path])
    assert opened.report("check").startswith("ok: 1 file")


def test_queries_give_rows(demo_trace: Path) -> None:
    opened = libprof.read(demo_trace)
    rows = opened.query("SELECT name, 9007199254740993 AS exact, NULL AS none FROM slices WHERE name = 'forward' LIMIT 1")
    assert rows == [{"name": "forward", "exact": 9007199254740993, "none": None}]
    assert opened.query("-- nothing is not there\nSELECT * FROM slices WHERE name = 'no such name'") == []
    with pytest.raises(libprof.ProfError, match="syntax error"):
        opened.query("SELEC 1")
    with pytest.raises(libprof.ProfError, match="may not be modified"):
        opened.query("DELETE FROM slices")


def test_facts_are_read_once(demo_trace: Path) -> None:
    opened = libprof.read(demo_trace)
    assert opened.facts is opened.facts
    assert {row["name"] for row in opened.facts["key_averages"]} >= {"forward", "backward", "load batch"}


@pytest.mark.parametrize("ending", ENDINGS)
def test_exports_by_ending(demo_trace: Path, tmp_path: Path, ending: str) -> None:
    ours, theirs = tmp_path / "ours" / f"x.{ending}", tmp_path / "theirs" / f"x.{ending}"
    for path in (ours, theirs):
        path.parent.mkdir()
    libprof.read(demo_trace).export(ours)
    run_profdump(["--to", ENDINGS[ending], "-o", str(theirs), str(demo_trace)])
    assert ours.stat().st_size > 500
    if ending != "sqlite":  # databases count their changes
        assert unpacked(ours) == unpacked(theirs)


def unpacked(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def test_unknown_ending_lists_the_known(demo_trace: Path) -> None:
    with pytest.raises(libprof.ProfError, match=r"x\.doc: unknown ending; known are \.json "):
        libprof.read(demo_trace).export("x.doc")


def test_a_target_that_cannot_be_written(demo_trace: Path) -> None:
    with pytest.raises(libprof.ProfdumpError, match="/nowhere/x.json") as caught:
        libprof.read(demo_trace).export("/nowhere/x.json")
    assert caught.value.status == 1


def test_compares(demo_trace: Path) -> None:
    opened = libprof.read(demo_trace)
    assert "no difference" in opened.diff(demo_trace)
    assert json.loads(opened.diff(libprof.read(demo_trace), format="json"))
    with pytest.raises(libprof.ProfError, match="one file or directory"):
        libprof.read(demo_trace, demo_trace).diff(demo_trace)


def test_missing_and_no_file() -> None:
    with pytest.raises(libprof.ProfdumpError, match="/nowhere.prof: No such file or directory"):
        libprof.read("/nowhere.prof").table()
    with pytest.raises(libprof.ProfError, match="at least one file"):
        libprof.read()


# ---- notebooks ----


class Strict(html.parser.HTMLParser):
    """Collects texts and tags; refuses tags that do not pair."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: List[str] = []
        self.tags: List[str] = []
        self.texts: List[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        if tag != "img":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_a_trace_shows_itself(demo_trace: Path) -> None:
    page = libprof.read(demo_trace)._repr_html_()
    parsed = Strict(page)
    assert "load batch" in parsed.texts and "Self CUDA" in parsed.texts
    (picture,) = re.findall(r'src="data:image/svg\+xml;base64,([^"]*)"', page)
    assert base64.b64decode(picture).startswith((b"<svg", b"<?xml"))


def test_names_are_text() -> None:
    row = {"name": "<script>alert(1)</script>", "count": 1, "self_cpu_total_ns": 1, "cpu_total_ns": 2}
    parsed = Strict(notebook.averages_html([{**row, "self_cuda_total_ns": 0, "cuda_total_ns": 0}]))
    assert row["name"] in parsed.texts and "script" not in parsed.tags
    assert "Self CUDA" not in parsed.texts, "no device did anything"
    assert Strict(libprof.trace.Report('<b>"')._repr_html_()).texts == ['<b>"']


def test_a_profile_and_its_lists_show_themselves() -> None:
    running = libprof.profile()
    assert Strict(running._repr_html_()).texts == ["<libprof.profile not started, step 0>"]
    with libprof.profile() as prof:
        with libprof.record_function("<b>bold</b>"):
            pass
    for page in (prof._repr_html_(), prof.key_averages()._repr_html_()):
        parsed = Strict(page)
        assert "<b>bold</b>" in parsed.texts and "b" not in parsed.tags and "table" in parsed.tags
    (text,) = Strict(prof.events()._repr_html_()).texts
    assert "<b>bold</b>" in text

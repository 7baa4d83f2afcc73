"""Whatever the package writes is complete or not there, and never replaces a recording."""

from __future__ import annotations

import gzip
import json
import os
import threading
from pathlib import Path
from typing import Any, Callable, Dict, List

import pytest
from executorch_files import dump, profile, run

import libprof
from libprof import autograd
from libprof._output import replacing
from libprof.executorch import Inspector


def recorded(with_stack: bool = False) -> Any:
    with libprof.profile(with_stack=with_stack) as prof:
        with libprof.record_function("work"):
            pass
    return prof


def with_metadata(path: str) -> None:
    prof = recorded()
    prof.add_metadata("model", "one")
    prof.export_chrome_trace(path)


DUMP = dump(run("Execute", [profile("native_call_add.out", 1, 5)]))


WRITERS: Dict[str, Callable[[str], None]] = {
    "export": lambda path: recorded().export(path, "svg"),
    "export_chrome_trace": lambda path: recorded().export_chrome_trace(path),
    "export_chrome_trace with metadata": with_metadata,
    "export_stacks": lambda path: recorded(with_stack=True).export_stacks(path),
    "autograd": lambda path: autograd.EventList([autograd.FunctionEvent(1, "f", 3, 1.0, 5.0)]).export_chrome_trace(
        path
    ),
    "inspector": lambda path: Inspector(etdump_data=DUMP).save_data_to_tsv(path),
}


@pytest.fixture(params=WRITERS)
def write(request: pytest.FixtureRequest) -> Callable[[str], None]:
    return WRITERS[request.param]


def test_recordings_stay(write: Callable[[str], None], demo_trace: Path, tmp_path: Path) -> None:
    recording, link = tmp_path / "run.prof", tmp_path / "link"
    recording.write_bytes(demo_trace.read_bytes())
    link.symlink_to("run.prof")
    for path in (recording, link):
        with pytest.raises(libprof.ProfError, match="would overwrite a recording; name another file"):
            write(str(path))
    assert recording.read_bytes() == demo_trace.read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["link", "run.prof"]


def test_files_keep_their_mode_and_links_lead_where_they_led(write: Callable[[str], None], tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    target, link = tmp_path / "sub" / "file", tmp_path / "link"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to("sub/file")
    write(str(link))
    assert os.readlink(link) == "sub/file" and target.read_text() != "old"
    assert target.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path / "sub") == ["file"] and sorted(os.listdir(tmp_path)) == ["link", "sub"]


def test_pipes_are_written_to(write: Callable[[str], None], tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: List[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write(str(pipe))
    assert pipe.is_fifo() and os.listdir(tmp_path) == ["pipe"]
    reader.join()
    assert got[0]


@pytest.mark.parametrize("ending", ("json", "pftrace", "sqlite", "svg", "html", "pb.gz", "speedscope.json", "prom"))
def test_a_trace_does_not_replace_what_it_is_of(demo_trace: Path, tmp_path: Path, ending: str) -> None:
    source = tmp_path / f"x.{ending}"
    libprof.read(demo_trace).export(source, "chrome")  # content tells what it is
    before = source.read_bytes()
    link = tmp_path / f"link.{ending}"
    link.symlink_to(source)
    for path in (source, link):
        with pytest.raises(libprof.ProfdumpError, match="would overwrite an input") as caught:
            libprof.read(source).export(path)
        assert caught.value.status == 2
    assert source.read_bytes() == before


def test_an_inspector_does_not_replace_its_file(tmp_path: Path) -> None:
    path = tmp_path / "run.etdp"
    path.write_bytes(DUMP)
    with pytest.raises(libprof.ProfError, match="would overwrite an input"):
        Inspector(etdump_path=path).save_data_to_tsv(path)
    assert path.read_bytes() == DUMP


def test_a_packed_trace_with_metadata_is_whole(tmp_path: Path) -> None:
    with_metadata(str(tmp_path / "x.json.gz"))
    assert json.loads(gzip.open(tmp_path / "x.json.gz").read())["model"] == "one"


def test_a_missing_folder_is_named(write: Callable[[str], None], tmp_path: Path) -> None:
    with pytest.raises((libprof.ProfError, OSError), match="/no/such.*No such file|No such file.*/no/such"):
        write(str(tmp_path / "no" / "such"))


def test_an_error_in_the_middle_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for old in (None, "old"):
        if old:
            path.write_text(old)
        with pytest.raises(KeyboardInterrupt):
            with replacing(path) as file:
                file.write(b"half")
                raise KeyboardInterrupt
        assert os.listdir(tmp_path) == (["file"] if old else [])
        assert not old or path.read_text() == old

"""Prof buffers: numbers are those of ExecuTorch's parser, and what it got wrong is right."""

from __future__ import annotations

import json
import math
import struct
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any, Dict, List

import pytest
from executorch_files import prof_block, rows

import libprof
from libprof.executorch.parse_profiler_results import (
    MemEvent,
    ProfileData,
    ProfileEvent,
    TimeScale,
    deserialize_profile_results,
    deserialize_profile_results_files,
    mem_profile_table,
    profile_aggregate_framework_tax,
    profile_framework_tax_table,
    profile_table,
    recorded_events,
)

MS = 1_000_000


def inference(second: int = 0) -> bytes:
    events = [
        ("Method::execute", -1, 0, 1 * MS + second, 3 * MS + 2 * second),
        ("OPERATOR_CALL", 0, 0, 1 * MS + second, 2 * MS + second),
        ("native_call_add.out", 0, 0, 1 * MS + second, 2 * MS + second),
    ]
    return prof_block("inference", events, [("planned", 0)], [(0, 64), (0, 32)], spare=2)


# ---- what ExecuTorch's parser says ----

WRONG_IN_THE_ORIGINAL = {"case4_small", "case5_small", "case8b_big_rawptr"}


def golden_cases(shared_dir: Path) -> List[Path]:
    cases = sorted((shared_dir / "data" / "executorch").glob("*.golden.json"))
    assert len(cases) >= 8
    return cases


def test_numbers_are_the_originals(shared_dir: Path) -> None:
    compared = 0
    for case in golden_cases(shared_dir):
        name = case.name[: -len(".golden.json")]
        golden = json.loads(case.read_text())
        if name in WRONG_IN_THE_ORIGINAL:
            continue
        if name == "case6_small":  # a later block's allocator stood for one of this block
            golden["mem"]["default"][0]["allocator_name"] = "alloc_of_default"
        prof, mem = deserialize_profile_results(case.with_name(name + ".prof.bin").read_bytes())
        assert {n: [vars(e) for e in events] for n, events in prof.items()} == golden["profile"], name
        if "mem" in golden:
            assert {n: [vars(e) for e in events] for n, events in mem.items()} == golden["mem"], name
        tax = profile_aggregate_framework_tax(prof)
        for block, want in golden.get("tax", {}).items():
            for key, values in want.items():
                assert getattr(tax[block], key) == pytest.approx(values, rel=1e-9), (name, block, key)
        compared += 1
    assert compared >= 5


def test_addresses_in_place_of_names_are_read(shared_dir: Path) -> None:
    path = shared_dir / "data" / "executorch" / "case8b_big_rawptr.prof.bin"
    with pytest.warns(UserWarning, match="names are not text"):
        prof, _ = deserialize_profile_results(path)
    names = [event.name for event in prof["default"]]
    assert all(name.startswith("(name at address 0x") for name in names[len(names) // 2 :])


# ---- the example of the documentation ----


def test_the_documents_tables() -> None:
    prof_data, mem_allocations = deserialize_profile_results(inference() + inference(MS // 2))
    assert "\n".join(map(str, profile_table(prof_data))) == (
        "+-------------------------------------------------------------------------+\n"
        "|                                inference                                |\n"
        "+---------------------+-------+-------+-------+-------------+-------------+\n"
        "|         Name        | Chain | Instr | Frame | Iteration 0 | Iteration 1 |\n"
        "+---------------------+-------+-------+-------+-------------+-------------+\n"
        "|   Method::execute   |   -1  |   0   |  None |     2.0     |     2.5     |\n"
        "|    OPERATOR_CALL    |   0   |   0   |  None |     1.0     |     1.0     |\n"
        "| native_call_add.out |   0   |   0   |  None |     1.0     |     1.0     |\n"
        "+---------------------+-------+-------+-------+-------------+-------------+"
    )
    tax = profile_framework_tax_table(profile_aggregate_framework_tax(prof_data))
    assert tax[0].title == "inference framework tax calculations"
    assert tax[0].field_names == ["", "Iteration 0", "Iteration 1"]
    assert tax[0].rows == [
        ["Model execution time", 2.0, 2.5],
        ["Time spent in kernels and delegates", 1.0, 1.0],
        ["Framework tax (%)", 50.0, 60.0],
    ]
    assert "\n".join(map(str, mem_profile_table(mem_allocations))) == (
        "+-------------------------------------------------+\n"
        "|                    inference                    |\n"
        "+----------------+--------------------------------+\n"
        "| Allocator name | Total size of allocations done |\n"
        "+----------------+--------------------------------+\n"
        "|    planned     |               96               |\n"
        "+----------------+--------------------------------+"
    )


def test_files_are_read_and_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "run.bin").write_bytes(inference())
    (tmp_path / "model.ff").write_bytes(b"model")
    prof, mem = deserialize_profile_results_files(str(tmp_path / "run.bin"), str(tmp_path / "model.ff"))
    assert list(prof) == list(mem) == ["inference"]
    printed = capsys.readouterr().out
    order = [printed.index(part) for part in ("Chain", "framework tax calculations", "Allocator name")]
    assert order == sorted(order)
    with pytest.raises(FileNotFoundError):
        deserialize_profile_results_files(tmp_path / "run.bin", tmp_path / "no_model.ff")


def test_blocks_come_in_order_and_by_name() -> None:
    event = [("e", -1, 0, 1, 2)]
    prof, mem = deserialize_profile_results(
        prof_block("b", event) + prof_block("a", event) + prof_block("b", event)
    )
    assert list(prof) == list(mem) == ["b", "a"]
    assert len(prof["b"][0].duration) == 2


@pytest.mark.parametrize(
    "scale, ts, duration",
    [
        (TimeScale.TIME_IN_NS, 0.001, 0.0005),
        (TimeScale.TIME_IN_US, 1.0, 0.5),
        (TimeScale.TIME_IN_MS, 1000, 500),
        (TimeScale.CPU_CYCLES, 1000, 500),
        (TimeScale.MS, 1000, 500),
    ],
)
def test_time_scales(scale: TimeScale, ts: float, duration: float) -> None:
    prof, _ = deserialize_profile_results(prof_block("b", [("e", 3, 4, 1000, 1500)]), scale)
    event = prof["b"][0]
    assert (event.ts, event.duration) == ([ts], [duration])
    assert isinstance(event.duration[0], type(duration))
    assert event == ProfileEvent("e", [ts], [duration], 3, 4, None)


def test_time_scales_have_both_names() -> None:
    assert TimeScale.TIME_IN_NS is TimeScale.NS and TimeScale(2) is TimeScale.MS
    for wrong in (4, -1, "m", True, None):
        with pytest.raises(ValueError):
            TimeScale(wrong)
    with pytest.raises(ValueError, match="time_scale is one of"):
        deserialize_profile_results(inference(), TimeScale.S)


def test_events_as_they_were_recorded() -> None:
    with pytest.warns(UserWarning, match="did not end") as warned:
        recorded = recorded_events(
            prof_block("b", [("e", -1, 3, 7, 9)]) + prof_block("b", [("e", -1, 3, 8, 0)])
        )
    assert recorded == {"b": [[ProfileData("e", -1, 3, 7, 9)], [ProfileData("e", -1, 3, 8, 0)]]}
    assert warned[0].filename == __file__
    assert recorded_events(prof_block("empty")) == {"empty": []}


# ---- iterations that differ ----

BASE = dict(events=[("a", -1, 0, 1, 2)], allocators=[("x", 0), ("y", 1)], allocations=[(0, 8)])


@pytest.mark.parametrize(
    "change, sentence",
    [
        (
            {"events": [("a", -1, 0, 1, 2), ("b", -1, 0, 1, 2)]},
            "Profiling blocks corresponding to the same name shouldn't be of different lengths.",
        ),
        (
            {"events": [("b", -1, 0, 1, 2)]},
            "Corresponding entries in different iterations of the profiling block do not match",
        ),
        (
            {"allocations": []},
            "Memory profiling blocks corresponding to the same name shouldn't be of different lengths.",
        ),
        (
            {"allocations": [(1, 8)]},
            "Corresponding entries in different iterations of the memory profiling blocks do not have "
            "the same allocator id",
        ),
        (
            {"allocations": [(0, 9)]},
            "Corresponding entries in different iterations of the memory profiling blocks do not have "
            "the same allocation size.",
        ),
    ],
)
def test_iterations_that_differ_are_refused(change: Dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError) as raised:
        deserialize_profile_results(prof_block("b", **BASE) + prof_block("b", **{**BASE, **change}))
    assert str(raised.value) == sentence


# ---- what the original got wrong ----


def test_an_allocator_is_its_own_blocks_or_an_earlier_ones() -> None:
    buffer = prof_block("first", [], [("of first", 0)], [(0, 1)])
    buffer += prof_block("second", [], [("of second", 0)], [(0, 2)])
    buffer += prof_block("third", [], [], [(0, 3)])
    _, mem = deserialize_profile_results(buffer)
    assert mem == {
        "first": [MemEvent("of first", 1)],
        "second": [MemEvent("of second", 2)],
        "third": [MemEvent("of second", 3)],
    }


def test_a_later_block_with_fewer_iterations_has_its_own_columns() -> None:
    event = [("e", -1, 0, 0, MS)]
    prof, _ = deserialize_profile_results(prof_block("many", event) * 3 + prof_block("one", event))
    assert [len(table.field_names) for table in profile_table(prof)] == [7, 5]


def test_a_block_without_events_has_a_table() -> None:
    prof, mem = deserialize_profile_results(prof_block("empty"))
    assert (prof, mem) == ({"empty": []}, {"empty": []})
    assert "empty" in str(profile_table(prof)[0])
    assert profile_aggregate_framework_tax(prof) == {}


def test_a_counter_of_32_bits_may_begin_anew() -> None:
    buffer = prof_block("b", [("e", -1, 0, 2**32 - 1000, 2000)])
    prof, _ = deserialize_profile_results(buffer, wrap32=True)
    assert prof["b"][0].duration == [0.003]
    with pytest.warns(UserWarning, match="--wrap32"):
        prof, _ = deserialize_profile_results(buffer)
    assert math.isnan(prof["b"][0].duration[0])


def test_what_did_not_end_has_no_duration() -> None:
    event = [("e", -1, 0, 1000, 0)]
    with pytest.warns(UserWarning, match="did not end"):
        prof, _ = deserialize_profile_results(prof_block("b", event) + prof_block("b", [("e", -1, 0, 0, MS)]))
    assert math.isnan(prof["b"][0].duration[0]) and prof["b"][0].duration[1] == 1.0


def tax_of(*events: ProfileEvent) -> Any:
    return profile_aggregate_framework_tax({"b": list(events)})["b"]


def test_the_larger_execution_is_no_longer_that_of_another_iteration() -> None:
    tax = tax_of(
        ProfileEvent("Method::execute", [0, 0], [10, 20]),
        ProfileEvent("Method::execute", [100, 100], [30, 10]),
        ProfileEvent("native_call_add", [0, 100], [4, 6]),
    )
    assert (tax.exec_time, tax.kernel_and_delegate_time) == ([40, 30], [4, 6])
    assert tax.framework_tax == [90.0, 80.0]


def test_an_execution_without_time_has_no_tax() -> None:
    tax = tax_of(ProfileEvent("Method::execute", [5], [0]), ProfileEvent("native_call_add", [5], [0]))
    assert math.isnan(tax.framework_tax[0])
    unknown = tax_of(
        ProfileEvent("Method::execute", [5], [math.nan]), ProfileEvent("native_call_a", [5], [1])
    )
    assert math.isnan(unknown.exec_time[0]) and math.isnan(unknown.framework_tax[0])


def test_tax_has_no_noise() -> None:
    tax = tax_of(
        ProfileEvent("Method::execute", [0.0], [0.3]),
        ProfileEvent("native_call_a", [0.0], [0.1]),
        ProfileEvent("native_call_b", [0.1], [0.2]),
    )
    assert (tax.kernel_and_delegate_time, tax.framework_tax) == ([0.3], [0.0])


def test_units_stand_in_headers_when_asked_for() -> None:
    prof, _ = deserialize_profile_results(inference())
    assert profile_table(prof, unit="ms")[0].field_names[-1] == "Iteration 0 (ms)"
    tax = profile_framework_tax_table(profile_aggregate_framework_tax(prof), unit="ms")
    assert tax[0].rows[0][0] == "Model execution time (ms)"


def test_kernels_in_kernels_count_once_and_names_match_from_their_beginning() -> None:
    tax = tax_of(
        ProfileEvent("Method::execute", [0], [100]),
        ProfileEvent("native_call_outer", [10], [50]),
        ProfileEvent("native_call_inner", [20], [10]),
        ProfileEvent("delegate_execute", [50], [20]),  # half of it within the first
        ProfileEvent("my_native_call", [80], [10]),
        ProfileEvent("native_call_outside", [200], [10]),
    )
    assert (tax.kernel_and_delegate_time, tax.framework_tax) == ([60], [40.0])
    assert profile_aggregate_framework_tax({"b": [ProfileEvent("xMethod::execute", [0], [1])]}) == {}


@pytest.mark.parametrize(
    "buffer, sentence",
    [
        (b"", "the file is empty"),
        (inference()[:100], "but the file ends after 100"),
        (inference() + inference()[:-1], "but the file ends"),
        (prof_block("b", version=7), "not a trace of a known kind"),
        (b"{}" * 100, "<bytes>: "),
    ],
)
def test_damaged_buffers_are_told_of(buffer: bytes, sentence: str) -> None:
    with pytest.raises(libprof.ProfdumpError, match=sentence) as raised:
        deserialize_profile_results(buffer)
    assert "<bytes>" in str(raised.value) and "/tmp" not in str(raised.value)


def test_more_entries_than_there_is_room_for() -> None:
    block = bytearray(inference())
    struct.pack_into("<I", block, 40, 1000)
    with pytest.raises(libprof.ProfdumpError):
        deserialize_profile_results(bytes(block))


def test_either_byte_order() -> None:
    prof, _ = deserialize_profile_results(prof_block("b", [("e", -1, 7, 0, MS)], order=">"))
    assert prof == {"b": [ProfileEvent("e", [0.0], [1.0], -1, 7)]}


def test_long_names_end_with_a_whole_character() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        prof, _ = deserialize_profile_results(prof_block("b", [("x" * 31 + "é", -1, 0, 0, 1)]))
    assert prof["b"][0].name == "x" * 31


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(libprof.ProfdumpError, match="no.bin: No such file or directory"):
        deserialize_profile_results(tmp_path / "no.bin")


def test_a_path_of_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "--version").write_bytes(prof_block("b", [("e", -1, 0, 0, 1)]))
    monkeypatch.chdir(tmp_path)
    assert list(deserialize_profile_results("--version")[0]) == ["b"]
    assert list(deserialize_profile_results(bytearray(Path("--version").read_bytes()))[0]) == ["b"]


# ---- the program ----


def cli(*arguments: str, **options: Any) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "libprof.executorch.profiler_results_cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, **options)


def test_the_program_prints_the_tables(tmp_path: Path) -> None:
    (tmp_path / "run.bin").write_bytes(inference())
    done = cli("--prof_results_bin", str(tmp_path / "run.bin"))
    assert (done.returncode, done.stderr) == (0, "")
    for part in ("native_call_add.out", "framework tax calculations", "Total size of allocations done"):
        assert part in done.stdout
    cycles = cli("--prof_results_bin", str(tmp_path / "run.bin"), "--time-scale", "cycles")
    assert "2000000" in cycles.stdout


def test_the_program_says_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "bad.bin").write_bytes(prof_block("b", **BASE) + prof_block("b"))
    done = cli("--prof_results_bin", str(tmp_path / "bad.bin"))
    assert done.returncode == 1
    assert done.stderr.startswith("profiler_results_cli: Profiling blocks corresponding to the same name")
    assert cli("--prof_results_bin", "x", "--time-scale", "hours").returncode == 2


def test_the_program_on_a_full_disk_and_a_closed_pipe(tmp_path: Path) -> None:
    (tmp_path / "run.bin").write_bytes(inference())
    program = (
        f"{sys.executable} -m libprof.executorch.profiler_results_cli --prof_results_bin {tmp_path}/run.bin"
    )
    full = subprocess.run(f"{program} >/dev/full", shell=True, capture_output=True, text=True, check=False)
    assert (
        full.returncode == 1 and full.stderr == "profiler_results_cli: [Errno 28] No space left on device\n"
    )
    closed = subprocess.run(f"{program} | true", shell=True, capture_output=True, text=True, check=False)
    assert closed.stderr == ""


def test_rows_must_fit_their_table() -> None:
    from libprof.executorch import Table

    table = Table("title", ["a", "b"])
    with pytest.raises(ValueError, match="a row of 1 values in a table of 2 columns"):
        table.add_row([1])
    assert rows([table]) == [[]]

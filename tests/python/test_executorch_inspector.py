"""The Inspector: event blocks of ETDumps, their statistics, tables and values."""
# packages: pandas tabulate

from __future__ import annotations

import io
import json
import math
import subprocess
import sys
import warnings
import zipfile
from pathlib import Path
from typing import Any, Dict, List, Sequence

import pytest
from executorch_files import allocation, dump, logged, number, profile, run

import libprof
from libprof.executorch import (
    DebugEventSignature,
    ETRecord,
    Event,
    EventBlock,
    EventSignature,
    Inspector,
    MemEvent,
    OperatorNode,
    PerfData,
    ProfileEventSignature,
    RunSignature,
    TimeScale,
    calculate_time_scale_factor,
    parse_etrecord,
)

ADD, MUL = "native_call_add.out", "native_call_mul.out"


def times(*spans: Sequence[int], name: str = ADD, **where: Any) -> bytes:
    """A dump of runs with one event each."""
    return dump(*(run("Execute", [profile(name, start, end, **where)]) for start, end in spans))


def events_of(data: bytes, **options: Any) -> List[Event]:
    (block,) = Inspector(etdump_data=data, **options).event_blocks
    return block.events


# ---- statistics ----


def test_perf_data_is_numpys() -> None:
    perf = PerfData([4.0, 1.0, 3.0, 2.0])
    assert (perf.p10, perf.p50, perf.p90) == (1.3, 2.5, 3.7)
    assert (perf.avg, perf.min, perf.max) == (2.5, 1.0, 4.0)
    assert PerfData([7]).p10 == PerfData([7]).p90 == 7.0
    with_unknown = PerfData([1.0, math.nan, 3.0])
    assert (with_unknown.avg, with_unknown.p50, with_unknown.max) == (2.0, 2.0, 3.0)
    assert all(math.isnan(getattr(PerfData([]), key)) for key in ("p10", "p50", "p90", "avg", "min", "max"))


def test_perf_data_is_equal_when_its_durations_are() -> None:
    assert PerfData([1, 2]) == PerfData([1.0, 2.0]) and hash(PerfData([1, 2])) == hash(PerfData([1.0, 2.0]))
    assert PerfData([1, 2]) != PerfData([2, 1]) and PerfData([1]) != [1]
    assert PerfData([math.nan]) == PerfData([float("nan")])
    assert eval(repr(PerfData([1.5]))) == PerfData([1.5])


def test_time_scales() -> None:
    assert calculate_time_scale_factor(TimeScale.NS, TimeScale.MS) == 1e6
    assert calculate_time_scale_factor(TimeScale.MS, TimeScale.NS) == 1e-6
    assert calculate_time_scale_factor(TimeScale.CYCLES, TimeScale.CYCLES) == 1
    sentence = "For TimeScale in cycles both the source and target time scale have to be in cycles."
    with pytest.raises(RuntimeError) as raised:
        Inspector(etdump_data=times((1, 2)), source_time_scale=TimeScale.CYCLES)
    assert str(raised.value) == sentence
    (event,) = events_of(times((0, 5)), source_time_scale=TimeScale.S, target_time_scale=TimeScale.US)
    assert event.perf_data == PerfData([5e6])


# ---- blocks ----


def test_runs_of_the_same_events_are_iterations() -> None:
    data = dump(
        run("a", [profile("e", 0, 1)]),
        run("a", [profile("e", 2, 4)]),
        run("a", [profile("e", 4, 5, instruction=1), profile("f", 5, 6, instruction=2)]),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a branch that is not always taken is nothing odd
        cycles = TimeScale.CYCLES
        blocks = Inspector(etdump_data=data, source_time_scale=cycles, target_time_scale=cycles).event_blocks
    assert [(b.name, len(b.events), [e.perf_data for e in b.events]) for b in blocks] == [
        ("a", 1, [PerfData([1, 2])]),
        ("a", 2, [PerfData([1]), PerfData([1])]),
    ]
    assert blocks[0].events[0].start_time == [0, 2]
    signature = ProfileEventSignature("e", None)
    assert blocks[0].signature == RunSignature("a", (EventSignature(-1, signature),), None)
    assert {blocks[0].signature, blocks[1].signature} == {blocks[1].signature, blocks[0].signature}


def test_the_sample_dump(shared_dir: Path) -> None:
    directory = shared_dir / "data" / "executorch"
    decoded = json.loads((directory / "etdump.decoded.json").read_text())
    inspector = Inspector(directory / "etdump.etdp", target_time_scale=TimeScale.NS)
    assert [block.name for block in inspector.event_blocks] == ["Default", "Execute"]
    for block, wanted in zip(inspector.event_blocks, decoded["run_data"]):
        ours = sorted((e.name, e._instruction_id, e.start_time, e.perf_data.raw) for e in block.events)
        theirs = sorted(
            (e["name"], e["instr"], [e["start"]], [e["end"] - e["start"]]) for e in wanted["events"]
        )
        assert ours == theirs
        assert block.bundled_input_index is None


def test_values_alone_are_events() -> None:
    data = dump(
        run(
            "Execute",
            [
                logged(number(1), delegate=3, instruction=1),
                logged(number(2.5), name="named", instruction=2),
                logged(number(True), output=True),
            ],
        )
    )
    (block,) = Inspector(etdump_data=data).event_blocks
    assert [(e.name, e.perf_data, e.debug_data, e.is_delegated_op) for e in block.events] == [
        ("3", None, [1], True),
        ("named", None, [2.5], False),
    ]
    assert block.run_output == [True]
    assert block.events[1].signature == EventSignature(2, None, DebugEventSignature("named", 2))


def test_a_delegates_clock_is_converted() -> None:
    data = times((100, 200), name="x", delegate="part", metadata=b"\x00\xff\x01")
    (event,) = events_of(data)
    assert (event.name, event.delegate_debug_identifier, event.is_delegated_op) == ("part", "part", True)
    assert event.perf_data == PerfData([100]) and event.start_time == [100]
    asked = []

    def convert(name: Any, time: float) -> float:
        asked.append((name, time))
        return time / 10

    (event,) = events_of(data, delegate_time_scale_converter=convert)
    assert event.perf_data == PerfData([10]) and event.start_time == [10]
    assert set(asked) == {("part", 100), ("part", 200)}


def test_metadata_is_parsed_once_for_an_event() -> None:
    data = dump(
        run("r", [profile(None, 0, 1, delegate=5, metadata=b"\x00\xff")]),
        run("r", [profile(None, 0, 1, delegate=5)]),
    )
    (event,) = events_of(data)
    assert event.raw_delegate_debug_metadatas == event.delegate_debug_metadatas == [b"\x00\xff", b""]
    calls: List[List[bytes]] = []

    def parse(metadatas: List[bytes]) -> Dict[str, Any]:
        calls.append(metadatas)
        return {"lengths": [len(metadata) for metadata in metadatas]}

    (event,) = events_of(data, delegate_metadata_parser=parse)
    assert event.delegate_debug_metadatas == event.delegate_debug_metadatas == {"lengths": [2, 0]}
    assert calls == [[b"\x00\xff", b""]]
    (event,) = events_of(times((0, 1), delegate=5), delegate_metadata_parser=parse)
    assert event.delegate_debug_metadatas == [] and len(calls) == 1


# ---- what the original got wrong ----


def test_a_wrapped_counter_is_exact() -> None:
    (event,) = events_of(times((2**32 - 1, 0 + 1)), target_time_scale=TimeScale.NS)
    assert event.perf_data == PerfData([2])
    assert Event._calculate_elapsed_time(2**32 - 1, 1) == 2
    with pytest.warns(UserWarning), pytest.raises(ValueError) as raised:
        Inspector(etdump_data=times((2**32, 1)))
    assert str(raised.value) == (
        "Expected start_time (4294967296) and end_time (1) to be less than 4294967295 for cases where there "
        "is wrap-around of time values."
    )


def test_a_delegates_counter_is_unwrapped_before_it_is_converted() -> None:
    data = times((2**32 - 50, 50), delegate=1)
    assert events_of(data)[0].perf_data == PerfData([100])
    (event,) = events_of(data, delegate_time_scale_converter=lambda name, time: time / 10)
    assert event.perf_data is not None and event.perf_data.raw == [pytest.approx(10)]


def test_what_did_not_end_is_in_no_statistic() -> None:
    with pytest.warns(UserWarning, match="did not end"):
        (event,) = events_of(times((5, 0), (5, 15)), target_time_scale=TimeScale.NS)
    assert event.perf_data is not None and math.isnan(event.perf_data.raw[0]) and event.perf_data.avg == 10


def test_allocations_are_memory() -> None:
    runs = [
        run(
            "r",
            [allocation(1, 64), profile(ADD, 0, 1), allocation(2, 8), allocation(1, 1)],
            allocators=["x", "y"],
        )
        for _ in range(2)
    ]
    (block,) = Inspector(etdump_data=dump(*runs)).event_blocks
    assert [event.name for event in block.events] == [ADD]
    assert block.memory == [MemEvent("x", 65), MemEvent("y", 8)]
    assert block.allocations == [[("x", 64), ("y", 8), ("x", 1)]] * 2


def test_an_instruction_that_runs_twice_keeps_both_samples() -> None:
    looped = [profile(ADD, 0, 1, instruction=4), profile(ADD, 10, 30, instruction=4)]
    events = events_of(dump(run("r", looped), run("r", looped)), target_time_scale=TimeScale.NS)
    assert [event.perf_data for event in events] == [PerfData([1, 1]), PerfData([20, 20])]


def test_start_times_are_in_the_unit_of_durations() -> None:
    (event,) = events_of(times((2_000_000, 3_000_000)))
    assert (event.start_time, event.perf_data) == ([2.0], PerfData([1.0]))


def test_handles_match_as_a_whole() -> None:
    block = EventBlock(
        "b",
        [
            Event("plain", _instruction_id=1),
            Event("10", delegate_debug_identifier=10, is_delegated_op=True, _instruction_id=0),
            Event("1", delegate_debug_identifier=1, is_delegated_op=True, _instruction_id=0),
            Event("conv", delegate_debug_identifier="conv", is_delegated_op=True, _instruction_id=0),
            Event("DELEGATE_CALL", _instruction_id=0),
            Event("unknown", _instruction_id=10),
            Event("Method::execute", _instruction_id=0),
        ],
    )
    delegates: Dict[str, Any] = {
        "0": {"name": "Backend", "delegate_map": {"1": [7], 10: (100, 1000), "conv": [3]}}
    }
    block._gen_resolve_debug_handles({"0": [1, 2], "1": [5]}, delegates)
    assert [event.debug_handles for event in block.events] == [[5], (100, 1000), [7], [3], [1, 2], None, None]
    assert [event.delegate_backend_name for event in block.events] == [None, *["Backend"] * 4, None, None]


def test_a_delegate_without_a_map_says_so(caplog: pytest.LogCaptureFixture) -> None:
    event = Event("d", delegate_debug_identifier=9, _instruction_id=3)
    EventBlock("b", [event])._gen_resolve_debug_handles({"3": [1]}, {})
    assert event.debug_handles == [1] and "instruction id 3" in caplog.text


def test_a_block_without_bundled_input_has_no_reference_output() -> None:
    data = dump(
        run("Execute", [profile(ADD, 0, 1)]),
        run("Execute", [profile(ADD, 0, 1)], bundled_input=1),
    )
    record = ETRecord(_reference_outputs={"forward": [["zero"], ["one"]]})
    blocks = Inspector(etdump_data=data, etrecord=record).event_blocks
    assert [(b.bundled_input_index, b.reference_output) for b in blocks] == [(None, None), (1, ["one"])]


def test_a_dump_without_runs_has_an_empty_table() -> None:
    inspector = Inspector(etdump_data=dump())
    assert inspector.event_blocks == []
    out = io.StringIO()
    inspector.print_data_tabular(out)
    assert "event_block_name" in out.getvalue()
    assert inspector.find_total_for_module("x") == 0.0


# ---- arguments ----


def test_wrong_arguments(tmp_path: Path) -> None:
    sentence = "Expecting exactly one of etdump_path or etdump_data to be specified."
    for arguments in ({}, {"etdump_path": "x", "etdump_data": b"y"}):
        with pytest.raises(ValueError) as raised:
            Inspector(**arguments)  # type: ignore[arg-type]
        assert str(raised.value) == sentence
    with pytest.raises(TypeError, match="Unsupported ETRecord type"):
        Inspector(etdump_data=times((0, 1)), etrecord=7)  # type: ignore[arg-type]
    with pytest.raises(libprof.ProfdumpError, match="No such file"):
        Inspector(str(tmp_path / "none.etdp"))
    with pytest.raises(FileNotFoundError):
        Inspector(etdump_data=times((0, 1)), debug_buffer_path=tmp_path / "none.bin")
    for data in (b"", times((0, 1))[:-3], b"\0" * 64):
        with pytest.raises(libprof.ProfdumpError, match="<bytes>"):
            Inspector(etdump_data=data)


# ---- tables ----


def table_dump() -> bytes:
    return dump(
        run(
            "Execute",
            [
                profile(ADD, 0, 1_500_000, instruction=1),
                profile("OPERATOR_CALL", 0, 2_000_000, instruction=1),
                profile(None, 0, 7, instruction=2, delegate=7, metadata=b"meta"),
                logged(number(1), name="value", instruction=3),
            ],
        )
    )


COLUMNS = (
    "event_block_name event_name raw p10 p50 p90 avg min max op_types delegate_debug_identifier stack_traces "
    "module_hierarchy is_delegated_op delegate_backend_name debug_data start_time"
).split()


def printed(inspector: Inspector, **options: Any) -> str:
    out = io.StringIO()
    inspector.print_data_tabular(out, **options)
    return out.getvalue()


def test_the_printed_table() -> None:
    lines = printed(Inspector(etdump_data=table_dump()), include_units=False).split("\n")
    assert [cell.strip() for cell in lines[1].strip("│").split("│")] == (
        " event_block_name event_name p10 p50 p90 avg min max op_types is_delegated_op delegate_backend_name "
        "start_time"
    ).split(" ")
    cells = [[cell.strip() for cell in line.strip("│").split("│")] for line in lines[3:-1:2]]
    assert [row[:4] for row in cells] == [
        ["0", "Execute", ADD, "1.5"],
        ["2", "Execute", "7", "7"],
        ["3", "Execute", "value", ""],
    ]
    with_units = printed(Inspector(etdump_data=table_dump(), enable_module_hierarchy=True))
    assert "p10 (ms)" in with_units and "module_hierarchy" in with_units


def test_the_printed_table_is_tabulates() -> None:
    tabulate = pytest.importorskip("tabulate")
    pytest.importorskip("pandas")
    inspector = Inspector(etdump_data=table_dump())
    frame = inspector.to_dataframe()
    frame = frame[frame["event_name"] != "OPERATOR_CALL"].drop(
        columns=["raw", "delegate_debug_identifier", "stack_traces", "module_hierarchy", "debug_data"]
    )
    rows = [
        [None if value is None or value != value else value for value in row] for row in frame.values.tolist()
    ]
    want = tabulate.tabulate(
        [[index, *row] for index, row in zip(frame.index, rows)],
        headers=["", *frame.columns],
        tablefmt="fancy_grid",
    )
    assert printed(inspector) == want + "\n"


def test_the_data_frame() -> None:
    pytest.importorskip("pandas")
    inspector = Inspector(etdump_data=table_dump())
    frame = inspector.to_dataframe(include_units=False)
    assert list(frame.columns) == COLUMNS
    assert list(frame["event_name"]) == [ADD, "OPERATOR_CALL", "7", "value"]
    assert frame["raw"][0] == [1.5] and frame["p50"][2] == 7.0 and frame["debug_data"][3] == [1]
    assert "p10 (ms)" in inspector.to_dataframe().columns
    assert list(inspector.event_blocks[0].to_dataframe().columns) == COLUMNS
    assert list(inspector.event_blocks[0].events[0].to_dataframe()["event_name"]) == [ADD]
    with_metadata = inspector.to_dataframe(include_delegate_debug_data=True)
    assert with_metadata["delegate_debug_metadata"][2] == [b"meta"]
    parsed = Inspector(
        etdump_data=table_dump(), delegate_metadata_parser=lambda raw: {"n": len(raw), "k": "v"}
    )
    frame = parsed.to_dataframe(include_delegate_debug_data=True)
    assert list(frame.columns[-2:]) == ["n", "k"] and (frame["n"][2], frame["k"][2]) == (1, "v")
    assert list(Inspector(etdump_data=dump()).to_dataframe(include_units=False).columns) == COLUMNS


def test_a_parser_must_return_a_dictionary() -> None:
    inspector = Inspector(etdump_data=table_dump(), delegate_metadata_parser=lambda raw: 5)  # type: ignore[arg-type,return-value]
    with pytest.raises(ValueError, match="Unexpected type for delegate_debug_metadata: <class 'int'>"):
        printed(inspector, include_delegate_debug_data=True)


def test_without_pandas_a_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    inspector = Inspector(etdump_data=table_dump())
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="a data frame needs pandas"):
        inspector.to_dataframe()
    assert ADD in printed(inspector)


def test_importing_needs_nothing_besides(run_python) -> None:
    source = "import sys, libprof.executorch, libprof.executorch.inspector_cli\n"
    source += (
        "print([m for m in ('pandas', 'numpy', 'torch', 'tabulate', 'prettytable') if m in sys.modules])"
    )
    assert run_python(source).stdout == "[]\n"


def test_tsv_to_a_path_and_to_a_stream(tmp_path: Path) -> None:
    inspector = Inspector(etdump_data=table_dump())
    inspector.save_data_to_tsv(tmp_path / "out.tsv")
    stream = io.StringIO()
    inspector.save_data_to_tsv(stream)
    assert (tmp_path / "out.tsv").read_text() == stream.getvalue()
    lines = [line.split("\t") for line in stream.getvalue().split("\n")[:-1]]
    assert lines[0][:4] == ["", "event_block_name", "event_name", "raw"] and len(lines) == 5
    assert lines[1][:4] == ["0", "Execute", ADD, "[1.5]"]
    with pytest.raises(OSError):
        inspector.save_data_to_tsv("/dev/full")


# ---- ETRecord ----


def graph_program() -> Dict[str, Any]:
    def node(name: str, target: str, handle: str, stack: str) -> Dict[str, Any]:
        metadata = {"debug_handle": handle, "stack_trace": f"model.py {name}", "nn_module_stack": stack}
        return {"target": target, "outputs": [{"as_tensor": {"name": name}}], "metadata": metadata}

    outer = "L__self__,,Model"
    edge = "executorch.exir.dialects.edge.ops.aten"
    nodes = [
        node("conv", f"{edge}.convolution.default", "5", f"{outer};L__self___conv1,conv1,torch.nn.Conv2d"),
        node(
            "relu", f"{edge}.relu.default", "(6, 7)", f"{outer};L__self___conv10,block.conv10,torch.nn.ReLU"
        ),
    ]
    return {"graph_module": {"graph": {"nodes": nodes}}}


def etrecord_file(path: Path) -> Path:
    delegates = {"forward": {"3": {"name": "Backend", "delegate_map": {"1": [6], "11": [5]}}}}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("ETRECORD_V0", "")
        archive.writestr("debug_handle_map", json.dumps({"1": 5, "2": [6], "3": [5, 6]}))
        archive.writestr("delegate_map", json.dumps(delegates))
        archive.writestr("edge_dialect_exported_program", json.dumps(graph_program()))
        archive.writestr("reference_outputs", b"a pickle, which nobody may load")
    return path


def test_an_etrecord_tells_operators_and_modules(tmp_path: Path) -> None:
    data = dump(
        run(
            "Execute",
            [
                profile(ADD, 0, 10, instruction=1),
                profile("OPERATOR_CALL", 0, 100, instruction=1),
                profile(MUL, 0, 1000, instruction=2),
                profile(None, 0, 7, instruction=3, delegate=1),
                profile("Method::execute", 0, 10000, instruction=1, chain=-1),
            ],
        )
    )
    path = etrecord_file(tmp_path / "etrecord.bin")
    inspector = Inspector(etdump_data=data, etrecord=path, target_time_scale=TimeScale.NS)
    events = inspector.event_blocks[0].events
    by_name = {event.name: event for event in events}
    assert by_name[ADD].op_types == ["aten.convolution.default"]
    assert by_name[ADD].stack_traces == {"conv": "model.py conv"}
    assert by_name[ADD].module_hierarchy["conv"]["L__self___conv1"] == ("conv1", "torch.nn.Conv2d")
    assert (by_name["1"].delegate_backend_name, by_name["1"].debug_handles) == ("Backend", [6])
    assert by_name["Method::execute"].op_types == []
    assert inspector.find_total_for_module("L__self___conv1") == 10
    assert inspector.find_total_for_module("conv1") == 10
    assert inspector.find_total_for_module("block.conv10") == inspector.find_total_for_module("block") == 1007
    assert inspector.find_total_for_module("L__self__") == 1017
    assert inspector.find_total_for_module("conv") == inspector.find_total_for_module("") == 0


def test_an_etrecord_object(tmp_path: Path) -> None:
    node = OperatorNode("n", "aten.add", {"stack_trace": "here", "nn_module_stack": {"k": ("p", "C")}})
    record = ETRecord(
        edge_dialect_program="edge", graph_map={"g": 1}, _debug_handle_map={1: 4}, op_nodes={4: node}
    )
    inspector = Inspector(etdump_data=times((0, 1), instruction=1), etrecord=record)
    assert inspector.event_blocks[0].events[0].op_types == ["aten.add"]
    assert (inspector.get_exported_program(), inspector.get_exported_program("g")) == ("edge", 1)
    with pytest.warns(UserWarning, match="valid etrecord"):
        assert Inspector(etdump_data=times((0, 1))).get_exported_program() is None


def test_many_operators_are_shortened() -> None:
    event = Event("e", op_types=list("abcde"))
    assert event.asdict()["op_types"] == ["['a', 'b' ... 'e'] (5 total)"]
    assert Event("e", op_types=list("abcd")).asdict()["op_types"] == [list("abcd")]


def test_what_is_no_etrecord(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no zip")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("x", "y")
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        archive.writestr("debug_handle_map", "{")
    for name in ("text", "other.zip", "bad.zip"):
        with pytest.raises(ValueError, match="not an ETRecord"):
            parse_etrecord(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        parse_etrecord(tmp_path / "none")


# ---- the program ----


def cli(*arguments: Any) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "libprof.executorch.inspector_cli", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


def test_the_program(tmp_path: Path) -> None:
    (tmp_path / "run.etdp").write_bytes(table_dump())
    scales = ("--source_time_scale", "us", "--target_time_scale", "s")
    done = cli("--etdump_path", tmp_path / "run.etdp", *scales, "--tsv_path", tmp_path / "out.tsv")
    assert (done.returncode, done.stderr) == (0, "")
    assert "p10 (s)" in done.stdout and ADD in (tmp_path / "out.tsv").read_text()
    wrong = cli("--etdump_path", tmp_path / "run.etdp", "--source_time_scale", "cycles")
    assert wrong.returncode == 1 and wrong.stderr.startswith("inspector_cli: For TimeScale in cycles")
    assert cli("--etdump_path", tmp_path / "none").stderr.startswith("inspector_cli: ")
    compared = cli("--etdump_path", tmp_path / "run.etdp", "--compare_results")
    assert compared.returncode == 1 and "not known what the outputs should be" in compared.stderr

"""Logged values of ETDumps: read, and compared with those of another run."""
# packages: pandas

from __future__ import annotations

import io
import math
import struct
from pathlib import Path
from typing import Any, Dict

import pytest
from executorch_files import dump, logged, number, profile, run, tensor

from libprof.executorch import ETRecord, Inspector, compare_results

ADD = "native_call_add.out"

FLOAT32, BFLOAT16, QINT8 = 6, 15, 12


def tensor_dump(*values: Dict[int, Any]) -> bytes:
    events = [logged(value, name=f"v{i}", instruction=i) for i, value in enumerate(values)]
    return dump(run("Execute", events + [logged(values[0], output=True)]))


def test_logged_tensors(tmp_path: Path) -> None:
    (tmp_path / "b.bin").write_bytes(struct.pack("<6f2H", 1, 2, 3, 4, 5, 6, 0x3F80, 0xC000))
    data = tensor_dump(
        tensor(FLOAT32, [2, 3], 0),
        tensor(FLOAT32, [3, 2], 0, [1, 3]),
        tensor(BFLOAT16, [2], 24),
        tensor(FLOAT32, [], 4),
        tensor(FLOAT32, [0, 5], 0),
    )
    (block,) = Inspector(etdump_data=data, debug_buffer_path=tmp_path / "b.bin").event_blocks
    assert [event.debug_data[0].tolist() for event in block.events] == [
        [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
        [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]],
        [1.0, -2.0],
        2.0,
        [],
    ]
    assert block.run_output == block.events[0].debug_data
    first = block.events[0].debug_data[0]
    assert (first.shape, first.dtype) == ((2, 3), "float32") and hash(first) == hash(block.run_output[0])


def test_tensors_without_a_buffer() -> None:
    with pytest.warns(UserWarning, match="debug_buffer_path") as warned:
        (block,) = Inspector(etdump_data=tensor_dump(tensor(FLOAT32, [2], 0))).event_blocks
    assert warned[0].filename == __file__
    with pytest.raises(ValueError, match="debug buffer that was not given"):
        block.events[0].debug_data[0].tolist()


def test_tensors_that_do_not_lie_in_the_buffer(tmp_path: Path) -> None:
    (tmp_path / "b.bin").write_bytes(bytes(8))
    wrong = [
        (tensor(FLOAT32, [3], 0), ValueError, "is it of this ETDump"),
        (tensor(FLOAT32, [2**40], 0), ValueError, "is it of this ETDump"),
        (tensor(FLOAT32, [-1], 0), ValueError, "damaged"),
        (tensor(FLOAT32, [1], -4), ValueError, "damaged"),
        (tensor(QINT8, [1], 0), RuntimeError, "scalar type 12"),
    ]
    for value, error, sentence in wrong:
        with pytest.raises(error, match=sentence):
            Inspector(etdump_data=tensor_dump(value), debug_buffer_path=tmp_path / "b.bin")


# ---- comparison ----


def test_compare_results(capsys: pytest.CaptureFixture[str]) -> None:
    results = compare_results([[3.0, 4.0], 1.0, [0.0]], [[3.0, 5.0], 1.0, [0.0]])
    assert results["mse"] == [0.5, 0.0, 0.0]
    assert results["snr"][:2] == [13.98, math.inf]
    assert results["cosine_similarity"][:2] == [0.99, 1.0] and math.isnan(results["cosine_similarity"][2])
    assert capsys.readouterr().out.startswith("snr\n0    13.98000\n1         inf\n")
    out = io.StringIO()
    assert compare_results([[1, 2]], [[1, 2]], ["mse"], file=out) == {"mse": [0.0]}
    assert out.getvalue() == "mse\n0     0.00000\n"
    assert compare_results([], [], file=out) == {"snr": [], "mse": [], "cosine_similarity": []}


def test_what_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match="Unsupported metric 'psnr'"):
        compare_results([1.0], [1.0], ["psnr"])
    with pytest.raises(ValueError, match="outputs do not fit"):
        compare_results([[1.0, 2.0]], [[1.0]])
    with pytest.raises(ValueError, match="outputs do not fit"):
        compare_results([1.0], [])


def gap_files(directory: Path) -> Dict[str, Path]:
    data = tensor_dump(tensor(FLOAT32, [2], 0))
    for name, values in (("reference", (1, 2)), ("run", (1, 4))):
        (directory / f"{name}.etdp").write_bytes(data)
        (directory / f"{name}:x.bin").write_bytes(struct.pack("<2f", *values))
    return {path.name: path for path in directory.iterdir()}


def test_the_gap_between_two_runs(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    files = gap_files(tmp_path)
    record = ETRecord(_debug_handle_map={"0": [9]})
    run_inspector = Inspector(files["run.etdp"], etrecord=record, debug_buffer_path=files["run:x.bin"])
    reference = Inspector(files["reference.etdp"], debug_buffer_path=files["reference:x.bin"])
    frame = run_inspector.calculate_numeric_gap("MSE", reference=reference)
    assert list(frame["gap"]) == [2.0, 2.0] and list(frame["output"]) == [False, True]
    assert frame["runtime_debug_handle"][0] == [9]
    buffer = {"reference_debug_buffer": files["reference:x.bin"]}
    by_path = run_inspector.calculate_numeric_gap("L1", reference=files["reference.etdp"], **buffer)
    assert list(by_path["gap"]) == [2.0, 2.0]
    without = run_inspector.calculate_numeric_gap("SNR", reference=files["reference.etdp"])
    assert without["gap"][0] is None or math.isnan(without["gap"][0])
    assert "buffer" in without["problem"][0]
    with pytest.raises(ValueError, match="Unsupported distance metric PSNR"):
        run_inspector.calculate_numeric_gap("PSNR", reference=reference)


def test_values_that_differ_are_refused() -> None:
    def dumped(*values: Any) -> bytes:
        return dump(
            *(
                run("Execute", [profile(ADD, 0, 1, instruction=1), logged(number(v), instruction=1)])
                for v in values
            )
        )

    def event_of(data: bytes) -> Any:
        return Inspector(etdump_data=data).event_blocks[0].events[0]

    assert event_of(dumped(1.5, 1.5)).debug_data == [1.5]
    assert math.isnan(event_of(dumped(math.nan, math.nan)).debug_data[0])
    for other in (2.5, 1, math.inf):
        with pytest.raises(AssertionError, match="iteration 2 logged other values"):
            Inspector(etdump_data=dumped(1.5, other))

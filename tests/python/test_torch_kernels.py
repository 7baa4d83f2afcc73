"""What kernels that Inductor wrote come from: real ones are in test_torch_inductor.py, Triton's in test_cuda_build.py."""

# packages: torch==2.13.0+cpu numpy

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any, Dict

import pytest

import libprof
from libprof import _origins

torch = pytest.importorskip("torch")

KERNEL = "triton_poi_fused_add_relu_0"
SOURCE = f"import triton\n\n@triton.jit\ndef {KERNEL}(in_ptr0, out_ptr0, xnumel):\n    pass\n"
WRAPPER = """
# kernel path: {path}/other.py
# Topologically Sorted Source Nodes: [other], Original ATen: [aten.other]
# kernel path: {path}/kernel.py
# Topologically Sorted Source Nodes: [y, relu], Original ATen: [aten.add, aten.relu]
# Source node to ATen node mapping:
"""


@pytest.fixture
def words(tmp_path: Path) -> Dict[str, Any]:
    """What Inductor says of a kernel in its cache."""
    for directory in ("cache/ke", "cache/wr"):
        (tmp_path / directory).mkdir(parents=True)
    (tmp_path / "cache/ke/kernel.py").write_text(SOURCE)
    (tmp_path / "cache/wr/wrapper.py").write_text(WRAPPER.format(path=tmp_path / "cache/ke"))
    return {"kernel_file": str(tmp_path / "cache/ke/kernel.py"), "kernel_backend": "triton", "kernel_kwargs": "XBLOCK=128", "num_warps": 4}


# ---- origins ----

STACK = '  File "/home/user/model.py", line 11, in forward\n    y = self.scaled(x)\n  File "/home/user/model.py", line 9, in scaled\n    return x\n'
INFORMATION = {
    f"{KERNEL}:1": {"stack_traces": [STACK], "post_grad_nodes": ["relu", "add"], "pre_grad_nodes": ["relu", "y"]},
    f"{KERNEL}:7": {"stack_traces": [STACK], "post_grad_nodes": ["add"], "pre_grad_nodes": []},
    "cpp_other_1:2": {"stack_traces": [], "post_grad_nodes": ["sum_1"], "pre_grad_nodes": []},
}
MAPPINGS = {"postToPre": {"relu": ["act"]}, "cppCodeToPost": {f"{KERNEL}:1": ["relu", "add"]}, "preToPost": {}, "postToCppCode": {}, "version": 2.0}


@pytest.fixture
def recorded(words: Dict[str, Any], tmp_path: Path) -> Path:
    """A Chrome trace in a directory of its own."""
    with libprof.profile(record_shapes=True) as prof:
        with torch._C._profiler._RecordFunctionFast(KERNEL, (torch.ones(3),), words):
            pass
        with torch.profiler.record_function("graph_0_cpp_other_1"):
            pass
    (tmp_path / "traces").mkdir()
    prof.export_chrome_trace(str(tmp_path / "traces" / "trace.json"))
    return tmp_path / "traces" / "trace.json"


def test_inductors_cache_knows_what_kernels_fuse(words: Dict[str, Any], recorded: Path) -> None:
    (origin,) = libprof.read(recorded).origins()
    assert (origin.name, origin.launches, origin.operators) == (KERNEL, 1, ["aten.add", "aten.relu"])
    assert (origin.nodes, origin.stacks, origin.file) == (["y", "relu"], [], words["kernel_file"] + ":4")
    assert origin.cpu_ns > 0 and origin.cuda_ns == 0
    shutil.rmtree(Path(words["kernel_file"]).parents[1])
    (origin,) = libprof.read(recorded).origins()
    assert (origin.operators, origin.file) == ([], words["kernel_file"])


def test_recordings_and_traces_of_pytorchs_profiler(words: Dict[str, Any], tmp_path: Path) -> None:
    def launch() -> None:
        with torch._C._profiler._RecordFunctionFast(KERNEL, (torch.ones(3),), words):
            pass

    with torch.profiler.profile(record_shapes=True) as theirs:
        launch()
    with libprof.profile(record_shapes=True) as ours:
        launch()
        launch()
    theirs.export_chrome_trace(str(tmp_path / "theirs.json"))
    for trace, launches in ((libprof.read(tmp_path / "theirs.json"), 1), (ours.trace, 2)):
        (origin,) = trace.origins()
        assert (origin.launches, origin.operators) == (launches, ["aten.add", "aten.relu"])


def test_lines_are_in_files_beside_it(recorded: Path, tmp_path: Path) -> None:
    information = recorded.with_name("kernel_information.json")
    information.write_text(json.dumps(INFORMATION))
    kernel, other = sorted(libprof.read(recorded).origins(), key=lambda one: one.name, reverse=True)
    assert kernel.stacks == ["model.py:9 scaled < model.py:11 forward"] and kernel.operators == ["aten.add", "aten.relu"]
    assert set(kernel.nodes) == {"relu", "y"} and (other.name, other.operators) == ("cpp_other_1", ["sum_1"])
    information.rename(tmp_path / "elsewhere.json")
    assert kernel.stacks in [one.stacks for one in libprof.read(recorded).origins(tmp_path / "elsewhere.json")]
    assert len(libprof.read(recorded).origins()) == 1


def trace_with(path: Path, **attributes: Any) -> libprof.Trace:
    """With one launch of the kernel that has these attributes."""
    launch = {"ph": "X", "cat": "cpu_op", "name": KERNEL, "pid": 1, "tid": 1, "ts": 0, "dur": 1, "args": attributes}
    path.write_text(json.dumps({"traceEvents": [launch]}))
    return libprof.read(path)


def test_a_trace_may_name_any_file(words: Dict[str, Any], tmp_path: Path) -> None:
    kernel = Path(words["kernel_file"])
    (origin,) = trace_with(tmp_path / "trace.json", **words).origins()
    assert (origin.operators, origin.file) == (["aten.add", "aten.relu"], f"{kernel}:4")
    kernel.write_text(SOURCE + " " * (16 << 20))
    os.mkfifo(kernel.with_name("pipe.py"))  # opening it would wait for ever
    for file in (str(kernel), str(kernel.with_name("pipe.py")), "/dev/zero", "a\0b"):
        (origin,) = trace_with(tmp_path / "trace.json", **{**words, "kernel_file": file}).origins()
        assert origin.file == file


def test_an_attribute_may_have_any_value(tmp_path: Path) -> None:
    assert trace_with(tmp_path / "trace.json", kernel_backend="kernel_file").origins() == []


def test_texts_of_a_trace_do_not_reach_the_terminal_as_they_are() -> None:
    origin = _origins.KernelOrigin("k\x1b]0;title\x07", 1, 0, 1000, ["a\nb"], [], [], "")
    assert _origins.origins_text([origin]) == "k\\x1b]0;title\\x07: 1 launch, 1.000us on the CPU\n  fuses  a\\nb\n"


def log_of(*artifacts: Any) -> str:
    lines = []
    for name, data in artifacts:
        words = {"artifact": {"name": name, "encoding": "json"}, "frame_id": 0, "has_payload": "7004"}
        text = json.dumps(data, indent=1).replace("\n", "\n\t")
        lines.append(f"V1124 14:44:19.161000 27650 torch/_inductor/compile_fx.py:1624] {json.dumps(words)}\n\t{text}\n")
    return "".join(lines)


def test_logs_of_pytorchs_trace(recorded: Path, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    log = tmp_path / "logs" / "dedicated_log_torch_trace_a.log"
    log.write_text(
        log_of(
            ("inductor_provenance_tracking_node_mappings", MAPPINGS), ("graph_dump", {"cppCodeToPost": 3}),
            ("inductor_provenance_tracking_node_mappings", {"version": 2.0}),
            ("inductor_provenance_tracking_kernel_stack_traces", {f"{KERNEL}:1": [STACK]}),
        )
    )  # fmt: skip
    (origin,) = libprof.read(recorded).origins(tmp_path / "logs")
    assert origin.stacks == ["model.py:9 scaled < model.py:11 forward"] and "act" in origin.nodes
    log.write_text(log.read_text()[:-40])
    with pytest.raises(libprof.ProfError, match="dedicated_log_torch_trace_a.log: cannot read Inductor's provenance data"):
        libprof.read(recorded).origins(log)


@pytest.mark.parametrize("text", ["", "[1]", '{"a": 1}', '{"a": {"b": 1}}', '{"cppCodeToPost": 1}', "\0"])
def test_other_files_are_named(recorded: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "other.json").write_text(text)
    with pytest.raises(libprof.ProfError, match="other.json: (not a file with|cannot read) Inductor's provenance data"):
        libprof.read(recorded).origins(tmp_path / "other.json")
    with pytest.raises(libprof.ProfError, match="contains none of kernel_information.json"):
        libprof.read(recorded).origins(recorded.parent)

"""Compares attributes of NCCL collectives with torch.profiler's, on the CPU: an operator there sets the same attributes."""

# packages: torch==2.13.0+cpu numpy
# long: it compiles C++

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Dict, List

import pytest

import libprof
from libprof import _torch_observer

torch = pytest.importorskip("torch")

SOURCE = r"""
#include <torch/csrc/distributed/c10d/ParamCommsUtils.hpp>
#include <torch/library.h>

static void state(at::Tensor in, at::Tensor out, std::string name, int64_t rank, int64_t number, bool between_two) {
    std::vector<at::Tensor> ins{in}, outs{out};
    RECORD_PARAM_COMMS_DATA(std::make_tuple(number, between_two), std::make_tuple(std::string("1"), std::string("tensor_parallel")),
                            ins, outs, static_cast<int>(rank), std::move(name), in.numel(), out.numel(), in.scalar_type(),
                            std::vector<int64_t>({2, 3}), std::vector<int64_t>(), 0, 1, 40);
    out.add_(1);
}

TORCH_LIBRARY(comms, library) { library.def("state", &state); }
"""


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The operator; skips without a compiler."""
    if _torch_observer.find(torch)[0] is None or shutil.which("c++") is None:
        pytest.skip("no observer, or no C++ compiler")
    directory, home = tmp_path_factory.mktemp("comms"), Path(str(torch.__file__)).parent
    (directory / "comms.cc").write_text(SOURCE)
    abi = int(torch.compiled_with_cxx11_abi())
    subprocess.run(
        ["c++", "-std=c++20", "-O0", "-fPIC", "-shared", f"-D_GLIBCXX_USE_CXX11_ABI={abi}", "-isystem", str(home / "include"),
         "-o", "comms.so", "comms.cc", f"-L{home / 'lib'}", "-lc10", "-ltorch_cpu"],
        cwd=directory, check=True,
    )  # fmt: skip
    torch.ops.load_library(os.fspath(directory / "comms.so"))
    return torch.ops.comms.state


def stated(profiler: Any, state: Any, path: Path) -> List[Dict[str, Any]]:
    """The args of each record_param_comms in the profiler's Chrome trace."""
    with profiler.profile(record_shapes=True) as prof:
        state(torch.ones(5), torch.ones(6), "all_to_allv", 2, 7, False)
        state(torch.ones(5, dtype=torch.bfloat16), torch.ones(5), "send", 1, 8, True)
        state(torch.ones(0), torch.ones(0), "recv", 1, 9, True)
    prof.export_chrome_trace(str(path))
    events = json.loads(path.read_text())["traceEvents"]
    of = [event for event in events if event.get("name") == "record_param_comms"]
    assert {event["cat"] for event in of} == {"cpu_op"}
    return [event["args"] for event in of]


def test_operators_have_what_torch_profiler_shows(state: Any, tmp_path: Path) -> None:
    theirs, ours = stated(torch.profiler, state, tmp_path / "a.json"), stated(libprof, state, tmp_path / "b.json")
    numbers = {"External id", "Record function id", "Ev Idx", "Comms Id"}  # of a run
    for their, our in zip(theirs, ours):
        assert set(their) == set(our)
        assert {key: our[key] for key in our if key not in numbers} == {key: their[key] for key in their if key not in numbers}
        assert isinstance(our["Comms Id"], int)
    assert len(theirs) == len(ours) == 3 and ours[1]["Dst Rank"] == ours[2]["Src Rank"] == 1
    assert ours[0]["Process Group Ranks"].endswith(", ..., 39]"), "lists are cut, as by torch.profiler"


def test_they_are_the_collectives_of_a_job(state: Any, tmp_path: Path) -> None:
    with libprof.profile() as prof:
        state(torch.ones(5), torch.ones(5), "allreduce", 2, 7, False)
    event = next(event for event in prof.events() if event.name == "record_param_comms")
    assert event.attributes["Collective name"] == "allreduce" and event.attributes["Seq"] == 7
    assert event.kwinputs == {} and not event.is_user_annotation

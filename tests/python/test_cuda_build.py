"""A CUDA build of PyTorch on the simulated CUDA: which kernels its operators launched, as its own profiler has it.

TORCH_CUDA_PYTHON names a Python that has one (``pip install torch``, some GB). Matrix products are left out: the real
cuBLAS refuses to work without a device.
"""

from __future__ import annotations

import collections
import json
import os
import subprocess
from pathlib import Path
from typing import Any, Counter, Dict, List, Tuple

import pytest

from libprof._profdump import run_profdump

PYTHON = os.environ.get("TORCH_CUDA_PYTHON", "")
pytestmark = pytest.mark.skipif(not PYTHON, reason="TORCH_CUDA_PYTHON names no Python with a CUDA build of PyTorch")
SIM = Path(os.environ["LIB_DIR"]) / "sim"

WORK = """
import sys
import torch

def work():
    weight = torch.ones(64, device="cuda", requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    for _ in range(3):
        x = torch.randn(32, 64).cuda()
        optimizer.zero_grad()
        loss = torch.relu(x * weight).sum()
        loss.backward()
        optimizer.step()

if sys.argv[1:]:
    with torch.profiler.profile(record_shapes=True) as profile:
        work()
    profile.export_chrome_trace(sys.argv[1])
else:
    work()
"""

PROFILE = """
import json, sys
import libprof, torch

weight = torch.ones(64, device="cuda", requires_grad=True)

def step():
    torch.relu(weight * 2).sum().backward()

with libprof.profile(record_shapes=True, with_stack=True, profile_memory=True) as prof:
    for _ in range(3):
        step()
rows = {row.key: row for row in prof.key_averages()}
launched = {row.key: row.stack for row in prof.key_averages(group_by_stack_n=1) if row.key == "aten::relu"}
print(json.dumps([rows["aten::mul"].cuda_time_total, rows["aten::mul"].count, launched["aten::relu"]]))
"""

Kernel = Tuple[str, str]


def run(directory: Path, *command: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, **environment}
    done = subprocess.run(
        [PYTHON, *command], cwd=directory, env=environment, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def operators(path: Path) -> Counter[Kernel]:
    """Of a Chrome trace: each device operation, and the innermost operator that launched it."""
    events: List[Dict[str, Any]] = json.loads(path.read_text())["traceEvents"]
    named = {event["args"].get("External id"): event["name"] for event in events if event.get("cat") == "cpu_op"}
    work = [event for event in events if event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
    return collections.Counter((event["name"], named[event["args"]["External id"]]) for event in work)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("work")
    (directory / "work.py").write_text(WORK)
    run(directory, "-m", "libprof", "run", "--sim", "--torch", "-q", "--no-table", "-o", "run.prof", "work.py")
    return directory


def test_kernels_have_the_operators_of_its_own_profiler(recorded: Path) -> None:
    preloads = [str(next(SIM.glob(f"{name}.so.*"))) for name in ("libcuda", "libcudart", "libcupti")]
    run(recorded, "work.py", "theirs.json", LD_PRELOAD=":".join(preloads))
    run_profdump(["--chrome", str(recorded / "ours.json"), str(recorded / "run.prof")])
    theirs, ours = operators(recorded / "theirs.json"), operators(recorded / "ours.json")
    assert ours == theirs and sum(ours.values()) == 28
    assert any(name.startswith("Memcpy HtoD") and operator == "aten::copy_" for name, operator in ours)


def test_every_launch_is_recorded_and_has_its_shapes(recorded: Path) -> None:
    table = json.loads(run_profdump(["--format", "json", "--group-by", "name,shape", str(recorded / "run.prof")]))
    rows = {(row["name"], row["shape"]): row for row in table["key_averages"]}
    assert rows["aten::mul", "[[32, 64], [64]]"]["count"] == rows["aten::mul", "[[32, 64], [32, 64]]"]["count"] == 3
    assert rows["aten::mul", "[[32, 64], [64]]"]["self_cuda_total_ns"] > 0
    assert "nothing lost" in run_profdump([str(recorded / "run.prof")])


def test_profile(tmp_path: Path) -> None:
    (tmp_path / "profile.py").write_text(PROFILE)
    profrun = str(Path(os.environ["BIN_DIR"]) / "profrun")
    command = ["-c", f"import os; os.execv({profrun!r}, [{profrun!r}, '--sim', '-q', {PYTHON!r}, 'profile.py'])"]
    done = run(tmp_path, *command, LIBPROF_LIBRARY="")
    cuda_us, count, stack = json.loads(done.stdout.splitlines()[-1])
    assert cuda_us > 0 and count == 6 and "step" in stack[0], done.stdout

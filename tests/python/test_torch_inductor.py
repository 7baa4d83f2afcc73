"""What kernels that Inductor really wrote come from."""

# long: Inductor compiles C++
# packages: torch==2.13.0+cpu numpy

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from conftest import schema_faults

pytest.importorskip("torch")

COMPILED = """
import libprof, torch

@torch.compile
def scaled(x, w):
    y = x * w + 1
    return torch.relu(y).sum(dim=1)

x, w = torch.randn(64, 32), torch.ones(32)
scaled(x, w)
with libprof.profile() as prof:
    scaled(x, w)
prof.export_chrome_trace("trace.json")
"""


def test_kernels_that_inductor_really_wrote(tmp_path: Path) -> None:
    if not shutil.which("g++") or not Path(sysconfig.get_paths()["include"], "Python.h").exists():
        pytest.skip("Inductor needs a C++ compiler and Python's headers")
    (tmp_path / "program.py").write_text(COMPILED)
    settings = {
        "INDUCTOR_PROVENANCE": "1", "TORCH_TRACE": str(tmp_path), "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "cache"),
        "TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE": "1", "TORCHINDUCTOR_COMPILE_THREADS": "1",
    }  # fmt: skip
    program = [sys.executable, "program.py"]
    made = subprocess.run(program, cwd=tmp_path, env={**os.environ, **settings}, capture_output=True, text=True, timeout=600, check=False)
    assert made.returncode == 0, made.stderr
    command = [os.environ["LIBPROF_BIN"] + "/profdump", "origins", str(tmp_path / "trace.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    assert lines and lines[0].startswith("cpp_fused_add_mul_relu_sum_0: 1 launch, "), done.stdout + done.stderr
    assert set(lines[1].split("fuses  ")[1].split(", ")) == {"mul", "add", "relu", "sum_1"}
    assert {"  from   program.py:6 scaled", "  from   program.py:7 scaled"} <= set(lines)
    as_json = subprocess.run([*command, "--format", "json"], capture_output=True, text=True, check=True).stdout
    assert not schema_faults(json.loads(as_json), "origins")
    assert [one["name"] for one in json.loads(as_json)["origins"]] == ["cpp_fused_add_mul_relu_sum_0"]

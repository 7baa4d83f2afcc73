"""Ray Train: a worker's own profile, and recordings of the whole workers, a file for each rank."""

# long: it starts a cluster
# packages: torch==2.13.0+cpu numpy ray pandas pyarrow requests fsspec pydantic

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from libprof._profdump import run_profdump

TRAIN = """
import os
import ray
import ray.train.torch
import torch


def train_loop(config):
    import libprof

    model = ray.train.torch.prepare_model(torch.nn.Linear(64, 8))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    rank = ray.train.get_context().get_world_rank()
    with libprof.profile() as prof:
        for _ in range(5):
            optimizer.zero_grad()
            model(torch.randn(32, 64)).square().mean().backward()
            optimizer.step()
            prof.step()
    prof.export_chrome_trace(os.path.join(config["directory"], f"profile{rank}.json"))


here = os.getcwd()
ray.init(num_cpus=2, include_dashboard=False)
print("ray has started", flush=True)
ray.train.torch.TorchTrainer(
    train_loop,
    train_loop_config={"directory": here},
    scaling_config=ray.train.ScalingConfig(num_workers=2),
    run_config=ray.train.RunConfig(storage_path=os.path.join(here, "ray")),
).fit()
"""


def counts(path: Path) -> "dict[str, int]":
    table = json.loads(run_profdump(["--format", "json", str(path)]))
    return {row["name"]: row["count"] for row in table["key_averages"]}


def test_ray_train(tmp_path: Path) -> None:
    for package in ("ray.train", "torch", "pandas", "pyarrow"):
        pytest.importorskip(package, reason=f"no {package}")
    (tmp_path / "train.py").write_text(TRAIN)
    command = [sys.executable, "-m", "libprof", "run", "--torch", "-q", "-o", "run%R.prof", "train.py"]
    done = subprocess.run(
        command,
        cwd=tmp_path, env={**os.environ, "RAY_USAGE_STATS_ENABLED": "0"}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=400, check=False,
    )  # fmt: skip
    if done.returncode != 0 and "ray has started" not in done.stdout:
        pytest.skip(f"Ray does not start here: {done.stdout[-500:]}")
    assert done.returncode == 0, done.stdout
    for rank in (0, 1):
        of_profile = counts(tmp_path / f"profile{rank}.json")
        assert of_profile["ProfilerStep*"] == of_profile["Optimizer.step#SGD.step"] == 5
        assert of_profile["DistributedDataParallel.forward"] == 5
        whole = counts(tmp_path / f"run-rank{rank}.prof")
        assert whole["Optimizer.step#SGD.step"] == whole["ProfilerStep*"] == 5
    assert sorted(path.name for path in tmp_path.glob("*.prof")) == ["run-rank0.prof", "run-rank1.prof"]

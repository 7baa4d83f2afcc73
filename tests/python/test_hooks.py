"""libprof in other packages' places for profilers, with the real packages."""

# long: it fetches many packages
# packages: torch==2.13.0+cpu numpy transformers ipython fsspec packaging pyyaml tqdm typing-extensions psutil pytest-xdist execnet
# bare packages: lightning lightning-utilities torchmetrics accelerate

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, List

import pytest

import libprof


def run(source: str, directory: Path, *command: str) -> str:
    """What a Python program printed."""
    (directory / "program.py").write_text(source)
    done = subprocess.run(
        [sys.executable, *(command or ("program.py",))],
        cwd=directory, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout


LIGHTNING = """
import json, torch, lightning
from libprof.hooks.lightning import LibprofProfiler

class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 1)

    def training_step(self, batch, index):
        return self.layer(batch[0]).square().mean()

    def validation_step(self, batch, index):
        self.layer(batch[0])

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)

data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(40, 8)), batch_size=4)
profiler = LibprofProfiler(dirpath=".", filename="report", row_limit=-1, record_shapes=True)
trainer = lightning.Trainer(
    max_epochs=2, profiler=profiler, logger=False, enable_checkpointing=False, enable_progress_bar=False,
    enable_model_summary=False, accelerator="cpu",
)
trainer.fit(Model(), data, data)
rows = {row.key: row.count for row in profiler.results.key_averages()}
print(json.dumps(rows))
try:
    LibprofProfiler(no_such_option=1)
except TypeError as error:
    print("refused", error)
"""


def test_lightning(tmp_path: Path) -> None:
    pytest.importorskip("lightning", reason="no lightning")
    pytest.importorskip("torch")
    *_, rows_text, refused = run(LIGHTNING, tmp_path).splitlines()
    rows = json.loads(rows_text)
    assert rows["run_training_batch"] == rows["Optimizer.step#SGD.step"] == 20
    assert rows["[Strategy]SingleDeviceStrategy.validation_step"] == 22  # with the two of the sanity check
    assert rows["ProfilerStep*"] == 42 and rows["aten::linear"] == 42
    (written,) = tmp_path.glob("fit-report*.txt")
    report = written.read_text()
    assert "FIT Profiler Report" in report and "run_training_batch" in report and "crossed_steps" not in report
    assert refused.startswith("refused") and "no_such_option" in refused


TRANSFORMERS = """
import json, torch, libprof
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments
from libprof.hooks.transformers import LibprofCallback

config = BertConfig(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, vocab_size=50)
data = [{"input_ids": torch.randint(0, 50, (8,)), "labels": torch.tensor(i % 2)} for i in range(32)]
ready = []
callback = LibprofCallback(
    schedule=libprof.schedule(wait=1, warmup=1, active=3, repeat=1), on_trace_ready=lambda prof: ready.append(prof.step_num)
)
arguments = TrainingArguments("out", per_device_train_batch_size=4, num_train_epochs=1, use_cpu=True, report_to=[], save_strategy="no")
trainer = Trainer(BertForSequenceClassification(config), arguments, train_dataset=data, callbacks=[callback])
trainer.train()
print(json.dumps([ready, {row.key: row.count for row in callback.results.key_averages()}]))
"""


def test_transformers(tmp_path: Path) -> None:
    for package in ("transformers", "accelerate", "torch"):
        pytest.importorskip(package, reason=f"no {package}")
    ready, rows = json.loads(run(TRANSFORMERS, tmp_path).splitlines()[-1])
    assert ready == [5]
    assert rows["Trainer.step"] == rows["ProfilerStep*"] == 3 and rows["Optimizer.step#AdamW.step"] == 3


IPYTHON = """
from IPython.testing.globalipapp import start_ipython

shell = start_ipython()
shell.run_line_magic("load_ext", "libprof")
cell = "import libprof\\nwith libprof.record_function('work'):\\n    total = sum(range(1000))\\n"
shell.run_cell_magic("prof", "-n 3 -o cell.json --to kept", cell)
print("values", shell.user_ns["total"], shell.user_ns["kept"])
shell.run_line_magic("prof", "first = 3")
shell.run_line_magic("prof", "-n 2 -- second = 4")
print("lines", shell.user_ns["first"], shell.user_ns["second"])
shell.run_cell_magic("prof", "", "1 / 0")
print("went on")
"""


def test_ipython(tmp_path: Path) -> None:
    pytest.importorskip("IPython", reason="no IPython")
    said = run(IPYTHON, tmp_path)
    assert "    work       100.00%" in said and "values 499500 <libprof.profile finished" in said
    assert "lines 3 4" in said and "ZeroDivisionError" in said and said.rstrip().endswith("went on")
    assert "work" in {event["name"] for event in json.loads((tmp_path / "cell.json").read_text())["traceEvents"]}


TESTS = """
import time
import pytest

@pytest.fixture
def thing():
    time.sleep(0.01)

def test_a(thing):
    time.sleep(0.02)

@pytest.mark.parametrize("number", [1, 2])
def test_b(number):
    assert number == 1
"""


def pytest_says(directory: Path, *options: str) -> str:
    return run(TESTS, directory, "-m", "pytest", "-p", "libprof_pytest", "-q", *options, "program.py")


def test_pytest(tmp_path: Path) -> None:
    said = pytest_says(tmp_path, "--prof", "run.prof", "--prof-rows=-1")
    assert "1 failed, 2 passed" in said and "libprof: wrote run.prof" in said
    table = {line.split()[0]: line.split()[-1] for line in said.splitlines() if line.rstrip().endswith(("1", "3"))}
    assert table["program.py::test_a"] == table["program.py::test_b[2]"] == "1" and table["setup"] == table["call"] == "3"
    events = [event for event in json.loads(chrome_of(tmp_path / "run.prof"))["traceEvents"] if event["ph"] == "X"]
    (test,) = [event for event in events if event["name"] == "program.py::test_a"]
    end = round(test["ts"] + test["dur"], 3)
    inside = [e["name"] for e in events if test["ts"] <= e["ts"] and round(e["ts"] + e["dur"], 3) <= end]
    assert inside == ["program.py::test_a", "setup", "call", "teardown"]


def test_pytest_with_workers(tmp_path: Path) -> None:
    pytest.importorskip("xdist")
    for _ in range(2):  # does not overwrite an existing recording
        said = pytest_says(tmp_path, "--prof", "run.prof", "--prof-rows=-1", "-n", "2")
        (line,) = [line for line in said.splitlines() if line.startswith("libprof: wrote ")]
        names = line.removeprefix("libprof: wrote ").split(", ")
        assert len(names) == 2 and all((tmp_path / name).exists() for name in names), said
        table = {line.split()[0]: line.split()[-1] for line in said.splitlines() if line.rstrip().endswith(("1", "3"))}
        assert table["program.py::test_a"] == "1" and table["setup"] == table["call"] == "3"


def chrome_of(path: Path) -> str:
    libprof.read(str(path)).export(str(path) + ".json")
    return Path(str(path) + ".json").read_text()


def test_pytest_without_the_option_loads_nothing(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(
        "import sys\ndef pytest_unconfigure():\n    print('loaded', sorted(m for m in sys.modules if m.startswith('libprof')))\n"
    )
    assert "loaded ['libprof_pytest']" in pytest_says(tmp_path)
    assert not list(tmp_path.glob("*.prof"))


def test_pytest_refuses_where_there_is_no_library(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(TESTS)
    command: List[Any] = [sys.executable, "-m", "pytest", "-p", "libprof_pytest", "--prof", "run.prof", "program.py"]
    environment = {**os.environ, "LIBPROF_LIBRARY": str(tmp_path / "absent.so")}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment, timeout=600, check=False)
    assert done.returncode == 4 and "--prof: " in done.stderr, done


RANKS = """
import torch, torch.distributed

torch.distributed.init_process_group("gloo")
for _ in range(3):
    torch.distributed.all_reduce(torch.ones(4))
torch.distributed.destroy_process_group()
"""


def test_torchrun(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    options = ["--torch", "-q", "--no-table", "-o", "run%R.prof"]
    torchrun = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    run(RANKS, tmp_path, "-m", "libprof", "run", *options, *torchrun, "program.py")
    assert sorted(path.name for path in tmp_path.glob("*.prof")) == ["run-rank0.prof", "run-rank1.prof"]
    for rank in (0, 1):
        names = [event["name"] for event in json.loads(chrome_of(tmp_path / f"run-rank{rank}.prof"))["traceEvents"]]
        assert names.count("c10d::allreduce_") == 3

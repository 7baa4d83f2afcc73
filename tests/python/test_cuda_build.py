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

import libprof
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
launched = {row.key: row.stack for row in prof.key_averages(group_by_stack_n=2) if row.key == "aten::relu"}
shapes = prof.key_averages(group_by_input_shape=True)
memory = [{row.device_memory_usage for row in listed} for listed in (prof.key_averages(), shapes)]
print(json.dumps([rows["aten::mul"].cuda_time_total, rows["aten::mul"].count, launched["aten::relu"], list(map(list, memory))]))
"""

Kernel = Tuple[str, str]


def run(directory: Path, *command: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, **environment}
    done = subprocess.run(
        [PYTHON, *command], cwd=directory, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def operators(path: Path) -> Counter[Kernel]:
    """Of a Chrome trace: each device operation, and the innermost operator that launched it."""
    events: List[Dict[str, Any]] = json.loads(path.read_text())["traceEvents"]
    named = {event["args"].get("External id"): event["name"] for event in events if event.get("cat") == "cpu_op"}
    work = [event for event in events if event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
    return collections.Counter((event["name"], named[event["args"]["External id"]]) for event in work)


def skip_where_alone(done: "subprocess.CompletedProcess[str]") -> None:
    """PyTorch's profiler up to 2.13 gives CUPTI up for good where somebody has subscribed before."""
    if "CUPTI initialization failed" in done.stdout + done.stderr:
        pytest.skip("this PyTorch's profiler has to be CUPTI's only subscriber")


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
    cuda_us, count, stack, memory = json.loads(done.stdout.splitlines()[-1])
    assert cuda_us > 0 and count == 6 and "built-in method relu" in stack[0] and "step" in stack[1], done.stdout
    assert memory[0] == memory[1] and max(memory[0]) >= 256 and "not recorded" not in done.stderr, done


BENCH = """
import json
import libprof, torch

x = torch.ones(1 << 16, device="cuda")
weight = torch.ones(1 << 16, device="cuda", requires_grad=True)

def call():
    return torch.relu(x * 2)

def step():
    torch.relu(weight * 2).sum().backward()

def reason(function):
    try:
        return repr(libprof.bench(function, repeats=8, cold_l2=False))
    except libprof.BenchError as error:
        return str(error)

eager, graph = (libprof.bench(call, repeats=8, graph=graph) for graph in (False, True))
backward = libprof.bench(step, repeats=8, cold_l2=False)
with torch.profiler.profile():
    call()
    within = reason(call)
print(json.dumps({
    "medians": [eager.device.median_ns, graph.device.median_ns, sum(one.time_ns for one in eager.operations)],
    "how": [eager.launch, graph.launch, eager.cache, graph.cache, eager.kernels, graph.kernels],
    "gaps": graph.gaps.median_ns, "backward": backward.to_dict()["other_threads"], "within": within, "after": reason(call),
}))
"""


def test_bench(tmp_path: Path) -> None:
    """Eager and as a graph; a backward pass on PyTorch's own thread; beside PyTorch's profiler, which takes CUPTI's records."""
    (tmp_path / "measure.py").write_text(BENCH)
    profrun = str(Path(os.environ["BIN_DIR"]) / "profrun")
    command = ["-c", f"import os; os.execv({profrun!r}, [{profrun!r}, '--sim', '-q', '-e', 'PROF_START=api', {PYTHON!r}, 'measure.py'])"]
    got = json.loads(run(tmp_path, *command, LIBPROF_LIBRARY="").stdout.splitlines()[-1])
    assert len(set(got["medians"])) == 1 and got["how"] == ["eager", "graph", "cold", "cold", 2, 2] and got["gaps"] == 800, got
    assert got["backward"] > 0 and got["after"].startswith("<BenchResult "), got
    assert got["within"].startswith("<BenchResult ") or "took CUPTI's records" in got["within"], got


MEMORY = """
import json
import libprof, torch

weight = torch.ones(64, device="cuda", requires_grad=True)
kept = []

def work():
    kept.append(torch.relu(weight * 2))
    torch.empty(1 << 20, device="cuda")
    (kept[-1].sum() * 3).backward()
    kept.append(torch.empty(30 << 20, device="cuda"))
    try:
        torch.empty(1 << 46, device="cuda")
    except torch.OutOfMemoryError:
        pass

def told(profile):
    rows = profile.key_averages()
    return {row.key: [row.device_memory_usage, row.self_device_memory_usage] for row in rows if row.key.startswith("aten::")}

work()
with torch.profiler.profile(profile_memory=True) as theirs:
    work()
with libprof.profile(profile_memory=True) as ours:
    work()
with libprof.profile() as without:
    work()
assert not [event for event in without.events() if event.kind == "mark" or event.device_memory_usage], "nobody asked"
print(json.dumps([told(theirs), told(ours), [event.name for event in ours.events() if event.kind == "mark"]]))
print(ours.trace.report("memory"))
"""


def test_memory_of_the_caching_allocator(tmp_path: Path) -> None:
    (tmp_path / "memory.py").write_text(MEMORY)
    profrun = str(Path(os.environ["BIN_DIR"]) / "profrun")
    command = ["-c", f"import os; os.execv({profrun!r}, [{profrun!r}, '--sim', '-q', {PYTHON!r}, 'memory.py'])"]
    done = run(tmp_path, *command, LIBPROF_LIBRARY="")
    first, *report = done.stdout[done.stdout.index("[{") :].splitlines()
    theirs, ours, marks = json.loads(first)
    changed = {name: both for name, both in theirs.items() if any(both)}
    assert {name: ours[name] for name in changed} == changed and changed["aten::empty"][1] >= 120 << 20, (theirs, ours)
    assert len(marks) == 1 and marks[0].startswith("out of memory on cuda:0: 281474976710656 bytes wanted")
    assert any("Allocator PyTorch cuda:0" in line for line in report) and any("Device 0 device" in line for line in report)


SNAPSHOT = """
import json, os
import libprof, torch

cuda = torch.cuda
kept = [torch.empty(300_000, device="cuda")]
cuda.memory._record_memory_history(context="all", stacks="python")

def grow(count):
    kept.append(torch.empty(count, device="cuda"))

def temporary():
    torch.empty(20 << 20, device="cuda")

cuda.reset_peak_memory_stats()
with libprof.profile(profile_memory=True, with_stack=True) as profile:
    with cuda.stream(cuda.Stream()):
        grow(1000)
    for number in range(5):
        grow((number + 1) << 20)
    temporary()
    del kept[2]
    try:
        torch.empty(1 << 46, device="cuda")
    except torch.OutOfMemoryError:
        pass
    cuda.memory._dump_snapshot("within.pickle")
kept.append(torch.empty(2000, device="cuda"))
cuda.memory._dump_snapshot("snapshot.pickle")
print(json.dumps(dict(cuda.memory_stats())))
print(profile.key_averages().table())
"""


def test_memory_snapshot(tmp_path: Path) -> None:
    (tmp_path / "snapshot.py").write_text(SNAPSHOT)
    profrun = str(Path(os.environ["BIN_DIR"]) / "profrun")
    command = ["-c", f"import os; os.execv({profrun!r}, [{profrun!r}, '--sim', '-q', {PYTHON!r}, 'snapshot.py'])"]
    done = run(tmp_path, *command, LIBPROF_LIBRARY="")
    theirs = json.loads(done.stdout[done.stdout.index("{") :].splitlines()[0])
    (device,) = libprof.memory_snapshot(tmp_path / "snapshot.pickle").devices
    for ours, name in (("reserved", "reserved"), ("allocated", "allocated"), ("requested", "requested")):
        assert getattr(device, ours) == theirs[f"{name}_bytes.all.current"], ours
    assert device.peak is not None and device.peak.requested == theirs["requested_bytes.all.peak"]
    assert device.peak_reserved == theirs["reserved_bytes.all.peak"] and device.unexplained == 0
    assert len(device.alive) == theirs["allocation.all.current"] and len(device.segments) == theirs["segment.all.current"]
    (event,) = device.out_of_memory
    assert event.moment is not None
    assert event.wanted == 1 << 48 and sum(one.size for one in event.moment.alive) == event.moment.requested
    assert any(one.time_us is None and not one.stack for one in event.moment.alive)  # older than the history
    assert any("snapshot.py:" in frame for frame in event.stack)
    (recording,) = tmp_path.glob("python-*.prof")
    heaps = json.loads(libprof.read(recording).report("memory", format="json"))["heaps"]
    (live,) = (heap for heap in heaps if heap["kind"] == "device")
    assert (live["live"], live["live_bytes"]) == (len(device.segments), device.reserved)  # as it was recorded live
    assert live["peak_bytes"] == device.peak_reserved
    within = libprof.memory_snapshot(tmp_path / "within.pickle").devices[0]
    assert len(within.alive) == len(device.alive) - 1
    libprof.memory_snapshot(tmp_path / "snapshot.pickle").export(tmp_path / "trace.json")
    heaps = json.loads(libprof.read(tmp_path / "trace.json").report("memory", format="json"))["heaps"]
    assert {heap["allocator"]: heap["peak_bytes"] for heap in heaps} == {
        "PyTorch cuda:0": device.peak.requested, None: device.peak_reserved,
    }  # fmt: skip


COMPILED = """
import torch

@torch.compile
def scaled(x, w):
    return torch.relu(x * w + 1).sum(dim=1)

x, w = torch.randn(256, 128, device="cuda"), torch.ones(128, device="cuda")
for _ in range(5):
    scaled(x, w)
torch.cuda.synchronize()
"""

NAMED = COMPILED + """
import json, libprof
profiles = [torch.profiler.profile(record_shapes=True), libprof.profile(record_shapes=True)]
found = []
for profile in profiles:
    with profile:
        for _ in range(2):
            scaled(x, w)
        torch.cuda.synchronize()
    profile.export_chrome_trace(f"{len(found)}.json")
    events = json.load(open(f"{len(found)}.json"))["traceEvents"]
    found.append([event for event in events if event["name"].startswith("triton_") and event.get("cat") == "cpu_op"])
print(json.dumps([found, [origin._asdict() for origin in libprof.read("1.json").origins()]]))
"""


def test_kernels_that_triton_compiled(tmp_path: Path) -> None:
    (tmp_path / "compiled.py").write_text(COMPILED)
    run(tmp_path, "-m", "libprof", "run", "--sim", "-q", "--no-table", "-o", "compiled.prof", "compiled.py")
    table = json.loads(run_profdump(["--format", "json", str(tmp_path / "compiled.prof")]))
    triton = [row for row in table["key_averages"] if row["name"].startswith("triton_") and row["self_cuda_total_ns"] > 0]
    assert sum(row["count"] for row in triton) >= 5  # the choice of its block sizes launches it, too
    assert "nothing lost" in run_profdump([str(tmp_path / "compiled.prof")])


def test_launches_that_inductor_names(tmp_path: Path) -> None:
    (tmp_path / "named.py").write_text(NAMED)
    profrun = str(Path(os.environ["BIN_DIR"]) / "profrun")
    command = ["-c", f"import os; os.execv({profrun!r}, [{profrun!r}, '--sim', '-q', {PYTHON!r}, 'named.py'])"]
    done = run(tmp_path, *command, LIBPROF_LIBRARY="")
    (theirs, ours), (origin,) = json.loads(done.stdout[done.stdout.index("[[[") :].splitlines()[0])
    assert len(theirs) == len(ours) == 2, done.stdout + done.stderr
    words = ("kernel_file", "kernel_hash", "kernel_backend", "kernel_kwargs", "num_warps", "num_stages", "stream")
    expected = {word: theirs[0]["args"][word] for word in words if word in theirs[0]["args"]}
    assert "kernel_file" in expected and all(expected.items() <= event["args"].items() for event in ours)
    assert origin["name"] == theirs[0]["name"] == ours[0]["name"] and origin["launches"] == 2 and origin["cuda_ns"] > 0
    assert origin["operators"] == ["aten.mul", "aten.add", "aten.relu", "aten.sum"]
    file, line = origin["file"].rsplit(":", 1)
    assert Path(file).read_text().splitlines()[int(line) - 1].startswith(f"def {origin['name']}(")


BESIDE = """
import sys
import torch

weight = torch.ones(64, device="cuda", requires_grad=True)

def step():
    torch.relu(torch.randn(32, 64).cuda() * weight).sum().backward()
    torch.cuda.synchronize()

def count(profile):
    rows = profile.key_averages()
    return sum(row.count for row in rows if row.device_type == torch.autograd.DeviceType.CUDA and "Sync" not in row.key)

counts = []
step()
for _ in range(4):
    with torch.profiler.profile() as profile:
        step()
    counts.append(count(profile))
    step()
with torch.profiler.profile(schedule=torch.profiler.schedule(wait=1, warmup=1, active=2, repeat=2)) as profile:
    for _ in range(10):
        step()
        profile.step()
print(*counts, count(profile))
"""


@pytest.mark.parametrize("layout", ["11.8", "12.4", "13.0", "13.3"])
def test_its_own_profiler_beside_ours(tmp_path: Path, layout: str) -> None:
    (tmp_path / "beside.py").write_text(BESIDE)
    profrun = str(Path(os.environ["BIN_DIR"]) / "profrun")
    options = ["--sim", "-q", "--no-table", "-o", "beside.prof"]
    command = ["-c", f"import os; os.execv({profrun!r}, [{profrun!r}, *{options}, {PYTHON!r}, 'beside.py'])"]
    done = run(tmp_path, *command, SIM_CUPTI_LAYOUT=layout)
    skip_where_alone(done)
    assert done.stdout.splitlines()[-1] == "9 9 9 9 20", done.stdout
    report = run_profdump([str(tmp_path / "beside.prof")])
    assert "Ledger: launched 171 = recorded 81 + unobserved 90" in report
    run_profdump(["check", str(tmp_path / "beside.prof")])


NESTED = """
import torch, libprof

weight = torch.ones(64, device="cuda", requires_grad=True)

def step():
    torch.relu(torch.randn(32, 64).cuda() * weight).sum().backward()

def of_theirs(profile):
    rows = profile.key_averages()
    return sum(row.count for row in rows if row.device_type == torch.autograd.DeviceType.CUDA and "Sync" not in row.key)

def of_ours(profile):
    return sum("CUDA" in str(event.device_type) for event in profile.events())

step()
for _ in range(5):
    with libprof.profile() as outer, torch.profiler.profile() as inner:
        step()
    print("inside ours", of_ours(outer), of_theirs(inner))
    with torch.profiler.profile() as outer, libprof.profile() as inner:
        step()
    print("inside theirs", of_theirs(outer), of_ours(inner))
    with libprof.profile() as alone:
        step()
    print("ours", of_ours(alone))
    with torch.profiler.profile() as alone:
        step()
    print("theirs", of_theirs(alone))
"""


@pytest.mark.parametrize("layout", ["12.4", "13.0", "13.3"])
def test_both_profilers_in_both_orders(tmp_path: Path, layout: str) -> None:
    (tmp_path / "nested.py").write_text(NESTED)
    profrun = str(Path(os.environ["BIN_DIR"]) / "profrun")
    command = ["-c", f"import os; os.execv({profrun!r}, [{profrun!r}, '--sim', '-q', {PYTHON!r}, 'nested.py'])"]
    done = run(tmp_path, *command, LIBPROF_LIBRARY="", SIM_CUPTI_LAYOUT=layout)
    skip_where_alone(done)
    lines = [line for line in done.stdout.splitlines() if "ours" in line or "theirs" in line]
    assert lines == ["inside ours 0 9", "inside theirs 9 0", "ours 9", "theirs 9"] * 5, done.stdout + done.stderr

"""libprof.bench() on the simulated CUDA: every number is the model's, and every failure has its evidence."""

# packages: pandas

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Mapping, Optional

import pytest
from conftest import schema_faults

SIM = os.environ.get("SIM_LIB", "")
pytestmark = pytest.mark.skipif(not os.path.exists(os.path.join(SIM, "libcudart.so.13")), reason="the simulated CUDA is not built")

HEAD = """
import json, os, sys, time
import libprof, sim_cuda as s
from libprof import BenchError, bench, bench_compare

A, B = "_Z4gemmPf", "_Z4reluPf"
A_NS, B_NS = s.kernel_ns(A, (264, 1, 1), (256, 1, 1)), s.kernel_ns(B, (100, 1, 1))

def call(stream=None, grid=264):
    s.launch(A, (grid, 1, 1), (256, 1, 1), 1024, stream)
    s.launch(B, (100, 1, 1), stream=stream)

def refused(function, *arguments, **options):
    try:
        result = bench(function, *arguments, **{"repeats": 8, "cold_l2": False, **options})
    except BenchError as error:
        assert error.reasons == str(error).split("\\n"), error
        assert not libprof.is_recording()
        return error
    raise AssertionError(f"not refused: {result!r}")
"""


@pytest.fixture
def on_sim(run_python: Any) -> Any:
    """Runs a program after HEAD, on the simulated CUDA."""

    def run(source: str, env: Optional[Mapping[str, str]] = None, **options: Any) -> Any:
        path = f"{Path(__file__).parent}:{os.environ['PYTHONPATH']}"
        return run_python(HEAD + source, env={"LD_LIBRARY_PATH": SIM, "PYTHONPATH": path, **(env or {})}, **options)

    return run


# ---- numbers ----


def test_all_numbers_are_those_of_the_model(on_sim: Any) -> None:
    done = on_sim(
        """
at = s.malloc(1 << 20)
def copying():
    call()
    s.check(s.rt.cudaMemsetAsync(at, 0, 1 << 20, None))
SET_NS = s.memset_ns(1 << 20)
r = bench(copying, repeats=12)
total = A_NS + B_NS + SET_NS
device = r.device
assert device == (total,) * 8 + (0,), (device, total)
assert r.calls == 12 and r.kernels == 2 and r.copies == 1 and r.copied_bytes == 1 << 20
assert (r.cache, r.launch, r.simulated) == ("cold", "eager", True) and r.devices == ["Simulated GPU 0 (sm_90)"]
names = [(one.kind, one.name, one.time_ns, one.grid, one.block, one.shared_bytes) for one in r.operations]
assert names == [("kernel", "gemm(float*)", A_NS, "264x1x1", "256x1x1", 1024), ("kernel", "relu(float*)", B_NS, "100x1x1", "128x1x1", 0),
                 ("set", "Memset (Device)", SET_NS, None, None, None)], names
assert abs(sum(one.share for one in r.operations) - 1) < 1e-9 and abs(r.operations[0].share - A_NS / total) < 1e-9
assert [one.gap_ns is None for one in r.operations] == [True, False, False]
assert r.operations[0].registers > 0 and r.operations[0].occupancy_percent >= 0
assert r.span.min_ns >= total and r.span.median_ns == device.median_ns + r.gaps.median_ns or r.gaps.median_ns > 0
assert r.host.min_ns > 0 and r.clock_mhz is None and r.flop is None and r.tflops is None
warm = bench(copying, repeats=12, cold_l2=False)
assert warm.cache == "warm" and warm.device.median_ns == total, warm
print(json.dumps(r.to_dict()))
"""
    )
    assert not schema_faults(json.loads(done.stdout), "bench")


def test_a_graph_replays_with_the_gaps_of_the_model(on_sim: Any) -> None:
    on_sim(
        """
r = bench(call, graph=True, repeats=12)
NODE_NS = 800
assert r.launch == "graph" and r.cache == "cold" and r.kernels == 2, r
assert r.device.median_ns == A_NS + B_NS and r.span == (A_NS + B_NS + NODE_NS,) * 8 + (0,), r.span
assert [one.gap_ns for one in r.operations] == [None, NODE_NS] and r.gaps.median_ns == NODE_NS
error = refused(lambda: call(), graph=True)
assert "parameter 'stream'" in str(error), error
"""
    )


def test_products_have_flops_and_rates(on_sim: Any) -> None:
    on_sim(
        """
m = n = 512
ns, flop, moved = s.sgemm_ns(m, n, 4096), 2 * m * n * 4096, 4 * (m * 4096 * 2 + m * n)
def product():
    with libprof.record_function("product", flops=flop, bytes=moved):
        s.sgemm(m, n, 4096)
r = bench(product, repeats=12, cold_l2=False)
assert r.device.median_ns == ns and r.flop == flop and r.bytes == moved, (r.device, ns, r.flop, flop)
assert abs(r.tflops - flop / ns / 1e3) < 1e-6 * r.tflops and abs(r.gbs - moved / ns) < 1e-6 * r.gbs
assert bench(s.sgemm, m, n, 4096, repeats=12, cold_l2=False).flop is None
stated = bench(call, repeats=12, cold_l2=False, flops=2e9, bytes=3e6)
assert stated.flop == 2e9 and abs(stated.tflops - 2e9 / (A_NS + B_NS) / 1e3) < 1e-9 * 2e9, stated.tflops
assert abs(stated.gbs - 3e6 / (A_NS + B_NS)) < 1e-6 * stated.gbs
"""
    )


def test_percentiles_and_the_interval(on_sim: Any) -> None:
    """Calls of k = 1024, 2048, ... 8192 in turn: the model says what each takes, numpy's definition what percentiles are."""
    on_sim(
        """
import itertools
ks = itertools.cycle([1024 * i for i in range(1, 9)])
r = bench(lambda: s.sgemm(512, 512, next(ks)), warmup=8, repeats=24, cold_l2=False, max_relative_error=1)
times = sorted(s.sgemm_ns(512, 512, 1024 * i) for i in range(1, 9) for _ in range(3))
def percentile(p):
    at = (len(times) - 1) * p / 100
    low = int(at)
    return times[low] + (times[min(low + 1, len(times) - 1)] - times[low]) * (at - low)
d = r.device
assert (d.min_ns, d.max_ns) == (times[0], times[-1]) and abs(d.mean_ns - sum(times) / 24) < 1e-6, d
for value, p in ((d.p10_ns, 10), (d.median_ns, 50), (d.p90_ns, 90)):
    assert abs(value - percentile(p)) < 1e-6, (value, p, percentile(p))
assert times[0] < d.low_ns < d.median_ns < d.high_ns < times[-1], d
assert d.relative_error == (d.high_ns - d.low_ns) / 2 / d.median_ns
# the interval of a median of 24 holds what lies between its 7th and 18th value: 1 - 2 * P(X <= 6), X binomial, is 97.7 %
assert times[6] <= d.low_ns and d.high_ns <= times[17], (d, times)
error = refused(lambda: s.sgemm(512, 512, next(ks)), warmup=8, repeats=24)
assert "above the limit of 5.0 %" in str(error) and error.answer["groups"] == [] and error.answer["abstained"], error
again = bench(lambda: s.sgemm(512, 512, next(ks)), warmup=8, repeats=24, cold_l2=False, max_relative_error=1)
assert again.device == d, "the seed is fixed"
"""
    )


def test_threads_streams_and_devices(on_sim: Any) -> None:
    on_sim(
        """
import ctypes, threading
streams = [ctypes.c_void_p(), ctypes.c_void_p()]
for one in streams:
    s.check(s.rt.cudaStreamCreateWithFlags(ctypes.byref(one), 1))
def on_thread():
    thread = threading.Thread(target=call)
    thread.start(), thread.join()
r = bench(on_thread, repeats=8)
assert r.device.median_ns == A_NS + B_NS and r.to_dict()["other_threads"] == 16 and r.cache == "cold"
LONG = 264 * 1000
LONG_NS = s.kernel_ns(A, (LONG, 1, 1), (256, 1, 1))
def overlapping():
    s.launch(A, (LONG, 1, 1), (256, 1, 1), 0, streams[0])
    s.launch(B, (100, 1, 1), stream=streams[1])
r = bench(overlapping, repeats=8, cold_l2=False, max_relative_error=1)
assert LONG_NS <= r.device.median_ns <= LONG_NS + B_NS and r.kernels == 2, (r.device, LONG_NS)
assert r.cache == "warm" and r.operations[0].time_ns == LONG_NS
def both_devices():
    for device in (0, 1):
        s.check(s.rt.cudaSetDevice(device))
        s.launch(B, (100, 1, 1))
    s.check(s.rt.cudaSetDevice(0))
r = bench(both_devices, repeats=8, max_relative_error=1)
assert len(r.devices) == 2 and r.cache == "cold" and r.kernels == 2, r
""",
        env={"SIM_DEVICES": "2"},
    )


def test_what_is_between_calls_is_not_counted(on_sim: Any) -> None:
    """setup, setup_each and the set that clears L2; copies of arguments take turns."""
    on_sim(
        """
at, calls = s.malloc(1 << 20), []
def fill():
    calls.append("fill")
    s.check(s.rt.cudaMemsetAsync(at, 0, 1 << 20, None))
r = bench(call, setup=fill, setup_each=True, warmup=2, repeats=6)
assert len(calls) == 8 and r.copies == 0 and r.device.median_ns == A_NS + B_NS and r.cache == "cold", (calls, r)
del calls[:]
bench(call, setup=fill, repeats=6, cold_l2=False)
assert len(calls) == 1
seen = []
def with_list(values):
    seen.append(id(values))
    call()
given = [1, 2]
bench(with_list, given, rotate=3, warmup=3, repeats=6, cold_l2=False)
assert len(set(seen)) == 3 and seen[0] == seen[3] == id(given), seen
clears = [row for row in libprof.read(libprof.output_path()).query("SELECT count(*) AS n FROM memsets WHERE bytes >= 104857600")]
assert clears == [{"n": 6}]
bench(call, repeats=7)
assert libprof.read(libprof.output_path()).query("SELECT count(*) AS n FROM memsets WHERE bytes >= 104857600") == [{"n": 13}]
class Unsettled(Exception): pass
def unsettled():
    raise Unsettled
try:
    bench(call, setup=unsettled, setup_each=True)
except Unsettled:
    assert not libprof.is_recording()
else:
    raise AssertionError
"""
    )


def test_a_comparison_alternates_and_has_a_verdict(on_sim: Any) -> None:
    on_sim(
        """
order = []
def one(): order.append("A"); call()
def two(): order.append("B"); call(grid=2904)
r = bench_compare({"a": one, "b": two}, repeats=24, warmup=1, cold_l2=False)
import itertools
assert "".join(key for key, _ in itertools.groupby(order)) == "ABABA", order[:40]
TWO_NS = s.kernel_ns(A, (2904, 1, 1), (256, 1, 1)) + B_NS
ratio = TWO_NS / (A_NS + B_NS)
c = r["b"].comparison
assert c.verdict == "slower" and c.other == "a" and abs(c.ratio - ratio) < 1e-9 and c.low <= ratio <= c.high, c
assert r["a"].comparison is None and r["a"].calls == r["b"].calls == 24
r = bench_compare({"b": two, "a": one, "c": one}, repeats=24, cold_l2=False)
assert [r[name].comparison.verdict for name in "ac"] == ["faster", "faster"]
r = bench_compare({"a": one, "b": one}, repeats=24, cold_l2=False)
assert r["b"].comparison.verdict == "same"
base = bench(one, repeats=8, cold_l2=False)
assert bench(two, repeats=8, cold_l2=False, baseline=base).comparison.verdict == "slower"
import itertools
ks = itertools.cycle([1024, 8192])
noisy = lambda: s.sgemm(512, 512, next(ks))
r = bench_compare({"a": noisy, "b": noisy}, repeats=24, cold_l2=False, max_relative_error=10)
assert r["b"].comparison.verdict == "inconclusive", r["b"].comparison
"""
    )


def test_what_a_result_shows(on_sim: Any) -> None:
    on_sim(
        """
import pickle
from importlib.util import find_spec
r = bench(call, repeats=8, cold_l2=False, name="a long " + "name " * 40)
text = str(r)
assert max(map(len, text.splitlines())) <= 80 and "gemm(float*)" in text and "L2 warm" in text, text
assert json.loads(r.json()) == r.to_dict() and "on the device" in repr(r)
copied = pickle.loads(pickle.dumps(r))
assert str(copied) == text and copied.to_dict() == r.to_dict()
if find_spec("pandas"):
    assert list(r.to_pandas()["time_ns"]) == [A_NS, B_NS] and len(r.to_pandas("times")) == 4
for wrong in ({"warmup": 0}, {"repeats": -1}, {"min_time": "5"}, {"rotate": 0}, {"setup_each": True}, {"max_relative_error": 0}):
    try:
        bench(call, **wrong)
    except ValueError:
        continue
    raise AssertionError(wrong)
quick = bench(call, min_time="1ms", cold_l2=False)
assert 20 <= quick.calls <= 10000, quick
"""
    )


# ---- failures ----


def test_calls_that_launch_nothing(on_sim: Any) -> None:
    on_sim(
        """
error = refused(lambda: None)
assert "no call launched anything that was recorded" in str(error), error
s.launch(A)
error = refused(lambda: None)
assert "no call launched anything that was recorded" in str(error), error
turn = iter(range(1000))
error = refused(lambda: call() if next(turn) % 4 else None)
assert "2 of 8 calls launched nothing" in str(error), error
"""
    )


def test_launches_without_a_record(on_sim: Any) -> None:
    for variable in ("SIM_DROP_EVERY", "SIM_ZERO_EVERY"):
        on_sim(
            """
error = refused(call)
assert "no device record" in str(error) and "check --ledger" in str(error), error
assert error.answer["groups"] == [] and error.answer["times"] == [] and error.answer["lost_anything"]
""",
            env={variable: "7"},
        )


def test_nodes_of_a_graph_without_a_record(on_sim: Any) -> None:
    on_sim(
        "error = refused(call, graph=True)\nassert 'no device record' in str(error) and '2 different' not in str(error.reasons[0]), error\n",
        env={"SIM_HIDE_NODES_EVERY": "7"},
    )


def test_cupti_that_never_delivers(on_sim: Any) -> None:
    on_sim(
        "error = refused(call)\nassert 'no device record' in str(error) or 'no call launched anything' in str(error), error\nos._exit(0)\n",
        env={"SIM_FLUSH_HANG": "1"},
    )


def test_another_tool_holds_cupti(on_sim: Any) -> None:
    on_sim(
        """
error = refused(call)
assert "the GPU mode is " in str(error) and "Nsight" in str(error), error
""",
        env={"SIM_OTHER_SUBSCRIBER": "Nsight"},
    )


def test_without_a_driver_or_with_recording_off(on_sim: Any) -> None:
    on_sim("error = refused(lambda: None)\nassert 'no call launched anything' in str(error), error\n", env={"SIM_NO_DRIVER": "1"})
    on_sim("error = refused(call)\nassert 'no call launched anything' in str(error), error\n", env={"PROF_CUDA": "0"})


def test_clocks_that_step(on_sim: Any) -> None:
    """A device that slows down in the middle: kernels of the same shape take longer."""
    on_sim(
        """
turn = iter(range(1000))
error = refused(lambda: s.sgemm(512, 512, 1024 if next(turn) < 33 else 2048), repeats=60, max_relative_error=10)
first, last = s.sgemm_ns(512, 512, 1024), s.sgemm_ns(512, 512, 2048)
assert f"device time went from {first} ns (first third of 60 calls) to {last} ns" in str(error), error
assert "clocks stepped" in str(error)
"""
    )


def test_clocks_as_nvml_has_them(on_sim: Any, tmp_path: Path) -> None:
    """A stand-in for NVML whose clock of the multiprocessors goes up by $STEP with each query."""
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("there is no C compiler")
    (tmp_path / "nvml.c").write_text(
        """
#include <stdlib.h>
static unsigned mhz = 1000;
int nvmlInit_v2(void) { return 0; }
int nvmlDeviceGetHandleByPciBusId_v2(const char *pci, void **device) { *device = &mhz; return *pci == 0; }
int nvmlDeviceGetClockInfo(void *device, int type, unsigned *to) { (void)device; *to = mhz += atoi(getenv("STEP")); return type != 1; }
"""
    )
    subprocess.run([compiler, "-shared", "-fPIC", "nvml.c", "-o", "libnvidia-ml.so.1"], cwd=tmp_path, check=True)
    library = {"LD_LIBRARY_PATH": f"{SIM}:{tmp_path}"}
    on_sim(
        """
r = bench(call, min_time="150ms", cold_l2=False)
assert r.clock_mhz == (1000, 1000), r.clock_mhz
""",
        env={**library, "STEP": "0"},
    )
    on_sim(
        """
error = refused(lambda: (call(), time.sleep(0.021)), repeats=8)
assert "the device's clock went from 1" in str(error) and "MHz" in str(error), error
""",
        env={**library, "STEP": "20"},
    )


def test_sequences_that_vary(on_sim: Any) -> None:
    on_sim(
        """
turn = iter(range(1000))
def grows():
    if next(turn) % 5 == 4:
        s.launch("_Z4growv", (7, 1, 1))
    call()
error = refused(grows, warmup=5, repeats=20)
text = str(error)
assert "2 different sequences" in text and "16 calls" in text and "4 calls" in text, text
assert "grow() 7x1x1 128x1x1, gemm(float*) 264x1x1 256x1x1, relu(float*) 100x1x1 128x1x1" in text, text
assert [row["calls"] for row in error.answer["sequences"]] == [16, 4] and error.answer["times"] == []
turn = iter(range(1000))
r = bench(grows, warmup=5, repeats=40, cold_l2=False, allow_varying=True)
GROW_NS = s.kernel_ns("_Z4growv", (7, 1, 1))
groups = {row["sequence"]: row["calls"] for row in r.to_dict()["groups"]}
medians = {row["sequence"]: row["median_ns"] for row in r.to_dict()["times"] if row["measure"] == "device_time"}
assert groups == {1: 32, 2: 8} and medians == {1: A_NS + B_NS, 2: A_NS + B_NS + GROW_NS}, (groups, medians)
assert r.calls == 32 and r.device.median_ns == A_NS + B_NS
"""
    )


def test_too_few_calls(on_sim: Any) -> None:
    on_sim("error = refused(call, repeats=5)\nassert 'an interval needs 6' in str(error), error\n")


# ---- functions that do what they should not ----


def test_a_function_that_raises(on_sim: Any) -> None:
    on_sim(
        """
turn = iter(range(1000))
def fails():
    call()
    if next(turn) == 5:
        raise KeyError("mine")
try:
    bench(fails)
except KeyError as error:
    assert error.args == ("mine",) and not libprof.is_recording()
else:
    raise AssertionError
assert bench(call, repeats=8).calls == 8
"""
    )


def test_a_function_that_exits(on_sim: Any) -> None:
    done = on_sim("def leaves():\n    call()\n    sys.exit(3)\nbench(leaves)\n", status=3)
    assert done.stderr == ""
    on_sim("libprof.configure(output='left.prof')\ndef leaves():\n    call()\n    os._exit(4)\nbench(leaves)\n", status=4)


def test_a_function_that_forks(on_sim: Any) -> None:
    done = on_sim(
        """
def forks():
    call()
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
assert bench(forks, warmup=1, repeats=6, cold_l2=False).device.median_ns == A_NS + B_NS
parent = os.getpid()
def returns_twice():
    call()
    if turn and os.getpid() == parent:
        turn.pop()
        child = os.fork()
        if child:
            assert os.waitpid(child, 0)[1] == 0
turn = [1]
try:
    r = bench(returns_twice, warmup=1, repeats=6, cold_l2=False)
except BenchError as error:
    assert os.getpid() != parent and "forked, and the child returned" in str(error), error
    os._exit(0)
assert os.getpid() == parent and r.device.median_ns == A_NS + B_NS
print("parent")
"""
    )
    assert done.stdout == "parent\n"


def test_a_function_that_calls_bench(on_sim: Any) -> None:
    on_sim(
        """
try:
    bench(lambda: bench(call))
except BenchError as error:
    assert "within another benchmark" in str(error) and not libprof.is_recording()
else:
    raise AssertionError
assert bench(call, repeats=8).calls == 8
"""
    )


def test_a_function_that_runs_out_of_memory(on_sim: Any) -> None:
    on_sim(
        """
def takes():
    call()
    s.malloc(200 << 20)
try:
    bench(takes, repeats=1000, cold_l2=False)
except RuntimeError as error:
    assert str(error) == "CUDA error 2" and not libprof.is_recording(), error
else:
    raise AssertionError
while True:  # no room for what clears the cache
    try:
        s.malloc(50 << 20)
    except RuntimeError:
        break
error = refused(call, cold_l2=True)
assert "memory" in str(error), error
assert bench(call, repeats=8, cold_l2=False).device.median_ns == A_NS + B_NS
""",
        env={"SIM_DEVICE_MEM_MB": "1024"},
    )


def test_a_function_that_synchronises(on_sim: Any) -> None:
    on_sim(
        """
def waits():
    call()
    s.check(s.rt.cudaDeviceSynchronize())
r = bench(waits, repeats=8)
assert r.device.median_ns == A_NS + B_NS and r.host.min_ns >= A_NS + B_NS, r.host
"""
    )


def test_a_function_that_uses_another_process(on_sim: Any) -> None:
    on_sim(
        """
import subprocess
def elsewhere():
    subprocess.run([sys.executable, "-c", "pass"], check=True)
s.launch(A)
error = refused(elsewhere, warmup=1, repeats=2)
assert "no call launched anything" in str(error), error
"""
    )


def test_a_function_that_stops_the_recording(on_sim: Any) -> None:
    on_sim(
        """
turn = iter(range(1000))
def stops():
    call()
    if next(turn) == 6:
        libprof.stop(), libprof.stop()
error = refused(stops)
assert error.reasons, error
"""
    )


# ---- with others ----


def test_within_a_profile(on_sim: Any) -> None:
    on_sim(
        """
with libprof.profile() as prof:
    call()
    r = bench(call, repeats=8, name="inner")
    assert libprof.is_recording()
assert r.device.median_ns == A_NS + B_NS
rows = {row.key: row.count for row in prof.key_averages()}
assert rows["bench inner"] == 8 and rows["bench warm-up"] == 3 and rows["gemm(float*)"] == 12, rows
"""
    )


def test_within_torch_profiler(on_sim: Any) -> None:
    """PyTorch's builds for the CPU do not use CUPTI: both record. Where it does, see docs/bench.md."""
    pytest.importorskip("torch")
    on_sim(
        """
import torch
with torch.profiler.profile() as theirs:
    torch.ones(4) + 1
    r = bench(call, repeats=8)
assert r.device.median_ns == A_NS + B_NS and any(e.key == "aten::add" for e in theirs.key_averages())
error = refused(lambda: torch.ones(4) + 1)
assert "no call launched anything" in str(error), error
"""
    )


def test_the_command(on_sim: Any, tmp_path: Path) -> None:
    (tmp_path / "work.py").write_text("import sim_cuda as s\ndef call(): s.launch('_Z4gemmPf')\ndef nothing(): pass\nready = []\ndef setup(): ready.append(1)\n")
    path = f"{Path(__file__).parent}:{os.environ['PYTHONPATH']}"
    env = {**os.environ, "LD_LIBRARY_PATH": SIM, "PYTHONPATH": path}
    env.pop("SIM_LIB")

    def says(*words: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "libprof", "bench", *words]
        return subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)

    done = says("work:call", "--repeats", "8", "--setup", "setup")
    assert done.returncode == 0 and "gemm(float*)" in done.stdout and "L2 cold" in done.stdout, done
    answer = json.loads(says("work:call", "--repeats", "8", "--warm", "--json").stdout)
    assert answer["cache"] == "warm" and not schema_faults(answer, "bench")
    done = says("work:nothing", "--repeats", "8")
    assert done.returncode == 5 and "no call launched anything" in done.stderr and not done.stdout, done
    for words, status in ((["work"], 2), (["work:absent"], 1), (["absent:call"], 1), (["work:ready"], 1), ([], 2), (["--range", "x", "none.prof"], 1)):
        assert says(*words).returncode == status, (words, says(*words))
    assert says("--help").returncode == 0


def test_the_plugin_of_pytest(tmp_path: Path) -> None:
    (tmp_path / "test_work.py").write_text(
        """
import os, sim_cuda as s
def test_gemm(prof_bench):
    grid = int(os.environ["GRID"])
    assert prof_bench(lambda: s.launch("_Z4gemmPf", (grid, 1, 1)), repeats=12, cold_l2=False).kernels == 1
"""
    )
    path = f"{Path(__file__).parent}:{os.environ['PYTHONPATH']}"
    env = {**os.environ, "LD_LIBRARY_PATH": SIM, "PYTHONPATH": path}
    env.pop("SIM_LIB")

    def says(*words: str, status: int = 0, grid: str = "26400") -> str:
        command = [sys.executable, "-m", "pytest", "-p", "libprof_pytest", "-q", "--rootdir", str(tmp_path), "test_work.py", *words]
        done = subprocess.run(command, cwd=tmp_path, env={**env, "GRID": grid}, capture_output=True, text=True, check=False)
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout

    assert "libprof bench" not in says()
    assert "saved baseline pytest" in says("--prof-bench") and (tmp_path / ".prof_baselines/pytest").is_dir()
    assert "same" in says("--prof-bench", "--fail-if-slower", "5%")
    said = says("--prof-bench", "--fail-if-slower", "5%", grid="52800", status=1)
    assert "SLOWER" in said and "slower than pytest" in said, said
    assert "faster than pytest" in says("--prof-bench", "--fail-if-slower", "5%", "--prof-bench-save", grid="1", status=0)
    assert "SLOWER" in says("--prof-bench", "--fail-if-slower", "5%", status=1)
    says("--fail-if-slower", "5%", status=4)

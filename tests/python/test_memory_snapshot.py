"""PyTorch's memory snapshots. The file has the structure that torch/cuda/memory.py describes; no GPU is needed to read one."""

# packages: torch==2.13.0+cpu

from __future__ import annotations

import copy
import json
import os
import pickle
import re
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any, Dict, List

import pytest
from conftest import schema_faults

import libprof
from libprof import _snapshot_trace
from libprof._snapshot_ranges import Ranges
from libprof._snapshot_text import own_frames, short_frame

KB, MB, GB = 1 << 10, 1 << 20, 1 << 30
LARGE, SMALL, GROWING = 0x7F0000000000, 0x7F0010000000, 0x7E0000000000
BEGIN_US = 1_790_000_000_000_000


def frames(*places: str) -> List[Dict[str, Any]]:
    """ "step train.py 12", the innermost first."""
    split = [place.split() for place in places]
    return [{"filename": f"/home/user/{file}", "line": int(line), "name": name} for name, file, line in split]


TORCH = {"filename": "/usr/lib/python3/dist-packages/torch/nn/functional.py", "line": 2290, "name": "linear"}
NATIVE = {"filename": "??", "line": 0, "name": "at::native::empty_cuda"}
WEIGHT = frames("make_model train.py 5", "main train.py 40")
STEP = [NATIVE, TORCH, *frames("step train.py 12", "main train.py 44")]
LOSS = frames("loss train.py 20", "step train.py 13", "main train.py 44")
CACHE = frames("grow cache.py 7", "main train.py 46")


def block(size: int, state: str = "inactive", requested: int = 0, stack: Any = ()) -> Dict[str, Any]:
    return {"size": size, "requested_size": requested, "state": state, "frames": list(stack)}


def segment(address: int, blocks: List[Dict[str, Any]], **more: Any) -> Dict[str, Any]:
    at = address
    for one in blocks:
        one["address"], at = at, at + one["size"]
    total = {
        state: sum(one["size"] for one in blocks if one["state"].startswith(state)) for state in ("active_allocated", "active")
    }
    return {
        "device": 0, "address": address, "total_size": at - address, "allocated_size": total["active_allocated"],
        "active_size": total["active"], "requested_size": sum(one["requested_size"] for one in blocks), "stream": 0,
        "segment_type": "large", "segment_pool_id": (0, 0), "is_expandable": False, "frames": [], "blocks": blocks, **more,
    }  # fmt: skip


def history(*actions: Any) -> List[Dict[str, Any]]:
    """(action, address, size, stack) one millisecond after another."""
    entries = []
    for number, (action, address, size, stack) in enumerate(actions):
        entry = {"action": action, "device_free" if action == "oom" else "addr": address, "size": size, "stream": 0}
        entry.update(time_us=BEGIN_US + 1000 * number, compile_context="N/A", user_metadata="", pool_id=(0, 0))
        entries.append({**entry, "frames": stack} if stack else entry)
    return entries


def make_snapshot() -> Dict[str, Any]:
    """2 and 1 MB are older than the history; 1,000 B, 8, 6 and 3 MB are allocated in it; 1 and 6 are freed, 8 nearly."""
    segments = [
        segment(GROWING, [block(3 * MB, "active_allocated", 3 * MB - 24, CACHE), block(MB)], is_expandable=True, stream=7),
        segment(
            LARGE,
            [
                block(8 * MB, "active_pending_free", 8 * MB, STEP),
                block(6 * MB),
                block(2 * MB, "active_allocated", 2 * MB, WEIGHT),
                block(4 * MB),
            ],
        ),
        segment(
            SMALL,
            [block(KB, "active_allocated", 1000, WEIGHT), block(2 * MB - KB)],
            segment_type="small",
            segment_pool_id=(0, 3),
        ),
    ]
    actions = history(
        ("segment_alloc", SMALL, 2 * MB, WEIGHT),
        ("alloc", SMALL, 1000, WEIGHT),
        ("alloc", LARGE, 8 * MB, STEP),
        ("alloc", LARGE + 8 * MB, 6 * MB, LOSS),
        ("free_requested", LARGE + 8 * MB, 6 * MB, None),
        ("free_completed", LARGE + 8 * MB, 6 * MB, None),
        ("segment_map", GROWING, 2 * MB, CACHE),
        ("segment_map", GROWING + 2 * MB, 3 * MB, CACHE),
        ("alloc", GROWING, 3 * MB - 24, CACHE),
        ("oom", 100 * MB, GB, LOSS),
        ("segment_unmap", GROWING + 4 * MB, MB, None),
        ("free_requested", LARGE + 16 * MB, MB, None),
        ("free_completed", LARGE + 16 * MB, MB, None),
        ("free_requested", LARGE, 8 * MB, None),
        ("snapshot", 0, 0, None),
    )
    settings = {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True", "max_split_size": -1, "expandable_segments": True}
    annotations = [{"name": "step", "stage": "START", "device": 0, "time_us": BEGIN_US}]
    return {
        "segments": segments, "device_traces": [actions, []],
        "allocator_settings": settings, "external_annotations": annotations,
    }  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "snapshot.pickle"
    file.write_bytes(pickle.dumps(make_snapshot()))
    return file


def by_function(owners: List[Dict[str, Any]]) -> Dict[str, int]:
    """The innermost function of the program, and its bytes."""
    return {"".join(own_frames(owner["stack"])[:1]).rpartition(" ")[2]: owner["bytes"] for owner in owners}


def test_segments(path: Path) -> None:
    snapshot = libprof.memory_snapshot(path)
    growing, large, small = snapshot.segments
    assert (large.size, large.allocated, large.pending, large.free, large.largest_free) == (20 * MB, 2 * MB, 8 * MB, 10 * MB, 6 * MB)
    assert (growing.is_expandable, growing.stream, growing.requested) == (True, 7, 3 * MB - 24)
    assert (small.kind, small.pool, small.requested, small.free) == ("small", (0, 3), 1000, 2 * MB - KB)
    assert [one.address - LARGE for one in large.blocks] == [0, 8 * MB, 14 * MB, 16 * MB]
    (device,) = snapshot.devices
    assert (device.reserved, device.allocated, device.pending) == (26 * MB, 5 * MB + KB, 8 * MB)
    assert device.free == device.reserved - device.allocated - device.pending and device.largest_free == 6 * MB
    assert {one.address: one.size for one in device.alive} == {GROWING: 3 * MB - 24, LARGE + 14 * MB: 2 * MB, SMALL: 1000}


def test_peak_counts_what_is_older_than_the_history(path: Path) -> None:
    (facts,) = libprof.memory_snapshot(path).to_dict()["devices"]
    peak = facts["peak"]
    assert (peak["requested_bytes"], peak["time_us"]) == (17 * MB + 1000, BEGIN_US + 3000)
    assert peak["reserved_bytes"] == 22 * MB and facts["peak_reserved_bytes"] == 27 * MB
    assert by_function(peak["owners"]) == {"step": 8 * MB, "loss": 6 * MB, "make_model": 2 * MB + 1000, "": MB} and facts["contradictions"] == 0


def test_what_was_alive_when_memory_ran_out(path: Path) -> None:
    (facts,) = libprof.memory_snapshot(path).to_dict()["devices"]
    (event,) = facts["out_of_memory"]
    assert (event["wanted_bytes"], event["device_free_bytes"], event["time_us"]) == (GB, 100 * MB, BEGIN_US + 9000)
    assert event["stack"][0] == "/home/user/train.py:20 loss" and event["reserved_bytes"] == 27 * MB
    assert by_function(event["owners"]) == {"step": 8 * MB, "grow": 3 * MB - 24, "make_model": 2 * MB + 1000, "": MB}
    assert event["requested_bytes"] == sum(owner["bytes"] for owner in event["owners"])
    # 8 to 14 MB and 17 to 20 MB of the large segment, 3 to 5 MB of that which was mapped in two parts
    assert event["largest_free_bytes"] == 6 * MB


def test_of_many_times_without_memory_the_first_and_last_say_what_was_alive() -> None:
    data = make_snapshot()
    data["device_traces"][0] = history(("alloc", SMALL, 1000, WEIGHT), *[("oom", MB, GB, LOSS)] * 45)
    snapshot = libprof.memory_snapshot(data)
    events = snapshot.devices[0].out_of_memory
    assert [event.moment is None for event in events] == [False] * 20 + [True] * 5 + [False] * 20
    assert [event.time_us for event in events] == [BEGIN_US + 1000 * number for number in range(1, 46)]
    text = str(snapshot)
    assert text.count("Out of memory 5 more times on PyTorch cuda:0") == 1 and text.count("Out of memory on") == 40
    listed = snapshot.to_dict()["devices"][0]["out_of_memory"]
    assert len(listed) == 45 and ["owners" in one for one in listed] == [event.moment is not None for event in events]


def test_parts_that_are_mapped_beside_each_other_are_one() -> None:
    ranges = Ranges([(100, 200)])
    ranges.add(200, 300)
    assert ranges.largest_gap([]) == 100 and ranges.total == 200
    ranges.add(300, 400, join=True)
    assert ranges.largest_gap([]) == 200
    ranges.remove(350, 360)
    assert ranges.largest_gap([(200, 210), (340, 345)]) == 130 and ranges.total == 290
    ranges.remove(0, 1000)
    assert ranges.largest_gap([]) == ranges.total == 0


def shown(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-m", "libprof", "snapshot", *words], capture_output=True, text=True, check=False)


def test_table(path: Path) -> None:
    lines = shown(str(path)).stdout.splitlines()
    assert lines[0] == f"Memory snapshot: {path}, 15 actions of the allocator in 14.000ms"
    assert lines[1] == "Allocator settings: expandable_segments:True"
    assert re.split(r" {2,}", lines[4].strip()) == ["PyTorch cuda:0", "3", "26.00 MB", "5.00 MB", "5.00 MB", "8.00 MB", "13.00 MB", "6.00 MB"]
    text = "\n".join(lines)
    assert "Peak of PyTorch cuda:0 after 3.000ms: 17.00 MB requested, 22.00 MB reserved. Owners:\n" in text
    assert re.search(r"  8.00 MB +1  train.py:12 step < train.py:44 main\n", text), text  # not linear, not empty_cuda
    assert "(allocated before the history begins)" in text
    assert "Out of memory on PyTorch cuda:0 after 9.000ms: 1.00 GB requested by train.py:20 loss < train.py:13 step < train.py:44 main" in text
    short = shown(str(path), "--rows", "1").stdout
    assert re.search(r"8.00 MB +1 .*\n +9.00 MB +in 3 more stacks", short) and "1 of 3 segments, the largest first" in short


def test_profdump_has_the_command(path: Path) -> None:
    profdump = os.environ["LIBPROF_BIN"] + "/profdump"
    done = subprocess.run([profdump, "snapshot", str(path), "--format", "json"], capture_output=True, text=True, check=False)
    found, members = json.loads(done.stdout), libprof.memory_snapshot(path).to_dict(10)
    assert {name: found[name] for name in members} == json.loads(json.dumps(members)), done.stderr
    assert not schema_faults(found, "snapshot") and found["inputs"][0]["file"] == str(path)
    assert list(found)[-2:] == ["truncated", "units"] and set(found["units"].values()) <= {"bytes", "ns"}
    assert subprocess.run([profdump, "snapshot"], capture_output=True, check=False).returncode == 2


def test_other_formats(path: Path, tmp_path: Path) -> None:
    trace = tmp_path / "trace.json"
    assert shown(str(path), "-o", str(trace)).returncode == 0
    memory = json.loads(libprof.read(trace).report("memory", format="json"))
    heaps = {heap["allocator"] or heap["kind"]: heap for heap in memory["heaps"]}
    assert heaps["PyTorch cuda:0"]["peak_bytes"] == 17 * MB + 1000 and heaps["device"]["peak_bytes"] == 27 * MB
    assert heaps["device"]["live_bytes"] == 26 * MB and heaps["PyTorch cuda:0"]["live_bytes"] == 5 * MB + 1000 - 24
    owners = {"".join(owner["path"][-1:]): owner["bytes"] for owner in heaps["PyTorch cuda:0"]["peak_owners"]}
    assert owners == {"train.py:12 step": 8 * MB, "train.py:20 loss": 6 * MB, "train.py:5 make_model": 2 * MB + 1000, "": MB}
    assert "0 errors, 0 warnings" in libprof.read(trace).report("check")
    assert "note" not in libprof.read(trace).report("check")
    libprof.memory_snapshot(path).export(tmp_path / "memory.html")
    assert "train.py:12 step" in (tmp_path / "memory.html").read_text()


def test_what_has_no_stack_is_not_older_for_that(path: Path) -> None:
    data = make_snapshot()
    for entry in data["device_traces"][0]:
        entry.pop("frames", None)  # _record_memory_history(context=None)
    for one in data["segments"]:
        for part in one["blocks"]:
            part["frames"] = []
    snapshot = libprof.memory_snapshot(data)
    peak = snapshot.to_dict()["devices"][0]["peak"]
    assert [(one["bytes"], one["stack"], one["before_history"]) for one in peak["owners"]] == [
        (14 * MB + 1000, [], False), (3 * MB, [], True),
    ]  # fmt: skip
    text = str(snapshot)
    assert re.search(r"14.00 MB +3  \(no stack recorded\)\n +3.00 MB +2  \(allocated before the history begins\)\n", text), text
    alive = text.partition("Alive at the snapshot")[2]
    assert "(no stack recorded)" in alive and "before the history" not in alive


def test_directories_of_windows_are_left_out() -> None:
    inner = {"filename": "C:\\Program Files\\Python\\Lib\\site-packages\\torch\\nn\\linear.py", "line": 2290, "name": "linear"}
    outer = [
        {"filename": file, "line": 12, "name": "step"}
        for file in ("C:\\Users\\me\\my code\\train.py", "\\\\server\\share\\a.py", "D:/a\\b/c.py", "src\\d.py", "/home/me/odd\\e.py")
    ]
    data = make_snapshot()
    data["device_traces"][0] = history(("alloc", SMALL, 1000, [inner, *outer]))
    facts = libprof.memory_snapshot(data).to_dict()["devices"][0]["peak"]["owners"]
    (stack,) = [owner["stack"] for owner in facts if len(owner["stack"]) == 6]
    assert list(map(short_frame, own_frames(tuple(stack)))) == [
        "train.py:12 step", "a.py:12 step", "c.py:12 step", "d.py:12 step", "odd\\e.py:12 step",
    ]  # fmt: skip


def native(name: str, file: str = "??") -> List[Dict[str, Any]]:
    return [{"filename": file, "line": 0, "name": name}, *STEP[1:]]


@pytest.mark.parametrize(
    ("settings", "stack", "name"),
    [
        ({"PYTORCH_CUDA_ALLOC_CONF": ""}, None, "cuda:0"),
        ({"PYTORCH_NPU_ALLOC_CONF": ""}, None, "npu:0"),
        ({"max_split_size": -1}, None, "device 0"),
        ({}, native("c10_npu::NPUCachingAllocator::malloc(void**, int)"), "npu:0"),
        ({}, native("c10::cuda::CUDACachingAllocator::Native::malloc"), "cuda:0"),
        ({}, native("c10::hip::HIPCachingAllocator::malloc"), "cuda:0"),  # PyTorch's name for AMD's devices
        ({}, native("at::native::input_shape"), "device 0"),
        ({}, native("empty", "/usr/lib/python3/site-packages/torch_npu/utils.py"), "npu:0"),
        ({}, frames("cuda_step train.py 12"), "device 0"),  # what the program calls its functions
    ],
)
def test_devices_are_called_what_the_file_says(settings: Dict[str, Any], stack: Any, name: str, tmp_path: Path) -> None:
    actions = history(("segment_alloc", LARGE, 20 * MB, stack), ("alloc", LARGE, MB, stack), ("oom", 0, GB, stack))
    part = segment(LARGE, [block(MB, "active_allocated", MB), block(19 * MB)])
    snapshot = libprof.memory_snapshot({"segments": [part], "device_traces": [actions], "allocator_settings": settings})
    text = str(snapshot)
    assert f"Peak of PyTorch {name} after" in text and f"Out of memory on PyTorch {name} after" in text
    assert ("cuda" in text.replace("cuda_step", "")) == (name == "cuda:0")
    assert snapshot.to_dict()["devices"][0]["type"] == (name.partition(":")[0] if ":" in name else None)
    snapshot.export(tmp_path / "trace.json")
    report = libprof.read(tmp_path / "trace.json").report("memory")
    assert f"PyTorch {name}" in report and f"out of memory on {name}: " in (tmp_path / "trace.json").read_text()
    assert name == "cuda:0" or "CUDA" not in report, report
    # the blocks, not the segments that they are in, too
    assert re.search(r"(Never freed|Not freed by the end of the trace): 1 allocation, 1.00 MB, in 20.00 MB that allocators keep\n", report), report


def test_a_stated_type_of_device_counts_first() -> None:
    part = segment(LARGE, [block(MB, "active_allocated", MB)], device_type="xpu")
    assert libprof.memory_snapshot([part]).devices[0].type == "xpu"


def test_without_times_none_are_made_up(tmp_path: Path) -> None:
    data = make_snapshot()
    for entry in data["device_traces"][0]:
        del entry["time_us"]  # PyTorch up to 2.1
    (tmp_path / "old.pickle").write_bytes(pickle.dumps(data))
    snapshot = libprof.memory_snapshot(tmp_path / "old.pickle")
    text = str(snapshot)
    assert "15 actions of the allocator, which have no times" in text and " after " not in text
    (facts,) = snapshot.to_dict()["devices"]
    assert facts["peak"]["time_us"] is None and facts["out_of_memory"][0]["time_us"] is None
    assert facts["peak"]["requested_bytes"] == 17 * MB + 1000
    assert not snapshot.has_times and libprof.memory_snapshot(make_snapshot()).has_times
    done = shown(str(tmp_path / "old.pickle"), "-o", str(tmp_path / "trace.json"))
    assert (done.returncode, done.stderr.count("\n")) == (0, 1) and "has no times" in done.stderr
    assert "order of its actions, without times" in (tmp_path / "trace.json").read_text()


def test_json_is_read_too(path: Path, tmp_path: Path) -> None:
    (tmp_path / "snapshot.json").write_text(json.dumps(make_snapshot()))
    assert libprof.memory_snapshot(tmp_path / "snapshot.json").to_dict() == libprof.memory_snapshot(path).to_dict()
    (tmp_path / "segments.json").write_text(json.dumps(make_snapshot()["segments"]))
    assert libprof.memory_snapshot(tmp_path / "segments.json").devices[0].reserved == 26 * MB


def test_a_trace_is_written_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stack = frames(*(f"level_{depth} deep.py {depth}" for depth in range(15)))
    actions = [(kind, SMALL, 512, stack) for _ in range(500) for kind in ("alloc", "free_requested")]
    snapshot = libprof.memory_snapshot({"segments": [], "device_traces": [history(*actions)]})
    sizes = []
    monkeypatch.setattr(_snapshot_trace, "run_profdump", lambda words: sizes.append(os.path.getsize(words[-1])))
    tracemalloc.start()
    try:
        snapshot.export(tmp_path / "trace.json")
        assert tracemalloc.get_traced_memory()[1] < sizes[0] // 4
    finally:
        tracemalloc.stop()


class Attack:
    def __reduce__(self) -> Any:
        return os.mkdir, ("attacked",)


HUGE = b"\x80\x04\x8e" + (2**62 - 1).to_bytes(8, "little") + b"."  # bytes, of that size
NO_NUMBER = pickle.dumps([segment(LARGE, [block(MB)], stream=float("inf"))])
OTHERS = [b"", b"text\n", b"{", b'{"segments": 3}', b"[[]]", pickle.dumps(3), pickle.dumps({"segments": [{}]}), pickle.dumps([1]), b"PROF" * 99, HUGE, NO_NUMBER]


@pytest.mark.parametrize("data", OTHERS)
def test_other_files_are_refused_with_a_sentence(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "other").write_bytes(data)
    with pytest.raises(libprof.ProfError, match="other: not a memory snapshot of PyTorch"):
        libprof.memory_snapshot(tmp_path / "other")
    done = shown(str(tmp_path / "other"))
    assert (done.returncode, done.stderr.count("\n"), done.stdout) == (1, 1, ""), done.stderr


def test_every_part_of_a_file_is_refused_or_read(path: Path) -> None:
    data = path.read_bytes()
    for size in range(0, len(data) - 1, 41):
        path.write_bytes(data[:size])
        with pytest.raises(libprof.ProfError):
            libprof.memory_snapshot(path)


def test_texts_of_a_file_do_not_reach_the_terminal_as_they_are(path: Path) -> None:
    data = make_snapshot()
    data["device_traces"][0][3]["frames"][0]["name"] = "f\x1b]0;title\x07\nOut of memory\ud800"
    path.write_bytes(pickle.dumps(data))
    done = shown(str(path))
    assert "train.py:20 f\\x1b]0;title\\x07\\nOut of memory\\ud800 < " in done.stdout, done.stdout + done.stderr
    path.write_bytes(b"cos\x1b]0;title\x07\nf\n.")
    done = shown(str(path))
    assert done.returncode == 1 and done.stderr.isascii() and "\x1b" not in done.stderr


def test_nothing_in_the_file_is_executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for data in ({"segments": [], "x": Attack()}, Attack()):
        Path("attack.pickle").write_bytes(pickle.dumps(data))
        with pytest.raises(libprof.ProfError, match="contains posix.mkdir"):
            libprof.memory_snapshot("attack.pickle")
    assert not Path("attacked").exists()


def test_segments_alone_and_older_forms() -> None:
    segments = make_snapshot()["segments"]
    (device,) = libprof.memory_snapshot(segments).devices
    assert (device.peak, device.reserved, device.history) == (None, 26 * MB, [])
    assert "_record_memory_history" in str(libprof.memory_snapshot(segments)).splitlines()[0]
    for one in segments:  # PyTorch 2.0
        del one["segment_pool_id"], one["is_expandable"], one["frames"]
        for part in one["blocks"]:
            stack, size = part.pop("frames"), part.pop("requested_size")
            if size:
                part["history"] = [{"addr": part.pop("address"), "real_size": size, "frames": stack}]
    assert libprof.memory_snapshot(segments).devices[0].alive == device.alive
    assert "No device had memory" in str(libprof.memory_snapshot({"segments": [], "device_traces": [[]]}))


def test_a_history_that_leaves_actions_out_is_named() -> None:
    data = make_snapshot()
    data["device_traces"][0] = [entry for entry in data["device_traces"][0] if entry["action"] != "free_requested"]
    (device,) = libprof.memory_snapshot(data).devices
    assert device.unexplained == 2  # 6 and 8 MB; nothing says that the 1 MB was ever there
    assert "The history is incomplete: it does not match the segments for 2 allocations" in str(libprof.memory_snapshot(data))


def test_sums_are_those_of_its_own_tool() -> None:
    viz = pytest.importorskip("torch.cuda._memory_viz")
    data = make_snapshot()
    text = viz.segsum(copy.deepcopy(data))
    (device,) = libprof.memory_snapshot(data).devices
    theirs = dict(re.findall(r"^(total_reserved|total_allocated|segments): (\S+)$", text, re.MULTILINE))
    assert theirs["segments"] == str(len(device.segments))
    assert theirs["total_reserved"] == str(viz.Bytes(device.reserved))
    assert theirs["total_allocated"] == str(viz.Bytes(device.requested))  # it subtracts rounding
    trace = viz.trace(data)
    assert trace.count(" = cudaMalloc(") == 1 and "raise OutOfMemoryError # 1.0GiB requested, 100.0MiB free in CUDA" in trace

"""torch.profiler's interface: cycles, results, files, errors, forks."""

from __future__ import annotations

import contextlib
import gc
import gzip
import json
import os
import re
import sys
import threading
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List

import pytest

import libprof
from libprof import ProfilerAction, _garbage, profile, record_function, schedule
from libprof._collector import collected_later


def work(name: str = "work", times: int = 1) -> None:
    for _ in range(times):
        with record_function(name):
            time.sleep(0.001)


def names(prof: profile) -> List[str]:
    return [event.name for event in prof.events()]


def test_results_are_those_of_the_profile() -> None:
    with record_function("not recorded"):
        pass
    with profile() as prof:
        work("mine", 3)
    row = {row.key: row for row in prof.key_averages()}["mine"]
    assert row.count == 3 and row.cpu_time_total >= 3000 and row.cpu_time == row.cpu_time_total / 3
    assert names(prof) == ["mine"] * 3
    with profile() as later:
        work("another's")
    assert names(prof) == ["mine"] * 3 and names(later) == ["another's"]


def test_nested_profiles() -> None:
    with profile() as outer:
        work("first")
        with profile() as inner:
            work("second")
        work("third")
    assert names(inner) == ["second"] and names(outer) == ["first", "second", "third"]


def steps_of(prof: profile) -> List[float]:
    return [event.cpu_time_total for event in prof.events() if event.kind == "step"]


@pytest.mark.parametrize("warmup", [0, 1])
@pytest.mark.filterwarnings("ignore:without warmup")
def test_a_step_lasts_from_step_to_step_whatever_is_open(warmup: int) -> None:
    def batches() -> Iterator[None]:
        for _ in range(6):
            with record_function("load"):  # open across step()
                work("read")
                yield

    with profile(schedule=schedule(wait=1, warmup=warmup, active=3, repeat=1)) as prof:
        for _ in batches():
            work("train", 2)
            prof.step()
    events = [event for event in prof.events() if event.kind == "step" or event.name == "load"]
    steps = [event for event in events if event.kind == "step"]
    assert len(steps) == 3 and all(step.cpu_parent is None and step.cpu_time_total > 3000 for step in steps)
    assert all(one.start_ns + one.duration_ns == other.start_ns for one, other in zip(steps, steps[1:]))
    loads = [event for event in events if event.name == "load"]
    assert [load.count for load in loads] == [1] * 3 and all(load.cpu_time_total > 3000 for load in loads[:2])
    rows = {row.key: row for row in prof.key_averages()}
    assert rows["load"].count == 3 and rows["ProfilerStep*"].cpu_time_total > rows["load"].cpu_time_total


def recursive(depth: int) -> None:
    with record_function("recursive"):
        work("leaf")
        if depth:
            recursive(depth - 1)


def test_rows_of_functions_are_sums_of_the_events() -> None:
    def batches() -> Iterator[None]:
        for _ in range(5):
            with record_function("load"):
                work("read")
                yield

    with profile(schedule=schedule(wait=1, warmup=1, active=2, repeat=1), with_stack=True) as prof:
        for _ in batches():
            recursive(3)
            prof.step()

    def sums(rows: Any) -> Dict[Any, Any]:
        return {
            (row.key, row.kind): (row.count, row.outer_count, row.self_cpu_total_ns, row.cpu_total_ns) for row in rows
        }

    rows = prof.key_averages(include_python_functions=True)
    chosen = libprof.EventList(list(prof.events()))  # Python adds these up, profdump the others
    assert sums(rows) == sums(chosen.key_averages(include_python_functions=True))
    mine = [row for row in rows if row.key.endswith(": recursive")]
    assert [(row.kind, row.count, row.outer_count) for row in mine] == [("python", 8, 2)]
    table = rows.table(row_limit=-1)
    assert mine[0].key[-20:] in table


def test_a_step_begins_where_the_one_before_ends_in_microseconds_too() -> None:
    """Adding rounded numbers would make steps overlap by fractions of a picosecond."""
    with profile() as prof:
        for _ in range(200):
            prof.step()
    steps = [event.time_range for event in prof.events() if event.kind == "step"]
    assert len(steps) == 200 and all(one.end == other.start for one, other in zip(steps, steps[1:]))


def test_a_step_outlives_the_range_that_it_began_in() -> None:
    with profile(schedule=schedule(wait=0, warmup=1, active=4, repeat=1)) as prof:
        for _ in range(3):
            with record_function("epoch"):
                for _ in range(2):
                    work()
                    prof.step()
    assert len(steps_of(prof)) == 4 and all(us > 1000 for us in steps_of(prof)), steps_of(prof)


def test_schedule_has_torchs_actions() -> None:
    plan = schedule(wait=1, warmup=1, active=2, repeat=2, skip_first=1)
    assert [plan(step).value for step in range(12)] == [0, 0, 1, 2, 3, 0, 1, 2, 3, 0, 0, 0]
    plan = schedule(wait=2, warmup=1, active=1, repeat=1, skip_first_wait=1)
    assert [plan(step).value for step in range(5)] == [1, 3, 0, 0, 0]
    with pytest.raises(AssertionError, match="active=0"):
        schedule(wait=0, warmup=0, active=0)
    with pytest.warns(UserWarning, match="without warmup"):
        schedule(wait=0, warmup=0, active=1)


def test_each_cycle_is_handed_over() -> None:
    cycles: List[Any] = []

    def ready(prof: profile) -> None:
        cycles.append((prof.step_num, [name for name in names(prof) if name.startswith("step")]))

    with profile(schedule=schedule(wait=1, warmup=1, active=2, repeat=2), on_trace_ready=ready) as prof:
        for step in range(10):
            work(f"step {step}")
            prof.step()
    assert cycles == [(4, ["step 2", "step 3"]), (8, ["step 6", "step 7"])]
    assert [name for name in names(prof) if name.startswith("Prof")].__len__() == 2
    assert prof.current_action is ProfilerAction.NONE and not libprof.is_recording()


def test_cycle_that_is_cut_is_handed_over() -> None:
    seen: List[List[str]] = []
    with profile(
        schedule=lambda step: ProfilerAction.RECORD, on_trace_ready=lambda p: seen.append(names(p))
    ) as prof:
        work("cut")
        prof.step()
    assert len(seen) == 1 and "cut" in seen[0]


def test_accumulated_events() -> None:
    with profile(schedule=schedule(wait=0, warmup=1, active=1), acc_events=True) as prof:
        for step in range(4):
            work(f"acc {step}")
            prof.step()
    assert {"acc 1", "acc 3"} <= set(names(prof))


def test_unfinished() -> None:
    prof = profile()
    for ask in (prof.key_averages, prof.events, lambda: prof.export_chrome_trace("x.json")):
        with pytest.raises(AssertionError):
            ask()
        with pytest.raises(libprof.ProfError):
            ask()
    with pytest.warns(RuntimeWarning, match=r"step\(\) has no effect: the profile is not running"):
        prof.step()
    prof.start()
    with pytest.raises(libprof.ProfError, match="already running"):
        prof.start()
    with pytest.raises(libprof.UnfinishedError, match="results are available only"):
        prof.key_averages()
    prof.stop()
    prof.stop()
    with pytest.warns(RuntimeWarning, match="nothing was recorded"):
        assert prof.key_averages() == [] and not Path("x.json").exists()


def test_failing_schedule_leaves_nothing_on() -> None:
    def broken(step: int) -> ProfilerAction:
        raise KeyError(step)

    prof = profile(schedule=broken)
    with pytest.raises(KeyError):
        prof.start()
    assert not libprof.is_recording() and "not started" in repr(prof)


def test_failing_body_keeps_results() -> None:
    with pytest.raises(KeyError):
        with profile() as prof:
            work("before the error")
            raise KeyError
    assert names(prof) == ["before the error"]


def test_options_that_are_not_ours_warn() -> None:
    for timeout_s in (0, 1):
        with pytest.warns(RuntimeWarning, match="post_processing_timeout_s has no effect here"):
            profile(post_processing_timeout_s=timeout_s)
    with pytest.warns(RuntimeWarning, match="neither CPU nor CUDA: XPU"):
        profile(activities=["CPU", "XPU"])
    with pytest.raises(AssertionError, match="must contain"):
        profile(activities=[])
    with pytest.raises(libprof.ProfError, match="CUDA has no event types KERNELS; known: CONCURRENT_KERNEL, CUDA_DRIVER"):
        profile(activities=[{"CUDA": ["KERNELS", "GPU_MEMCPY"]}])


def test_chrome_traces(tmp_path: Path) -> None:
    with profile() as prof:
        work("traced")
    prof.export_chrome_trace(str(tmp_path / "a.json"))
    with pytest.raises(libprof.ProfdumpError, match="No such file"):
        prof.export_chrome_trace(str(tmp_path / "no" / "a.json"))
    prof.add_metadata("model", 'a "b"')
    prof.add_metadata_json("sizes", "[1, 2]")
    with pytest.raises(ValueError, match="not JSON"):
        prof.add_metadata_json("sizes", "[1, 2")
    prof.add_metadata_json("losses", json.dumps([1.5, float("nan"), {"least": -float("inf")}]))
    prof.export_chrome_trace(str(tmp_path / "b.json.gz"))
    plain = json.loads((tmp_path / "a.json").read_text())
    packed = json.loads(gzip.open(tmp_path / "b.json.gz").read())
    assert (
        packed["model"] == 'a "b"'
        and packed["sizes"] == [1, 2]
        and packed["losses"] == [1.5, "NaN", {"least": "-Infinity"}]
        and plain["traceEvents"] == packed["traceEvents"]
    )
    assert any(event["name"] == "traced" for event in plain["traceEvents"])
    assert sorted(os.listdir(tmp_path)) == ["a.json", "b.json.gz"]
    with pytest.raises(libprof.ProfdumpError, match="No space left"):
        prof.export("/dev/full", "chrome")


def test_stacks(tmp_path: Path) -> None:
    path = tmp_path / "stacks.txt"
    with profile() as without:
        work()
    with pytest.raises(AssertionError, match=r"export_stacks\(\) requires with_stack=True"):
        without.export_stacks(str(path))
    without.export(str(path), "folded")
    assert re.search(r"^work \d+$", path.read_text(), re.MULTILINE)
    with profile(with_stack=True) as prof:
        with record_function("a; b"):
            work("inner", 3)
    prof.export_stacks(str(path), "self_cpu_time_total")
    lines = [line.rsplit(" ", 1) for line in path.read_text().splitlines()]
    function = rf"test_profile\.py\({test_stacks.__code__.co_firstlineno}\):_test_stacks"
    assert any(re.search(rf";tests/python/{function};a__b$|;{function};a__b$", stack) for stack, _ in lines), lines
    assert any(stack.endswith(";inner") for stack, _ in lines)
    own_ns = sum(row.self_cpu_total_ns for row in prof.key_averages(include_python_functions=False))
    assert 0 <= own_ns - 1000 * sum(int(us) for _, us in lines) < 1000
    umask = os.umask(0o022)
    os.umask(umask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~umask and len(os.listdir(tmp_path)) == 1
    with pytest.raises(FileNotFoundError):
        prof.export_stacks(str(tmp_path / "no" / "such"))
    with pytest.raises(
        ValueError, match=r"metric should be one of: \['self_cpu_time_total', 'self_cuda_time_total'"
    ):
        prof.export_stacks(str(path), "self")
    with pytest.raises(ValueError, match="only CUDA"):
        prof.events().export_stacks(str(path), "self_xpu_time_total")


def test_every_format(tmp_path: Path) -> None:
    with profile() as prof:
        work("exported")
    for ending in (".json", ".pftrace", ".pb.gz", ".speedscope.json", ".html", ".svg", ".prom", ".arrow"):
        prof.export(str(tmp_path / f"out{ending}"))
        assert (tmp_path / f"out{ending}").stat().st_size > 20, ending
    for export in (prof.export, prof.trace.export):
        with pytest.raises(libprof.ProfError, match=r"unknown ending; .*\.csv, and format=\.\.\. selects one$"):
            export(str(tmp_path / "out.xyz"))
        with pytest.raises(libprof.ProfError, match="^profdump: format: 'doc' is not one of chrome, [a-z, ]+$"):
            export(str(tmp_path / "out.xyz"), "doc")
    assert "exported" in prof.trace.table()


def test_stacks_of_python(tmp_path: Path) -> None:
    def innermost() -> None:
        with record_function("with a stack"):
            pass

    with profile(with_stack=True) as prof:
        innermost()
    row = next(row for row in prof.key_averages(group_by_stack_n=3) if row.key == "with a stack")
    assert len(row.stack) == 3 and "innermost" in row.stack[0] and "test_stacks_of_python" in row.stack[1], row.stack
    stacks = [event.stack for event in prof.events() if event.stack]
    assert stacks and not any("record_function" in frame for stack in stacks for frame in stack), stacks
    prof.export_chrome_trace(str(tmp_path / "trace.json"))
    functions = [event["name"] for event in json.loads((tmp_path / "trace.json").read_text())["traceEvents"]]
    assert any("innermost" in name for name in functions) and not any("record_function" in name for name in functions)
    averages = prof.key_averages(group_by_stack_n=3)
    rendered = libprof.EventList(averages, layout=averages._layout).table(sort_by="cpu_time_total")
    assert averages.table(sort_by="cpu_time_total").startswith(rendered) and "Source Location" in rendered
    folded = tmp_path / "folded.txt"
    prof.export_stacks(str(folded), "self_cpu_time_total")
    around = r"\):_test_stacks_of_python;[^;]*\):_([^;]*\.)?innermost;"  # qualified from Python 3.11 on
    assert re.search(rf"{around}(.*;)?with_a_stack \d+$", folded.read_text(), re.MULTILINE)


def calling() -> None:
    with record_function("step"):
        for _ in range(3):
            called()


def called() -> None:
    time.sleep(0.002)
    with record_function("in a function"):
        time.sleep(0.001)


@pytest.mark.parametrize("options", [{}, {"group_by_stack_n": 5}, {"group_by_overload_name": True}], ids=str)
def test_functions_that_are_no_rows_give_their_time_to_the_range_around(options: Dict[str, Any]) -> None:
    with profile(with_stack=True) as prof:
        calling()
    events = prof.events()
    (step,) = (event for event in events if event.name == "step")
    chosen = libprof.EventList(event for event in events if not event.is_python_function)
    asked = [events, libprof.EventList(events), chosen, *([] if "group_by_overload_name" in options else [prof])]
    for one in asked:
        named = {row.key: row for row in one.key_averages(include_python_functions=False, **options)}
        assert named.keys() == {"step", "in a function"}
        own = step.cpu_time_total - named["in a function"].cpu_time_total
        assert named["step"].self_cpu_time_total == pytest.approx(own) and own > 5000
    rows = events.key_averages(include_python_functions=True, **options)
    again = rows.key_averages(include_python_functions=False)
    assert again.self_cpu_time_total == pytest.approx(rows.self_cpu_time_total)


CLEARED = """
import sys, libprof
def before(): pass
def after(): pass
def library():
    sys.setprofile(lambda *arguments: None)
    sys.setprofile(None)
with libprof.profile(with_stack=True) as prof:
    with libprof.record_function("range"): before()
    if sys.argv[1] == "library": library()
    after()
names = {name for event in prof.events() for name in [event.name.rpartition(": ")[2]]}
assert "before" in names
print("after" in names, "Python functions are missing" in prof.key_averages().table())
print("Python functions are missing" in prof.trace.facts["processes"][0].get("notes", [""])[0])
"""


def test_says_that_another_profile_function_took_the_place(run_python: Any) -> None:
    silent, cleared = run_python(CLEARED, "none"), run_python(CLEARED, "library")
    assert silent.stdout == "True False\nFalse\n" and silent.stderr == ""
    if sys.version_info >= (3, 12):
        assert cleared.stdout == silent.stdout and cleared.stderr == ""  # sys.monitoring has room for both
    else:
        assert cleared.stdout == "False True\nTrue\n"
        said = "libprof: Python functions are missing: sys.setprofile() was called while they were recorded\n"
        assert cleared.stderr == said


def test_stacks_of_other_threads() -> None:
    go, gone, ended = threading.Event(), threading.Event(), threading.Event()

    def named(name: str) -> None:
        with record_function(name):
            pass

    def earlier() -> None:
        named("earlier, before")
        go.wait()
        named("earlier, within")
        gone.set()
        ended.wait()
        named("earlier, behind")

    def later() -> None:
        named("later")

    with profile():  # a recording around it goes on
        thread = threading.Thread(target=earlier)
        thread.start()
        with profile(with_stack=True) as prof:
            go.set()
            gone.wait()
            other = threading.Thread(target=later)
            other.start()
            other.join()
            named("starter")
        before = threading._profile_hook  # type: ignore[attr-defined]
        with profile() as bare:
            ended.set()
            thread.join()
            named("starter, behind")
    assert before is None

    def caller(prof: profile, key: str) -> str:
        """Who called named() for this range; "" if nobody is known."""
        stack = next(row.stack for row in prof.key_averages(group_by_stack_n=3) if row.key == key)
        return re.split("[ .]", stack[1])[-1] if stack else ""

    assert caller(prof, "starter") == "test_stacks_of_other_threads" and caller(prof, "later") == "later"
    assert caller(prof, "earlier, within") == "earlier"
    assert caller(bare, "earlier, behind") == caller(bare, "starter, behind") == ""


def test_garbage_collections_are_ranges_on_request() -> None:
    torch = pytest.importorskip("torch")

    def collected(wanted: bool) -> List[str]:
        config = torch._C._profiler._ExperimentalConfig(record_python_gc_info=wanted)
        with profile(experimental_config=config) as prof, profile(experimental_config=config):
            with record_function("around"):
                gc.collect()
        return [event.name for event in prof.events() if event.name in ("around", "Python GC")]

    callbacks = list(gc.callbacks)
    assert collected(True) == ["around", "Python GC"] and collected(False) == ["around"]
    assert gc.callbacks == callbacks


def test_a_collection_during_which_the_profile_ends_is_a_whole_range() -> None:
    class Ends:
        def __init__(self, stack: contextlib.ExitStack) -> None:
            self.itself, self.stack = self, stack

        def __del__(self) -> None:
            self.stack.close()

    callbacks = list(gc.callbacks)
    with collected_later(), profile() as prof:
        stack = contextlib.ExitStack()
        stack.enter_context(_garbage.recorded(True))
        Ends(stack)
        gc.collect()
        gc.collect()
        with record_function("later"):
            pass
        with _garbage.recorded(True):
            pass
    assert [(event.name, event.cpu_parent) for event in prof.events()] == [("Python GC", None), ("later", None)]
    assert gc.callbacks == callbacks


def test_collections_may_end_ranges_of_abandoned_generators() -> None:
    def generate() -> Iterator[None]:
        with record_function("abandoned"):
            yield

    def abandon() -> None:
        generator = generate()
        next(generator)
        cycle: List[Any] = [generator]
        cycle.append(cycle)

    with collected_later(), profile() as prof, _garbage.recorded(True):
        abandon()
        gc.collect()
        with record_function("later"):
            pass
    around = [(event.name, event.cpu_parent and event.cpu_parent.name) for event in prof.events()]
    assert around == [("abandoned", None), ("Python GC", "abandoned"), ("Python GC", None), ("later", None)]
    assert prof.events()[2].attributes == {"continued": 1}, "it is cut where the range around it ends"


def test_other_threads_keep_profile_functions_of_their_own(capfd: Any) -> None:
    seen: List[str] = []
    begun, go = threading.Event(), threading.Event()

    def waiter() -> None:
        sys.setprofile(lambda frame, event, argument: seen.append(frame.f_code.co_name))
        begun.set()
        go.wait()
        calling()

    thread = threading.Thread(target=waiter)
    thread.start()
    begun.wait()
    with profile(with_stack=True):
        go.set()
        thread.join()
    assert "calling" in seen
    if sys.version_info < (3, 12):
        assert "profile functions of their own" in capfd.readouterr().err


def test_audit_hooks_may_run_other_threads(run_python: Any) -> None:
    source = """import sys, threading, time
from libprof import profile
go = threading.Event()
def work():
    while not go.is_set():
        sum(range(10))
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
sys.addaudithook(lambda event, arguments: time.sleep(0.001) if event == "sys.setprofile" else None)
with profile(with_stack=True) as prof:
    go.set()
    for thread in threads:
        thread.join()
print(len(prof.events()) > 0)
"""
    assert run_python(source).stdout == "True\n"


def test_tensorboard(tmp_path: Path) -> None:
    with profile(on_trace_ready=libprof.tensorboard_trace_handler(str(tmp_path / "new" / "run"))):
        work()
    with profile(on_trace_ready=libprof.tensorboard_trace_handler(str(tmp_path / "new" / "run"), "w0", True)):
        work()
    listed = sorted(os.listdir(tmp_path / "new" / "run"))
    assert re.fullmatch(
        rf".+_{os.getpid()}\.\d+\.pt\.trace\.json", [x for x in listed if x[0] != "w" or "_" in x][0]
    )
    assert any(re.fullmatch(r"w0\.\d+\.pt\.trace\.json\.gz", name) for name in listed)
    plain = next(name for name in listed if name.endswith(".json"))
    events = json.loads((tmp_path / "new" / "run" / plain).read_text())["traceEvents"]
    ranges = [event for event in events if event["ph"] == "X"]
    assert ranges and all(event["cat"] == "user_annotation" for event in ranges)
    with profile(on_trace_ready=libprof.tensorboard_trace_handler(str(tmp_path / "plugin"), plugin_views=True)):
        work()
    (path,) = (tmp_path / "plugin").iterdir()
    ranges = [event for event in json.loads(path.read_text())["traceEvents"] if event["ph"] == "X"]
    assert ranges and all(event["cat"] == "cpu_op" and event["args"]["External id"] for event in ranges)
    (tmp_path / "file").write_text("")
    with pytest.raises(RuntimeError, match="cannot create"):
        libprof.tensorboard_trace_handler(str(tmp_path / "file" / "x"))(None)


FORK = """
import os, sys, libprof
with libprof.profile() as prof:
    with libprof.record_function("before"):
        pid = os.fork()
    if pid == 0:
        with libprof.record_function("child"):
            pass
        assert "of parent process" in repr(prof)
        try:
            prof.key_averages()
        except libprof.ProfError as error:
            assert "a file of its own" in str(error)
        else:
            sys.exit(3)
    else:
        assert os.waitpid(pid, 0)[1] == 0
        with libprof.record_function("parent"):
            pass
if pid == 0:
    with libprof.profile() as own:
        with libprof.record_function("own"):
            pass
    assert "own" in {row.key for row in own.key_averages()}
    os._exit(0)
print(sorted(row.key for row in prof.key_averages()), prof)
"""


def test_fork_inside(run_python: Any) -> None:
    done = run_python(
        FORK.replace("assert os.waitpid(pid, 0)[1] == 0", "pass").replace(
            "print(", "assert os.waitpid(pid, 0)[1] == 0\nprint("
        )
    )
    assert done.stdout == "['before', 'parent'] <libprof.profile finished, step 0>\n", done.stderr
    assert done.stderr == ""


def test_private_file_goes_with_the_process(run_python: Any) -> None:
    source = (
        "import libprof\nwith libprof.profile() as p:\n    libprof.mark('x')\nprint(libprof.output_path())\n"
    )
    path = Path(run_python(source).stdout.strip())
    assert path.name.endswith(".prof") and not path.parent.exists()


def test_file_of_ones_own_stays(run_python: Any, tmp_path: Path) -> None:
    source = (
        "import libprof\nwith libprof.profile() as p:\n    libprof.mark('x')\nprint(len(p.key_averages()))\n"
    )
    done = run_python(source, env={"PROF_OUTPUT": str(tmp_path / "kept.prof")})
    assert done.stdout == "1\n" and (tmp_path / "kept.prof").exists()
    configured = (
        "import libprof\nlibprof.configure(output='named.prof')\n"
        + source
        + ("try:\n    libprof.configure(output='late.prof')\nexcept libprof.ProfError as e:\n    print(e)\n")
    )
    done = run_python(configured)
    assert "these options can no longer change" in done.stdout and (tmp_path / "named.prof").exists()


def test_preloaded_recorder(run_python: Any, tmp_path: Path) -> None:
    source = """
import libprof
libprof.mark("before")
with libprof.record_function("around"):
    with libprof.profile() as prof:
        with libprof.record_function("inside"):
            pass
print([e.name for e in prof.events()], libprof.is_recording())
"""
    env = {
        "LD_PRELOAD": os.environ["LIBPROF_LIBRARY"],
        "LIBPROF_LIBRARY": "",
        "PROF_OUTPUT": "on.prof",
        "PROF_TABLE": "0",
    }
    assert run_python(source, env=env).stdout == "['inside'] True\n"


EMPTY = """
import os, sys, time, libprof

def work():
    with libprof.record_function("work"):
        pass

def export(prof):
    prof.export_chrome_trace("ready.json")

def quiet():
    with libprof.profile(on_trace_ready=export) as prof:
        time.sleep(0.001)
    return prof

def between():
    work()
    prof = quiet()
    work()
    return prof

def before():
    work()
    return quiet()

def unscheduled():
    with libprof.profile(schedule=libprof.schedule(wait=5, warmup=1, active=1), on_trace_ready=sys.exit) as prof:
        prof.step()
    return prof

around = libprof.profile()
if sys.argv[1] != "quiet":
    around.start()
prof = globals()[sys.argv[1]]()
if sys.argv[1] != "quiet":
    around.stop()
if sys.argv[1] == "unscheduled":
    export(prof)
print(len(prof.events()), repr(prof.key_averages().table()), prof.total_average().count, prof.self_cpu_time_total)
for ending in ("json.gz", "pftrace", "pb.gz", "speedscope.json", "html", "svg", "prom"):
    prof.export(f"out.{ending}")
    assert os.path.getsize(f"out.{ending}") > 20, ending
prof.add_metadata("model", "none")
prof.export_chrome_trace("named.json")
libprof.tensorboard_trace_handler("log")(prof)
assert "<p>" in prof._repr_html_() and len(prof.trace.facts["key_averages"]) == 0
with libprof.autograd.profile() as old:
    pass
print(len(old.function_events))
"""


@pytest.mark.parametrize("how", ["quiet", "before", "between", "unscheduled"])
def test_nothing_recorded(run_python: Any, tmp_path: Path, how: str) -> None:
    source = EMPTY.replace("import os, sys", "import libprof.autograd\nimport os, sys")
    done = run_python(source, how)
    assert done.stdout == "0 '' 0 0.0\n0\n", done.stderr
    why = "the schedule reached no step that is recorded" if how == "unscheduled" else "there was no range, call, mark"
    first, second = re.findall(r"program.py:(\d+): RuntimeWarning: nothing was recorded: (.*)", done.stderr)
    assert why in first[1] and "no range" in second[1], done.stderr
    lines = source.splitlines()
    end = "autograd.profile" if sys.version_info >= (3, 10) else "pass"  # where Python sees the end of a with block
    assert "export_chrome_trace" in lines[int(first[0]) - 1] and end in lines[int(second[0]) - 1]
    for name in ("ready.json", "named.json", *(f"log/{entry}" for entry in os.listdir(tmp_path / "log"))):
        rows = json.loads((tmp_path / name).read_text())["traceEvents"]
        assert all(row["ph"] == "M" for row in rows), name


def test_recordings_with_counters_alone_are_not_empty(run_python: Any) -> None:
    source = "import libprof\nwith libprof.profile() as p:\n    libprof.counter('c', 1)\np.export('c.json')\n"
    assert run_python(source).stderr == ""


BROKEN = """
import sys, libprof

def broken(prof):
    raise ZeroDivisionError("handler")

class Body(BaseException):
    pass

def fails(body, **options):
    try:
        with libprof.profile(**options) as prof:
            body(prof)
    except BaseException as error:
        return f"{error!r} behind {error.__context__!r}"

def body(prof):
    raise Body("body")

def steps(prof):
    for _ in range(5):
        prof.step()

always = lambda step: libprof.ProfilerAction.RECORD_AND_SAVE
print(fails(body))
print(fails(body, on_trace_ready=broken))
print(fails(body, on_trace_ready=lambda prof: prof.export_chrome_trace("/no/such/directory")))
print(fails(steps, on_trace_ready=broken, schedule=always))
print(fails(steps, on_trace_ready=broken))
print(libprof.is_recording())
"""


def test_what_the_body_raises_is_what_its_caller_sees(run_python: Any) -> None:
    done = run_python(BROKEN)
    body, handler = "Body('body') behind None", "ZeroDivisionError('handler') behind None"
    assert done.stdout.splitlines() == [body, body, body, handler, handler, "False"]
    warned = re.findall(r"program.py:\d+: RuntimeWarning: (.*)", done.stderr)
    assert warned[0] == "at the end of a profile whose body raised Body: ZeroDivisionError: handler", done.stderr
    assert "No such file" in warned[1] and len(warned) == 2


CALLBACKS = """
import os, sys, libprof

def unwritable(prof):
    prof.export_chrome_trace("/no/such/directory/trace.json")

def misspelt(prof):
    prof.key_averages().table(sort_by="cpu")

def crowded(prof):
    open("file", "w").close()
    libprof.tensorboard_trace_handler("file/log")(prof)

def impatient(prof):
    libprof.profile().events()

for handler in (unwritable, misspelt, crowded, impatient):
    with libprof.profile(schedule=lambda step: libprof.ProfilerAction.RECORD_AND_SAVE, on_trace_ready=handler) as prof:
        for _ in range(2):
            libprof.mark("x")
            prof.step()
    print(handler.__name__, prof.step_num)
prof.step()

with libprof.profile(schedule=lambda step: None if step else libprof.ProfilerAction.RECORD) as prof:
    prof.step()
try:
    libprof.profile(schedule=lambda step: "record").start()
except TypeError as error:
    print(error)
"""


def test_what_callbacks_ask_of_us_ends_no_training(run_python: Any) -> None:
    done = run_python(CALLBACKS)
    names = ["unwritable", "misspelt", "crowded", "impatient"]
    assert done.stdout.splitlines() == [f"{name} 2" for name in names] + ["a schedule must return a ProfilerAction, not 'record'"]
    warned = re.findall(r"program.py:\d+: RuntimeWarning: (?:on_trace_ready: )?(.*)", done.stderr)
    for text in ("No such file", "sort_by: unknown column 'cpu'", "cannot create file/log", "results are available only",
                 "step() has no effect: the profile is not running", "a schedule must return a ProfilerAction, not None"):  # fmt: skip
        assert any(text in one for one in warned), (text, done.stderr)


CHILDREN = """
import os, libprof

def child(name):
    pid = os.fork()
    if pid:
        assert os.waitpid(pid, 0)[1] == 0
        return
    with libprof.record_function(name):
        if name == "child":
            child("grandchild")
    prof.step()
    os._exit(0)

ready = []
with libprof.profile(schedule=lambda step: libprof.ProfilerAction.RECORD_AND_SAVE, on_trace_ready=ready.append) as prof:
    with libprof.record_function("parent"):
        child("child")
print(sorted(row["name"] for row in prof.trace.facts["key_averages"] if row["name"] != "ProfilerStep*"), len(ready))
print(sorted(row.key for row in prof.key_averages()))
"""


@pytest.mark.parametrize("output", ["", "own.prof", "p%p.prof"])
def test_the_trace_has_what_children_recorded(run_python: Any, output: str) -> None:
    env = {"PROF_OUTPUT": output} if output else {}
    if output == "p%p.prof":
        run_python(CHILDREN, env=env)  # of another process: not its children
    done = run_python(CHILDREN, env=env)
    assert done.stdout.splitlines() == ["['child', 'grandchild', 'parent'] 1", "['ProfilerStep*', 'parent']"], done.stderr
    assert done.stderr == ""


IN_THE_WAY = """
import libprof
from libprof import recorder
from libprof.errors import ProfError

def broken():
    raise ProfError(f"no space left for {name}")

def train():
    with libprof.record_function("work"):
        pass

whole = recorder.flush_if_any, recorder.start, recorder.stop
for name in ("flush_if_any", "stop", "start"):
    schedule = libprof.schedule(wait=1, warmup=1, active=1, repeat=1)
    with libprof.profile(schedule=schedule) as prof:
        setattr(recorder, name, broken)
        for step in range(5):
            train()
            prof.step()
    recorder.flush_if_any, recorder.start, recorder.stop = whole
    print(name, prof.step_num, prof.current_action.name)
recorder.start = broken
try:
    libprof.profile().start()
except ProfError as error:
    print(error)
"""


def test_nothing_of_ours_ends_the_training(run_python: Any) -> None:
    done = run_python(IN_THE_WAY)
    lines = [f"{name} 5 NONE" for name in ("flush_if_any", "stop", "start")]
    assert done.stdout.splitlines()[:3] == lines and "no space left" in done.stdout.splitlines()[3], done.stderr
    said = re.findall(r"program.py:\d+: RuntimeWarning: no space left for (\w+)", done.stderr)
    assert set(said) == {"flush_if_any", "stop", "start"}, done.stderr

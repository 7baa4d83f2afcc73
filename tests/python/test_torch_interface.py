"""The interface of torch.profiler: all of it is here, or stands in docs/torch_profiler.md with what differs."""

# packages: torch==2.13.0+cpu numpy

from __future__ import annotations

import gzip
import json
import os
import sys
import warnings
from pathlib import Path
from typing import Any, List

import pytest

import libprof
from libprof import autograd

torch = pytest.importorskip("torch")
sys.path.insert(0, str(Path(os.environ["SOURCE_DIR"], "tests", "python")))
import torch_interface  # noqa: E402


def test_everything_is_here_or_listed() -> None:
    items, known = torch_interface.once(), {*torch_interface.EXCEPTIONS, *torch_interface.OLDER}
    missing = [item for item in items if not item.is_here and (item.group, item.name) not in known]
    assert missing == [] and len(items) > 250


def is_of_the_page() -> bool:
    return bool(torch.__version__.startswith(torch_interface.VERSION + "."))


def test_no_exception_is_of_the_past() -> None:
    if not is_of_the_page():
        pytest.skip(f"the page is of PyTorch {torch_interface.VERSION}")
    items = torch_interface.once()
    assert set(torch_interface.EXCEPTIONS) <= {(item.group, item.name) for item in items}, "what PyTorch does not have"


def test_what_is_said_to_be_missing_is() -> None:
    for item in torch_interface.once():
        said = torch_interface.EXCEPTIONS.get((item.group, item.name), "")
        assert item.is_here != said.startswith("Not there"), item


def test_page_is_of_today() -> None:
    page = Path(os.environ["SOURCE_DIR"], "docs", "torch_profiler.md").read_text()
    older = {f"{group}.{name}" for group, name in torch_interface.OLDER}
    for item in torch_interface.once():
        is_listed = "." not in item.group  # keywords of methods are only where they differ
        assert not is_listed or f"`{item.name}`" in page or f"{item.group}.{item.name}" in older, item
    if not is_of_the_page():
        pytest.skip(f"the page describes PyTorch {torch_interface.VERSION}: names were compared, not texts")
    assert page == torch_interface.markdown(), "python3 tests/python/torch_interface.py >docs/torch_profiler.md"


@pytest.mark.parametrize("name", ["post_processing_timeout_s"])
def test_keywords_without_effect_warn(name: str) -> None:
    for make in (libprof.profile, autograd.profile):
        with pytest.warns(RuntimeWarning, match=f"{name} has no effect here"):
            make(**{name: 1})


def test_configurations_of_activities() -> None:
    cpu, cuda = libprof.ProfilerActivity.CPU, libprof.ProfilerActivity.CUDA
    kinds = [libprof] + [torch.profiler] * hasattr(torch.profiler, "ProfilerActivityConfig")
    for kind in kinds:
        annotations = kind.ProfilerActivityConfig(activity_types=["USER_ANNOTATION"])
        with libprof.profile(activities=[{cpu: annotations}]) as prof, libprof.record_function("work"):
            torch.ones(2)
        assert [event.name for event in prof.events()] == ["work"]
        metrics = kind.PerformanceMetricsConfig(metric_names=["sm__cycles_active.avg"])
        with pytest.warns(RuntimeWarning, match="hardware counters are not recorded: use Nsight Compute"):
            libprof.profile(activities=[cpu, {cuda: kind.ProfilerActivityConfig(profiler_configs=[metrics])}])
        plain, full = kind.CuspyConfig(enable_cuda_sync_events=True), kind.CuspyConfig(enable_graph_dependencies=True)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            libprof.profile(activities=[cpu, {cuda: kind.ProfilerActivityConfig(profiler_configs=[plain])}])
        with pytest.warns(RuntimeWarning, match="CuspyConfig: without effect here: enable_graph_dependencies$"):
            libprof.profile(activities=[cpu, {cuda: kind.ProfilerActivityConfig(profiler_configs=[full])}])
        with pytest.raises(ValueError, match="needs the activity CPU"):
            libprof.profile(activities=[{cuda: kind.ProfilerActivityConfig(profiler_configs=[plain])}])


def test_deprecations_are_those_of_the_imported_pytorch() -> None:
    def warned(make: Any) -> bool:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            make(with_modules=True)
        return any(one.category is FutureWarning and "with_modules is deprecated" in str(one.message) for one in caught)

    from torch.autograd.profiler import profile as theirs

    assert warned(libprof.profile) == warned(autograd.profile) == warned(theirs)


def test_lanes_of_graphs_are_checked_as_by_pytorch(tmp_path: Path) -> None:
    with libprof.profile() as prof, libprof.record_function("work"):
        pass
    path = str(tmp_path / "trace.json")
    for lanes, error in (("some", "must be 'all' or 'none'"), ("all", "needs cuda_graph_annotations")):
        with pytest.raises(ValueError, match=error):
            prof.export_chrome_trace(path, graph_lanes=lanes)
    with pytest.warns(RuntimeWarning, match="cuda_graph_annotations have no effect"):
        prof.export_chrome_trace(path, cuda_graph_annotations={1: {"name": "x"}}, graph_lanes="all")
    assert '"work"' in Path(path).read_text()


# ---- names of overloads ----


def overloads(profile: Any, **options: Any) -> Any:
    """A profile of operators with several overloads."""
    config = torch._C._profiler._ExperimentalConfig(capture_overload_names=True)
    x = torch.ones(4, 4)
    with profile(experimental_config=config, **options) as prof:
        for _ in range(3):
            x = x + x
            x = x + 1
        x.mul(2).mul(x).add_(1)
    return prof


def test_rows_by_overload_are_its_own() -> None:
    def rows(listed: Any) -> Any:
        return {(row.key, row.overload_name): row.count for row in listed}

    theirs, ours = overloads(torch.profiler.profile), overloads(libprof.profile)
    expected = rows(theirs.key_averages(group_by_overload_name=True))
    assert rows(ours.key_averages(group_by_overload_name=True)) == expected and len(expected) >= 4
    assert expected["aten::add", "Tensor"] == 6 and expected["aten::mul", "Tensor"] == 2
    assert rows(ours.key_averages()) == rows(theirs.key_averages())
    named = lambda prof: [(event.name, event.overload_name) for event in prof.events()]  # noqa: E731
    assert named(ours) == named(theirs)
    assert rows(libprof.EventList(ours.events()).key_averages(group_by_overload_name=True)) == expected


def test_chrome_traces_name_overloads(tmp_path: Path) -> None:
    def names(prof: Any) -> List[str]:
        prof.export_chrome_trace(str(tmp_path / "trace.json"))
        return [one["name"] for one in json.loads((tmp_path / "trace.json").read_text())["traceEvents"] if one.get("cat") == "cpu_op"]

    ours = names(overloads(libprof.profile))
    assert "aten::add.Tensor" in ours and ours == names(overloads(torch.profiler.profile))


def test_tables_show_overloads_and_sums_stay() -> None:
    prof = overloads(libprof.profile, record_shapes=True)
    listed = prof.key_averages(group_by_input_shape=True, group_by_overload_name=True)
    lines = listed.table(sort_by="count", row_limit=-1).splitlines()
    assert lines[1].split()[:3] == ["Name", "Overload", "Name"] and "Input Shapes" in lines[1]
    row = next(line for line in lines if line.split()[0] == "aten::add" and "Tensor" in line)
    assert "[[4, 4]" in row and "CUDA" not in lines[1]
    assert "Overload Name" not in prof.key_averages().table()
    whole = {key: sum(row.self_cpu_total_ns for row in listed if row.key == key) for key in {row.key for row in listed}}
    assert whole == {row.key: row.self_cpu_total_ns for row in prof.key_averages()}


def test_overloads_are_recorded_only_if_wanted() -> None:
    with libprof.profile() as prof:
        torch.ones(2) + 1
    assert {event.overload_name for event in prof.events()} == {""}
    with pytest.warns(RuntimeWarning, match="group_by_overload_name needs experimental_config"):
        assert "aten::add" in {row.key for row in prof.key_averages(group_by_overload_name=True)}


def test_other_experiments_warn() -> None:
    kind = torch._C._profiler._ExperimentalConfig
    for make in (libprof.profile, autograd.profile):
        for config, ignored in (
            (1, "other settings"),
            (kind(verbose=True, performance_events=["a"]), "other settings"),
            (kind(capture_overload_names=True, enable_cuda_sync_events=True), "enable_cuda_sync_events"),
        ):
            with pytest.warns(RuntimeWarning, match=f"experimental_config: without effect here: {ignored}$"):
                make(experimental_config=config)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for fields in ({}, {"capture_overload_names": True}, {"verbose": True}, {"profile_all_threads": True}):
                make(experimental_config=kind(**fields))


def test_parts_of_a_cycle() -> None:
    prof = libprof.profile()
    for name in ("first", "second"):
        prof.prepare_trace()
        with libprof.record_function("warming up"):
            pass
        prof.start_trace()
        with libprof.record_function(name):
            pass
        prof.stop_trace()
        assert [event.name for event in prof.events()] == [name] and not libprof.is_recording()
    assert prof.profiler.function_events == prof.events()


def test_activities_off_and_on() -> None:
    def work(name: str) -> None:
        with libprof.record_function(name), libprof.record_function("inside " + name):
            pass

    with libprof.profile() as prof:
        work("before")
        prof.toggle_collection_dynamic(False, [torch.profiler.ProfilerActivity.CPU])
        work("off")
        prof.toggle_collection_dynamic(True, [libprof.ProfilerActivity.CPU])
        work("behind")
        prof.toggle_collection_dynamic(False, ["CUDA"])
    assert [event.name for event in prof.events()] == ["before", "inside before", "behind", "inside behind"]
    assert {row.key: row.count for row in prof.key_averages()} == {
        "before": 1, "inside before": 1, "behind": 1, "inside behind": 1,
    }  # fmt: skip


def test_ids_of_traces(tmp_path: Path) -> None:
    ids = iter(["one", "two", "three"])
    prof = libprof.profile(custom_trace_id_callback=lambda: next(ids))
    assert prof.get_trace_id() is None
    prof.preset_metadata_json("sizes", "[1, 2]")
    with prof, libprof.record_function("work"):
        pass
    prof.export_chrome_trace(str(tmp_path / "trace.json"), use_python_export=True)
    text = (tmp_path / "trace.json").read_text()
    assert prof.get_trace_id() == "one" and '"trace_id": "one"' in text and '"sizes": [1, 2]' in text
    with libprof.profile() as other, libprof.record_function("work"):
        pass
    assert other.get_trace_id() != prof.get_trace_id()


def test_execution_traces_are_pytorchs(tmp_path: Path) -> None:
    path = tmp_path / "execution.json"
    observer = libprof.ExecutionTraceObserver().register_callback(str(path))
    schedule = libprof.schedule(wait=1, warmup=1, active=1, repeat=1)
    with libprof.profile(schedule=schedule, execution_trace_observer=observer) as prof:
        for size in (2, 3, 4, 5):
            torch.ones(size) @ torch.ones(size)
            prof.step()
    observer.unregister_callback()
    assert '"aten::matmul"' in path.read_text() and "[[4],[4]]" in path.read_text().replace(" ", "")
    assert {row.key: row.count for row in prof.key_averages()}["aten::matmul"] == 1


def test_memory_timelines(tmp_path: Path) -> None:
    """Torch's, summed over its categories, in times and bytes."""
    cpu = [torch.profiler.ProfilerActivity.CPU]
    theirs = torch.profiler.profile(activities=cpu, profile_memory=True, record_shapes=True, with_stack=True)
    ours = libprof.profile(profile_memory=True)
    for prof in (theirs, ours):
        with warnings.catch_warnings(), prof:
            warnings.simplefilter("ignore")
            kept = torch.ones(1000)
            more = kept + 1
            del kept, more
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name in ("m.json", "m.json.gz", "m.raw.json.gz"):
                prof.export_memory_timeline(str(tmp_path / f"{type(prof).__module__[:3]}-{name}"), "cpu")
    if ours._cycles[0].known_memory != {"cpu", "device"}:
        pytest.skip("without the observer, PyTorch's memory is not recorded")
    written = {path.name: json.loads((gzip.open if path.suffix == ".gz" else open)(path).read()) for path in tmp_path.iterdir()}
    assert written["lib-m.json"] == written["lib-m.json.gz"]
    for who in ("tor", "lib"):
        _times, sizes = written[f"{who}-m.json"]
        assert max(map(sum, sizes)) // 1000 == 8 and {len(row) for row in sizes} == {9}, who
        large = [(action, size) for _, action, size, _ in written[f"{who}-m.raw.json.gz"] if abs(size) >= 4000]
        assert sorted((action, abs(size)) for action, size in large) == [(2, 4000)] * 2 + [(4, 4000)] * 2, who
    ours.export_memory_timeline(str(tmp_path / "m.html"))
    assert "<html" in (tmp_path / "m.html").read_text()
    with libprof.profile() as bare:
        libprof.mark("x")
    with pytest.raises(ValueError, match="needs profile_memory=True"):
        bare.export_memory_timeline(str(tmp_path / "none.json"))


def test_steps_of_several_requesters() -> None:
    tracker = autograd.KinetoStepTracker
    first = tracker.current_step()
    with libprof.profile() as prof:
        for requester in ("profiler", "optimizer", "optimizer", "profiler", "profiler"):
            tracker.increment_step(requester)
        assert tracker.current_step() == first + 3 and tracker.erase_step_count("profiler") and not tracker.erase_step_count("x")
    assert [event.trace_name for event in prof.events()] == [f"ProfilerStep#{first + number}" for number in (1, 2, 3)]


def test_steps_of_profiles_count_too() -> None:
    tracker = autograd.KinetoStepTracker
    first = tracker.current_step()
    with libprof.profile() as prof:
        for _ in range(3):
            tracker.increment_step("optimizer")
            prof.step()
    assert tracker.current_step() == first + 3 and tracker.erase_step_count("optimizer")
    assert not tracker.erase_step_count("ProfilerStep")


def test_torchs_schedules_and_handlers_work(tmp_path: Path) -> None:
    """Their actions are of another enumeration."""
    schedule = torch.profiler.schedule(wait=1, warmup=1, active=1, repeat=2)
    handler = torch.profiler.tensorboard_trace_handler(str(tmp_path / "log"))
    with libprof.profile(schedule=schedule, on_trace_ready=handler) as prof:
        for _ in range(8):
            torch.ones(2) + 1
            prof.step()
    assert len(list((tmp_path / "log").glob("*.pt.trace.json"))) == 2
    assert {row.key: row.count for row in prof.key_averages()}["aten::add"] == 1
    theirs = libprof.profile(schedule=libprof.schedule(wait=0, warmup=1, active=1, repeat=1))
    assert theirs.schedule(0) is libprof.ProfilerAction.WARMUP


def test_devices_of_this_build(run_python: Any) -> None:
    """Programs choose their device by supported_activities()."""
    source = "import libprof\nprint(sorted(one.name for one in libprof.supported_activities()))\n"
    assert run_python(source).stdout == "['CPU', 'CUDA']\n"
    theirs = {activity.name for activity in torch.profiler.supported_activities()} & {"CPU", "CUDA"}
    expected = f"{sorted(theirs)}\n"
    assert run_python("import torch\n" + source).stdout == expected
    with pytest.warns(RuntimeWarning, match="neither CPU nor CUDA: PrivateUse1, XPU"):
        libprof.profile(activities=list(libprof.ProfilerActivity)[:2] + [libprof.ProfilerActivity.PrivateUse1])


def test_pytorchs_flag_says_that_a_profiler_is_on() -> None:
    """Inductor names its kernels only then."""
    module = torch.autograd.profiler
    assert not module._is_profiler_enabled
    with libprof.profile():
        with libprof.profile():
            pass
        assert module._is_profiler_enabled
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as inner:
            pass
    assert not module._is_profiler_enabled
    inner.start()
    with libprof.profile():
        pass
    assert module._is_profiler_enabled
    inner.stop()
    assert not module._is_profiler_enabled


def test_negative_timeouts_are_refused() -> None:
    for make in (libprof.profile, autograd.profile):
        with pytest.raises(ValueError, match="post_processing_timeout_s must be non-negative, not -1"):
            make(post_processing_timeout_s=-1)


def test_todays_keywords_of_the_autograd_profiler(tmp_path: Path) -> None:
    with autograd.profile(record_shapes=True, with_flops=True) as prof:
        torch.ones(2, 3) @ torch.ones(3, 4)
    rows = prof.key_averages(group_by_input_shape=True)
    assert [row.input_shapes for row in rows if row.key == "aten::mm"] in ([[[2, 3], [3, 4]]], [[]])
    assert "Input Shapes" in rows.table(sort_by="self_cpu_time_total", row_limit=2)
    table = prof.key_averages().table(sort_by="self_cpu_time_total", row_limit=1)
    assert "Self CPU %" in table and table.count("aten::") == 1
    assert prof.table(max_name_column_width=20).startswith("---") and prof.self_cpu_time_total > 0
    prof.export_chrome_trace(str(tmp_path / "trace.json"), metadata={"model": "mine"})
    trace = (tmp_path / "trace.json").read_text()
    assert '"model": "mine"' in trace and "aten::mm" in trace
    with autograd.profile(with_stack=True) as stacked:
        torch.ones(2, 3) @ torch.ones(3, 4)
    stacked.export_stacks(str(tmp_path / "stacks.txt"))
    assert ";aten::mm " in (tmp_path / "stacks.txt").read_text()


def test_itt_is_recorded() -> None:
    with libprof.profile() as prof, autograd.emit_itt(record_shapes=True):
        torch.ones(2, 3) @ torch.ones(3, 4)
    shapes: List[Any] = [event.input_shapes for event in prof.events() if event.name == "aten::mm"]
    assert shapes in ([[[2, 3], [3, 4]]], [[]])
    with autograd.emit_itt(enabled=False) as off:
        assert not libprof.is_recording()
    with pytest.raises(RuntimeError, match="not reentrant"), off, warnings.catch_warnings():
        off.enabled = True
        with off, off:
            pass

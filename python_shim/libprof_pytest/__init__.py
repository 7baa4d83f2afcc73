"""A plugin of pytest: ``pytest --prof`` records the tests, a range for each, and prints a table.

``pytest --prof-bench`` prints what the fixture ``prof_bench`` measured, and compares it with an earlier run:

    def test_gemm(prof_bench):
        result = prof_bench(gemm, a, b)     # libprof.bench(), named after the test
        assert result.kernels == 1

The first run is kept as a baseline of profdump, in ``PROF_BASELINES`` or ``.prof_baselines`` below pytest's root directory.

pytest imports it wherever libprof is installed. So it is a package of its own: without ``--prof``, libprof is not loaded.
"""

from __future__ import annotations

import os
from typing import Any, Callable, Iterator, List, Optional

import pytest


def pytest_addoption(parser: Any) -> None:
    """pytest --help has them below "libprof"."""
    group = parser.getgroup("libprof")
    group.addoption(
        "--prof", nargs="?", const="pytest.prof", metavar="FILE", help="record the tests into FILE (pytest.prof)"
    )
    group.addoption("--prof-rows", type=int, default=20, metavar="N", help="rows of the table after --prof (20)")
    group.addoption(
        "--prof-bench", nargs="?", const="pytest", metavar="NAME",
        help="print benchmarks of the fixture prof_bench, and compare them with the baseline NAME (pytest); the first run becomes it",
    )  # fmt: skip
    group.addoption("--prof-bench-save", action="store_true", help="with --prof-bench: this run becomes the baseline")
    group.addoption("--fail-if-slower", metavar="LIMIT", help="with --prof-bench: fail if one is slower by more than LIMIT (5%%) and noise")
    group.addoption("--prof-stacks", action="store_true", help="with --prof: record Python functions")


def pytest_configure(config: Any) -> None:
    """With --prof: recording begins."""
    path = config.getoption("--prof", None)
    if path:
        starts_workers = config.getoption("dist", "no") != "no" and not hasattr(config, "workerinput")
        plugin = _OfWorkers(config) if starts_workers else _Recorder(config, path)
        config.pluginmanager.register(plugin, "libprof-recorder")
    if config.getoption("--prof-bench", None):
        config.pluginmanager.register(_Benchmarks(config), _BENCHMARKS)
    elif config.getoption("--fail-if-slower", None) or config.getoption("--prof-bench-save", False):
        raise pytest.UsageError("--fail-if-slower and --prof-bench-save need --prof-bench")


@pytest.fixture
def prof_bench(request: Any) -> Callable[..., Any]:
    """libprof.bench() with the same arguments, named after the test. A BenchError fails the test."""

    def measure(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        import libprof

        result = libprof.bench(function, *arguments, **{"name": request.node.nodeid, **options})
        benchmarks = request.config.pluginmanager.get_plugin(_BENCHMARKS)
        if benchmarks:
            benchmarks.results.append(result)
        return result

    return measure


_BENCHMARKS = "libprof-bench"


def _path_of_worker(worker: Optional[str], path: str) -> str:
    """pytest-xdist's workers have files of their own."""
    stem, extension = os.path.splitext(path)
    return f"{stem}-{worker}{extension}" if worker else path


_OUTPUT = "libprof"


def _print_table(terminalreporter: Any, paths: List[str], table: Callable[[], str]) -> None:
    """Prints the table. An error here does not fail the tests."""
    terminalreporter.section("libprof")
    try:
        terminalreporter.write_line(table().rstrip())
    except Exception as error:
        terminalreporter.write_line(f"libprof: {error}")
    terminalreporter.write_line(f"libprof: wrote {', '.join(paths)}")


class _OfWorkers:
    """For the process that starts pytest-xdist's workers. It runs no tests; the workers record."""

    def __init__(self, config: Any) -> None:
        self._rows = config.getoption("--prof-rows")
        self._paths: List[str] = []

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """A worker has ended. Collects the path of its file, if it reported one."""
        path = getattr(node, "workeroutput", {}).get(_OUTPUT)
        if path and os.path.exists(path):
            self._paths.append(path)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Prints one table for all workers."""
        import libprof

        if self._paths:
            whole = libprof.read(*sorted(self._paths))
            table = lambda: whole.table(sort="cpu_total", rows=self._rows).partition("\n\n")[2]  # without the summary
            _print_table(terminalreporter, sorted(self._paths), table)


class _Recorder:
    """One session."""

    def __init__(self, config: Any, path: str) -> None:
        import libprof  # a run without --prof does not load it

        self._libprof, self._config = libprof, config
        self._rows = config.getoption("--prof-rows")
        self._path = _path_of_worker(getattr(config, "workerinput", {}).get("workerid"), path)
        try:
            libprof.configure(output=os.path.abspath(self._path))
            self._profile = libprof.profile(with_stack=config.getoption("--prof-stacks"))
            self._profile.start()
        except libprof.ProfError as error:
            raise pytest.UsageError(f"--prof: {error}") from error

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:
        """A test, with what its fixtures do before and after."""
        with self._libprof.record_function(item.nodeid):
            yield

    def _phase(self, name: str) -> Any:
        return self._libprof.record_function(name)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_setup(self) -> Iterator[None]:
        """Fixtures begin."""
        with self._phase("setup"):
            yield

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self) -> Iterator[None]:
        """The test's function."""
        with self._phase("call"):
            yield

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_teardown(self) -> Iterator[None]:
        """Fixtures end."""
        with self._phase("teardown"):
            yield

    def pytest_sessionfinish(self) -> None:
        """Ends the recording. If its file already existed, the new file has another name."""
        self._profile.stop()
        self._path = os.path.relpath(self._libprof.output_path() or self._path)
        if hasattr(self._config, "workeroutput"):
            self._config.workeroutput[_OUTPUT] = self._path

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """The table."""
        table = lambda: str(self._profile.key_averages().table(sort_by="cpu_time_total", row_limit=self._rows))
        _print_table(terminalreporter, [self._path], table)


class _Benchmarks:
    """What the tests of a session measured."""

    def __init__(self, config: Any) -> None:
        if config.getoption("dist", "no") != "no" or hasattr(config, "workerinput"):
            raise pytest.UsageError("--prof-bench: benchmarks disturb each other: run without pytest-xdist's workers (-n 0)")
        self.results: List[Any] = []
        self._name, self._limit = config.getoption("--prof-bench"), config.getoption("--fail-if-slower")
        self._saves = config.getoption("--prof-bench-save")
        self._directory = os.environ.get("PROF_BASELINES") or str(config.rootpath / ".prof_baselines")
        self._lines: List[str] = []

    def _compare(self, result: Any) -> bool:
        """False: slower than the limit allows, beyond noise."""
        from libprof import _answers, _bench

        line, status = _bench.compare_with_baseline(result, self._name, self._directory, self._limit)
        self._lines.append(line)
        return status != _answers.FOUND

    def pytest_sessionfinish(self, session: Any) -> None:
        """Compares, then keeps the recording where there is no baseline yet."""
        import libprof
        from libprof._profdump import run_profdump

        is_there = os.path.isdir(os.path.join(self._directory, self._name))
        try:
            passed = [self._compare(result) for result in self.results] if is_there else [True]
            if not is_there:
                self._lines += [f"  {result!r}" for result in self.results]
            if self.results and (self._saves or not is_there):
                libprof.flush()
                words = ["baseline", "save", f"--baselines={self._directory}", *(["--force"] if is_there else [])]
                self._lines.append(run_profdump([*words, self._name, libprof.output_path()]).strip())
        except libprof.ProfError as error:
            self._lines.append(f"libprof: {error}")
            passed = [not self._limit]
        if not all(passed) and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """A line for each."""
        terminalreporter.section("libprof bench")
        for line in self._lines or ["no test used the fixture prof_bench"]:
            terminalreporter.write_line(line)


__all__ = ["prof_bench", "pytest_addoption", "pytest_configure"]

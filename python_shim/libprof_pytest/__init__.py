"""A plugin of pytest: ``pytest --prof`` records the tests, a range for each, and prints a table.

pytest imports it wherever libprof is installed. So it is a package of its own: without ``--prof``, libprof is not loaded.
"""

from __future__ import annotations

import os
from typing import Any, Iterator

import pytest


def pytest_addoption(parser: Any) -> None:
    """pytest --help has them below "libprof"."""
    group = parser.getgroup("libprof")
    group.addoption(
        "--prof", nargs="?", const="pytest.prof", metavar="FILE", help="record the tests into FILE (pytest.prof)"
    )
    group.addoption("--prof-rows", type=int, default=20, metavar="N", help="rows of the table after --prof (20)")
    group.addoption("--prof-stacks", action="store_true", help="with --prof: record Python functions")


def pytest_configure(config: Any) -> None:
    """With --prof: recording begins."""
    path = config.getoption("--prof", None)
    if path:
        config.pluginmanager.register(_Recorder(config, path), "libprof-recorder")


def _path_of_worker(config: Any, path: str) -> str:
    """pytest-xdist's workers have files of their own."""
    worker = getattr(config, "workerinput", {}).get("workerid")
    stem, extension = os.path.splitext(path)
    return f"{stem}-{worker}{extension}" if worker else path


class _Recorder:
    """One session."""

    def __init__(self, config: Any, path: str) -> None:
        import libprof  # a run without --prof does not load it

        self._libprof = libprof
        self._rows = config.getoption("--prof-rows")
        self._path = _path_of_worker(config, path)
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
        """Recording ends."""
        self._profile.stop()

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """The table. Trouble with it is no failure of the tests."""
        terminalreporter.section("libprof")
        try:
            table = self._profile.key_averages().table(sort_by="cpu_time_total", row_limit=self._rows)
        except self._libprof.ProfError as error:
            table = f"libprof: {error}"
        terminalreporter.write_line(table.rstrip())
        terminalreporter.write_line(f"libprof: wrote {self._path}")


__all__ = ["pytest_addoption", "pytest_configure"]

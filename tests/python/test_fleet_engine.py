"""What libprof makes of DuckDB's errors and version, with a DuckDB of ours: it need not be installed."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, Dict, List, Tuple, Type

import pytest

from libprof.errors import ProfError
from libprof.fleet import Dataset, _engine


class FakeDuckDB(ModuleType):
    """Errors of DuckDB, and a connection that raises `errors[WORD]` when a statement has this word."""

    __version__ = "1.3.2"

    class Error(Exception):
        """What the others derive from, and what is raised for a damaged list of columns."""

    class IOException(Error):
        """No such file, say."""

    class InvalidInputException(Error):
        """No Parquet file."""

    class NotSupportedError(Error):
        """An encoding that this version cannot read."""

    class BinderException(Error):
        """A column or a function that this version does not have."""

    class OutOfMemoryException(Error):
        """Nothing that the files can help."""

    def __init__(self) -> None:
        super().__init__("duckdb")
        self.errors: Dict[str, Type[Exception]] = {}
        self.answer: List[Tuple[Any, ...]] = []

    def connect(self, config: Dict[str, Any]) -> FakeDuckDB:
        return self

    def execute(self, statement: str) -> FakeDuckDB:
        for word, error in self.errors.items():
            if word in statement:
                raise error("what DuckDB says")
        named = statement.partition("parquet_schema(['")[2].partition("'")[0]
        self.answer = [([named],)] if named else []
        return self

    def fetchall(self) -> List[Tuple[Any, ...]]:
        return self.answer


@pytest.fixture
def duckdb(monkeypatch: pytest.MonkeyPatch) -> FakeDuckDB:
    fake = FakeDuckDB()
    monkeypatch.setitem(sys.modules, "duckdb", fake)
    return fake


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    """One part, of one table."""
    for folder in ("packed", "table=kernels"):
        (tmp_path / folder).mkdir()
    (tmp_path / "dataset.json").write_text(json.dumps({"format": "libprof", "version": 1}))
    (tmp_path / "packed" / "one.json").write_text(json.dumps({"part": "one", "tables": ["kernels"], "files": []}))
    (tmp_path / "table=kernels" / "part-one.parquet").write_text("")
    return Dataset.open(tmp_path)


@pytest.mark.parametrize("word", ["parquet_schema", "DESCRIBE"])
@pytest.mark.parametrize("name", ["BinderException", "OutOfMemoryException"])
def test_a_failure_that_is_not_the_files_is_an_error(duckdb: FakeDuckDB, dataset: Dataset, word: str, name: str) -> None:
    duckdb.errors[word] = getattr(duckdb, name)
    with pytest.raises(ProfError, match=r"DuckDB 1\.3\.2 cannot list the columns of files: what DuckDB says"):
        _engine.DuckDB(dataset)


@pytest.mark.parametrize("name", ["Error", "IOException", "InvalidInputException", "NotSupportedError"])
def test_a_file_that_cannot_be_read_is_named(duckdb: FakeDuckDB, dataset: Dataset, name: str) -> None:
    duckdb.errors["part-one.parquet"] = getattr(duckdb, name)
    assert _engine.DuckDB(dataset).left_out == [f"{dataset.files('kernels')[0]}: cannot be read; its rows are not counted"]


@pytest.mark.parametrize("version", ["1.2.2", "0.10.3"])
def test_an_old_version_is_refused(duckdb: FakeDuckDB, dataset: Dataset, monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setattr(FakeDuckDB, "__version__", version)
    with pytest.raises(ProfError, match=rf"DuckDB {version} is too old: this needs duckdb>=1\.3: pip install"):
        _engine.DuckDB(dataset)


def test_the_version_is_that_of_the_package(duckdb: FakeDuckDB) -> None:
    least = "duckdb>=" + ".".join(map(str, _engine.LEAST_DUCKDB))
    assert _engine.REQUIRED["duckdb"] == least
    project = Path(_engine.__file__).parents[2] / "pyproject.toml"
    assert not project.exists() or f'fleet = ["{least}"]' in project.read_text()

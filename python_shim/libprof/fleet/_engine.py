"""Who runs the SQL: DuckDB in this process, or Spark. Both get the same statements over the same files."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, Dict, List, Tuple

from ..errors import ProfError
from ._dataset import TABLES, Dataset

Rows = Tuple[List[str], List[Tuple[Any, ...]]]
"""Names of columns, and rows."""


def _module(name: str, package: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ProfError(f"this needs {package}: pip install 'libprof[fleet]' (or: pip install {package})") from error


def require_duckdb() -> None:
    """:class:`ProfError` that says what to install, where DuckDB is missing."""
    _module("duckdb", "duckdb")


def quoted(path: object) -> str:
    """A path inside quotes of SQL."""
    return str(path).replace("'", "''")


def sql_text(name: str) -> str:
    """One of the SQL files of this package."""
    return (Path(__file__).parent / "sql" / f"{name}.sql").read_text(encoding="utf-8")


def duckdb_connection(threads: int = 0) -> Any:
    """An in-memory database that must not download extensions."""
    config: Dict[str, Any] = {"autoinstall_known_extensions": "false"}
    if threads:
        config["threads"] = threads
    return _module("duckdb", "duckdb").connect(config=config)


class DuckDB:
    """The tables of a dataset as views, in this process."""

    def __init__(self, dataset: Dataset) -> None:
        self._connection = duckdb_connection()
        for table, columns in TABLES.items():
            files = dataset.files(table)
            if files:
                names = ", ".join(f"'{quoted(file)}'" for file in files)
                self._connection.execute(f"CREATE VIEW {table} AS SELECT * FROM read_parquet([{names}], union_by_name = true, hive_partitioning = false)")
            else:
                empty = ", ".join(f"NULL::{column.type} AS {column.name}" for column in columns)
                self._connection.execute(f"CREATE VIEW {table} AS SELECT {empty} WHERE false")

    def run(self, sql: str) -> Rows:
        """Runs one statement."""
        result = self._connection.execute(sql)
        return [column[0] for column in result.description], result.fetchall()


class Spark:
    """The same in Spark: `master` is spark://..., local[2] ..."""

    def __init__(self, dataset: Dataset, master: str) -> None:
        session = _module("pyspark.sql", "pyspark").SparkSession
        self._session = (
            session.builder.master(master)
            .appName("libprof")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.sql.ansi.enabled", "true")
            .getOrCreate()
        )
        self._session.sparkContext.setLogLevel("ERROR")
        for table, columns in TABLES.items():
            files = dataset.files(table)
            if files:
                self._session.read.parquet(*files).createOrReplaceTempView(table)
            else:
                schema = ", ".join(f"{c.name} {_spark_type(c.type)}" for c in columns)
                self._session.createDataFrame([], schema).createOrReplaceTempView(table)

    def run(self, sql: str) -> Rows:
        """Runs one statement."""
        frame = self._session.sql(sql)
        return list(frame.columns), [tuple(row) for row in frame.collect()]


def _spark_type(kind: str) -> str:
    return {"VARCHAR": "STRING", "INTEGER": "INT", "MAP(INTEGER,BIGINT)": "MAP<INT,BIGINT>"}.get(kind, kind)


def open_engine(dataset: Dataset, engine: str) -> Any:
    """`engine`: duckdb, spark://HOST:PORT, or local[N] for Spark in this machine."""
    if engine == "duckdb":
        return DuckDB(dataset)
    if engine.startswith(("spark://", "local[")):
        return Spark(dataset, engine)
    raise ProfError(f"engine {engine!r}: it is duckdb, spark://HOST:PORT or local[N]")

"""Who runs the SQL: DuckDB in this process, or Spark. Both get the same statements over the same files."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, Dict, List, Sequence, Set, Tuple, Type

from ..errors import ProfError
from ._dataset import TABLES, Column, Dataset

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


def duckdb_error() -> Type[Exception]:
    """What DuckDB raises."""
    error: Type[Exception] = _module("duckdb", "duckdb").Error
    return error


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
    connection = _module("duckdb", "duckdb").connect(config=config)
    connection.execute("SET enable_progress_bar = false")
    return connection


class DuckDB:
    """The tables of a dataset as views, in this process. Columns that an older libprof did not write are NULL."""

    def __init__(self, dataset: Dataset) -> None:
        self.connection = duckdb_connection()
        self.left_out: List[str] = []
        """A sentence for each file that is not read, or not wholly."""
        for table, columns in TABLES.items():
            there: Set[str] = set()
            files: List[str] = []
            for file in dataset.files(table):
                names = self._names_in(file, table, columns)
                if names:
                    files.append(f"'{quoted(file)}'")
                    there |= names
            lacking = ", ".join(f"NULL::{column.type} AS {column.name}" for column in columns if column.name not in there)
            source = f"FROM read_parquet([{', '.join(files)}], union_by_name = true, hive_partitioning = false)" if files else "WHERE false"
            chosen = ", ".join(part for part in ("*" if files else "", lacking) if part)
            self.connection.execute(f"CREATE VIEW {table} AS SELECT {chosen} {source}")

    def _names_in(self, file: str, table: str, columns: Sequence[Column]) -> Set[str]:
        """Names of a file's columns; none where it is left out: truncated, or written by somebody else."""
        try:
            rows = self.connection.execute(f"DESCRIBE SELECT * FROM read_parquet('{quoted(file)}', hive_partitioning = false)").fetchall()
        except duckdb_error():
            self.left_out.append(f"{file}: cannot be read; its rows are not counted")
            return set()
        types = {row[0]: row[1].replace(" ", "") for row in rows}
        if columns[0].name not in types or any(types.get(column.name, column.type) != column.type for column in columns):
            self.left_out.append(f"{file}: its columns are not those of table '{table}'; its rows are not counted")
            return set()
        lacking = [column.name for column in columns if column.name not in types]
        if lacking:
            self.left_out.append(f"{file}: an older libprof wrote it, without {', '.join(lacking)}; these are empty for its ranks")
        return set(types)

    def run(self, sql: str) -> Rows:
        """Runs one statement."""
        try:
            result = self.connection.execute(sql)
            return [column[0] for column in result.description], result.fetchall()
        except duckdb_error() as error:
            raise ProfError(str(error)) from None


class Spark:
    """The same in Spark: `master` is spark://..., local[2] ... A file that cannot be read is an error."""

    left_out: Tuple[str, ...] = ()

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

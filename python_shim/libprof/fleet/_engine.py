"""Who runs the SQL: DuckDB in this process, or Spark. Both get the same statements over the same files."""

from __future__ import annotations

import importlib
import importlib.util
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Type

from ..errors import ProfError
from . import _attempts
from ._dataset import TABLES, Column, Dataset

Rows = Tuple[List[str], List[Tuple[Any, ...]]]
"""Names of columns, and rows."""


LEAST_DUCKDB = (1, 3)
"""pack's COPY has options that 1.2 does not know. Python 3.9 has no DuckDB after 1.4."""
REQUIRED = {"duckdb": "duckdb>=1.3", "pyspark": "pyspark>=4.0", "py4j": "pyspark>=4.0"}
"""What pip is asked for, by package of Python; as in pyproject.toml."""


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ProfError(_needed(name)) from error


def _needed(name: str) -> str:
    required = REQUIRED[name.partition(".")[0]]
    return f"this needs {required}: pip install '{required}'"


def require_duckdb() -> None:
    """:class:`ProfError` that says what to install, where DuckDB is missing. Does not load it."""
    if importlib.util.find_spec("duckdb") is None:
        _module("duckdb")


def duckdb_error() -> Type[Exception]:
    """What DuckDB raises."""
    error: Type[Exception] = _module("duckdb").Error
    return error


def quoted(path: object) -> str:
    """A path inside quotes of SQL."""
    return str(path).replace("'", "''")


def sql_text(name: str) -> str:
    """One of the SQL files of this package."""
    return (Path(__file__).parent / "sql" / f"{name}.sql").read_text(encoding="utf-8")


def records(engine: Any, sql: str) -> List[Dict[str, Any]]:
    """The rows of a statement, each with values by column."""
    columns, rows = engine.run(sql)
    return [dict(zip(columns, row)) for row in rows]


def duckdb_connection(threads: int = 0) -> Any:
    """An in-memory database that must not download extensions."""
    config: Dict[str, Any] = {"autoinstall_known_extensions": "false"}
    if threads:
        config["threads"] = threads
    duckdb = _module("duckdb")
    if tuple(map(int, duckdb.__version__.split(".")[:2])) < LEAST_DUCKDB:
        raise ProfError(f"DuckDB {duckdb.__version__} is too old: {_needed('duckdb')}")
    connection = duckdb.connect(config=config)
    connection.execute("SET enable_progress_bar = false")
    return connection


@dataclass(frozen=True)
class Source:
    """Where the rows of a table are: its files, and the columns that none of them has."""

    files: Tuple[str, ...]
    lacking: Tuple[Column, ...]


def _asked(connection: Any, statement: str) -> Optional[List[Tuple[Any, ...]]]:
    """What a statement says of files; None if one of them cannot be read. :class:`ProfError` for any other failure, such as a
    statement that this DuckDB does not know: it tells nothing of the files."""
    duckdb = _module("duckdb")
    unreadable = (duckdb.IOException, duckdb.InvalidInputException, duckdb.NotSupportedError)
    try:
        rows: List[Tuple[Any, ...]] = connection.execute(statement).fetchall()
        return rows
    except duckdb.Error as error:
        if isinstance(error, unreadable) or type(error) is duckdb.Error:  # which is raised for a list of columns that is damaged
            return None
        raise ProfError(f"DuckDB {duckdb.__version__} cannot list the columns of files: {error}") from None


def _types_in(connection: Any, file: str) -> Dict[str, str]:
    """Types of a file's columns, by name; none if it cannot be read."""
    rows = _asked(connection, f"DESCRIBE SELECT * FROM read_parquet('{quoted(file)}', hive_partitioning = false)")
    return {row[0]: row[1].replace(" ", "") for row in rows or ()}


def _types_of(connection: Any, files: Sequence[str]) -> Dict[str, Dict[str, str]]:
    """The same for many files. To describe one takes a millisecond; a job has thousands, and nearly all of a table are alike."""
    if not files:
        return {}
    listed = ", ".join(f"'{quoted(file)}'" for file in files)
    alike = _asked(
        connection,
        "SELECT list(file_name) FROM (SELECT file_name, list(concat_ws(' ', name, type, repetition_type, num_children, converted_type, "
        f"logical_type)) AS columns FROM parquet_schema([{listed}]) GROUP BY file_name) GROUP BY columns",
    )
    if alike is None:  # one of them cannot be read: which, only each can tell
        return {file: _types_in(connection, file) for file in files}
    return {file: types for (named,) in alike for types in [_types_in(connection, named[0])] for file in named}


def _is_of(table: str, types: Dict[str, str]) -> bool:
    """Whether a file with these columns can have rows of the table, as this libprof or another version writes them."""
    columns = TABLES[table]
    return columns[0].name in types and all(types.get(column.name, column.type) == column.type for column in columns)


def _trouble(table: str, types: Dict[str, str]) -> str:
    """What is said of a file with these columns: nothing, or why it is left out or what it lacks."""
    if not types:
        return "cannot be read; its rows are not counted"
    if not _is_of(table, types):
        return f"its columns are not those of table '{table}'; its rows are not counted"
    lacking = [column.name for column in TABLES[table] if column.name not in types]
    return f"an older libprof wrote it, without {', '.join(lacking)}; these are empty for its ranks" if lacking else ""


def _sources(connection: Any, dataset: Dataset) -> Tuple[Dict[str, Source], List[str]]:
    """The source of each table, and a sentence for each file that is not read, or not wholly."""
    sources: Dict[str, Source] = {}
    left_out: List[str] = []
    files_of = {table: dataset.files(table) for table in TABLES}
    types = _types_of(connection, [file for files in files_of.values() for file in files])
    for table, columns in TABLES.items():
        files = files_of[table]
        troubles = ((file, _trouble(table, types.get(file, {}))) for file in files)
        left_out += [f"{file}: {trouble}" for file, trouble in troubles if trouble]
        read = tuple(file for file in files if _is_of(table, types.get(file, {})))
        there = set().union(*(types[file] for file in read))
        sources[table] = Source(read, tuple(column for column in columns if column.name not in there))
    return sources, left_out


def _select(source: Source) -> str:
    """All rows of a table, in DuckDB."""
    files = ", ".join(f"'{quoted(file)}'" for file in source.files)
    rows = f"FROM read_parquet([{files}], union_by_name = true, hive_partitioning = false)" if files else "WHERE false"
    lacking = (f"NULL::{column.type} AS {column.name}" for column in source.lacking)
    return f"SELECT {', '.join([*(['*'] if files else []), *lacking])} {rows}"


def _attempts_in(connection: Any, ranks: Source, wanted: str) -> _attempts.Attempts:
    rows = _asked(connection, f"SELECT {_attempts.COLUMNS} FROM ({_select(ranks)}) AS t")
    return _attempts.choose(_attempts.find_attempts(rows or ()), wanted)


def _of_attempts(table: str, attempts: _attempts.Attempts) -> Tuple[str, str]:
    """SQL for the view of a table: columns that it adds, and the condition on its rows."""
    has_recordings = any(column.name == "recording" for column in TABLES[table])
    condition = _attempts.condition_sql(attempts) if has_recordings else ""
    added = f", {_attempts.number_sql(attempts)} AS attempt" if table == "ranks" else ""
    return added, f" WHERE {condition}" if condition else ""


class _Engine:
    """The tables of a dataset as views, which are made when a statement first names them. DuckDB looks at the files in either case,
    so all engines read the same ones. Columns that an older libprof did not write are NULL.

    `left_out`: a sentence for each file that is not read, or not wholly."""

    def __init__(self, connection: Any, dataset: Dataset, attempt: str) -> None:
        self._pending_views, self.left_out = _sources(connection, dataset)
        self.attempts = _attempts_in(connection, self._pending_views["ranks"], attempt)

    def _add_view(self, table: str, source: Source) -> None:
        raise NotImplementedError

    def _add_views(self, sql: str) -> None:
        """Of the tables that the statement names, or else of all: a view reads the end of each file of its table."""
        for table in [table for table in TABLES if table in sql.lower()] or list(TABLES):
            source = self._pending_views.pop(table, None)
            if source is not None:
                self._add_view(table, source)


class DuckDB(_Engine):
    """In this process."""

    def __init__(self, dataset: Dataset, attempt: str = "") -> None:
        self.connection = duckdb_connection()
        super().__init__(self.connection, dataset, attempt)

    def _add_view(self, table: str, source: Source) -> None:
        added, condition = _of_attempts(table, self.attempts)
        self.connection.execute(f"CREATE VIEW {table} AS SELECT *{added} FROM ({_select(source)}) AS t{condition}")

    def execute(self, sql: str) -> Any:
        """DuckDB's answer to one statement, or its error."""
        self._add_views(sql)
        return self.connection.execute(sql)

    def run(self, sql: str) -> Rows:
        """Runs one statement."""
        try:
            result = self.execute(sql)
            return [column[0] for column in result.description], result.fetchall()
        except duckdb_error() as error:
            raise ProfError(str(error)) from None


SPARK_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.ansi.enabled": "true",
    # Most of the time of a report goes into planning and compiling it: the program that does so should start quickly, and list the
    # files itself rather than by a job. What is shuffled has few rows.
    "spark.driver.defaultJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "100000",
    "spark.sql.shuffle.partitions": "2",
}


class Spark(_Engine):
    """The same in Spark: `master` is spark://..., local[2] ..."""

    def __init__(self, dataset: Dataset, master: str, attempt: str = "") -> None:
        builder = _module("pyspark.sql").SparkSession.builder.master(master).appName("libprof")
        for name, value in SPARK_SETTINGS.items():
            builder = builder.config(name, value)
        super().__init__(duckdb_connection(), dataset, attempt)
        self._session = self._tried(builder.getOrCreate)
        self._session.sparkContext.setLogLevel("ERROR")
        logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)  # it prints what is raised, too

    def _add_view(self, table: str, source: Source) -> None:
        added, condition = _of_attempts(table, self.attempts)
        columns = ", ".join(f"{column.name} {_spark_type(column.type)}" for column in TABLES[table])
        reader = self._session.read.schema(columns)  # a column that a file lacks is NULL
        frame = reader.parquet(*source.files) if source.files else self._session.createDataFrame([], columns)
        if condition:
            frame = frame.where(condition[len(" WHERE ") :])
        if added:
            frame = frame.selectExpr("*", added[len(", ") :])
        frame.createOrReplaceTempView(table)

    def _tried(self, action: Callable[[], Any]) -> Any:
        """What Spark raises has its plans and the stack of Java in it: only the line that says what is wrong is kept."""
        raised = (_module("pyspark.errors").PySparkException, _module("py4j.protocol").Py4JError)
        try:
            return action()
        except raised as error:
            lines = [line.lstrip(": ") for line in str(error).splitlines() if line.strip()]
            in_java = len(lines) > 1 and lines[0].startswith("An error occurred while calling")
            raise ProfError(f"Spark: {lines[in_java] if lines else 'it failed'}") from None

    def run(self, sql: str) -> Rows:
        """Runs one statement."""

        def run_in_spark() -> Rows:
            self._add_views(sql)
            frame = self._session.sql(sql)
            return list(frame.columns), [tuple(row) for row in frame.collect()]

        rows: Rows = self._tried(run_in_spark)
        return rows


def _spark_type(kind: str) -> str:
    return {"VARCHAR": "STRING", "INTEGER": "INT", "MAP(INTEGER,BIGINT)": "MAP<INT,BIGINT>"}.get(kind, kind)


def open_engine(dataset: Dataset, engine: str, attempt: str = "") -> Any:
    """`engine`: duckdb, spark://HOST:PORT, or local[N] for Spark in this machine. `attempt`: as for _attempts.choose()."""
    if engine == "duckdb":
        return DuckDB(dataset, attempt)
    if engine.startswith(("spark://", "local[")):
        return Spark(dataset, engine, attempt)
    raise ProfError(f"engine {engine!r}: it is duckdb, spark://HOST:PORT or local[N]")

"""engines.py SPARK DATASET...: every report gives the same rows with DuckDB and with Spark (local[2], spark://HOST:PORT)."""

import decimal
import math
import sys
import time

from libprof.fleet import TABLES, Dataset, _engine
from libprof.fleet._cli import REPORTS


def create_tables():
    """A statement for each table of a dataset, to fill by hand."""
    for table, columns in TABLES.items():
        yield f"CREATE TABLE {table} ({', '.join(f'{column.name} {column.type}' for column in columns)})"


def plain(value):
    """Engines differ in the types of sums and averages."""
    return float(value) if isinstance(value, decimal.Decimal) else value


def rows_of(engine, report):
    columns, rows = engine.run(_engine.sql_text(report))
    return columns, [tuple(plain(value) for value in row) for row in rows]


def same_value(a, b):
    """Sums in another order differ in the last bits."""
    if isinstance(a, float) or isinstance(b, float):
        return a is not None and b is not None and math.isclose(a, b, rel_tol=1e-9)
    return a == b


def same_row(a, b):
    return len(a) == len(b) and all(map(same_value, a, b))


def compare(path, master):
    """How many reports differ. What each engine says of files that it does not read counts as one."""
    dataset = Dataset.open(path)
    duckdb, spark = _engine.DuckDB(dataset), _engine.Spark(dataset, master)
    wrong = 0
    if duckdb.left_out != spark.left_out:
        wrong += 1
        print("they leave out other files", duckdb.left_out, spark.left_out, sep="\n  ")
    for report in (*REPORTS, "samples"):
        begin = time.monotonic()
        ours = rows_of(duckdb, report)
        middle = time.monotonic()
        theirs = rows_of(spark, report)
        times = f"DuckDB {middle - begin:.2f} s, Spark {time.monotonic() - middle:.2f} s"
        differ = [pair for pair in zip(ours[1], theirs[1]) if not same_row(*pair)]
        if ours[0] != theirs[0] or len(ours[1]) != len(theirs[1]) or differ:
            wrong += 1
            print(f"{path}, {report}: they differ\n  {ours[0]}, {len(ours[1])} rows\n  {theirs[0]}, {len(theirs[1])} rows")
            print(*(f"  {row}" for pair in differ[:1] for row in pair), sep="\n")
        else:
            print(f"{path}, {report}: {len(ours[1])} rows, the same ({times})", flush=True)
    return wrong


def main():
    sys.exit(sum(compare(path, sys.argv[1]) for path in sys.argv[2:]) != 0)


if __name__ == "__main__":
    main()

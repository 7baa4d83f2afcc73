"""engines.py DATASET SPARK: every report gives the same rows with DuckDB and with Spark (local[2], spark://HOST:PORT)."""

import decimal
import sys

from libprof.fleet import Dataset, _engine
from libprof.fleet._cli import REPORTS


def plain(value):
    """Engines differ in the types of sums and averages, and in the last bits of these."""
    if isinstance(value, decimal.Decimal):
        value = float(value)
    return float(f"{value:.9g}") if isinstance(value, float) else value


def rows_of(engine, report):
    columns, rows = engine.run(_engine.sql_text(report))
    return columns, [tuple(plain(value) for value in row) for row in rows]


def main():
    dataset = Dataset.open(sys.argv[1])
    duckdb, spark = _engine.DuckDB(dataset), _engine.Spark(dataset, sys.argv[2])
    wrong = 0
    for report in (*REPORTS, "samples"):
        ours, theirs = rows_of(duckdb, report), rows_of(spark, report)
        same = [tuple(map(float_or_same, row)) for row in ours[1]] == [tuple(map(float_or_same, row)) for row in theirs[1]]
        if ours[0] != theirs[0] or not same:
            wrong += 1
            print(f"{report}: they differ\n  {ours[0]}\n  {theirs[0]}")
            for a, b in zip(ours[1], theirs[1]):
                if a != b:
                    print(f"  {a}\n  {b}")
                    break
        else:
            print(f"{report}: {len(ours[1])} rows, the same")
    sys.exit(wrong != 0)


def float_or_same(value):
    return float(value) if isinstance(value, int) else value


if __name__ == "__main__":
    main()

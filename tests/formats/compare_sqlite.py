"""compare_sqlite.py PROFDUMP TRACE DATABASE [NAME...]: a database has what its trace has.

SQLite's own check passes, every name of a table is known, and the rows that profdump makes of the database are those
that it makes of the trace, in number and in every nanosecond; those NAMEd are left out.
"""

import json
import sqlite3
import subprocess
import sys

profdump, trace, database, *left_out = sys.argv[1:]


def rows(path):
    out = subprocess.run([profdump, "--json", "--partial", path], capture_output=True, check=True)
    columns = ["count", "cpu_total_ns", "self_cpu_total_ns", "cuda_total_ns", "self_cuda_total_ns"]
    found = {}
    for row in json.loads(out.stdout)["key_averages"]:
        key = row["name"], "device" if row["kind"] in ("kernel", "memcpy", "memset", "graph") else "host"
        before = found.get(key, [0] * len(columns))
        found[key] = [a + row[c] for a, c in zip(before, columns)]
    return found


connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
for (view,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'view'").fetchall():
    connection.execute(f"SELECT * FROM {view}").fetchall()

# The query that sums kernels in scripts for nsys.
kernels = connection.execute(
    """SELECT s.value, count(*), sum(k.end - k.start) FROM CUPTI_ACTIVITY_KIND_KERNEL AS k
       JOIN StringIds AS s ON s.id = k.demangledName GROUP BY k.demangledName"""
).fetchall()
wanted, got = rows(trace), rows(database)
for name, count, total in kernels:
    assert wanted[name, "device"][0] == count and wanted[name, "device"][4] == total, name

for key in wanted.keys() | got.keys():
    if key[0] in left_out:
        continue
    assert wanted.get(key) == got.get(key), f"{key}: {wanted.get(key)} in the trace, {got.get(key)} in the database"
print(f"{len(wanted)} rows, {len(kernels)} kernels: equal")

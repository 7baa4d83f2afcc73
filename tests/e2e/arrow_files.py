"""arrow_files.py DIRECTORY FACTS - reads the four Arrow files of a directory with every program that can be had,
compares what they read, and holds it against the trace's facts (profdump --json)."""

import collections
import json
import sys
from pathlib import Path

import pyarrow
import pyarrow.feather
import pyarrow.ipc

try:
    import polars
except ImportError:
    polars = None
try:
    import duckdb
except ImportError:
    duckdb = None

TABLES = ("events", "launches", "kernels", "counters")


def read(path):
    with pyarrow.memory_map(str(path)) as mapped, pyarrow.ipc.open_file(mapped) as file:
        table = file.read_all()
    table.validate(full=True)
    assert pyarrow.feather.read_table(path).equals(table)
    return table


def rows(table):
    """Times as integers: Python's own have no nanoseconds."""
    for i, field in enumerate(table.schema):
        if pyarrow.types.is_timestamp(field.type):
            table = table.set_column(i, field.name, table.column(i).cast(pyarrow.int64()))
    return table.to_pylist()


def same_in_polars(path, wanted):
    frame = polars.read_ipc(path)
    frame = frame.with_columns(polars.col(name).to_physical() for name, kind in frame.schema.items()
                               if kind == polars.Datetime)
    assert frame.to_dicts() == wanted, path


def same_in_duckdb(wanted):
    counted = duckdb.sql("select name, count(*) from arrow_table group by name",
                         connection=CONNECTION).fetchall()
    assert dict(counted) == collections.Counter(row["name"] for row in wanted)


def check_tree(events):
    """Each event lies within its parent, and self times are what children leave."""
    inside = collections.Counter()
    for number, row in enumerate(events):
        if row["parent"] is not None:
            around = events[row["parent"]]
            assert (around["pid"], around["tid"]) == (row["pid"], row["tid"]), number
            assert around["start"] <= row["start"], number
            assert row["start"] + row["duration_ns"] <= around["start"] + around["duration_ns"], number
            inside[row["parent"]] += row["duration_ns"]
        if row["attributes"] is not None:
            assert isinstance(json.loads(row["attributes"]), dict)
    for number, row in enumerate(events):
        if row["self_ns"] is not None:
            assert row["self_ns"] == max(0, row["duration_ns"] - inside[number]), number


def check_kernels(events, launches, kernels):
    spent = collections.Counter()
    for row in kernels:
        if row["event"] is not None:
            spent[row["event"]] += row["duration_ns"]
            assert events[row["event"]]["tid"] == row["tid"]
    for row in launches:
        call = events[row["event"]]
        assert call["kind"] == "call" and call["correlation"] == row["correlation"]
        assert call["device_ns"] == row["device_ns"] == spent[row["event"]]


def check_facts(events, kernels, facts):
    """Totals by name are those of the table."""
    averages = collections.defaultdict(list)
    for row in facts["key_averages"]:
        averages[row["kind"], row["name"]].append(row)
    spent = collections.Counter()
    for row in kernels:
        spent[row["kind"], row["name"]] += row["duration_ns"]
    for key, total in spent.items():
        assert sum(row["self_cuda_total_ns"] for row in averages[key]) == total, key
    own = collections.Counter()
    for row in events:
        if row["kind"] == "range":
            own[row["name"]] += row["self_device_ns"]
    for name, total in own.items():
        wanted = averages["range", name]
        assert not wanted or sum(row["self_cuda_total_ns"] for row in wanted) == total, name


directory, facts = Path(sys.argv[1]), json.load(open(sys.argv[2]))
CONNECTION = duckdb.connect() if duckdb else None
found = {}
for name in TABLES:
    path = directory / f"{name}.arrow"
    table = read(path)
    found[name] = rows(table)
    if polars:
        same_in_polars(path, found[name])
    if duckdb:
        CONNECTION.register("arrow_table", table)
        same_in_duckdb(found[name])
    names = table.column("name")
    for chunk in names.chunks:
        texts = chunk.dictionary.to_pylist()
        assert len(texts) == len(set(texts)), "each text once"
check_tree(found["events"])
check_kernels(found["events"], found["launches"], found["kernels"])
check_facts(found["events"], found["kernels"], facts)
print(directory.name, *(f"{len(found[name])} {name}" for name in TABLES))

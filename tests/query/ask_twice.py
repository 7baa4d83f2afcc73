"""ask_twice.py PROFDUMP SEED TRACE... - the same statements to `profdump query` and to SQLite's own tables.

Every table of `profdump query --schema` is copied as it is into a table of SQLite; then statements made by chance, with
conditions, orders, groups and joins, must answer alike. So conditions that a scan takes over lose no row. Statements that
only group rows must print the same with a comment in them, with which SQLite answers them alone. The tables with nsys's names
must hold what `profdump -o OUT.sqlite` writes into them.
"""

import json
import random
import sqlite3
import subprocess
import sys

# Ids that are numbered otherwise than in a file, and names that stand behind the others.
NUMBERED = {"rangeId", "shortName"}
STATEMENTS = 12
GROUPINGS = 4  # of each table that has rows


class Differs(Exception):
    pass


def printed(profdump, trace, sql):
    run = subprocess.run([profdump, "query", "--format", "json", sql, *trace], capture_output=True, text=True)
    if run.returncode:
        raise Differs(f"{sql}\n{run.stderr}")
    return run.stdout


def printed_or_error(profdump, trace, sql):
    try:
        return printed(profdump, trace, sql)
    except Differs as error:
        return str(error).partition("\n")[2].partition("\n")[0]


def ask(profdump, trace, sql):
    return [tuple(row.values()) for row in json.loads(printed(profdump, trace, sql))["rows"]]


def quoted(name):
    return '"' + name + '"'


def key(row):
    return [(value is not None, isinstance(value, str), value) for value in row]


def compare(sql, ours, theirs, ordered):
    if not ordered:
        ours, theirs = sorted(ours, key=key), sorted(theirs, key=key)
    if ours != theirs:
        raise Differs(f"{sql}\n  query:  {len(ours)} rows, {ours[:3]}\n  SQLite: {len(theirs)} rows, {theirs[:3]}")


def literal(value):
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)


class Table:
    def __init__(self, described, rows):
        self.name = described["name"]
        self.types = {column["name"]: column["type"] for column in described["columns"]}
        self.columns = list(self.types)
        self.rows = rows

    def value(self, chance, column):
        """One that is there, or near it, or of another type."""
        if not self.rows:
            return 1
        value = chance.choice(self.rows)[self.columns.index(column)]
        if isinstance(value, int):
            return chance.choice([value, value, value + 1, value - 0.5, value + 0.5, 9223372036854775807, 1e19, str(value)])
        return "no such text" if value is None or chance.random() < 0.1 else value

    def condition(self, chance):
        column = chance.choice(self.columns)
        if chance.random() < 0.1:
            return f"{quoted(column)} IS {chance.choice(['', 'NOT '])}NULL"
        if chance.random() < 0.1:
            values = ", ".join(literal(self.value(chance, column)) for _ in range(3))
            return f"{quoted(column)} IN ({values})"
        return f"{quoted(column)} {chance.choice(['=', '=', '<', '<=', '>', '>=', '<>'])} {literal(self.value(chance, column))}"

    def statement(self, chance):
        """And whether its rows have one order only."""
        where = " AND ".join(self.condition(chance) for _ in range(chance.randint(0, 3)))
        where = f" WHERE {where}" if where else ""
        columns = [quoted(column) for column in chance.sample(self.columns, min(len(self.columns), 3))]
        if chance.random() < 0.4:
            groups = ", ".join(columns[:2])
            return f"SELECT {groups}, count(*), max({columns[-1]}) FROM {self.name}{where} GROUP BY {groups}", False
        ways = [f"{quoted(column)} {chance.choice(['ASC', 'DESC'])}" for column in chance.sample(self.columns, len(self.columns))]
        if chance.random() < 0.5:
            return f"SELECT {', '.join(columns)} FROM {self.name}{where} ORDER BY {', '.join(ways[:2])}", len(self.columns) <= 2
        every = ", ".join(quoted(column) for column in self.columns)
        return f"SELECT {every} FROM {self.name}{where} ORDER BY {', '.join(ways)} LIMIT 7", True


    def grouping(self, chance):
        """One that only groups rows; half of them by means that are not for such statements."""
        keys = chance.sample(self.columns, min(len(self.columns), chance.choice([0, 1, 1, 1, 2, 3])))

        def aggregate():
            if chance.random() < 0.3:
                return "count(*)"
            name = chance.choice(["count", "sum", "avg", "min", "max", "total", "SUM", "median"])
            return f"{name}({chance.choice(self.columns)})"

        results = keys + [aggregate() for _ in range(chance.randint(1, 3))]
        results[-1] += chance.choice(["", " AS found", " / 2.0 AS found", " + 1"])
        chance.shuffle(results)
        terms = [str(chance.randint(1, len(results))), aggregate(), *keys]
        terms += ["found"] * (" AS found" in " ".join(results))
        orders = [f"{term} {chance.choice(['', 'ASC', 'DESC'])}" for term in chance.sample(terms, chance.randint(1, len(terms)))]
        where = " AND ".join(self.condition(chance).replace('"', "") for _ in range(chance.choice([0, 0, 1, 2])))
        return (
            f"SELECT {', '.join(results)} FROM {self.name}"
            + (f" WHERE {where}" if where else "")
            + (f" GROUP BY {', '.join(keys)}" if keys else "")
            + (f" HAVING {aggregate()} > 1 OR {keys[0]} LIKE '%a%'" if keys and chance.random() < 0.3 else "")
            + (f" ORDER BY {', '.join(orders)}" if chance.random() < 0.6 else "")
            + (f" LIMIT {chance.randint(0, 9)}" if chance.random() < 0.4 else "")
        )


JOINS = [
    "SELECT k.id, s.name, s.start FROM kernels AS k JOIN slices AS s ON s.id = k.slice",
    "SELECT k.name, s.id FROM kernels AS k JOIN slices AS s ON s.correlation = k.correlation AND s.process = k.process",
    "SELECT a.id, b.id FROM slices AS a JOIN slices AS b ON b.parent = a.id AND b.start > a.start",
    "SELECT a.id, b.id FROM slices AS a JOIN slices AS b ON b.name = a.name AND b.id > a.id",
    "SELECT t.tid, count(s.id) FROM threads AS t LEFT JOIN slices AS s ON s.thread = t.id GROUP BY t.id ORDER BY t.id",
    "SELECT st.id, sum(o.duration) FROM streams AS st LEFT JOIN operations AS o ON o.stream_id = st.id GROUP BY st.id",
    "SELECT a.key, a.value, s.name FROM attributes AS a JOIN slices AS s ON s.id = a.owner WHERE a.\"of\" = 'slice'",
    "SELECT o.id FROM operations AS o WHERE o.slice IN (SELECT id FROM slices WHERE kind = 'call')",
]


def ask_own(profdump, trace, schema, chance):
    """What a table says of itself against a copy of it."""
    copy = sqlite3.connect(":memory:")
    tables = []
    for described in schema:
        table = Table(described, ask(profdump, trace, f"SELECT * FROM {described['name']}"))
        types = {"integer": "INTEGER", "real": "REAL", "text": "TEXT", "any": ""}
        columns = ", ".join(f"{quoted(name)} {types[kind]}" for name, kind in table.types.items())
        copy.execute(f"CREATE TABLE {table.name}({columns})")
        copy.executemany(f"INSERT INTO {table.name} VALUES({', '.join('?' * len(table.types))})", table.rows)
        tables.append(table)
    for table in tables:
        for _ in range(STATEMENTS if table.rows else 1):
            sql, ordered = table.statement(chance)
            compare(sql, ask(profdump, trace, sql), copy.execute(sql).fetchall(), ordered)
        for _ in range(GROUPINGS if table.rows else 0):
            sql = table.grouping(chance)
            if printed_or_error(profdump, trace, sql) != printed_or_error(profdump, trace, f"{sql} /* */"):
                raise Differs(f"with a comment, the rows are others: {sql}")
    for sql in JOINS:
        compare(sql, ask(profdump, trace, sql), copy.execute(sql).fetchall(), False)
    return len(tables)


NSYS = [
    "SELECT s.value, k.start, k.\"end\", t.value FROM CUPTI_ACTIVITY_KIND_KERNEL AS k JOIN StringIds AS s "
    "ON s.id = k.demangledName JOIN StringIds AS t ON t.id = k.shortName",
    "SELECT n.start, n.\"end\", n.eventType, s.value FROM NVTX_EVENTS AS n LEFT JOIN StringIds AS s ON s.id = n.textId",
    "SELECT s.value, count(*), sum(r.\"end\" - r.start) FROM CUPTI_ACTIVITY_KIND_RUNTIME AS r JOIN StringIds AS s "
    "ON s.id = r.nameId GROUP BY s.value",
    "SELECT k.start, r.start FROM CUPTI_ACTIVITY_KIND_KERNEL AS k JOIN CUPTI_ACTIVITY_KIND_RUNTIME AS r "
    "ON r.correlationId = k.correlationId AND r.globalTid >> 24 = k.globalPid >> 24",
    "SELECT m.bytes, o.label FROM CUPTI_ACTIVITY_KIND_MEMCPY AS m JOIN ENUM_CUDA_MEMCPY_OPER AS o ON o.id = m.copyKind",
    "SELECT globalPid, pid, name FROM PROCESSES",
    "SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME",
]


def ask_nsys(profdump, trace, schema):
    subprocess.run([profdump, "-o", "written.sqlite", *trace], check=True, capture_output=True)
    written = sqlite3.connect("written.sqlite")
    written.text_factory = lambda value: value.decode("utf-8", "replace")
    for described in schema:
        name = described["name"]
        if name[0].isupper() and name != "StringIds":
            columns = ", ".join(quoted(column["name"]) for column in described["columns"] if column["name"] not in NUMBERED)
            sql = f"SELECT {columns} FROM {name}"
            compare(sql, ask(profdump, trace, sql), written.execute(sql).fetchall(), False)
    for sql in NSYS:
        compare(sql, ask(profdump, trace, sql), written.execute(sql).fetchall(), False)


def main():
    profdump, seed, traces = sys.argv[1], int(sys.argv[2]), [trace.split(",") for trace in sys.argv[3:]]
    described = subprocess.run([profdump, "query", "--schema", "--format", "json"], capture_output=True, text=True, check=True)
    schema = json.loads(described.stdout)["tables"]
    for trace in traces:
        chance = random.Random(f"{seed} {trace}")
        try:
            tables = ask_own(profdump, trace, schema, chance)
            ask_nsys(profdump, trace, schema)
        except Differs as differs:
            sys.exit(f"seed {seed}, {trace}: {differs}")
        print(f"{trace}: {tables} tables")


main()

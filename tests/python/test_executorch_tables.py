"""Tables look as those of the packages that ExecuTorch's programs print with."""
# packages: prettytable tabulate

from __future__ import annotations

import random
from typing import Any, List

import pytest

from libprof.executorch.tables import Table, fancy_grid

CELLS = [
    None,
    1,
    -1,
    0.25,
    1e-9,
    True,
    "",
    "x",
    "native_call_add.out",
    "\u00e9t\u00e9",
    "\u65e5\u672c",
    "e\u0301",
]
NUMBERS = [None, 1.5, 1.234e-05, 1e9, 3.0, 123456.789, 1e22, -0.5]


def test_tables_are_prettytables() -> None:
    prettytable = pytest.importorskip("prettytable")
    chance = random.Random(1)
    for _ in range(300):
        names = [f"c{i}" + "-" * chance.randint(0, 9) for i in range(chance.randint(1, 6))]
        rows = [[chance.choice(CELLS) for _ in names] for _ in range(chance.randint(0, 4))]
        title = "t" * chance.randint(1, 90)
        want = prettytable.PrettyTable(names)
        want.title = title
        want.add_rows(rows)
        assert str(Table(title, names, rows)) == str(want)


def column(chance: random.Random, count: int) -> List[Any]:
    kinds: List[List[Any]] = [
        NUMBERS,
        [1, 22, -333],
        [1, 2.5, 0.001],
        ["a", "bb", None],
        [True, False],
        [[], [1]],
    ]
    kind = chance.choice(kinds)
    return [chance.choice(kind) for _ in range(count)]


def test_grids_are_tabulates() -> None:
    tabulate = pytest.importorskip("tabulate")
    chance = random.Random(2)
    for _ in range(300):
        names = [f"c{i}" * chance.randint(1, 3) for i in range(chance.randint(1, 6))]
        count = chance.randint(1, 4)
        rows = list(zip(*(column(chance, count) for _ in names)))
        assert fancy_grid(names, rows) == tabulate.tabulate(rows, headers=names, tablefmt="fancy_grid")


def test_a_table_without_rows() -> None:
    assert str(Table("title", ["a", "b"])) == (
        "+-------+\n| title |\n+---+---+\n| a | b |\n+---+---+\n+---+---+"
    )
    assert str(Table(None, ["a"], [[1]])) == "+---+\n| a |\n+---+\n| 1 |\n+---+"
    assert fancy_grid(["a"], []).split("\n")[1] == "\u2502 a   \u2502"

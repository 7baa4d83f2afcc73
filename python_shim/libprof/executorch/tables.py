"""Tables of text: the boxes of PrettyTable, and the grid that ``tabulate`` calls ``fancy_grid``; data frames.

Both programs of ExecuTorch print through packages of others; these need none.
"""

from __future__ import annotations

import importlib
import unicodedata
from typing import Any, Iterable, List, Optional, Sequence, Tuple


def text_width(text: str) -> int:
    """Columns that the text takes in a terminal."""
    width = 0
    for character in text:
        if not unicodedata.combining(character):
            width += 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return width


def _centred(text: str, width: int) -> str:
    """Of an odd rest, the larger part is right of an odd text and left of an even one."""
    own = text_width(text)
    excess = width - own
    left = excess // 2 + (excess % 2 if own % 2 == 0 else 0)
    return " " * left + text + " " * (excess - left)


class Table:
    """A table with a title; its text is what PrettyTable prints.

    ``field_names`` are the columns' headers, ``rows`` lists of values, ``title`` stands above.
    """

    def __init__(
        self, title: Optional[str] = None, field_names: Sequence[str] = (), rows: Iterable[Sequence[Any]] = ()
    ) -> None:
        self.title = title
        self.field_names: List[str] = list(field_names)
        self.rows: List[List[Any]] = []
        self.add_rows(rows)

    def add_row(self, row: Sequence[Any]) -> None:
        """Adds a row; :class:`ValueError` when it has not as many values as there are columns."""
        if len(row) != len(self.field_names):
            raise ValueError(f"a row of {len(row)} values in a table of {len(self.field_names)} columns")
        self.rows.append(list(row))

    def add_rows(self, rows: Iterable[Sequence[Any]]) -> None:
        """Adds each row."""
        for row in rows:
            self.add_row(row)

    def _widths(self, lines: Sequence[Sequence[str]]) -> List[int]:
        widths = [max(text_width(cell) for cell in column) for column in zip(*lines)]
        wanted = text_width(self.title or "") + 4 - 3 * len(widths) - 1
        content = sum(widths)
        if self.title is not None and content < wanted:  # columns grow in proportion until the title fits
            widths = [int(width * (wanted / (content or 1))) for width in widths]
            widths[-1] += max(wanted - sum(widths), 0)
        return widths

    def get_string(self) -> str:
        """The text of the table, without a newline at its end."""
        lines = [self.field_names] + [[str(value) for value in row] for row in self.rows]
        if not self.field_names:
            return ""
        widths = self._widths(lines)
        rule = "+" + "+".join("-" * (width + 2) for width in widths) + "+"
        shown = []
        if self.title is not None:
            inside = len(rule) - 4
            shown += [f"+{'-' * (inside + 2)}+", f"| {_centred(self.title, inside)} |"]
        shown.append(rule)
        for number, line in enumerate(lines):
            cells = (_centred(cell, width) for cell, width in zip(line, widths))
            shown.append("| " + " | ".join(cells) + " |")
            if number == 0:
                shown.append(rule)
        return "\n".join(shown + [rule])

    def __str__(self) -> str:
        return self.get_string()

    def __repr__(self) -> str:
        return f"Table({self.title!r}, {self.field_names!r}, {len(self.rows)} rows)"


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _number_texts(column: Sequence[Any]) -> List[str]:
    """Numbers aligned at their points, which integers and exponents have after them."""
    whole = all(isinstance(value, int) for value in column if value is not None)
    texts = ["" if value is None else str(value) if whole else format(value, "g") for value in column]
    if whole:
        return texts
    behind = [_after_point(text) for text in texts]
    most = max(behind, default=0)
    return [text + " " * (most - count) for text, count in zip(texts, behind)]


def _after_point(text: str) -> int:
    """How many characters there are from the point on, the point aside; -1 where there is none."""
    place = text.rfind(".")
    if place < 0:
        place = text.lower().rfind("e")
    return len(text) - place - 1 if place >= 0 else -1


def _grid_column(name: str, values: Sequence[Any]) -> Tuple[str, List[str]]:
    """Header and cells of a column, all of one width."""
    known = [value for value in values if value is not None]
    is_numeric = bool(known) and all(_is_number(value) for value in known)
    texts = _number_texts(values) if is_numeric else ["" if v is None else str(v) for v in values]
    width = max([text_width(name) + 2] + [text_width(text) for text in texts])
    pad = [" " * (width - text_width(text)) for text in texts]
    cells = [space + text if is_numeric else text + space for space, text in zip(pad, texts)]
    space = " " * (width - text_width(name))
    return (space + name if is_numeric else name + space), cells


def fancy_grid(headers: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """The text that ``tabulate(..., tablefmt="fancy_grid")`` makes: numbers right, None empty."""
    columns = [_grid_column(name, [row[i] for row in rows]) for i, name in enumerate(headers)]
    widths = [text_width(header) for header, _ in columns]

    def rule(left: str, line: str, joint: str, right: str) -> str:
        return left + joint.join(line * (width + 2) for width in widths) + right

    def written(cells: Iterable[str]) -> str:
        return "│ " + " │ ".join(cells) + " │"

    headers_line = written(header for header, _ in columns)
    shown = [rule("╒", "═", "╤", "╕"), headers_line, rule("╞", "═", "╪", "╡")]
    for number in range(len(rows)):
        if number:
            shown.append(rule("├", "─", "┼", "┤"))
        shown.append(written(cells[number] for _, cells in columns))
    return "\n".join(shown + [rule("╘", "═", "╧", "╛")])


def frame(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Any:
    """A pandas data frame. :class:`ImportError` with a sentence where pandas is not."""
    try:
        pandas: Any = importlib.import_module("pandas")
    except ImportError as error:
        raise ImportError(
            "a data frame needs pandas (pip install pandas); "
            "print_data_tabular() and save_data_to_tsv() do not"
        ) from error
    return pandas.DataFrame([list(row) for row in rows], columns=list(columns))

"""pandas, where it is."""

from __future__ import annotations

import importlib
from typing import Any, Sequence


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

"""What the package's sources have to be."""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path
from typing import Iterator, Set, Tuple

import pytest

SOURCES = sorted(
    path for part in ("python_shim", "tests", "bench") for path in Path(os.environ["SOURCE_DIR"], part).rglob("*.py")
)


def imported(tree: ast.AST) -> Iterator[Tuple[str, int]]:
    """Each name that an import binds, and its line; those that are imported under their own name, or as a star, to be
    re-exported are not meant.
    """
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)) and getattr(node, "module", "") != "__future__":
            for alias in node.names:
                if alias.asname != alias.name != "*":
                    yield (alias.asname or alias.name).split(".")[0], node.lineno


def used(tree: ast.AST) -> Set[str]:
    """Names that are read, and words of texts: annotations in quotes, __all__."""
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    texts = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    short = (text for text in texts if "\n" not in text)
    return names.union(*(re.findall(r"\w+", text) for text in short))


@pytest.mark.parametrize("path", SOURCES, ids=str)
def test_what_is_imported_is_used(path: Path) -> None:
    tree = ast.parse(path.read_text(), str(path))
    read = used(tree)
    assert [f"{name}, line {line}" for name, line in imported(tree) if name not in read] == []

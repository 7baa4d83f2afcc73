"""Reads the files of skill/: the commands in their blocks, and the question that each of them answers.

In a block of sh, a comment is a question, and the lines below it, up to the next comment, are commands that answer it.
"""

import re
from pathlib import Path
from typing import Dict, List, NamedTuple


class Command(NamedTuple):
    file: Path
    line: int
    question: str
    """Empty: there is no comment above it."""
    text: str


class Block(NamedTuple):
    line: int
    words: List[str]
    """What follows the fence."""
    lines: List[str]


def files(folder: Path) -> List[Path]:
    return [folder / "SKILL.md", *sorted((folder / "references").glob("*.md"))]


def blocks(text: str) -> List[Block]:
    found, inside = [], False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            if not inside:
                found.append(Block(number, line[3:].split(), []))
            inside = not inside
        elif inside:
            found[-1].lines.append(line)
    return found


def commands(path: Path) -> List[Command]:
    found = []
    for block in blocks(path.read_text(encoding="utf-8")):
        question = ""
        for number, line in enumerate(block.lines, block.line + 1):
            if line.startswith("#"):
                question = line.lstrip("# ")
            elif line.strip():
                found.append(Command(path, number, question, line))
    return found


def answers(folder: Path) -> Dict[str, List[str]]:
    """The commands by question."""
    by_question: Dict[str, List[str]] = {}
    for path in files(folder):
        for command in commands(path):
            by_question.setdefault(command.question, []).append(command.text)
    return by_question


def inline(text: str) -> List[str]:
    """Commands in the text: what is quoted there and begins with the name of a program."""
    outside = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"`((?:profdump|profrun) [^`]+)`", outside)

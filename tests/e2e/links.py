"""Checks the links of the documentation: `links.py DIRECTORY` prints each broken one and exits with status 1.

Relative links of all *.md files must lead to a file or directory, anchors to a heading. Every page of docs/ must be
linked from docs/README.md. Every docs/*.md that a source, a manual page or a script names must exist.
"""

import os
import re
import sys
from pathlib import Path

LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^)\s]+)\)")
NAMED_PAGE = re.compile(r"(?<![\w/.-])docs/[\w-]+\.md")
SOURCES = {".c", ".h", ".cc", ".py", ".sh", ".1", ".3", ".txt", ".cmake", ""}


def files_of(root):
    for directory, folders, names in os.walk(root):
        folders[:] = [f for f in folders if not f.startswith(("build", ".", "__")) and f not in ("dist", "data")]
        yield from (Path(directory, name) for name in names)


def without_code(text):
    """The lines of prose: neither fenced nor indented code, nor what stands in backquotes."""
    prose, fence, code, blank = [], False, False, True
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            fence = not fence
            line = ""
        code = line.startswith("    ") and (blank or code) or code and not line.strip()
        blank = not line.strip()
        prose.append("" if fence or code else line)
    return re.sub(r"`[^`]*`", "``", "\n".join(prose))


def anchors_of(path):
    """What GitHub makes of the headings: small letters, no punctuation, hyphens for blanks, -1 for the second of a name."""
    anchors, fence = set(), False
    for line in path.read_text(encoding="utf-8").splitlines():
        fence ^= line.lstrip().startswith("```")
        heading = re.match(r"#{1,6} +(.*?) *#*$", line)
        if not heading or fence:
            continue
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1))
        slug = re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-")
        count = 0
        while (slug if count == 0 else f"{slug}-{count}") in anchors:
            count += 1
        anchors.add(slug if count == 0 else f"{slug}-{count}")
    return anchors


def check_page(root, page):
    """Yields a sentence for each broken link; adds nothing for those that lead to other hosts."""
    for target in LINK.findall(without_code(page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = Path(os.path.normpath(page.parent / name)) if name else page
        if root not in (path, *path.parents):
            yield f"{target} leads out of the tree"
        elif not path.exists():
            yield f"{target}: there is no such file"
        elif anchor and path.suffix == ".md" and anchor not in anchors_of(path):
            yield f"{target}: {path.name} has no such heading"


def check(root):
    files = sorted(files_of(root))
    pages = [file for file in files if file.suffix == ".md"]
    if not pages:
        yield "there is no page"
    for page in pages:
        for problem in check_page(root, page):
            yield f"{page.relative_to(root)}: {problem}"
    index = root / "docs/README.md"
    linked = set(LINK.findall(index.read_text(encoding="utf-8")))
    for page in pages:
        if page.parent == root / "docs" and page != index and page.name not in linked:
            yield f"docs/README.md: no link to {page.name}"
    for file in files:
        if file.suffix in SOURCES and file.stat().st_size < 1 << 20:
            for named in sorted(set(NAMED_PAGE.findall(file.read_text(encoding="utf-8", errors="replace")))):
                if not (root / named).exists():
                    yield f"{file.relative_to(root)}: names {named}, which does not exist"


problems = list(check(Path(os.path.abspath(sys.argv[1]))))
print(*problems, sep="\n", end="\n" if problems else "")
sys.exit(1 if problems else 0)

"""man_pages.py INCLUDE SYMBOLS MAN3 - every function of the public headers is in a manual page, as it is declared.

INCLUDE has the headers and their pages, SYMBOLS the exported names, MAN3 the pages as they are installed. A page has
each of its functions as a name, with the types and names of its parameters, and described.
"""

import re
import sys
from pathlib import Path

PAGES = {"prof.h": "prof.3", "bench.h": "prof_bench.3", "block.h": "prof_block.3", "arrow.h": "prof_arrow.3",
         "python.h": "prof_python.3", "trace.h": "prof_trace.3"}
PARAMETERS = r"\(([^()]*)\)"
DECLARED = re.compile(r"PROF_DECLARE\(([\w *]+?),\s*(prof_\w+),\s*" + PARAMETERS + r"\);")
PLAIN = re.compile(r"^PROF_TRACE_API ([\w *]+?)(prof_\w+)" + PARAMETERS + ";", re.MULTILINE)
INLINE = re.compile(r"^static inline ([\w *]+?)(prof_\w+[a-z])" + PARAMETERS, re.MULTILINE)
PAGE_FUNCTION = re.compile(r"^\.Ft (.*)\n\.Fo (\w+)\n((?:\.Fa \".*\"\n)*)\.Fc", re.MULTILINE)


def plain(text):
    return re.sub(r"\s*\*\s*", " *", " ".join(text.split())).strip()


def declared(header):
    """{function: (type, parameters)} of a header."""
    found = {}
    for match in [*DECLARED.finditer(header), *PLAIN.finditer(header), *INLINE.finditer(header)]:
        kind, name, parameters = match.groups()
        found[name] = plain(kind), [plain(one) for one in parameters.split(",")]
    return found


def in_synopsis(page):
    """The same of a page."""
    return {name: (plain(kind), [plain(one) for one in re.findall(r'"(.*)"', parameters)])
            for kind, name, parameters in PAGE_FUNCTION.findall(page)}


def wrong_in(header, page, subject):
    """What a page lacks of its header, or has beside it; a sentence each."""
    wanted, given = declared(header), in_synopsis(page)
    names = set(re.findall(r"^\.Nm (\w+)", page, re.MULTILINE))
    description = page[page.index(".Sh DESCRIPTION"):page.index(".Sh RETURN VALUES")]
    for name in sorted(wanted.keys() | given.keys()):
        if wanted.get(name) != given.get(name):
            yield f"{name}: the header has {wanted.get(name)}, the page {given.get(name)}"
        if name not in names:
            yield f"{name} is no name of its page"
        if not re.search(rf"^\.(It )?Fn {name}\b", description, re.MULTILINE):
            yield f"{name} is not described"
    for name in sorted(names - wanted.keys() - {subject}):
        yield f"{name} is a name of a page and of no function"


def main():
    include, symbols, installed = map(Path, sys.argv[1:])
    wrong, known = [], set()
    for header, page in PAGES.items():
        text = (include / header).read_text()
        known |= declared(text).keys()
        wrong += wrong_in(text, (include / page).read_text(), page[:-2])
        for name in declared(text).keys() - {page[:-2]}:
            at = installed / f"{name}.3"
            if not at.exists() or at.read_text() != f".so man3/{page}\n":
                wrong.append(f"{at} does not lead to {page}")
        if not (installed / page).exists():
            wrong.append(f"{page} is not installed")
    exported = {name for name in symbols.read_text().split() if name.startswith("prof_")}
    wrong += [f"{name} is exported and in no page" for name in sorted(exported - known)]
    if len(known) < 40:
        wrong.append(f"only {len(known)} functions were found in the headers")
    print(*wrong, sep="\n")
    return 1 if wrong else 0


sys.exit(main())

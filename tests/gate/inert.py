"""inert.py COMMENT NAMES: the comment has all tables of a comparison, and no name of the recording is more than text in it.

NAMES is how many rows the table of paths must have. Outside of code, every character that Markdown or GitHub gives a meaning must
have a backslash or be followed by an HTML comment.
"""

import re
import sys
from pathlib import Path

text = Path(sys.argv[1]).read_text(encoding="utf-8")
marker, heading, *lines = text.splitlines()
assert re.fullmatch(r"<!-- libprof-gate [\w.-]+ -->", marker), marker
assert heading.startswith("### libprof "), heading
fenced, rows = False, 0
for line in lines:
    if line.startswith("```"):
        assert line == "```", line
        fenced = not fenced
    elif not fenced and line and not re.match(r"\|[:|-]+\|$|### By [a-z]+, largest change first", line):
        assert line.startswith("| ") and line.endswith(" |"), line
        rows += 1
        plain = re.sub(r"\\[!-/:-@\[-`{-~]", "", line[1:-1].replace("<!-- -->", "\0"))
        assert not re.search(r"[`*_\[\]<~$^{}]|&(?!nbsp;)|!\[", plain), (plain, line)
        linked = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", line.replace("<!-- -->", "\0"))
        assert not re.search(r"@\w|#\d|\bGH-\d", linked), (linked, line)
        assert not re.search(r"(?<!\\)://|\bwww\.", line), line
        assert not re.search(r"[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", line), line
assert not fenced and rows >= int(sys.argv[2]), rows

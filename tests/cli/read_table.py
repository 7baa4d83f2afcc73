"""Reads a table from standard input as strictly as its format can be read, and says what is in it.

    read_table.py make FILE            writes a trace whose ranges have hostile names
    read_table.py FORMAT [names]       csv, tsv, markdown or json; with "names" they must be those of that trace

Markdown is read by markdown-it-py where that is installed, else by the rules of escapes alone.
"""
import csv
import io
import json
import re
import sys

NAMES = [
    "\x1b[31mred\x1b]0;title\x07", "</script><img src=x onerror=alert(1)>", "=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)",
    "'quoted", "\uff1d1", "a;b,c\td\ne\rf", 'say "x"', "back\\slash \\| pipe | `code` *bold* _it_ [l](http://x) ![i](y)",
    "https://example.org www.example.org a@b.c #1 $x$ ~~s~~ &lt; <b>", "  two  blanks  ", "\u202egnp.exe", "caf\u00e9 \U0001f600",
    "x" * (1 << 20),
]


def shown(name):
    """What profdump shows of a name."""
    name = name.replace("\n", "\\n").replace("\t", "\\t")
    return re.sub(r"[\x00-\x1f\x7f]", lambda m: "\\x%02x" % ord(m[0]), name).replace("\u202e", "\\u202e")


def make(path):
    events = [{"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": 100 * i, "dur": 50 + i}
              for i, name in enumerate(NAMES)]
    with open(path, "w", encoding="ascii") as file:
        json.dump({"schemaVersion": 1, "traceEvents": events}, file)


def no_controls(text, allowed):
    found = [c for c in text if (ord(c) < 32 and c not in allowed) or 127 <= ord(c) < 160 or c == "\u202e"]
    assert not found, "controls: %r" % found[:5]


def is_number(text):
    return re.fullmatch(r"-?\d+(\.\d+)?(e[-+]?\d+)?", text) is not None


def separated(text, delimiter):
    csv.field_size_limit(1 << 30)
    no_controls(text, "\n" + delimiter)
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    header = rows[0]
    assert len(set(header)) == len(header), "columns twice: %s" % header
    for row in rows:
        assert len(row) == len(header), "ragged: %s" % row
    for row in rows[1:]:
        for key, cell in zip(header, row):
            if re.search(r"(_ns|_bytes|_percent|^count)$", key):
                assert cell == "" or is_number(cell), (key, cell)
            else:
                assert is_number(cell) or not re.match(r"[=+\-@\uff1d]", cell), "a formula: %r" % cell
    names = [row[header.index("name")] for row in rows[1:]] if "name" in header else []
    return len(rows) - 1, [name[1:] if name.startswith("'") else name for name in names]


def plain(cell):
    """The text of a cell in which nothing is markup."""
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*_\[\]<>|~@#!$]", cell), "markup in %r" % cell[:200]
    cell = cell.replace("&nbsp;", "\xa0")
    assert not re.search(r"(?<!\\)(?:\\\\)*&", cell), "an entity in %r" % cell[:200]
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", cell).replace("\xa0", " ")


def by_rules(text):
    rows = []
    for line in text.split("\n"):
        if line.startswith("| "):
            cells = re.split(r"(?<!\\)(?:\\\\)*\|", line)
            rows.append([plain(cell.strip(" ")) for cell in re.findall(r" ((?:[^\\|]|\\.)*?) (?=\|)", line)])
            assert rows[-1], cells
    return rows


def by_parser(text, parser):
    rows, row = [], None
    for token in parser.parse(text):
        if token.type == "tr_open":
            rows.append([])
        if token.type == "inline" and rows and row is not None:
            assert {child.type for child in token.children} <= {"text", "text_special"}, token
            rows[-1].append("".join(child.content for child in token.children).replace("\xa0", " "))
        row = True if token.type in ("th_open", "td_open") else None
        assert token.type != "html_block", token
    return rows


def markdown(text):
    no_controls(text, "\n")
    rows = by_rules(text)
    try:
        from markdown_it import MarkdownIt
        parser = MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough")
        parsed = by_parser(text, parser)
        assert parsed == rows, [pair for pair in zip(parsed, rows) if pair[0] != pair[1]][:2]
    except ImportError:
        pass
    names = [row[0] for row in rows if row[0] != "Name"]
    return len(names), names


def main():
    what = sys.argv[1]
    if what == "make":
        return make(sys.argv[2])
    text = sys.stdin.buffer.read().decode("utf-8", "strict")
    if what == "json":
        def no(word):
            raise AssertionError(word)
        facts = json.loads(text, parse_constant=no)
        return print("json:", len(facts))
    count, names = markdown(text) if what == "markdown" else separated(text, "\t" if what == "tsv" else ",")
    if len(sys.argv) > 2:
        expected = sorted(shown(name) for name in NAMES)
        if what == "markdown":
            expected = sorted(name if len(name) <= 4096 else name[:4096] + "..." for name in expected)
        assert sorted(names) == expected, [(a[:80], b[:80]) for a, b in zip(sorted(names), expected) if a != b][:2]
    print("%s: %d rows" % (what, count))
    return None


main()

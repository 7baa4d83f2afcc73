"""Turns what `profrun --help-env` prints (standard input) into the table of docs/variables.md."""
import re
import sys

rows = []
for line in sys.stdin.read().splitlines():
    head = re.match(r"(PROF_\w+) \((.*)\)$", line)
    if head:
        facts = head.group(2).split("; default ")
        rows.append([head.group(1), facts[0], facts[1] if len(facts) > 1 else "", ""])
    elif line.strip() and rows:
        rows[-1][3] = (rows[-1][3] + " " + line.strip()).strip()

print("| variable | value | default | meaning |")
print("|---|---|---|---|")
for name, value, default, meaning in rows:
    print(f"| `{name}` | {value} | {'`' + default + '`' if default else 'none'} | {meaning} |")

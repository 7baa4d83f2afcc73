"""cookbook.py PAGE DIRECTORY - runs what a page shows and compares what is printed with what is shown.

A recipe is what stands between two headings of level 2. In it

    ```c NAME        and any other block with a second word: the file NAME, written before the commands run
    ```console       lines that begin with "$ " are commands (with "\\" at the end: and the next line), other
                     lines are of what the command above them prints; "..." stands for lines left out

Each recipe runs in an empty directory of its own, its commands one after the other in one shell, in the
order of the page. A command that ends with anything but 0 fails, unless the next one is "echo $?". Each
line that is shown must be among those the command prints, as often as it is shown, when what differs from
run to run is put aside: see like().

Ends with 1 when a recipe fails, and with 77 when none does and one lacks a program it calls.
"""

import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

UNIT = r"(?:\s?(?:%|(?:ns|us|ms|s|B|KB|KiB|MB|MiB|GB)\b))"
# Times, shares and sizes with their units; numbers with a decimal point; integers of three digits and more.
NUMBER = re.compile(rf"[-+]?(?<![\w.])(?:\d[\d.]*{UNIT}|\d+\.\d+|\d{{3,}})(?![\w])")


def like(line):
    """What a line is like in each run: numbers that are measured, bars and spaces of tables put aside."""
    line = re.sub(r"\bpid \d+", "pid #", line)
    line = re.sub(r"\s#+$", "", line.rstrip())
    line = NUMBER.sub("#", line)
    return " ".join(re.sub(r"-{3,}", "---", line).split())


class Command:
    def __init__(self, text, line):
        self.text = text
        self.line = line
        self.shown = []


def blocks(text):
    """(info words, first line's number, lines) of each fenced block."""
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        if fence is None and line.startswith("```"):
            fence = (line[3:].split(), number + 1, [])
        elif fence and line.strip() == "```":
            yield fence
            fence = None
        elif fence:
            fence[2].append(line)
    if fence:
        raise SystemExit(f"line {fence[1]}: a block that does not end")


def commands(first, lines):
    """The commands of a console block."""
    found = []
    for number, line in enumerate(lines, first):
        if found and found[-1].text.endswith("\\\n"):
            found[-1].text += line + ("\n" if line.endswith("\\") else "")
        elif line.startswith("$ "):
            found.append(Command(line[2:] + ("\n" if line.endswith("\\") else ""), number))
        elif not found:
            raise SystemExit(f"line {number}: output before the first command")
        elif line.strip() not in ("", "..."):
            found[-1].shown.append((number, line))
    return found


class Recipe:
    def __init__(self, title, text):
        self.title = title
        self.files = {}
        self.commands = []
        first = text[0]
        for words, number, lines in blocks(text[1]):
            if words[:1] == ["console"]:
                self.commands += commands(first + number - 1, lines)
            elif len(words) == 2:
                self.files[words[1]] = "\n".join(lines) + "\n"

    def script(self):
        """A script that leaves output and status of the n-th command in out.n and status.n."""
        parts = ["mkdir .results"]
        for number, command in enumerate(self.commands):
            parts.append(f"last=$?; (exit $last)\n{{ {command.text}\n}} >.results/out.{number} 2>&1")
            parts.append(f"last=$?; echo $last >.results/status.{number}; (exit $last)")
        return "\n".join(parts) + "\n"

    def missing(self):
        """Programs and modules that are not here."""
        return self.missing_programs() + self.missing_modules()

    def missing_modules(self):
        """Of Python files: what their first lines import."""
        text = "\n".join(content for name, content in self.files.items() if name.endswith(".py"))
        modules = sorted(set(re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE)))
        tried = {module: ["python3", "-c", f"import {module}"] for module in modules}
        return [module for module, words in tried.items() if subprocess.run(words, capture_output=True).returncode]

    def missing_programs(self):
        words = {word for c in self.commands for word in re.findall(r"(?:^|[|;]\s*)([a-z]\w*)", c.text)}
        return sorted(word for word in words & {"sqlite3", "mpirun", "c++"} if not shutil.which(word))

    def run(self, directory):
        """Runs it; what is wrong, a line each."""
        for name, content in self.files.items():
            (directory / name).write_text(content)
        try:
            done = subprocess.run(["bash", "-c", self.script()], cwd=directory, timeout=60, check=False,
                                  capture_output=True, text=True)
        except subprocess.TimeoutExpired:
            return [f"{self.title}: still running after 60 s"]
        if (done.stdout + done.stderr).strip():
            return [f"{self.title}: {(done.stdout + done.stderr).strip()}"]
        results = directory / ".results"
        return [wrong for number in range(len(self.commands)) for wrong in self.judge(results, number)]

    def judge(self, results, number):
        """What is wrong with the n-th command."""
        command = self.commands[number]
        at = f"line {command.line}: $ {command.text.splitlines()[0]}"
        output = results / f"out.{number}"
        status = results / f"status.{number}"
        if not status.exists():
            return [f"{at}: was not run"]
        printed = output.read_text(errors="replace")
        code = status.read_text().strip()
        following = self.commands[number + 1].text if number + 1 < len(self.commands) else ""
        if code != "0" and following != "echo $?":
            return [f"{at}: ended with {code}", *printed.splitlines()[-20:]]
        left = Counter(map(like, printed.splitlines()))
        wrong = []
        for line, shown in command.shown:
            if left[like(shown)] == 0:
                wrong.append(f"line {line}: not printed: {shown}")
            left[like(shown)] -= 1
        return [*wrong, f"{at} prints:", *printed.splitlines()] if wrong else []


def recipes(page):
    """The recipes of a page: what has commands."""
    title, first, lines = None, 0, []
    found = []
    for number, line in enumerate([*page.splitlines(), "## "], 1):
        if line.startswith("## "):
            if title:
                found.append(Recipe(title, (first, "\n".join(lines))))
            title, first, lines = line[3:], number + 1, []
        else:
            lines.append(line)
    return [recipe for recipe in found if recipe.commands]


def main():
    found = recipes(Path(sys.argv[1]).read_text())
    if not found:
        raise SystemExit("there is no recipe in it")
    status = 0
    for number, recipe in enumerate(found):
        directory = Path(sys.argv[2]) / str(number)
        directory.mkdir(parents=True)
        missing = recipe.missing()
        if missing:
            print(f"skipped: {recipe.title}: {', '.join(missing)} not found")
            status = status or 77
            continue
        wrong = recipe.run(directory)
        print(f"{'FAILED' if wrong else 'passed'}: {recipe.title}", *wrong, sep="\n")
        status = 1 if wrong else status
    return status


sys.exit(main())

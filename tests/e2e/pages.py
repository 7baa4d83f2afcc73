"""pages.py PAGE DIRECTORY [FILES] - runs the commands that a page shows, and compares what is printed with what is shown.

A recipe is what stands between two headings of level 2, or before the first. In it

    ```sh            each line is a command (with "\\" at the end: and the next line), indented lines continue the one above
    ```console       lines that begin with "$ " are commands, other lines are of what the command above them prints;
                     "..." stands for lines left out
    ```sh not-run    commands that need what no test has: a network, a GPU, a checkout without a build
    ```c NAME        and any other block with a second word: the file NAME, written before the commands run

Each recipe runs in a directory of its own, which first gets a copy of what is in FILES: the recordings and programs that
commands name. Commands run one after the other in one shell, in the order of the page. A command that exits with another
status than 0 fails, unless the next one is "echo $?". Each line that is shown must be among those the command prints, as
often as it is shown, when what differs from run to run is put aside: see like(). A command of libprof in a block without a
language fails, too: nothing would run it.

Exits with status 1 if a recipe fails, and with 77 if none fails and one lacks a program that it calls.
"""

import os
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


# pyenv puts its own directory before ours when it starts this script.
ENVIRONMENT = {**os.environ, "PATH": os.environ.get("PAGES_PATH") or os.environ["PATH"]}
# A command of ours in an indented block, or one that another word has replaced.
UNMARKED = re.compile(r"^ {4,}(\$ )?(\w+=\S+ )*(profrun|profdump|python3? -m libprof) [^ ]")
RENAMED = re.compile(r"^profdump: (note: )?'.*' is now ")


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


def shell_commands(first, lines):
    """The commands of a block of a shell script."""
    found = []
    for number, line in enumerate(lines, first):
        if found and (line.startswith(" ") or found[-1].text.endswith("\\")):
            found[-1].text += "\n" + line
        elif line.strip() and not line.startswith("#"):
            found.append(Command(line, number))
    return found


class Recipe:
    def __init__(self, title, text):
        self.title = title
        self.files = {}
        self.commands = []
        first = text[0]
        for words, number, lines in blocks(text[1]):
            if words[1:] == ["not-run"]:
                continue
            if words == ["sh"]:
                self.commands += shell_commands(first + number - 1, lines)
            elif words == ["console"]:
                self.commands += commands(first + number - 1, lines)
            elif len(words) == 2:
                self.files[words[1]] = "\n".join(lines) + "\n"

    def script(self):
        """A script that leaves output and status of the n-th command in out.n and status.n."""
        parts = ["mkdir .results", "trap 'kill $(jobs -p) 2>.results/kill' EXIT"]
        for number, command in enumerate(self.commands):
            parts.append(f"last=$?; (exit $last)\n{{ {command.text}\n}} >.results/out.{number} 2>&1")
            parts.append(f"last=$?; echo $last >.results/status.{number}; (exit $last)")
        return "\n".join(parts) + "\n"

    def missing(self):
        """Programs and modules that are not here."""
        return self.missing_programs() + self.missing_modules()

    def missing_modules(self):
        """Of Python files: what their first lines import, but for each other."""
        text = "\n".join(content for name, content in self.files.items() if name.endswith(".py"))
        modules = sorted(set(re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE)))
        tried = {module: ["python3", "-c", f"import {module}"] for module in modules if f"{module}.py" not in self.files}
        return [module for module, words in tried.items() if subprocess.run(words, capture_output=True, env=ENVIRONMENT).returncode]

    def missing_programs(self):
        words = {word for c in self.commands for word in re.findall(r"(?:^|[|;]\s*)([a-z]\w*)", c.text)}
        return sorted(word for word in words & {"sqlite3", "mpirun", "c++"} if not shutil.which(word))

    def run(self, directory, files):
        """Runs it; what is wrong, a line each."""
        if files:
            shutil.copytree(files, directory, dirs_exist_ok=True)
        for name, content in self.files.items():
            (directory / name).write_text(content)
        try:
            done = subprocess.run(["bash", "-c", self.script()], cwd=directory, timeout=600, check=False,
                                  capture_output=True, text=True, env=ENVIRONMENT)
        except subprocess.TimeoutExpired:
            return [f"{self.title}: still running after ten minutes"]
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
            return [f"{at}: exited with status {code}", *printed.splitlines()[-20:]]
        if renamed := [line for line in printed.splitlines() if RENAMED.match(line)]:
            return [f"{at}: {renamed[0]}"]
        left = Counter(map(like, printed.splitlines()))
        wrong = []
        for line, shown in command.shown:
            if left[like(shown)] == 0:
                wrong.append(f"line {line}: not printed: {shown}")
            left[like(shown)] -= 1
        return [*wrong, f"{at} prints:", *printed.splitlines()] if wrong else []


def recipes(page):
    """The recipes of a page: what has commands."""
    title, first, lines = "the beginning", 1, []
    found = []
    for number, line in enumerate([*page.splitlines(), "## "], 1):
        if line.startswith("## "):
            found.append(Recipe(title, (first, "\n".join(lines))))
            title, first, lines = line[3:], number + 1, []
        else:
            lines.append(line)
    return [recipe for recipe in found if recipe.commands]


def unmarked(page):
    """A sentence for each command that nothing runs."""
    fenced = False
    for number, line in enumerate(page.splitlines(), 1):
        fenced ^= line.startswith("```")
        if not fenced and UNMARKED.match(line):
            yield f"line {number}: a command that is not in a block of sh or console: {line.strip()}"


def main():
    page = Path(sys.argv[1]).read_text()
    files = sys.argv[3] if len(sys.argv) > 3 else None
    wrong = list(unmarked(page))
    print(*wrong, sep="\n")
    status = 1 if wrong else 0
    for number, recipe in enumerate(recipes(page)):
        directory = Path(sys.argv[2]) / str(number)
        directory.mkdir(parents=True)
        missing = recipe.missing()
        if missing:
            print(f"skipped: {recipe.title}: {', '.join(missing)} not found")
            status = status or 77
            continue
        wrong = recipe.run(directory, files)
        print(f"{'FAILED' if wrong else 'passed'}: {recipe.title}", *wrong, sep="\n")
        status = 1 if wrong else status
    return status


sys.exit(main())

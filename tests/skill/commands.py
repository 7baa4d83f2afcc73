"""commands.py SKILL DIRECTORY FILES [--without-fleet]: runs every command of the skill, and checks the form of its files.

Each file's commands run one after the other in a directory of their own, which first gets a copy of FILES: the program and the
recordings that the commands name. A command fails if its status is not 0, or, for a gate, not 4 or 5 either, and if it is to print
JSON and does not. --without-fleet leaves out what needs DuckDB.

Exits with status 1 if something is wrong, and with 77 if nothing is and commands were left out.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import skill_files

SKILL_LINES, REFERENCE_LINES = 120, 60
GATES = ("--fail-if-slower", "--fail-on ")
FLEET = re.compile(r"^profdump (pack|fleet)\b")
PATTERN = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def run(text, directory):
    return subprocess.run(["bash", "-c", text], cwd=directory, capture_output=True, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, timeout=600, check=False)


def form(folder):
    """What is wrong with the files, but for their commands."""
    for path in skill_files.files(folder):
        text = path.read_text(encoding="utf-8")
        lines = text.count("\n")
        most = SKILL_LINES if path.name == "SKILL.md" else REFERENCE_LINES
        if lines >= most:
            yield f"{path.name}: has {lines} lines, not fewer than {most}"
        if not text.isascii():
            yield f"{path.name}: has other characters than ASCII"
        for target in re.findall(r"\]\(([^)]+)\)", text):
            if not (path.parent / target).is_file():
                yield f"{path.name}: there is no {target}"
        for block in skill_files.blocks(text):
            if block.words != ["sh"]:
                yield f"{path.name}:{block.line}: a block of {' '.join(block.words) or 'no language'}, not of sh"
        for command in skill_files.commands(path):
            if not command.question:
                yield f"{path.name}:{command.line}: a command without a question"
    main = (folder / "SKILL.md").read_text(encoding="utf-8")
    head = dict(re.findall(r"^(\w+): (.+)$", main.split("---")[1], re.MULTILINE)) if main.startswith("---\n") else {}
    if not PATTERN.fullmatch(head.get("name", "")) or len(head["name"]) > 64:
        yield "SKILL.md: the front matter has no name, or one that is not of letters, digits and hyphens"
    if not 0 < len(head.get("description", "")) <= 1024:
        yield "SKILL.md: the front matter has no description, or one of more than 1024 characters"
    for path in skill_files.files(folder)[1:]:
        if f"](references/{path.name})" not in main:
            yield f"SKILL.md: does not link {path.name}"


def unknown_words(folder, directory):
    """Commands and options that the text names and that do not exist."""
    options = run("profrun --help", directory).stdout
    for path in skill_files.files(folder):
        for command in skill_files.inline(path.read_text(encoding="utf-8")):
            program, word = command.split()[:2]
            if program == "profrun":
                known = word == "--" or re.search(rf"(?<!\S){re.escape(word)}[\[ ]", options)
            elif word == "skill":
                known = run(command.replace(" NAME", ""), directory).returncode == 0
            else:
                known = run(f"profdump {word} --help", directory).stdout.startswith(f"Usage: profdump {word}")
            if not known:
                yield f"{path.name}: there is no `{command}`"


def judge(command, directory):
    """What is wrong with it, or None."""
    done = run(command.text, directory)
    wanted = (0, 4, 5) if any(gate in command.text for gate in GATES) else (0,)
    at = f"{command.file.name}:{command.line}: {command.text}:"
    if done.returncode not in wanted:
        return f"{at} exited with status {done.returncode}: {done.stderr.strip()}"
    if "--json" in command.text or "--format json" in command.text:
        try:
            json.loads(done.stdout)
        except ValueError as error:
            return f"{at} printed no JSON: {error}"
    elif not done.stdout and not command.text.startswith(("profrun", "mkdir", "for ", "profdump pack")):
        return f"{at} printed nothing"
    return None


def main():
    folder, directory, prepared = map(Path, sys.argv[1:4])
    without_fleet = sys.argv[4:] == ["--without-fleet"]
    directory.mkdir()
    wrong = [*form(folder), *unknown_words(folder, directory)]
    left_out = ran = 0
    for path in skill_files.files(folder):
        here = directory / path.stem
        shutil.copytree(prepared, here)
        for command in skill_files.commands(path):
            if without_fleet and FLEET.match(command.text):
                left_out += 1
                continue
            ran += 1
            found = judge(command, here)
            if found:
                wrong.append(found)
    print(*wrong, f"{ran} commands ran, {left_out} were left out, {len(wrong)} faults", sep="\n")
    return 1 if wrong else 77 if left_out else 0


if __name__ == "__main__":
    sys.exit(main())

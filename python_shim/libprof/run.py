"""``python -m libprof run``: runs a program under profrun, with recording of Python's own activity.

``startup/sitecustomize.py`` does what must happen inside a Python program (recording PyTorch's operators and calls of
Python functions). Every interpreter that inherits the environment imports it: also the workers of ``torchrun``,
``multiprocessing`` and ``subprocess``.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Dict, List, Mapping, NamedTuple, Optional, Sequence

from ._native import library_path
from ._profdump import become_program, find_program

OPTIONS_HELP = """\
  --torch           record PyTorch's operators as ranges, with their input shapes
  --no-shapes       with --torch: omit input shapes, which costs less
  --python-calls    record calls of Python functions, as call stacks of ranges and CUDA calls
                    --python-calls=imports: also record calls during imports
  -u, -B, -O, -X OPTION and other flags of the interpreter: run the script with them
  and all options of 'profrun --help', before the program"""

_USAGE = """\
Usage: python -m libprof run [OPTION]... SCRIPT.py [ARGUMENT]...
       python -m libprof run [OPTION]... -m MODULE [ARGUMENT]...
       python -m libprof run [OPTION]... PROGRAM [ARGUMENT]..."""

STARTUP_VARIABLE = "LIBPROF_STARTUP"
"""What sitecustomize.py does, words separated by commas; see :mod:`libprof._startup`."""

VALUE_OPTIONS = (
    "-o", "--output", "--rows", "--sort", "--graphs", "--budget", "--sample", "--summary", "--prometheus", "--hang",
    "--attach", "--for", "-e", "--env",
)  # fmt: skip
"""Options of profrun whose value is the next argument."""

_OWN_OPTIONS = {
    "--torch": ["torch"],
    "--no-shapes": ["no-shapes"],
    "--python-calls": ["python-calls"],
    "--python-calls=imports": ["python-calls", "imports"],
}


class UsageError(ValueError):
    """The command line names no program, or an option lacks its value."""


class Request(NamedTuple):
    """A command line of ``run``, in its parts. With flags of the interpreter, the program is a script."""

    startup: List[str]
    options: List[str]
    program: List[str]
    flags: List[str]


def parse(arguments: Sequence[str]) -> Request:
    """Splits a command line; options end at the first argument that is none, as profrun's do."""
    startup: List[str] = []
    options: List[str] = []
    flags: List[str] = []
    place = 0
    while place < len(arguments) and arguments[place].startswith("-"):
        argument = arguments[place]
        if argument in ("-", "--") or argument[:2] in ("-m", "-c"):
            break
        place += 1
        if argument in _OWN_OPTIONS:
            startup += _OWN_OPTIONS[argument]
            continue
        words = flags if _FLAGS.fullmatch(argument) else options
        words.append(argument)
        if argument in VALUE_OPTIONS or argument in _VALUE_FLAGS:
            if place == len(arguments):
                raise UsageError(f"{argument} needs a value")
            words.append(arguments[place])
            place += 1
    program = list(arguments[place:])
    if program[:1] == ["--"]:
        program = program[1:]
    return Request(startup, options, program, flags)


def python_command(program: Sequence[str], flags: Sequence[str] = ()) -> List[str]:
    """What is to be executed: Python scripts, ``-m``, ``-c`` and ``-`` by this interpreter with these flags, anything else as
    it is."""
    first = program[0]
    if flags or first == "-" or first[:2] in ("-m", "-c") or first.endswith(".py") or Path(first).is_dir():
        return [sys.executable, *flags, *program]
    return list(program)


_HIDING_FLAGS = {"I": "ignores PYTHONPATH", "E": "ignores PYTHONPATH", "S": "does not import sitecustomize"}
_VALUE_FLAGS = ("-W", "-X", "--check-hash-based-pycs")
_FLAGS = re.compile("-[bBdEiIOPRsSuvx]+|-W.*|-X.*|--check-hash-based-pycs")
"""Flags of the interpreter; -q, -h and -V are profrun's."""


def _interpreter_of(command: Sequence[str]) -> Sequence[str]:
    """The command as the kernel and ``env`` run it: of a script with #!, the interpreter and its flags first."""
    try:
        with open(shutil.which(command[0]) or command[0], "rb") as file:
            first = file.readline(256)
    except OSError:
        first = b""
    if first.startswith(b"#!"):
        command = [*os.fsdecode(first[2:]).split(), *command]
    if Path(command[0]).name == "env":
        command = list(itertools.dropwhile(lambda word: word.startswith("-") or "=" in word, command[1:]))
    return command


def why_not_started(command: Sequence[str]) -> Optional[str]:
    """Why an interpreter with these flags does not import ``startup/sitecustomize.py``; None if it does."""
    command = _interpreter_of(command)
    if not command or not re.fullmatch(r"python[\d.]*t?", Path(command[0]).name):
        return None
    flags = iter(command[1:])
    for flag in flags:
        if not flag.startswith("-") or flag[:2] in ("-c", "-m") or flag == "-":
            return None
        if flag in _VALUE_FLAGS:
            next(flags, None)
        elif not flag.startswith(("--", "-W", "-X")):
            for letter in flag[1:]:
                if letter in _HIDING_FLAGS:
                    return f"{Path(command[0]).name} -{letter} {_HIDING_FLAGS[letter]}"
    return None


def startup_environment(startup: Sequence[str], environment: Mapping[str, str]) -> Dict[str, str]:
    """The environment with which interpreters import ``startup/sitecustomize.py`` and that find this package."""
    result = dict(environment)
    if startup:
        package = Path(__file__).parent
        former = environment.get("PYTHONPATH")
        paths = [str(package / "startup")] + ([former] if former else [])
        result["PYTHONPATH"] = os.pathsep.join(paths)
        result[STARTUP_VARIABLE] = ",".join(startup)
    return result


def execute(arguments: Sequence[str]) -> None:
    """Becomes profrun with the program; returns never. :class:`UsageError` where no program is named."""
    request = parse(arguments)
    command = [find_program("profrun"), *request.options]
    if request.program:
        program = python_command(request.program, request.flags)
        why = why_not_started(program) if request.startup else None
        if why:
            print(f"libprof: {why}: --torch and --python-calls record nothing in it", file=sys.stderr)
        command += ["--", *program]
    elif request.flags or not request.options:
        raise UsageError("run needs a script, -m MODULE or a program")
    elif {"-h", "--help"} & {*request.options}:
        with contextlib.suppress(OSError):  # profrun prints the rest, and then ends as other programs do
            os.write(1, f"{_USAGE}\n\n{OPTIONS_HELP}:\n\n".encode())
    environment = startup_environment(request.startup, os.environ)
    named = library_path()
    if named:
        environment["PROF_LIBRARY"] = named
    become_program(command[0], command, environment)

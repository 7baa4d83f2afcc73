"""``python -m libprof``: records a program, or runs profdump.

    python -m libprof run [--torch] [--python-calls] [profrun's options] SCRIPT.py [ARGUMENT...]
    python -m libprof run [...] -m MODULE [ARGUMENT...]
    python -m libprof run [...] PROGRAM [ARGUMENT...]
    python -m libprof pack|fleet [ARGUMENT...]     jobs of many ranks: see --help of each
    python -m libprof snapshot FILE                PyTorch's memory snapshots: see --help
    python -m libprof origins TRACE [FILE...]      the origin of Inductor's kernels: see --help
    python -m libprof bench MODULE:FUNCTION        device time of one call of a function: see --help
    python -m libprof mcp FOLDER...                answers for assistants, by the Model Context Protocol: see --help
    python -m libprof PROFDUMP_COMMAND_OR_OPTION [ARGUMENT...]

For the others, the Python process is replaced by the program: exit status, signals and output are the program's.
"""

from __future__ import annotations

import gc
import os
import sys
from typing import Callable, List

from . import run
from ._cli import finish
from ._profdump import become_program, find_program, unrecorded_environment
from .errors import ProfError

USAGE_STATUS = 2
OWN_COMMANDS = ("pack", "fleet", "snapshot", "origins", "mcp")


def help_text() -> str:
    """What ``--help`` prints."""
    return f"{(__doc__ or '').strip()}\n\nrun's options:\n\n{run.OPTIONS_HELP}"


def become(name: str, arguments: List[str]) -> None:
    """Turns this process into a program of the package."""
    program = find_program(name)
    become_program(program, [name, *arguments], unrecorded_environment())


def said(do: Callable[[], None]) -> int:
    """Exit status of what returns only when it failed, after saying why."""
    try:
        do()
    except run.UsageError as error:
        print(f"libprof: {error}", file=sys.stderr)
        return USAGE_STATUS
    except (ProfError, OSError) as error:
        print(f"libprof: {error}", file=sys.stderr)
    return 1


def own_command(name: str, arguments: List[str]) -> int:
    """Exit status of a command that is written in Python. Those of fleet need DuckDB."""
    # not before they are needed: what runs under the recorder should load little
    if name == "snapshot":
        from . import _snapshot_cli

        return _snapshot_cli.main(arguments)
    if name == "hang":
        from . import _flight_cli

        return _flight_cli.main(arguments)
    if name == "origins":
        from . import _origins_cli

        return _origins_cli.main(arguments)
    if name == "mcp":
        from . import _mcp

        return _mcp.main(arguments)
    gc.disable()
    from .fleet import _cli

    status = _cli.main(name, arguments)
    if "pyspark" not in sys.modules:  # PySpark needs its atexit handlers
        os._exit(status)  # output is flushed; tearing down DuckDB's package takes a fifth of a short command's time
    return status


def main(arguments: List[str]) -> int:
    """Replaces this process by the program asked for; returns only when that cannot be."""
    if not arguments or arguments[0] in ("-h", "--help"):
        status = finish("libprof", lambda: print(help_text()))
        return status or (0 if arguments else USAGE_STATUS)
    if arguments[0] in OWN_COMMANDS:
        return own_command(arguments[0], arguments[1:])
    if arguments[0] == "bench" and not any(word.startswith("--range") for word in arguments):
        from . import _bench_cli

        return _bench_cli.main(arguments[1:])
    if arguments[0] == "run":
        return said(lambda: run.execute(arguments[1:]))
    return said(lambda: become("profdump", arguments))


def profrun() -> int:
    """The command ``profrun`` of the wheel."""
    return said(lambda: run.execute(sys.argv[1:]))


def profdump() -> int:
    """The command ``profdump`` of the wheel."""
    arguments = sys.argv[1:]
    if arguments and arguments[0] in OWN_COMMANDS:
        return own_command(arguments[0], arguments[1:])
    return said(lambda: become("profdump", arguments))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""python -m libprof: programs under the recorder, and profdump."""

# packages: torch==2.13.0+cpu numpy

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Dict, List, Optional, Set, Tuple

import pytest

from libprof import _torch_observer, _torch_operators, run
from libprof._profdump import find_program, run_profdump

RANGES = "import libprof._native as n\nlib = n.library()\nlib.prof_range_push(b'{0}')\nlib.prof_range_pop()\n"


def libprof(
    *arguments: str, cwd: Path, env: Optional[Dict[str, str]] = None
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "libprof", *arguments],
        cwd=cwd,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def names(*files: Path) -> Set[str]:
    """Of all rows of the key averages."""
    table = json.loads(run_profdump(["--format", "json", *map(str, files)]))
    return {row["name"] for row in table["key_averages"]}


# ---- the command line ----


@pytest.mark.parametrize(
    "line, startup, options, program",
    [
        ("train.py --epochs 3", [], [], ["train.py", "--epochs", "3"]),
        ("--torch -o x.prof --rows 5 train.py -o y", ["torch"], ["-o", "x.prof", "--rows", "5"], ["train.py", "-o", "y"]),
        ("--sim=12.4 --torch --no-shapes -m pkg.train -v", ["torch", "no-shapes"], ["--sim=12.4"], ["-m", "pkg.train", "-v"]),
        ("--python-calls=imports a.py", ["python-calls", "imports"], [], ["a.py"]),
        ("-q -- ./app --torch", [], ["-q"], ["./app", "--torch"]),
        ("--doctor", [], ["--doctor"], []),
    ],
)
def test_parses(line: str, startup: List[str], options: List[str], program: List[str]) -> None:
    assert run.parse(line.split()) == run.Request(startup, options, program, [])


@pytest.mark.parametrize(
    "line, flags, options, command",
    [
        ("-u a.py -x", ["-u"], [], ["-u", "a.py", "-x"]),
        ("-q -uB -W error::UserWarning -o x.prof -Xutf8 a", ["-uB", "-W", "error::UserWarning", "-Xutf8"], ["-q", "-o", "x.prof"],
         ["-uB", "-W", "error::UserWarning", "-Xutf8", "a"]),
        ("-O -mpkg", ["-O"], [], ["-O", "-mpkg"]),
        ("-q -cpass", [], ["-q"], ["-cpass"]),
        ("-q -", [], ["-q"], ["-"]),
    ],
)  # fmt: skip
def test_passes_flags_to_the_interpreter(line: str, flags: List[str], options: List[str], command: List[str]) -> None:
    request = run.parse(line.split())
    assert (request.flags, request.options) == (flags, options)
    assert run.python_command(request.program, request.flags) == [sys.executable, *command]


def test_runs_a_script_with_flags(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("import sys, libprof\nwith libprof.range('in it'): print(sys.flags.optimize, sys.argv[1:])\n")
    done = libprof("run", "-q", "-u", "-O", "-o", "x.prof", "a", "-u", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "1 ['-u']\n"), done.stderr
    assert names(tmp_path / "x.prof") == {"in it"}
    assert libprof("run", "-u", cwd=tmp_path).stderr == "libprof: run needs a script, -m MODULE or a program\n"


def test_help_has_all_options(tmp_path: Path) -> None:
    for words in (["--help"], ["--torch", "-h"]):
        done = libprof("run", *words, cwd=tmp_path)
        assert done.returncode == 0 and done.stdout.startswith("Usage: python -m libprof run ")
        assert all(f"\n  {option} " in done.stdout for option in ("--torch", "--no-shapes", "--python-calls", "-u, -B,"))
        assert "-o, --output PATTERN" in done.stdout


def test_knows_which_options_have_values() -> None:
    text = subprocess.run([find_program("profrun"), "--help"], capture_output=True, text=True, check=True).stdout
    with_value = set()
    for short, long in re.findall(r"^  (-\w)?,? +(--[a-z-]+) [A-Z]+", text, re.MULTILINE):
        with_value |= {option for option in (short, long) if option}
    assert with_value == set(run.VALUE_OPTIONS)


def test_what_python_runs(tmp_path: Path) -> None:
    assert run.python_command(["a.py", "1"]) == [sys.executable, "a.py", "1"]
    assert run.python_command(["-c", "pass"]) == [sys.executable, "-c", "pass"]
    assert run.python_command([str(tmp_path)]) == [sys.executable, str(tmp_path)]
    assert run.python_command(["torchrun", "a.py"]) == ["torchrun", "a.py"]


@pytest.mark.parametrize(
    "command, why",
    [
        ("python3 -I work.py", "python3 -I ignores PYTHONPATH"),
        ("/usr/bin/python3.12 -u -uE work.py", "python3.12 -E ignores PYTHONPATH"),
        ("python -W ignore -SOO -m work", "python -S does not import sitecustomize"),
        ("python3 -Wignore -X importtime -OO work.py -I", None),
        ("python3 -m work -S", None),
        ("python3 -c pass -I", None),
        ("python3 - -I", None),
        ("./app -I", None),
        ("python3", None),
        ("env -i A=1 python3 -I work.py", "python3 -I ignores PYTHONPATH"),
        ("env", None),
    ],
)
def test_interpreters_that_do_not_start_it(command: str, why: Optional[str]) -> None:
    assert run.why_not_started(command.split()) == why


def test_scripts_name_their_interpreter(tmp_path: Path) -> None:
    for line, why in (("/usr/bin/env -S python3 -E", "python3 -E ignores PYTHONPATH"), ("/usr/bin/python3 -u", None)):
        (tmp_path / "tool").write_text(f"#!{line}\n")
        assert run.why_not_started([str(tmp_path / "tool"), "-I"]) == why


def test_says_why_nothing_is_recorded(tmp_path: Path) -> None:
    program = [sys.executable, "-I", "-c", "import sys; sys.exit('libprof._startup' in sys.modules)"]
    done = libprof("run", "--torch", "-q", "--no-table", *program, cwd=tmp_path)
    said = f"libprof: {Path(sys.executable).name} -I ignores PYTHONPATH: --torch and --python-calls record nothing in it"
    assert done.returncode == 0 and said in done.stderr, done.stderr
    program.remove("-I")
    assert "ignores" not in libprof("run", "--torch", "-q", "--no-table", *program, cwd=tmp_path).stderr
    assert "ignores" not in libprof("run", "-q", "--no-table", sys.executable, "-I", "-c", "pass", cwd=tmp_path).stderr


def test_says_so_of_interpreters_that_a_script_starts(tmp_path: Path) -> None:
    script = tmp_path / "train.sh"
    for flags, said in (
        (["-I", "", "-I"], "2 Python processes ran with -I, -E or -S (last: -I)"),
        (["-S", "-uE"], "2 Python processes ran with -I, -E or -S (last: -E)"),
        (["-S"], "1 Python process ran with -I, -E or -S (last: -S)"),
        (["-B"], None),
    ):
        script.write_text("#!/bin/sh\n" + "".join(f"{sys.executable} {flag} -c pass\n" for flag in flags))
        script.chmod(0o755)
        lines = libprof("run", "--python-calls", "./train.sh", cwd=tmp_path).stderr.splitlines()
        found = [line for line in lines if "Python process" in line]
        assert found == ([f"profrun: {said}"] if said else []), lines
        assert ("profrun: --torch and --python-calls recorded nothing there" in lines) == bool(said)
    assert "Python process" not in libprof("run", "--", sys.executable, "-I", "-c", "pass", cwd=tmp_path).stderr


def test_wrong_usage(tmp_path: Path) -> None:
    done = libprof("run", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "libprof: run needs a script, -m MODULE or a program\n")
    done = libprof("run", "-o", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "libprof: -o needs a value\n")
    assert libprof(cwd=tmp_path).returncode == 2
    assert "--python-calls" in libprof("--help", cwd=tmp_path).stdout


def unread(*command: str, buffered: bool) -> Tuple[int, str]:
    """Status and standard error of a program whose standard output is a closed pipe."""
    reader, writer = os.pipe()
    os.close(reader)
    env = {**os.environ, "PYTHONUNBUFFERED": "" if buffered else "1"}
    done = subprocess.run(
        command, stdout=writer, stderr=subprocess.PIPE, env=env, text=True, timeout=600, check=False
    )
    os.close(writer)
    return done.returncode, done.stderr


@pytest.mark.parametrize("buffered", [True, False])
def test_ends_quietly_when_nobody_reads(tmp_path: Path, buffered: bool) -> None:
    (tmp_path / "work.py").write_text(RANGES.format("work"))
    assert libprof("run", "-o", "w.prof", "-q", "work.py", cwd=tmp_path).returncode == 0
    module = [sys.executable, "-m", "libprof"]
    for program in ("", ".executorch.inspector_cli", ".executorch.profiler_results_cli"):
        status, said = unread(*module[:2], module[2] + program, "--help", buffered=buffered)
        assert said == "" and status in (0, 1), program  # argparse ignores what it cannot write at once
    for arguments in (["run", "--help"], [str(tmp_path / "w.prof")]):
        assert unread(*module, *arguments, buffered=buffered) == (-signal.SIGPIPE, ""), arguments


def test_closed_or_full_output(tmp_path: Path) -> None:
    def shell(redirection: str) -> "subprocess.CompletedProcess[str]":
        line = f"exec '{sys.executable}' -m libprof --help {redirection}"
        return subprocess.run(["sh", "-c", line], stderr=subprocess.PIPE, text=True, timeout=600, check=False)

    closed, full = shell(">&-"), shell(">/dev/full")
    assert (closed.returncode, closed.stderr) == (0, "")
    assert (full.returncode, full.stderr) == (1, "libprof: [Errno 28] No space left on device\n")
    line = f"exec '{sys.executable}' -m libprof check none.prof >&-"
    done = subprocess.run(["sh", "-c", line], stderr=subprocess.PIPE, text=True, timeout=600, check=False)
    assert done.returncode == 1 and "none.prof: No such file" in done.stderr


# ---- programs ----


def test_programs_have_the_signals_of_a_shells_child(tmp_path: Path) -> None:
    ignored = ["grep", "SigIgn", "/proc/self/status"]
    alone = subprocess.run(ignored, capture_output=True, text=True, check=True).stdout
    assert libprof("run", "-q", "--no-table", *ignored, cwd=tmp_path).stdout == alone


def test_exit_status_and_output_are_the_programs(tmp_path: Path) -> None:
    (tmp_path / "work.py").write_text("import sys\nprint(sys.argv[1:], __name__)\nsys.exit(7)\n")
    done = libprof("run", "--torch", "work.py", "a", "--b", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (7, "['a', '--b'] __main__\n")


def test_records_every_process(tmp_path: Path) -> None:
    (tmp_path / "work.py").write_text(
        RANGES.format("parent")
        + "import multiprocessing as mp\ndef child():\n    lib.prof_range_push(b'child'); lib.prof_range_pop()\n"
        + "if __name__ == '__main__':\n    p = mp.get_context('spawn').Process(target=child); p.start(); p.join()\n"
    )
    done = libprof("run", "--torch", "-o", "%p.prof", "--no-table", "work.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert {"parent", "child"} <= names(*tmp_path.glob("*.prof"))


def test_profdump_commands(tmp_path: Path) -> None:
    (tmp_path / "work.py").write_text(RANGES.format("work"))
    assert libprof("run", "-o", "w.prof", "-q", "work.py", cwd=tmp_path).returncode == 0
    assert libprof("check", "w.prof", cwd=tmp_path).returncode == 0
    done = libprof("--chrome", "w.json", "w.prof", cwd=tmp_path)
    assert done.returncode == 0 and json.loads((tmp_path / "w.json").read_text())["traceEvents"]
    done = libprof("no-such-file.prof", cwd=tmp_path)
    assert done.returncode == 1 and "no-such-file.prof" in done.stderr


def test_missing_programs(tmp_path: Path) -> None:
    done = libprof("check", cwd=tmp_path, env={"LIBPROF_BIN": "/nowhere"})
    assert (done.returncode, done.stderr) == (1, "libprof: profdump is not in /nowhere\n")


# ---- what happens inside ----


def test_the_sites_own_customization_runs(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text("print('site')\n")
    (tmp_path / "work.py").write_text("import sys, sitecustomize\nprint(sitecustomize.__file__)\n")
    paths = os.pathsep.join([str(tmp_path / "site"), os.environ["PYTHONPATH"]])
    done = libprof("run", "--torch", "work.py", cwd=tmp_path, env={"PYTHONPATH": paths})
    lines = done.stdout.splitlines()  # the interpreter that became profrun said "site" as well
    assert lines == ["site", "site", str(tmp_path / "site" / "sitecustomize.py")], done.stderr


def test_a_program_without_torch_is_left_alone(tmp_path: Path) -> None:
    source = "import sys\nprint('torch' in sys.modules, len([f for f in sys.meta_path if 'libprof' in type(f).__module__]))\n"
    (tmp_path / "work.py").write_text(source)
    done = libprof("run", "--torch", "work.py", cwd=tmp_path)
    assert done.stdout == "False 1\n"


def test_torch_is_noticed_after_a_look_for_it(tmp_path: Path) -> None:
    """Libraries look whether PyTorch is installed before they import it."""
    (tmp_path / "torch.py").write_text("")
    source = "import importlib.util, sys\nassert importlib.util.find_spec('torch')\nimport torch\n"
    (tmp_path / "work.py").write_text(source)
    done = libprof("run", "--torch", "work.py", cwd=tmp_path)
    assert "torch" in done.stderr and done.returncode == 0, "the module that stands for PyTorch is not recorded, and that is said"


def test_python_calls_are_call_stacks_on_every_thread(tmp_path: Path) -> None:
    (tmp_path / "work.py").write_text(
        "import threading, libprof\n"
        "def inner(name):\n    with libprof.record_function(name):\n        pass\n"
        "def outer(name):\n    inner(name)\n"
        "outer('here')\n"
        "thread = threading.Thread(target=outer, args=('there',)); thread.start(); thread.join()\n"
    )
    done = libprof("run", "--python-calls", "-o", "c.prof", "--no-table", "work.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    table = json.loads(run_profdump(["--group-by=name,stack", "--format=json", str(tmp_path / "c.prof")]))
    stacks = {row["name"]: json.dumps(row["stack"]) for row in table["key_averages"]}
    for name in ("here", "there"):
        assert "inner" in stacks[name] and "outer" in stacks[name], stacks


def test_with_stack_has_builtin_functions_beside_python_calls(tmp_path: Path) -> None:
    (tmp_path / "work.py").write_text(
        "import libprof\n"
        "def work():\n    len('abc')\n"
        "for _ in range(2):\n"
        "    work()\n"
        "    with libprof.profile(with_stack=True) as prof:\n        work()\n"
        "    print([event.name for event in prof.events() if 'len' in event.name])\n"
    )
    for words in ((), ("--python-calls",), ("--python-calls=imports",)):
        done = libprof("run", *words, "-o", "c.prof", "--force", "--no-table", "work.py", cwd=tmp_path)
        assert done.stdout.splitlines() == ["['<built-in function len>']"] * 2, done.stdout + done.stderr


def test_a_torch_that_cannot_be_imported_fails_as_before(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("raise ImportError('broken torch')\n")
    (tmp_path / "work.py").write_text("try:\n    import torch\nexcept ImportError as error:\n    print(error)\n")
    done = libprof("run", "--torch", "work.py", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "broken torch\n"), done.stderr


def test_a_torch_that_is_not_pytorch_is_said(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("x = 1\n")
    (tmp_path / "work.py").write_text("import torch\nprint(torch.x)\n")
    done = libprof("run", "--torch", "work.py", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "1\n")
    assert "libprof: the module 'torch' here is not PyTorch\n" in done.stderr


@pytest.mark.parametrize("observer", ["0", ""])
def test_pytorch_runs_undisturbed(tmp_path: Path, observer: str) -> None:
    torch = pytest.importorskip("torch")
    if not observer and _torch_observer.find(torch)[0] is None:
        pytest.skip("the observer cannot be compiled")
    (tmp_path / "work.py").write_text(
        "import threading, torch\n"
        "def work():\n    return torch.ones(4, 4) @ torch.ones(4, 4)\n"
        "thread = threading.Thread(target=work); thread.start(); thread.join()\n"
        "with torch.profiler.profile() as prof:\n    work()\n"
        "print(work()[0, 0].item(), 'aten::mm' in [row.key for row in prof.key_averages()])\n"
    )
    command = ("run", "--torch", "-o", "t.prof", "--no-table", "work.py")
    done = libprof(*command, cwd=tmp_path, env={"LIBPROF_TORCH_OBSERVER": observer})
    assert (done.returncode, done.stdout) == (0, "4.0 True\n"), done.stderr
    said = [line for line in done.stderr.splitlines() if not line.startswith(("profrun: ", "USDT", "libprof: compiling "))]
    assert said == []
    marks = {_torch_operators.TAKEN_MARK.decode(), _torch_operators.BACK_MARK.decode()}
    assert marks & names(tmp_path / "t.prof") == (marks if observer else set())
    table = json.loads(run_profdump(["--format", "json", str(tmp_path / "t.prof")]))["key_averages"]
    calls = next(row["count"] for row in table if row["name"] == "aten::mm")
    assert calls == (2 if observer else 3), "one of another thread, one within torch.profiler, one behind"

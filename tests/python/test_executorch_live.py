"""Profiling blocks of the running program, recorded and read. Each test is a process of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

HEAD = "from libprof import executorch as et\n"


def test_record_dump_deserialize_print(run_python) -> None:
    done = run_python(
        HEAD
        + """
for _ in range(2):
    et._create_profile_block("inference")
    with et.scope("Method::execute"):
        with et.instruction_scope(chain=0, index=7), et.scope("native_call_add.out"):
            sum(range(10000))
        et.track_allocation(et.track_allocator("planned"), 4096)
prof, mem = et.deserialize_profile_results(et._dump_profile_results())
for table in et.profile_table(prof):
    print(table.title, table.field_names, [row[:4] for row in table.rows])
tax = et.profile_aggregate_framework_tax(prof)
for table in et.profile_framework_tax_table(tax):
    print(table.title, [row[0] for row in table.rows])
print(all(0 <= value < 100 for value in tax["inference"].framework_tax))
print(mem)
"""
    )
    assert done.stdout.split("\n")[:-1] == [
        "inference ['Name', 'Chain', 'Instr', 'Frame', 'Iteration 0', 'Iteration 1'] "
        "[['Method::execute', -1, 0, None], ['native_call_add.out', 0, 7, None]]",
        "inference framework tax calculations "
        "['Model execution time', 'Time spent in kernels and delegates', 'Framework tax (%)']",
        "True",
        "{'inference': [MemEvent(allocator_name='planned', total_allocations_done=4096)]}",
    ]
    assert done.stderr == ""


def test_dump_go_on_and_dump_again(run_python) -> None:
    """The original died of a second dump after a new block, and wrote addresses after more events."""
    done = run_python(
        HEAD
        + """
def names():
    prof, _ = et.deserialize_profile_results(et._dump_profile_results())
    return {name: [event.name for event in events] for name, events in prof.items()}
def event(name):
    et.end_profiling(et.begin_profiling(name))
et._create_profile_block("first"); event("a"); print(names())
event("b"); print(names())
et._create_profile_block("second"); event("c"); print(names())
et._reset_profile_results(); event("d"); print(names())
"""
    )
    assert done.stdout.split("\n")[:-1] == [
        "{'first': ['a']}",
        "{'first': ['a', 'b']}",
        "{'first': ['a', 'b'], 'second': ['c']}",
        "{'first': ['a', 'b'], 'second': ['d']}",
    ]


def test_an_event_stays_in_the_block_in_which_it_began(run_python) -> None:
    done = run_python(
        HEAD
        + """
import math
et.enable_profiling()
early = et.begin_profiling("before any block")
et._create_profile_block("a")
token = et.begin_profiling("crosses")
left_open = et.begin_profiling("stays open")
et._create_profile_block("b")
et.end_profiling(et.begin_profiling("in b"))
et.end_profiling(token); et.end_profiling(early)
prof, _ = et.deserialize_profile_results(et._dump_profile_results())
print({n: [(e.name, e.duration[0] >= 0) for e in es] for n, es in prof.items()})
"""
    )
    assert done.stdout == (
        "{'default': [('before any block', True)], 'a': [('crosses', True)], 'b': [('in b', True)]}\n"
    )


def test_nothing_overflows_and_odd_tokens_are_counted(run_python) -> None:
    done = run_python(
        HEAD
        + """
import threading
et._create_profile_block("n" * 40)
def work():
    for _ in range(1000):
        with et.scope("native_call_max_pool2d_with_indices.out"):
            pass
threads = [threading.Thread(target=work) for _ in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]
for _ in range(100):
    et._create_profile_block("more")
    et.end_profiling(et.begin_profiling("e"))
et.end_profiling(12345); et.end_profiling(0)
prof, _ = et.deserialize_profile_results(et._dump_profile_results())
print([(name, len(events), len(events[0].duration), events[0].name) for name, events in prof.items()])
"""
    )
    assert done.stdout == (
        f"[('{'n' * 32}', 4000, 1, 'native_call_max_pool2d_with_indi'), ('more', 1, 100, 'e')]\n"
    )


def test_nothing_is_recorded_before_it_is_asked_for(run_python, tmp_path: Path) -> None:
    done = run_python(
        HEAD
        + """
import libprof, os
print(et.begin_profiling("e") == et.NO_EVENT)
et.end_profiling(et.NO_EVENT)
et._reset_profile_results()
et.track_allocation(et.NO_ALLOCATOR, 1)
with et.scope("x"), et.instruction_scope(1, 2):
    pass
try:
    et._dump_profile_results()
except libprof.ProfError as error:
    print(error)
try:
    et.track_allocation(1, -1)
except ValueError as error:
    print(error)
print(sorted(os.listdir(".")))
"""
    )
    assert done.stdout == ("True\nnothing has been recorded yet\nan allocation of -1 bytes\n['program.py']\n")


def test_the_trace_goes_where_it_is_said(run_python, tmp_path: Path) -> None:
    source = HEAD + 'et._create_profile_block("b")\nwith et.scope("e"):\n    pass\n'
    run_python(source)
    assert [path.name for path in tmp_path.iterdir()] == ["program.py"]
    run_python(source, env={"PROF_OUTPUT": str(tmp_path / "env.prof")})
    assert (tmp_path / "env.prof").exists()
    run_python(HEAD + f"et.enable_profiling({str(tmp_path / 'given.prof')!r})\n" + source)
    assert (tmp_path / "given.prof").exists()


def test_temporary_traces_are_removed(run_python, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    source = (
        HEAD
        + 'import os, tempfile\net._create_profile_block("b")\nprint(os.listdir(tempfile.gettempdir()))\n'
    )
    done = run_python(source, env={"TMPDIR": str(temporary)})
    assert "libprof-blocks-" in done.stdout
    assert list(temporary.iterdir()) == []


def test_a_forked_child_leaves_the_trace_of_its_parent(run_python, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    source = (
        HEAD
        + """
import os, sys, tempfile
et._create_profile_block("b")
with et.scope("e"):
    pass
child = os.fork()
if child == 0:
    sys.exit(0)
os.waitpid(child, 0)
print(len(os.listdir(tempfile.gettempdir())))
print(list(et.deserialize_profile_results(et._dump_profile_results())[0]))
"""
    )
    assert run_python(source, env={"TMPDIR": str(temporary)}).stdout == "1\n['b']\n"
    assert list(temporary.iterdir()) == []


def test_where_the_trace_goes_cannot_be_said_twice(run_python) -> None:
    source = (
        HEAD
        + """
import libprof
from libprof import _native
et._create_profile_block("b")
with et.scope("e"):
    pass
_native.library().prof_stop()
try:
    et.enable_profiling("other.prof")
except libprof.ProfError:
    print("refused")
et.enable_profiling()
with et.scope("later"):
    pass
print([e.name for e in et.deserialize_profile_results(et._dump_profile_results())[0]["b"]])
"""
    )
    assert run_python(source).stdout == "refused\n['e', 'later']\n"


def test_a_whole_trace_can_be_read_as_a_buffer(run_python) -> None:
    done = run_python(
        HEAD
        + """
from libprof import _native
et.enable_profiling("run.prof")
et._create_profile_block("b")
with et.scope("Method::execute"):
    pass
_native.library().check(_native.library().prof_flush())
print([event.name for event in et.deserialize_profile_results("run.prof")[0]["b"]])
print([event.name for event in et.Inspector("run.prof").event_blocks[0].events])
"""
    )
    assert done.stdout == "['Method::execute']\n['Method::execute']\n"


@pytest.mark.parametrize("name", ["é日本", "", 'with "quotes" and\ttabs'])
def test_names_of_any_kind(run_python, name: str) -> None:
    source = f"NAME = {name!r}\n" + HEAD + "et._create_profile_block('b')\nwith et.scope(NAME):\n    pass\n"
    source += "print(et.deserialize_profile_results(et._dump_profile_results())[0]['b'][0].name == NAME)\n"
    assert run_python(source, env={"PYTHONUTF8": "1"}).stdout == "True\n"

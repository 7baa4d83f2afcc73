#!/usr/bin/env bash
# Calls of Python functions: complete stacks of ranges and launches, whatever the program does meanwhile, and nothing else
# changed by them. With every Python from 3.9 on that is found (PYTHONS: these instead).
. "$(dirname "$0")/cuda_common.sh"

find_pythons 3.9
((${#pythons[@]})) || skip "no Python from 3.9 on"

cat >calls.py <<'PYTHON'
import asyncio, ctypes, os, signal, sys, threading

prof = ctypes.PyDLL(None)

def on():
    assert prof.prof_python_calls(1) == 0

def off():
    assert prof.prof_python_calls(0) == 0

def here(name):
    prof.prof_range_push(name.encode())
    prof.prof_range_pop()

def nested():
    def inner(depth):
        here("deep %d" % depth)
        if depth:
            inner(depth - 1)
        here("back %d" % depth)
    inner(3)

class Around:
    def __enter__(self):
        prof.prof_range_push(b"around")
    def __exit__(self, *what):
        prof.prof_range_pop()

def crossing():
    with Around():
        here("in it")
    here("behind it")

def raising():
    def third():
        raise ValueError("three")
    def second():
        try:
            third()
        finally:
            here("finally")
    try:
        second()
    except ValueError:
        here("caught")

def generators():
    def numbers():
        here("first")
        try:
            yield 1
            here("second")
            yield 2
        except KeyError:
            here("thrown")
        yield 3
    source = numbers()
    next(source)
    here("between")
    next(source)
    source.throw(KeyError())
    source.close()
    here("closed")

def coroutines():
    async def leaf(name):
        await asyncio.sleep(0)
        here("leaf " + name)
    async def both():
        await asyncio.gather(leaf("a"), leaf("b"))
        here("gathered")
    asyncio.run(both())
    here("ran")

def threads():
    def work(index):
        on()
        here("thread %d" % index)
    def plain():
        here("plain thread")
    for index in range(3):
        thread = threading.Thread(target=work, args=(index,))
        thread.start()
        thread.join()
    thread = threading.Thread(target=plain)
    thread.start()
    thread.join()

def hooked():
    """As the package does it: new threads by threading.setprofile."""
    def first_call(frame, event, argument):
        sys.setprofile(None)
        on()
    threading.setprofile(first_call)
    thread = threading.Thread(target=lambda: here("hooked"))
    thread.start()
    thread.join()
    threading.setprofile(None)

def switched():
    off()
    here("off")
    def late():
        on()
        here("on again")
    late()
    here("still on")
    def early():
        off()
        here("off in it")
    early()
    on()
    here("last")

def stopped():
    prof.prof_stop()
    here("not recorded")
    prof.prof_start()
    def after():
        here("after the stop")
    after()

def forked():
    pid = os.fork()
    if pid == 0:
        here("child")
        os._exit(0)
    os.waitpid(pid, 0)
    here("parent")

def deep():
    sys.setrecursionlimit(6000)
    def down(depth):
        if depth:
            down(depth - 1)
        elif depth == 0:
            off()
            on()
            here("bottom")
    down(5000)
    here("up")

def ring():
    def leaf():
        pass
    for _ in range(300000):
        leaf()
    here("in the ring")

def everyone():
    """Of all threads at once: one that runs already, a new one, and what is open when they end."""
    off()
    begun, done, over = threading.Event(), threading.Event(), threading.Event()
    def earlier():
        begun.wait()
        here("earlier")
        done.set()
        over.wait()
        here("earlier, off")
    def later():
        if sys.version_info < (3, 12):
            assert prof.prof_python_calls(2) == 0
        here("later")
    def waiter():
        thread = threading.Thread(target=earlier)
        thread.start()
        for _ in range(2):
            assert prof.prof_python_calls(2) == 0
        begun.set()
        done.wait()
        other = threading.Thread(target=later)
        other.start()
        other.join()
        here("all")
        off()
        over.set()
        thread.join()
        here("none")
    waiter()
    on()
    here("alone")

def names():
    for name, file in (("plain", "é.py"), ("bytes", os.fsdecode(b"\xff.py")), ("lone", "\ud800.py"),
                       ("long", "d/" * 3000 + "x.py"), ("odd", "a(7): b;c.py")):
        space = {"here": here, "name": name}
        exec(compile("def f():\n    here(name)\nf()\n", file, "exec"), space)
    space = {"here": here}
    exec(compile("def %s():\n    here('long function')\n%s()" % ("f" * 9000, "f" * 9000), "<string>", "exec"), space)

def modules():
    """Calls of PyTorch's modules begin in this function of this file."""
    space = {}
    source = """class Module:
    def _wrapped_call_impl(self, *args, **kwargs):
        return self.forward(*args, **kwargs)
    __call__ = _wrapped_call_impl
"""
    exec(compile(source, "lib/torch/nn/modules/module.py", "exec"), space)
    class Linear(space["Module"]):
        def forward(self, name):
            here(name)
    class Net(space["Module"]):
        def __init__(self):
            self.layers = [Linear(), Linear()]
        def forward(self):
            for index, layer in enumerate(self.layers):
                layer("layer %d" % index)
            here("net")
    class Bad(space["Module"]):
        def forward(self):
            raise ValueError
    class Plain:
        __slots__ = ()
        __call__ = space["Module"]._wrapped_call_impl
        def forward(self):
            here("plain")
    class Switching(space["Module"]):
        def forward(self):
            off()
            on()
            here("looked up")
    net = Net()
    net(), net()
    for _ in range(2):
        try:
            Bad()()
        except ValueError:
            here("failed")
    for _ in range(3):
        Linear()("short-lived")
    Plain()(), Switching()()
    here("behind them")

def builtins():
    off()
    import re, queue, types
    pattern, queue = re.compile("a"), queue.SimpleQueue()
    assert prof.prof_python_calls(1 | 8) == 0
    def key(number):
        here("in sorted")
        return number
    def numbers():
        here("in sum")
        yield 1
    for _ in range(3):
        [].append(1)
    pattern.match("abc"), queue.put(1), (1, 2).index(2), (1, 2).count(1)  # some of METH_METHOD; tuples
    sorted([2, 1], key=key), sum(numbers())
    types.MethodType(max, (1, 2))()
    types.MethodType(min, (1, 2))(*()), here("behind bound")  # 3.13 reports its begin, but not its end
    try:
        [].pop()
    except IndexError:
        here("caught")
    on()
    assert prof.prof_python_calls(0) == 0
    on()
    [].append(1)
    here("without")

def gone():
    for index in range(3000):
        space = {}
        exec(compile("def f%d():\n    return 1\nf%d()\n" % (index, index), "<made %d>" % (index % 3), "exec"), space)
    here("after them")

MODULES = {
    "outer_module": """
import threading
from __main__ import here, on
import inner_module
def helper():
    here("in helper")
helper()
def work():
    on()
    here("thread of an import")
thread = threading.Thread(target=work)
thread.start()
thread.join()
here("while importing")
""",
    "inner_module": "from __main__ import here\nhere('import in an import')\n",
    "failing_module": "def third():\n    raise ValueError('three')\nthird()\n",
    "third_module": "from __main__ import here\nhere('generator imports')\n",
    "switching_module": "from __main__ import here, off, on\noff()\non()\nhere('begun inside')\n",
    "long_module": "def leaf():\n    pass\nfor _ in range(20000):\n    leaf()\n",
}

def imports():
    sys.path.insert(0, os.getcwd())
    for name, text in MODULES.items():
        with open(name + ".py", "w") as file:
            file.write(text)
    def lazily():
        import outer_module
        here("after the import")
        outer_module.helper()
        try:
            import failing_module
        except ValueError:
            here("after a failure")
    def numbers():
        yield 1
        import third_module
        yield 2
        here("generator goes on")
    def switching():
        import switching_module
        here("after the switch")
    def long():
        import long_module
        here("after many calls")
    lazily()
    list(numbers())
    switching()
    long()
    here("imported")

def all_imports():
    assert prof.prof_python_calls(5) == 0
    imports()

def main():
    on()
    globals()[sys.argv[1]]()
    if sys.argv[-1] == "kill":
        os.kill(os.getpid(), signal.SIGKILL)

main()
PYTHON

# run WAY [kill]: records it into run.prof, of a checked trace, and writes the Chrome trace of it.
run() {
    local status=0
    rm -f run*.prof run.json
    record "run.prof" timeout 600 "$python" calls.py "$@" >out.txt 2>&1 || status=$?
    if [[ ${2:-} == kill ]]; then
        ((status == 137)) || fail "$version $*: $status $(cat out.txt)"
    else
        ((status == 0)) || fail "$version $*: $status $(cat out.txt)"
        same "$version $*: output" "" "$(cat out.txt)"
    fi
    "$PROF_BIN/profdump" check run.prof >check.txt 2>&1 || fail "$version $*: $(cat check.txt)"
    grep -q " 0 errors" check.txt || fail "$version $*: $(cat check.txt)"
    ! grep -q python-calls check.txt || fail "$version $*: $(cat check.txt)"
    "$PROF_BIN/profdump" --chrome run.json run.prof >/dev/null
    python3 "$e2e_directory/../write/check_trace.py" run.json >check.txt || fail "$version $*: $(cat check.txt)"
}

# The stacks of all ranges of a name, innermost first, without files and lines. The Chrome trace draws them.
cat >stacks.py <<'PYTHON'
import json, re, sys

sys.path.insert(0, sys.argv[1] + "/python_shim")
from libprof._arrow import ArrowTable, read_table

for event in json.load(open("run.json", encoding="utf-8", errors="replace"))["traceEvents"]:
    assert "Call stack" not in event.get("args", {}), event
events = read_table(["run.prof"], ArrowTable.EVENTS, None, ["name", "stack"])
stacks = {stack or "none" for name, stack in zip(events["name"], events["stack"]) if name == sys.argv[2]}
print(" | ".join(sorted(" ".join(re.sub(r".*\.", "", re.sub(r".*\): ", "", part)) for part in stack.split(";")) for stack in stacks)))
PYTHON

stacks_of() { LIBPROF_LIBRARY=$LIB_DIR/libprof.so.0 PROF_BIN='' python3 stacks.py "$SOURCE_DIR" "$1"; }

# stack RANGE STACK: that is the stack of every range of this name, innermost first, without files and lines.
stack() { same "$version: stack of $1" "$2" "$(stacks_of "$1")"; }

main="main <module>"
for entry in "${pythons[@]}"; do
    version=${entry%%:*} python=${entry#*:}
    echo "Python $version"
    run nested
    stack "deep 3" "here inner nested $main"
    stack "deep 0" "here inner inner inner inner nested $main"
    stack "back 3" "here inner nested $main"
    run crossing
    stack around "__enter__ crossing $main"
    stack "in it" "here crossing $main"
    stack "behind it" "here crossing $main"
    run raising
    stack finally "here second raising $main"
    stack caught "here raising $main"
    run builtins
    stack "behind bound" "here builtins $main"
    stack "in sorted" "here key <built-in function sorted> builtins $main"
    stack "in sum" "here numbers <built-in function sum> builtins $main"
    stack caught "here builtins $main"
    stack without "here builtins $main"
    for call in "3 method append of list object" "1 method pop of list object" "1 method match of re.Pattern object" \
        "1 method put of _queue.SimpleQueue object" "1 method index of tuple object" "1 method count of tuple object" \
        "1 function sorted" "1 function sum" "$((${version#3.} > 10)) function max"; do
        same "$version: calls of ${call#* }" "${call%% *}" "$(grep -o "\"<built-in ${call#* }>\"" run.json | wc -l)"
    done
    run generators
    stack first "here numbers generators $main"
    stack between "here generators $main"
    stack second "here numbers generators $main"
    stack thrown "here numbers generators $main"
    stack closed "here generators $main"
    run coroutines
    stack ran "here coroutines $main"
    for name in "leaf a" gathered; do
        got=$(stacks_of "$name")
        [[ $got == "here $([[ $name == gathered ]] && echo both || echo leaf) "*" run_until_complete "*" main <module>" ]] ||
            fail "$version: stack of $name: $got"
    done
    run threads
    for index in 0 1 2; do stack "thread $index" "here work run _bootstrap_inner _bootstrap"; done
    stack "plain thread" none
    run hooked
    stack hooked "here <lambda> run _bootstrap_inner _bootstrap"
    run everyone
    stack later "here later run _bootstrap_inner _bootstrap"
    stack earlier "here earlier run _bootstrap_inner _bootstrap"
    stack "earlier, off" none
    stack all "here waiter everyone $main"
    stack none none
    stack alone "here everyone $main"
    run switched
    stack off none
    stack "on again" "here late switched $main"
    stack "still on" "here switched $main"
    stack "off in it" none
    stack last "here switched $main"
    run stopped
    stack "after the stop" "here after stopped $main"
    run deep
    stack up "here deep $main"
    "$PROF_BIN/profdump" --json run.prof >/dev/null
    run modules
    for index in 0 1; do stack "layer $index" "here forward Module: Linear_$index forward Module: Net_0 modules $main"; done
    stack net "here forward Module: Net_0 modules $main"
    stack failed "here modules $main"
    stack short-lived "$(for index in 2 3 4; do
        printf '%shere forward Module: Linear_%s modules %s' "${separator-}" $index "$main"
        separator=" | "
    done)"
    stack plain "here forward Module: Plain modules $main"
    stack "looked up" "here forward Module: Switching_0 modules $main"
    stack "behind them" "here modules $main"
    run gone
    stack "after them" "here gone $main"
    PROF_FULL=ring PROF_MAX_MB=2 run ring
    stack "in the ring" "here ring $main"
    PROF_MAX_MB=2 run ring
    "$PROF_BIN/profdump" --json run.prof | found '"full":[1-9]' || fail "$version: the limit was not reached"
    run imports
    stack "import in an import" "lazily imports $main"
    stack "while importing" "lazily imports $main"
    stack "thread of an import" "here work run _bootstrap_inner _bootstrap"
    stack "after the import" "here lazily imports $main"
    stack "in helper" "here helper lazily imports $main | lazily imports $main"
    stack "after a failure" "here lazily imports $main"
    stack "generator imports" "numbers imports $main"
    stack "generator goes on" "here numbers imports $main"
    stack "begun inside" "switching imports $main"
    stack "after the switch" "here switching imports $main"
    stack "after many calls" "here long imports $main"
    stack imported "here imports $main"
    ! grep -Eq '(third|leaf|_find_and_load)"' run.json || fail "$version: a call within an import is recorded"
    run all_imports
got=$(stacks_of "import in an import") loading="_call_with_frames_removed exec_module .*_find_and_load"
    [[ $got =~ ^"here <module> "$loading" <module> "$loading" lazily imports all_imports $main"$ ]] || fail "$version: with imports: $got"
    stack "thread of an import" "here work run _bootstrap_inner _bootstrap"
    stack imported "here imports all_imports $main"
    run names
    for name in plain bytes lone long odd; do stack "$name" "here f <module> names $main"; done
    run nested kill
    stack "back 0" "here inner inner inner inner nested $main"
    # a child's file begins with the stack as it is there
    rm -f run*.prof
    LD_PRELOAD=$lib PROF_OUTPUT=run-%p.prof timeout 600 "$python" calls.py forked >out.txt 2>&1 || fail "$version: forked: $(cat out.txt)"
    for file in run-*.prof; do
        "$PROF_BIN/profdump" check "$file" >check.txt || fail "$version: $(cat check.txt)"
        "$PROF_BIN/profdump" --chrome run.json "$file" >/dev/null
        ln -sf "$file" run.prof
        if grep -q '"name":"child"' run.json; then stack child "here forked $main"; else stack parent "here forked $main"; fi
    done
    (($(ls run-*.prof | wc -l) == 2)) || fail "$version: a file of the child is missing"
done

# Rows and times of a table know nothing of the calls.
python=${pythons[0]#*:} version=${pythons[0]%%:*}
run nested
same "rows" "8" "$("$PROF_BIN/profdump" --format csv run.prof | tail -n +2 | wc -l)"
! "$PROF_BIN/profdump" run.prof | found calls.py || fail "a Python function is a row of the table"
"$PROF_BIN/profdump" --kind python --format csv run.prof >rows.csv
python3 - <<'PYTHON' || fail "rows of Python functions: $(cat rows.csv)"
import csv
rows = list(csv.DictReader(open("rows.csv")))
assert {row["kind"] for row in rows} == {"python"}, rows
rows = {row["name"].split("): ")[1].split(".")[-1]: row for row in rows if "calls.py(" in row["name"]}
assert [int(rows[name]["count"]) for name in ("here", "inner", "nested")] == [8, 4, 1], rows
assert all(0 < int(row["self_cpu_total_ns"]) <= int(row["cpu_total_ns"]) for row in rows.values()), rows
assert int(rows["inner"]["cpu_total_ns"]) < int(rows["nested"]["cpu_total_ns"]), rows
assert sum(int(row["self_cpu_total_ns"]) for row in rows.values()) <= int(rows["<module>"]["cpu_total_ns"]), rows
PYTHON

# One row of Python calls: ids and parents that exist, and no two that cross, however ranges lie (check_trace.py).
run crossing
python3 - <<'PYTHON'
import json
calls = [e for e in json.load(open("run.json"))["traceEvents"] if e.get("cat") == "python_function"]
ids = {call["args"]["Python id"] for call in calls}
assert len(calls) > len(ids) >= 6, (len(calls), len(ids))
assert any(call["args"].get("continued") for call in calls)
assert all(call["args"]["Python parent id"] is None or call["args"]["Python parent id"] in ids for call in calls)
assert [c["name"].split("): ")[1] for c in calls if c["args"]["Python parent id"] is None][0] == "<module>"
PYTHON

# The same calls, cut alike, in Perfetto's form; and begins and ends that pair in speedscope's.
"$PROF_BIN/profdump" -o run.pftrace -o run.speedscope.json run.prof >/dev/null
python3 "$e2e_directory/../formats/check_perfetto.py" run.pftrace run.json >check.txt || fail "Perfetto: $(cat check.txt)"
python3 - <<'PYTHON'
import json
scope = json.load(open("run.speedscope.json"))
names = [frame["name"] for frame in scope["shared"]["frames"]]
assert any(name.endswith("): crossing") for name in names), names
for profile in scope["profiles"]:
    stack, last = [], 0
    for event in profile["events"]:
        assert event["at"] >= last
        last = event["at"]
        if event["type"] == "O":
            stack.append(event["frame"])
        else:
            assert stack.pop() == event["frame"]
    assert not stack and last <= profile["endValue"]
PYTHON

# Launches: the stack of the call, in text, as a table, folded, and beside addresses.
compile_cuda stacks -O2 -fPIC -shared -fno-omit-frame-pointer
cat >launch.py <<'PYTHON'
import ctypes, sys
prof = ctypes.PyDLL(None)
work = ctypes.CDLL("./stacks")

def forward():
    work.outer()

def step():
    forward()

assert prof.prof_python_calls(1) == 0
for _ in range(4):
    step()
PYTHON
for stacks in off launch; do
    rm -f run*.prof
    PROF_STACKS=$stacks PROF_STACK_METHOD=frames simulate run.prof timeout 600 "$python" launch.py >out.txt 2>&1 ||
        fail "launch: $(cat out.txt)"
    "$PROF_BIN/profdump" check run.prof >check.txt || fail "launch: $(cat check.txt)"
    "$PROF_BIN/profdump" stacks --folded run.prof >folded.txt
    grep -Eq '^<module>;step;forward(;.*)? [0-9]+$' folded.txt || fail "folded: $(cat folded.txt)"
    for metric in self_cpu self_cuda; do
        "$PROF_BIN/profdump" -o - --to folded --metric $metric run.prof >ranges.txt
        "$PROF_BIN/profdump" -o - --to folded --stacks --metric $metric run.prof >functions.txt
        same "sum of $metric" "$(awk '{ sum += $NF } END { print sum }' ranges.txt)" \
            "$(awk '{ sum += $NF } END { print sum }' functions.txt)"
    done
    grep -Eq '^<module>;step;forward;([^;]*;)*work\(float\*,_int\) [0-9]+$' functions.txt || fail "no kernel: $(cat functions.txt)"
    "$PROF_BIN/profdump" stacks run.prof | found "    forward  at .*launch.py:5" || fail "stacks: no forward"
    [[ $stacks == launch ]] || "$PROF_BIN/profdump" --group-by stack run.prof | found "forward (launch.py:5) < step (launch.py:8) < <module>" ||
        fail "no group"
done
grep -Eq 'forward;.*outer;' folded.txt || fail "no C function inside of Python's: $(cat folded.txt)"

# What cannot be, is said and harms nothing.
rm -f run.prof
record run.prof "$python" - >out.txt 2>&1 <<'PYTHON' || fail "refusals: $(cat out.txt)"
import ctypes, cProfile, sys
prof, without_gil = ctypes.PyDLL(None), ctypes.CDLL(None)
assert without_gil.prof_python_calls(1) == 2     # no GIL
assert prof.prof_python_calls(7) == 2
profile = cProfile.Profile()
profile.enable()
assert prof.prof_python_calls(1) == (0 if sys.version_info >= (3, 12) else 7)
profile.disable()
assert prof.prof_python_calls(0) == 0
assert prof.prof_python_calls(1) == 0 == prof.prof_python_calls(1)
profile.enable()                                 # takes it from us, before 3.12
sum([len("a")])
profile.disable()
assert prof.prof_python_calls(0) == 0
assert sys.getprofile() is None
sys.setprofile(print)
assert prof.prof_python_calls(0) == 0 and sys.getprofile() is print
sys.setprofile(None)
PYTHON

# In a window of time, the functions that were open are there, cut: the stack of what happens in it.
cat >window.py <<'PYTHON'
import ctypes

lib = ctypes.PyDLL(None)

def inner():
    lib.prof_range_push(b"in"), lib.prof_range_pop()

def outer():
    lib.prof_range_push(b"out")
    inner(), inner()
    lib.prof_range_pop()

lib.prof_python_calls(1)
for _ in range(4):
    lib.prof_step()
    outer()
PYTHON
rm -f run.prof
record run.prof "$python" window.py >out.txt 2>&1 || fail "window: $(cat out.txt)"
"$PROF_BIN/profdump" check --window step:1-2 run.prof >check.txt || fail "window: $(cat check.txt)"
"$PROF_BIN/profdump" --chrome window.json --window step:1-2 run.prof
"$python" - <<'PYTHON' || fail "the functions of a window"
import json
events = json.load(open("window.json"))["traceEvents"]
frames = [event for event in events if event.get("cat") == "python_function"]
of = {event["args"]["Python id"]: event["name"].split(": ")[1] for event in frames}
around = [(of[event["args"]["Python id"]], of.get(event["args"]["Python parent id"])) for event in frames]
steps = [event for event in events if event["name"].startswith("ProfilerStep#") and event["cat"] == "user_annotation"]
assert [event["name"] for event in steps] == ["ProfilerStep#1", "ProfilerStep#2"], steps
assert around.count(("<module>", None)) == 1 and around.count(("outer", "<module>")) == 2, around
assert around.count(("inner", "outer")) == 4, around
assert min(event["ts"] for event in frames) >= steps[0]["ts"] - 0.001, "cut"
PYTHON

"""Every output of profdump opens in its reader, whatever the trace: readers_bad_input.py PROFDUMP [NAMES]

Traces: hostile names everywhere, NAMES ranges and kernels with names of their own (5,000), no event, one event, events
without a duration, before the beginning, a year apart. Each output has all events. Readers that are programs are used where
the environment names them: PPROF, SPEEDSCOPE (dist/release of its package), PROMTOOL, TRACE_PROCESSOR, CHROMIUM, with it
CATAPULT and COMPONENTS (see viewer_page.py); Arrow and TensorBoard's plugin where Python finds them.
"""
import collections
import json
import os
import re
import sqlite3
import subprocess
import sys
import xml.etree.ElementTree
from pathlib import Path

HERE = Path(__file__).resolve().parent
YEAR_US = 365 * 86400 * 10**6
HOSTILE = [
    "", " ", "plain", "quote\" back\\slash 'single' `reboot` $(reboot)", "</script><script>document.title='run'</script><!-- ]]>",
    "".join(map(chr, range(32))) + "\x7f", "\x1b[31mred\x1b]0;title\x07", "\u009b31m \u0085", "nul\\u0000 escape",
    "\u202egnp.exe\u202c \u2066isolate\ufeff", "line\u2028paragraph\u2029", "=cmd|' /C calc'!A0", "a;b c|d\ttab\nnewline\r\n",
    "{label=\"x\"} # HELP", "%s%n", "\U0001f600 \u4e2d\u6587", "&amp;<b>&#0;", "x" * 65536, "\u20ac" * 21846, "-" * 65536 + "\"",
]
INVALID = b"\xff\xfe\x80 \xc0\x80 \xe2\x82"  # as bytes of the file: JSON's other escapes cannot say it


def event(category, name, start, duration, pid=5000, tid=5000, **args):
    return {"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": start, "dur": duration, "args": args}


def launch(i, range_name, kernel, start, duration=12, kernel_duration=9):
    """A range, the call within it and its kernel."""
    inner = max(duration - 4, 0)
    return [event("user_annotation", range_name, start, duration, key=kernel),
            event("cuda_runtime", "cudaLaunchKernel", start + (2 if duration else 0), inner, correlation=i + 1),
            event("kernel", kernel, start + 20, kernel_duration, 0, 7, correlation=i + 1, device=0, context=1, stream=7,
                  grid=[1, 1, 1], block=[32, 1, 1])]


def hostile():
    events = [item for i, name in enumerate(HOSTILE) for item in launch(i, name, name, 50 * i)]
    for i, name in enumerate(HOSTILE):
        events.append({"ph": "C", "name": name, "pid": 5000, "tid": 5000, "ts": 50 * i, "args": {"value": i}})
        events.append({"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": name, "pid": 5000, "tid": 5000, "ts": 50 * i,
                       "args": {name or "empty": name}})
    for kind, pid, tid in (("process_name", 5000, 0), ("thread_name", 5000, 5000), ("thread_name", 0, 7)):
        events.append({"ph": "M", "name": kind, "pid": pid, "tid": tid, "ts": 0, "args": {"name": HOSTILE[4] + HOSTILE[3]}})
    return events


def traces(names):
    def many(count, **times):
        return [item for i in range(count) for item in launch(i, f"range {i}", f"kernel {i}", 50 * i, **times)]
    yield "hostile", hostile(), len(HOSTILE)
    yield "names", many(names), names
    yield "none", [], 0
    yield "one", [event("user_annotation", "alone", 5, 1)], 1
    yield "no duration", many(50, duration=0, kernel_duration=0), 50
    yield "negative", [item for i in range(50) for item in launch(i, "early", "k", 50 * i - 100000)], 50
    yield "year", launch(0, "first", "k", 0) + launch(1, "last", "k", YEAR_US) + launch(2, "long", "k", YEAR_US + 100, YEAR_US), 3


def write(path, events, is_hostile):
    text = json.dumps({"traceEvents": events}).encode()
    if is_hostile:  # once as a name
        text = text.replace(b'"plain"', b'"' + INVALID + b'"')
    path.write_bytes(text)


class Broken(Exception):
    pass


def run(*command):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        said = (done.stderr or done.stdout).decode(errors="replace")
        raise Broken(f"{Path(str(command[0])).name}: status {done.returncode}: {said[-600:]}")
    return done.stdout.decode("utf-8", "replace")


def expect(what, wanted, got):
    if wanted != got:
        raise Broken(f"{what}: wanted {wanted}, got {got}")


def without_nan(constant):
    raise ValueError(f"{constant} is not JSON")


# ---- readers: of a file, with what the trace has of ranges and of kernels ----

def read_chrome(path, ranges, kernels):
    events = json.loads(path.read_bytes().decode("utf-8", "strict"), parse_constant=without_nan)["traceEvents"]
    kinds = collections.Counter(item.get("cat") for item in events if item["ph"] == "X")
    expect("ranges", ranges, kinds["user_annotation"])
    expect("kernels", kernels, kinds["kernel"])
    if any(item["ts"] < 0 or item.get("dur", 0) < 0 for item in events if item["ph"] == "X"):
        raise Broken("times before the beginning")
    if os.environ.get("CATAPULT") and ranges < 1000:
        read_catapult(path, kinds)


def read_catapult(path, kinds):
    """chrome://tracing's importer."""
    page = path.with_suffix(".page.html")
    page.write_text(run(sys.executable, HERE / "viewer_page.py", os.environ["CATAPULT"], os.environ["COMPONENTS"], path), encoding="utf-8")
    said = re.search(r"RESULT (\{.*\})", browse(page, 20000))
    found = json.loads(said[1]) if said else {"error": "the page says nothing"}
    if "error" in found or found["warnings"] or found["astray"]:
        raise Broken(f"catapult: {json.dumps(found)[:800]}")
    expect("slices of catapult", dict(kinds), {kind: found["slices"].get(kind) for kind in kinds})


def browse(page, milliseconds):
    """The page as its scripts leave it."""
    return run("timeout", "100", os.environ["CHROMIUM"], "--headless", "--no-sandbox", "--disable-gpu",
               f"--user-data-dir={page.parent}/browser", f"--virtual-time-budget={milliseconds}", "--dump-dom", f"file://{page}")


def read_tensorboard(path, ranges, kernels):
    events = json.loads(path.read_bytes().decode("utf-8", "strict"), parse_constant=without_nan)["traceEvents"]
    expect("operators", ranges, sum(item.get("cat") == "cpu_op" for item in events))
    try:
        from torch_tb_profiler.profiler.data import RunProfileData
        from torch_tb_profiler.profiler.run_generator import RunGenerator
    except ImportError:
        return
    if not kernels:
        return  # the plugin divides by the duration of all steps
    data = RunProfileData.parse("worker", None, str(path), ".")
    RunGenerator("worker", None, data).generate_run_profile()
    expect("operators of the plugin", ranges, sum(row.calls for row in data.op_list_groupby_name or []))


def read_perfetto(path, ranges, kernels):
    said = run(sys.executable, HERE.parent / "formats/check_perfetto.py", path)
    events = json.loads(path.with_name("out.json").read_bytes())["traceEvents"]  # ranges on streams are in both
    projected = sum(item.get("cat") == "gpu_user_annotation" for item in events)
    expect("slices", ranges + kernels + kernels + projected, int(said.split()[0]))
    program = os.environ.get("TRACE_PROCESSOR")
    if program:
        query = path.with_suffix(".sql")
        query.write_text("SELECT (SELECT coalesce(sum(value), 0) FROM stats WHERE severity IN ('error', 'data_loss')) || ' ' || "
                         "(SELECT count(*) FROM gpu_slice) AS found;\n")
        expect("errors and operations", f'"0 {kernels}"', run(program, "-q", query, path).strip().split("\n")[-1])


def read_pprof(path, ranges, kernels):
    said = run(sys.executable, HERE.parent / "formats/check_pprof.py", path)
    expect("calls", ranges + kernels + kernels, sum(int(count) for count in re.findall(r"(?m)^cpu=-?\d+ device=\d+ calls=(\d+) ", said)))
    if os.environ.get("PPROF"):
        run(os.environ["PPROF"], "-top", "-nodecount=0", "-sample_index=calls", path)


def read_speedscope(path, ranges, kernels):
    json.loads(path.read_bytes().decode("utf-8", "strict"))
    release = os.environ.get("SPEEDSCOPE")
    if release:
        profiles = json.loads(run("node", HERE / "speedscope_app.js", release, path))
        expect("profiles", (ranges > 0) + (kernels > 0) or 1, len(profiles))


def read_sqlite(path, ranges, kernels):
    database = sqlite3.connect(path)
    database.text_factory = lambda text: text.decode("utf-8", "strict")
    expect("integrity", [("ok",)], database.execute("PRAGMA integrity_check").fetchall())
    tables = {name for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    for table in tables:
        database.execute(f'SELECT * FROM "{table}"').fetchall()  # every text is UTF-8
    if kernels:
        expect("kernels", [(kernels,)], database.execute("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL").fetchall())
        expect("ranges", [(ranges,)], database.execute("SELECT count(*) FROM NVTX_EVENTS WHERE eventType = 59").fetchall())


def arrow_kinds(path):
    """None: there is no pyarrow."""
    try:
        import pyarrow.feather
    except ImportError:
        return None
    table = pyarrow.feather.read_table(path)
    table.validate(full=True)
    return collections.Counter(table.column("kind").to_pylist())


def read_arrow(path, ranges, kernels):
    kinds = arrow_kinds(path)
    expect("ranges", ranges, ranges if kinds is None else kinds["range"])


def read_arrow_kernels(path, ranges, kernels):
    kinds = arrow_kinds(path)
    expect("kernels", kernels, kernels if kinds is None else kinds["kernel"])


def read_svg(path, ranges, kernels):
    xml.etree.ElementTree.parse(path)


def read_html(path, ranges, kernels):
    path.read_bytes().decode("utf-8", "strict")
    if os.environ.get("CHROMIUM"):
        dom = browse(path, 5000)
        if "<title>run</title>" in dom or "id=\"timeline" not in dom and ranges:
            raise Broken("a name runs as a script, or nothing is drawn")


def read_prometheus(path, ranges, kernels):
    run(sys.executable, HERE.parent / "formats/check_prometheus.py", path)
    if os.environ.get("PROMTOOL"):
        with open(path, "rb") as file:
            done = subprocess.run([os.environ["PROMTOOL"], "check", "metrics"], stdin=file, capture_output=True, check=False)
        expect("promtool", (0, b""), (done.returncode, done.stdout + done.stderr))


def read_folded(path, ranges, kernels):
    for line in path.read_bytes().decode("utf-8", "strict").split("\n")[:-1]:
        if not re.fullmatch(r"[^ ]+ \d+", line):
            raise Broken(f"not a stack and a number: {line[:100]!r}")


def read_json(path, ranges, kernels):
    rows = json.loads(path.read_bytes().decode("utf-8", "strict"), parse_constant=without_nan)["key_averages"]
    counts = collections.Counter()
    for row in rows:
        counts[row["kind"]] += row["count"]
    expect("ranges and kernels", (ranges, kernels), (counts["range"], counts["kernel"]))


READERS = {
    "out.json": (read_chrome, ["--window", "0us.."]), "out.pt.trace.json": (read_tensorboard, ["--to", "tensorboard"]),
    "out.pftrace": (read_perfetto, []), "out.pb.gz": (read_pprof, []), "out.speedscope.json": (read_speedscope, []),
    "out.sqlite": (read_sqlite, []), "out.arrow": (read_arrow, []),
    "kernels.arrow": (read_arrow_kernels, ["--arrow-table", "kernels"]), "out.svg": (read_svg, []), "out.html": (read_html, []),
    "out.prom": (read_prometheus, []), "out.folded": (read_folded, []),
}


def main(profdump, names="5000"):
    wrong = 0
    for name, events, ranges in traces(int(names)):
        folder = Path(name.replace(" ", "_")).resolve()
        folder.mkdir()
        trace = folder / "trace.json"
        write(trace, events, name == "hostile")
        kernels = sum(item.get("cat") == "kernel" for item in events)
        for output, (read, options) in READERS.items():
            try:
                run(profdump, *options, "-o", folder / output, trace)
                read(folder / output, ranges, kernels)
            except (Broken, ValueError, KeyError, IndexError, sqlite3.Error, xml.etree.ElementTree.ParseError) as problem:
                wrong += 1
                print(f"FAILED: {name}: {output}: {type(problem).__name__}: {str(problem)[:1000]}")
        (folder / "facts.json").write_text(run(profdump, "--json", trace))
        read_json(folder / "facts.json", ranges, kernels)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

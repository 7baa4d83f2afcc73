"""options.py PROFDUMP: every option with every command, by the declarations that `profdump --list-options` prints.

Run in a directory with the traces of make_traces. An option of the command is accepted; another one is refused with
exit status 2 and a sentence that names its command, and writes nothing. Help fits, and typing errors get a suggestion.
"""

import collections
import os
import re
import subprocess
import sys

PROFDUMP = sys.argv[1]
Option = collections.namedtuple("Option", "command name argument state values help")

VALUES = {  # what an argument may be where the declaration does not tell
    "--rows": "3", "-n": "3", "--top": "3", "-f": "csv", "--filter": "a", "--depth": "2", "--header": "x", "--time-unit": "ms", "--name-width": "20", "--table-width": "100",
    "-o": "out.html", "--output": "out.html", "--window": "0..1s", "--source-time-scale": "ns",
    "--perf-map": "/tmp", "--width": "400", "--device-rates": "/dev/null", "--type": "float16", "--sort": "name", "--sort-by": "name", "--row-limit": "3",
    "--name-limit": "9", "--names": "a,b", "--sequences": "x", "--kernel-wait": "5", "--queue-full": "5",
    "--limits": "/dev/null", "--baseline": "base", "--baselines": "baselines", "--confidence": "95", "--resamples": "100", "--fail-if-slower": "5%",
    "--interval": "5s", "--range": "x", "--against": "y", "--max-relative-error": "2", "--block": "x", "--event": "x", "--total-of": "x", "--etrecord": "maps", "--compare": "run.etdp",
    "--debug-buffer": "run.bin", "--label": "job=a", "--metadata": "more.json",
}  # fmt: skip
ALSO = {  # what an option needs beside it
    "--to": ["-o", "out"], "--width": ["-o", "out.svg"], "--arrow-table": ["-o", "out.arrow"], "--label": ["-o", "out.prom"], "--html-full": ["-o", "out.html"],
    "--metadata": ["-o", "out.json"], "--baseline": ["--baselines", "baselines"],
    "--metric": ["-o", "out.folded"], "--depth": ["--tree"], "--stacks": ["-o", "out.folded"],
}  # fmt: skip
INPUTS = {
    "diff": ["base.prof", "slow.prof"], "query": ["SELECT 1", "demo.prof"], "export": ["demo.prof"],
    "pytorch roofline": ["a.json"], "pytorch diff": ["a.json", "a.json"], "pytorch augment": ["a.json", "out.json"],
    "pytorch combine": ["a.json", "a.json", "out.json"], "executorch blocks": ["run.etdp"],
}  # fmt: skip
REFUSALS = ("belongs to", "not an option of", "writes no other formats")

failures = 0


def check(good, *words):
    global failures
    if not good:
        failures += 1
        print("FAILED:", *words)


def run(*words):
    done = subprocess.run([PROFDUMP, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    return done.returncode, done.stdout, done.stderr


def words_of(option):
    """The option with a value."""
    if option.argument == "-":
        return [option.name]
    if option.name == "--to":
        return ["--to", "html"]
    value = VALUES.get(option.name) or (option.values.split()[0] if option.values != "-" else "out.json")
    return [option.name, value]


def accept(command, option):
    words = command.split() if command != "-" else []
    inputs = INPUTS.get(command, ["demo.prof"]) if option.name != "--baseline" else ["slow.prof"]
    also = list(ALSO.get(option.name, []))
    if command == "check" and option.name in ("--format", "-f", "--csv", "--json"):
        also = ["--ledger"]
    if command == "bench":
        also += ["--range", "x"] if option.name != "--range" else []
        also += ["--against", "y"] if option.name == "--fail-if-slower" else []
    if command == "export" and option.name not in ("-o", "--output", "--chrome", *OUTPUTS) and not also:
        also = ["-o", "out.html"]
    given = [option.name, "out.svg"] if command == "stacks" and option.name in ("-o", "--output") else words_of(option)
    if command == "stacks" and option.name == "--sort":
        given = ["--functions", "--sort", "total"]
    status, _, said = run(*words, *given, *also, *inputs)
    refused = any(words in said for words in REFUSALS)
    check(status in (0, 1, 3, 4, 5) and not refused, command, option.name, "is accepted:", status, said)


def refuse(command, option):
    before = sorted(os.listdir("."))
    words = command.split() if command != "-" else []
    status, shown, said = run(*words, *words_of(option), "no_such_file.prof", "other.prof")
    check(status == 2 and not shown and any(words in said for words in REFUSALS), command, option.name, "is refused:", status, said)
    check(said.splitlines()[-1].startswith("Try 'profdump "), command, option.name, "says where help is:", said)
    check(sorted(os.listdir(".")) == before, command, option.name, "writes nothing")


def suggest(command, option):
    typed = option.name[:4] + option.name[3:]
    status, _, said = run(*(command.split() if command != "-" else []), typed, "no_such_file.prof")
    check(status == 2 and f"did you mean {option.name}?" in said, command, typed, "is", option.name, said)


def look_at_help(command):
    for flag in ("--help", "-h"):
        status, shown, _ = run(*(command.split() if command != "-" else []), flag)
        lines = shown.splitlines()
        check(status == 0 and shown.startswith("Usage: profdump"), command, flag)
        check(len(lines) <= (53 if command == "-" else 60), command, "has a help of", len(lines), "lines")
        for line in lines:
            check(len(line) <= 80, command, "has a line of", len(line), line)
    for option in OPTIONS[command]:
        shows = any(re.match(rf" +(-., )?{option.name}( |$)", line) for line in lines)
        if command != "-" and len(option.name) > 2:
            check(shows == (option.state == "shown"), command, option.name, option.state)


lines = [line.split("\t") for line in run("--list-options")[1].splitlines()]
OPTIONS = {line[1]: [] for line in lines if line[0] == "command"}
for line in lines:
    if line[0] == "option":
        if line[2] not in (option.name for option in OPTIONS[line[1]]):  # the first is the one that is parsed
            OPTIONS[line[1]].append(Option(*line[1:]))
VALUES["--rule"] = run("explain", "--rules", "--format", "tsv")[1].splitlines()[1].split("\t")[0]
OUTPUTS = [option.name for option in OPTIONS["export"] if option.argument == "OUT"]
EVERY = {option.name: option for options in OPTIONS.values() for option in options}
OF_PYTHON = ("pack", "fleet", "snapshot", "origins", "mcp")  # what follows these goes to the Python package
SKIPPED = ("-h", "--help", "-V", "--version")

for command, options in OPTIONS.items():
    own = {option.name: option for option in options}
    look_at_help(command)
    if command in OF_PYTHON:
        continue
    for name, option in EVERY.items():
        if name in own:
            check((own[name].argument == "-") == (option.argument == "-"), command, name, "takes a value here only")
        if name in SKIPPED or command in ("executorch", "pytorch", "ctl", "baseline") and name in own:
            continue
        if name in own:
            accept(command, own[name])
        elif command not in ("executorch", "pytorch"):
            refuse(command, option)
    for option in options:
        if option.state == "shown" and len(option.name) > 5 and command not in ("executorch", "pytorch"):
            suggest(command, option)

check(run("help")[1] == run("--help")[1] != "", "help")
check(run("help", "diff")[1] == run("diff", "--help")[1] != "", "help diff")
check(run("help", "pytorch", "diff")[1] == run("pytorch", "diff", "-h")[1] != "", "help pytorch diff")
for word, meant in (("expalin", "explain"), ("chekc", "check"), ("dif", "diff"), ("rooflin", "roofline"), ("qurey", "query")):
    check(f"did you mean '{meant}'?" in run(word)[2], word, meant)
    check(run(word)[0] == 2, word)
check("did you mean 'blocks'?" in run("executorch", "blcks")[2], "blcks")
for words in (["executorch"], ["pytorch"], ["ctl"], ["ctl", "start"], ["export", "demo.prof"], ["-o", "-", "demo.prof"], ["-o", "x.xyz", "demo.prof"],
              ["-o", "a.json", "-o", "b.json", "demo.prof"], ["--to", "html", "demo.prof"], ["-o", "a.json", "--width", "400", "demo.prof"],
              ["-o", "a.json", "--sort", "count", "demo.prof"], ["--fail-if-slower", "1%", "a", "b"], ["diff", "-o", "a.json", "base.prof", "slow.prof"],
              ["--rows"], ["--tree=yes", "demo.prof"], ["--sort", "bogus", "--version"], ["diff", "--fail", "5%", "base.prof", "slow.prof"], ["--depth", "2", "demo.prof"],
              ["diff", "--fail-on", "step", "base.prof", "slow.prof"], ["help", "expalin"]):  # fmt: skip
    before = sorted(os.listdir("."))
    status, shown, said = run(*words)
    check(status == 2 and not shown and said.startswith("profdump: "), "wrong usage:", words, status, said)
    check(sorted(os.listdir(".")) == before, words, "writes nothing")

print(f"{len(OPTIONS)} commands, {len(EVERY)} options, {failures} failed")
sys.exit(failures != 0)

"""run.py: whether real programs notice that libprof.so is preloaded into them.

Runs guests (NAME.sh beside this file) bare and in each mode, and compares output, exit status, files made and
processes left behind with what the bare runs showed. Everything runs below one temporary directory, on loopback, and
is killed at the guest's limit.

    run.py --build BUILD_DIRECTORY [--set quick] [--modes idle,control] [--table docs/guests.md] [GUEST...]
    run.py --build BUILD_DIRECTORY --show GUEST...
    run.py --list packages|names [--set quick]

Exits with 0: all same, 1: something differs, 77: nothing could be run.
"""
import argparse
import ctypes
import difflib
import glob
import hashlib
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
MODES = {
    "idle": {},
    "recording": {"poke": True},
    "stacks": {"poke": True, "PROF_STACKS": "range"},
    "control": {"PROF_CONTROL": "1"},
    # a dump is expected, and so is the line that names it
    "hang": {"poke": True, "PROF_HANG": "300ms", "PROF_LOG": "0"},
    "sample": {"poke": True, "PROF_SAMPLE": "99"},
}
TRACES_CHECKED = 24  # of each run; a build makes hundreds
LEFT_BEHIND_S = 20  # how long processes may outlive their guest


class Guest:
    """What the comments at the top of NAME.sh say."""

    def __init__(self, path):
        self.name = os.path.basename(path)[:-3]
        self.path = path
        self.fields = {"packages": "", "commands": "", "set": "", "limit": "300", "ignore": "", "needs": "",
                       "differs": "", "why": "", "variants": "", "refused": ""}
        self.title = None
        with open(path, encoding="utf-8") as file:
            for line in file:
                if not line.startswith("#"):
                    break
                text = line[1:].strip()
                field = re.match(r"(\w+): (.*)", text)
                if self.title is None:
                    self.title = text
                elif field and field.group(1) in self.fields:
                    self.fields[field.group(1)] = field.group(2)

    def missing(self):
        """Why it cannot run here, or None."""
        for command in self.fields["commands"].split():
            if not shutil.which(command, path=PATH):
                return f"no {command} here (Debian: {self.fields['packages']})"
        if "root" in self.fields["needs"].split() and os.geteuid() != 0:
            return "needs root"
        return None


PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Run:
    """One run of a guest's function, and what came of it."""

    def __init__(self, guest, directory, environment, function, call=os.path.join(HERE, "call.bash"),
                 finish=lambda: None):
        self.trouble = []
        out, err = os.path.join(directory, "stdout"), os.path.join(directory, "stderr")
        begin = time.monotonic()
        with open(out, "wb") as stdout, open(err, "wb") as stderr:
            # environment only from here on: bash itself is the first guest
            process = subprocess.Popen(
                ["bash", call, guest.path, function],
                cwd=os.path.join(directory, "tree"), env=environment, stdin=subprocess.DEVNULL, stdout=stdout,
                stderr=stderr, start_new_session=True)
            try:
                self.status = process.wait(int(guest.fields["limit"]))
            except subprocess.TimeoutExpired:
                self.status = "hangs"
        self.seconds = time.monotonic() - begin
        finish()
        left = end_descendants(0 if self.status == "hangs" else LEFT_BEHIND_S)
        if left and self.status != "hangs":
            self.trouble.append(f"left processes behind: {' '.join(sorted(left))}")
        with open(out, errors="replace", encoding="utf-8") as stdout, open(err, errors="replace", encoding="utf-8") as stderr:
            self.stdout, self.stderr = without_pids(stdout.read()), without_pids(stderr.read())
        self.files = None

    def text(self):
        """All that is compared, as lines."""
        return ([f"status {self.status}"] + self.trouble + ["out " + line for line in self.stdout.splitlines()] +
                ["err " + line for line in self.stderr.splitlines()] + self.files)


def without_pids(text):
    """Drops the process's number from what bash says when one was killed."""
    return re.sub(r"(?m)^(\S+: line \d+:) +\d+ ", r"\1 PID ", text)


def end_descendants(patience_s):
    """Waits for all descendants of this process, kills those that stay, and returns their names."""
    deadline = time.monotonic() + patience_s
    left = set()
    while True:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return left
        if time.monotonic() > deadline:
            for pid, name in children():
                left.add(name)
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        time.sleep(0.01)


def children():
    """The children of this process, which adopts the orphans among its descendants."""
    found = []
    for entry in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(entry, encoding="utf-8", errors="replace") as file:
                text = file.read()
        except OSError:
            continue
        name, fields = text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 2:].split()
        if int(fields[1]) == os.getpid():
            found.append((int(text.split()[0]), name))
    return found


def files_below(directory, ignored):
    """One line per file: kind, mode, path and what is in it."""
    lines = []
    for base, folders, files in os.walk(directory):
        for name in folders + files:
            path = os.path.join(base, name)
            shown = os.path.relpath(path, directory)
            if any(re.fullmatch(pattern, shown) for pattern in ignored):
                continue
            kind = os.lstat(path)
            content = ""
            if stat.S_ISLNK(kind.st_mode):
                content = "-> " + os.readlink(path)
            elif stat.S_ISREG(kind.st_mode):
                with open(path, "rb") as file:
                    content = f"{kind.st_size} bytes " + hashlib.sha256(file.read()).hexdigest()[:12]
            lines.append(f"file {stat.filemode(kind.st_mode)} {shown} {content}")
    return sorted(lines)


class Runner:
    def __init__(self, build, directory):
        # Users other than this one run some of the guests, and must reach the libraries.
        self.directory = directory
        os.chmod(directory, 0o755)
        self.library = shutil.copy(os.path.join(build, "lib", "libprof.so"), directory)
        self.poker = shutil.copy(os.path.join(build, "test", "libguest_poker.so"), directory)
        os.chmod(self.library, 0o755)
        os.chmod(self.poker, 0o755)
        self.profdump = os.path.join(build, "bin", "profdump")

    def environment(self, base, settings):
        environment = {"PATH": PATH, "LC_ALL": "C.UTF-8", "TZ": "UTC", "HOME": f"{base}/home", "TMPDIR": f"{base}/tmp",
                       "XDG_RUNTIME_DIR": f"{base}/run", "GUEST_DATA": f"{base}/data"}
        if settings is not None:
            # the poker first, so that its constructor runs after the library's
            preloaded = ([self.poker] if "poke" in settings else []) + [self.library]
            environment.update(LD_PRELOAD=":".join(preloaded), PROF_OUTPUT=f"{base}/traces/%e-%p.prof", PROF_TABLE="0")
            environment.update({name: value for name, value in settings.items() if name != "poke"})
        return environment

    def run(self, guest, settings):
        """One run, in a directory that has the same name every time."""
        base = os.path.join(self.directory, guest.name)
        shutil.rmtree(base, ignore_errors=True)
        for folder, mode in (("tree", 0o777), ("home", 0o777), ("tmp", 0o1777), ("run", 0o700), ("traces", 0o1777),
                             ("data", 0o777)):
            os.makedirs(f"{base}/{folder}")
            os.chmod(f"{base}/{folder}", mode)
        bare = self.environment(base, None)
        prepared = Run(guest, base, bare, "prepare")
        if prepared.status != 0:
            sys.exit(f"{guest.name}: prepare failed with {prepared.status}: {prepared.stdout}{prepared.stderr}")
        result = Run(guest, base, self.environment(base, settings), "workload")
        result.files = files_below(f"{base}/tree", guest.fields["ignore"].split())
        if settings is not None:
            result.trouble += self.wrong_traces(f"{base}/traces", "poke" in settings)
        return result

    def wrong_traces(self, folder, wanted):
        """What is wrong with the traces: their being there, or what profdump check finds."""
        traces = sorted(path for path in glob.glob(f"{folder}/*") if not path.endswith(".hang.txt"))
        if bool(traces) != wanted:
            return ["no trace was written" if wanted else f"wrote traces: {os.path.basename(traces[0])}"]
        trouble = []
        for path in traces[::len(traces) // TRACES_CHECKED + 1]:
            check = subprocess.run([self.profdump, "check", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   stdin=subprocess.DEVNULL, text=True, timeout=300, check=False)
            if check.returncode != 0:
                trouble.append(f"profdump check {os.path.basename(path)}: {check.stdout.strip()[:300]}")
        return trouble

    def version(self, guest):
        base = os.path.join(self.directory, guest.name)
        os.makedirs(f"{base}/tree", exist_ok=True)
        return Run(guest, base, self.environment(base, None), "version").stdout.strip().splitlines()[:1]


class Result:
    """Of one guest: what came of each mode."""

    def __init__(self, guest):
        self.guest = guest
        self.version = ""
        self.skipped = guest.missing()
        self.ran = {}  # by mode: runs that differ, runs, time relative to the bare run
        self.differences = {}  # by mode, if one differs: the lines
        self.bare_s = 0.0

    def is_known(self, mode):
        return mode in self.guest.fields["differs"].split()

    def surprises(self):
        return [mode for mode in self.differences if not self.is_known(mode)]

    def verdict(self, mode):
        different, runs, ratio = self.ran[mode]
        known = "as known, " if self.is_known(mode) else ""
        return (f"differs ({known}{different} of {runs})" if different else "same") + f", {ratio:.2f}"

    def cell(self, mode):
        word = "" if mode not in self.differences else "known " if self.is_known(mode) else "**differs** "
        return word + f"{self.ran[mode][2]:.2f}"


def compare(runner, guest, modes):
    result = Result(guest)
    if result.skipped:
        return result
    result.version = " ".join(runner.version(guest))
    bare = [runner.run(guest, None)]
    for mode in modes:
        ran = [runner.run(guest, MODES[mode])]
        if ran[0].text() not in [run.text() for run in bare]:
            # Chance, or a difference? As many runs again as it takes to know a little.
            bare += [runner.run(guest, None) for _ in range(2 if len(bare) < 2 else 0)]
            ran += [runner.run(guest, MODES[mode]) for _ in range(2)]
        different = [run for run in ran if run.text() not in [other.text() for other in bare]]
        result.bare_s = min(run.seconds for run in bare)
        result.ran[mode] = len(different), len(ran), min(run.seconds for run in ran) / max(result.bare_s, 0.001)
        if different:
            result.differences[mode] = difference(bare[0], different[0])
        print(f"{guest.name}: {mode}: {result.verdict(mode)}", flush=True)
        for line in result.differences.get(mode, []):
            print("    " + line, flush=True)
    return result


def difference(bare, other):
    """What the other run shows and the bare one does not, or the reverse."""
    changed = [line for line in difflib.unified_diff(bare.text(), other.text(), n=0, lineterm="")
               if not line.startswith(("---", "+++", "@@"))]
    cut = [line if len(line) <= 160 else line[:157] + "..." for line in changed[:12]]
    return cut + ([f"... and {len(changed) - 12} more lines"] if len(changed) > 12 else [])


TABLE_HEAD = """# Guests

What `./dev guests` found: whether real programs behave differently with libprof preloaded. Of each run, output, exit
status, files made and processes left behind are compared with those of runs without it, and the traces are checked
with `profdump check`. The modes:

- idle: preloaded into a program that records nothing
- recording: the process, its reads, writes and opened files are ranges
- stacks: the same with `PROF_STACKS=range`
- control: `PROF_CONTROL=1`, otherwise idle
- hang: recording, with `PROF_HANG=300ms`
- sample: recording, with `PROF_SAMPLE=99`

A number alone means that nothing differed. It is the wall time relative to the bare run: one run on a busy machine, so
an indication only. "known" stands before it if a difference is known and explained below, "differs" if it is not known.
Each program is one file in `tests/guests`; its README says how to add one.
"""


ATTACH_HEAD = "## profrun --attach\n"


def read_parts(path):
    """What this script writes of a page, and what attach.py does."""
    if not os.path.exists(path):
        return "", ""
    with open(path, encoding="utf-8") as file:
        own, head, attach = file.read().partition(ATTACH_HEAD)
    return own, head + attach


def write_table(path, results, modes, seconds):
    attach = read_parts(path)[1]
    with open(path, "w", encoding="utf-8") as file:
        file.write(TABLE_HEAD)
        file.write(f"\nLast run: {time.strftime('%Y-%m-%d', time.gmtime())}, {seconds / 60:.0f} minutes, Linux "
                   f"{os.uname().release.split('-')[0]}, {os.cpu_count()} CPUs.\n\n")
        file.write("| Guest | Bare | " + " | ".join(modes) + " |\n|---|---|" + "---|" * len(modes) + "\n")
        for result in results:
            cells = ["" if result.skipped else result.cell(mode) for mode in modes]
            bare = "skipped" if result.skipped else f"{result.bare_s:.1f} s"
            file.write(f"| {result.guest.name} | {bare} | " + " | ".join(cells) + " |\n")
        write_differences(file, results)
        file.write("\n## What they do\n\n")
        for result in results:
            title = result.guest.title.removeprefix(f"{result.guest.name}: ")
            file.write(f"- {result.guest.name}: {title} ({result.skipped or result.version})\n")
        if attach:
            file.write("\n" + attach)


def write_differences(file, results):
    for result in results:
        groups = {}  # modes with the same lines share a section
        for mode, lines in result.differences.items():
            groups.setdefault((result.is_known(mode), tuple(lines)), []).append(mode)
        for (known, lines), modes in groups.items():
            file.write(f"\n## {result.guest.name}: {', '.join(modes)}\n\n")
            if known:
                file.write(result.guest.fields["why"] + "\n\n")
            file.writelines(f"    {line}\n" for line in lines)


def chosen_guests(arguments):
    guests = [Guest(path) for path in sorted(glob.glob(os.path.join(HERE, "*.sh")))]
    unknown = set(arguments.guests) - {guest.name for guest in guests}
    if unknown:
        sys.exit(f"no guest is called {', '.join(sorted(unknown))}")
    return [guest for guest in guests if (not arguments.guests or guest.name in arguments.guests) and
            (not arguments.set or arguments.set in guest.fields["set"].split())]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build")
    parser.add_argument("--set")
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--table")
    parser.add_argument("--show", action="store_true", help="print what a bare run shows")
    parser.add_argument("--list", choices=("packages", "names"))
    parser.add_argument("guests", nargs="*", metavar="GUEST")
    return parser.parse_args()


def prepare_this_process():
    """Makes it what all guests expect of their parent."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    # A shell ignores them in what it starts in the background, and guests would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)


def main():
    arguments = parse_arguments()
    guests, modes = chosen_guests(arguments), arguments.modes.split(",")
    if arguments.list:
        words = [guest.fields["packages"] if arguments.list == "packages" else guest.name for guest in guests]
        print("\n".join(sorted(set(" ".join(words).split()))))
        return 0
    prepare_this_process()
    begin = time.monotonic()
    directory = tempfile.mkdtemp(prefix="guests.")
    try:
        runner = Runner(os.path.abspath(arguments.build), directory)
        results = []
        for guest in guests:
            if arguments.show:
                print("\n".join(runner.run(guest, None).text()), flush=True)
                continue
            results.append(compare(runner, guest, modes))
            if results[-1].skipped:
                print(f"{guest.name}: skipped: {results[-1].skipped}", flush=True)
            if arguments.table:  # after each, since the whole takes long
                write_table(arguments.table, results, modes, time.monotonic() - begin)
    finally:
        end_descendants(0)
        shutil.rmtree(directory, ignore_errors=True)
    if any(result.surprises() for result in results):
        return 1
    return 0 if arguments.show or any(not result.skipped for result in results) else 77


if __name__ == "__main__":
    sys.exit(main())

"""attach.py: whether real programs notice that profrun attaches to them while they work.

Runs the guests of attach/ (NAME.sh), each variant of one, in each mode, and compares what they answer and how they end
with a run that nobody attached to.

    attach.py --build BUILD_DIRECTORY [--modes attach,twice] [--attaches 50] [--table docs/guests.md] [GUEST...]
    attach.py --list packages

Exits with 0: all as expected, 1: not so, 77: nothing could be run.
"""
import argparse
import glob
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import run

HERE = os.path.join(run.HERE, "attach")
REFUSED = 126  # profrun's status; also for a process that has ended by itself
GONE = 127
KILLED = 123
WAIT_S = 120


class Target:
    """The process that a guest has told of."""

    def __init__(self, runner, data):
        self.runner, self.data = runner, data
        self.pid = None

    def await_it(self):
        deadline = time.monotonic() + WAIT_S
        while self.pid is None and time.monotonic() < deadline and not os.path.exists(f"{self.data}/over"):
            try:
                with open(f"{self.data}/target", encoding="utf-8") as file:
                    self.pid = int(file.read())
            except (OSError, ValueError):
                time.sleep(0.01)
        return self.pid is not None

    def begin_attach(self):
        self.runner.attached += 1
        return subprocess.Popen([self.runner.profrun, "--attach", str(self.pid), "--for", "20ms", "--no-table", "-o",
                                 f"{self.data}/attached-%p-{self.runner.attached}.prof"],
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def end_attach(self, process, allowed, sentence=""):
        """What is wrong with how it went, or nothing."""
        text = process.communicate(timeout=WAIT_S)[1].strip()
        ended = process.returncode == KILLED and "signal 15" in text  # by the guest
        if process.returncode not in allowed or sentence not in text or (process.returncode == KILLED and not ended):
            return [f"profrun: status {process.returncode}: {text.splitlines()[-1] if text else ''}"]
        return []

    def attach(self, allowed=(0,), sentence=""):
        return self.end_attach(self.begin_attach(), allowed, sentence)

    def signal(self, number):
        try:
            os.kill(self.pid, number)
        except ProcessLookupError:
            pass


def one_by_one(target, count):
    return [trouble for _ in range(count) for trouble in target.attach()]


def two_at_once(target, count):
    trouble = []
    for _ in range(count):
        both = [target.begin_attach(), target.begin_attach()]
        trouble += [line for process in both for line in target.end_attach(process, (0,))]
    return trouble


def while_it_ends(target, count):
    """The guest ends the target meanwhile."""
    trouble = []
    for i in range(count):
        if i == 1 + count // 10:
            open(f"{target.data}/over", "w", encoding="utf-8").close()
        trouble += target.attach((0, REFUSED, GONE, KILLED))
    return trouble


def while_it_stops(target, count):
    """SIGSTOP before, and at any moment."""
    target.signal(signal.SIGSTOP)
    time.sleep(0.05)
    trouble = target.attach((REFUSED,), "it is stopped")
    target.signal(signal.SIGCONT)
    chance = random.Random(1)
    for _ in range(count):
        process = target.begin_attach()
        for _ in range(3):
            time.sleep(chance.random() * 0.01)
            target.signal(signal.SIGSTOP)
            time.sleep(chance.random() * 0.01)
            target.signal(signal.SIGCONT)
        trouble += target.end_attach(process, (0, REFUSED))
    return trouble


def beside_strace(target, count):
    """strace traces all threads: profrun leaves them to it, and comes again afterwards."""
    trouble = []
    for _ in range(count):
        strace = subprocess.Popen(["strace", "-f", "-o", "/dev/null", "-p", str(target.pid)], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        strace.stderr.readline()  # it has attached
        trouble += target.attach((REFUSED,), "traces it already")
        strace.send_signal(signal.SIGINT)
        strace.communicate(timeout=WAIT_S)
        trouble += target.attach()
    return trouble


MODES = {"attach": (one_by_one, 1), "twice": (two_at_once, 0.2), "exit": (while_it_ends, 0.4), "stop": (while_it_stops, 0.4),
         "strace": (beside_strace, 0.1)}

HEAD = run.ATTACH_HEAD + """
What `./dev guests attach` found: whether programs notice that `profrun --attach` comes while they answer requests. In each
mode, what a program answers and how it ends are compared with a run that nobody attached to. Each program is one file in
`tests/guests/attach`.

- attach: one `profrun --attach PID --for 20ms` after the other
- twice: two at once
- exit: the program is ended meanwhile
- stop: SIGSTOP and SIGCONT come meanwhile; a stopped process is refused
- strace: strace traces the process, which is refused; then not any more

"""


class Runner(run.Runner):
    def __init__(self, build, directory):
        super().__init__(build, directory)
        self.profrun = os.path.join(build, "bin", "profrun")
        self.attached = 0

    def guest_run(self, guest, variant, mode, attaches):
        base = os.path.join(self.directory, guest.name)
        shutil.rmtree(base, ignore_errors=True)
        for folder, access in (("tree", 0o777), ("home", 0o777), ("tmp", 0o1777), ("run", 0o700), ("data", 0o777)):
            os.makedirs(f"{base}/{folder}")
            os.chmod(f"{base}/{folder}", access)
        environment = self.environment(base, None)
        environment.update(VARIANT=variant, PYENV=os.path.expanduser("~/.pyenv"))
        call = os.path.join(HERE, "call.bash")
        prepared = run.Run(guest, base, environment, "prepare", call)
        if prepared.status != 0:
            sys.exit(f"{guest.name}: prepare failed with {prepared.status}: {prepared.stdout}{prepared.stderr}")
        target, trouble = Target(self, f"{base}/data"), []

        def work():
            if mode and target.await_it():
                make_trouble, share = MODES[mode]
                count = max(1, round(attaches * share))
                try:
                    trouble.extend(target.attach((REFUSED,), guest.fields["refused"]) if guest.fields["refused"]
                                   else make_trouble(target, count))
                except subprocess.TimeoutExpired:
                    trouble.append("profrun does not end")
            open(f"{base}/data/over", "w", encoding="utf-8").close()

        worker = threading.Thread(target=work)
        worker.start()
        result = run.Run(guest, base, environment, "workload", call, worker.join)
        result.files = []
        result.trouble += sorted(set(trouble))
        return result

    def variant_facts(self, guest, variant):
        """Whether it is there, and its version."""
        base = os.path.join(self.directory, guest.name)
        os.makedirs(f"{base}/tree", exist_ok=True)
        environment = self.environment(base, None)
        environment.update(VARIANT=variant, PYENV=os.path.expanduser("~/.pyenv"))
        call = os.path.join(HERE, "call.bash")
        available = run.Run(guest, base, environment, "available", call).status == 0
        version = run.Run(guest, base, environment, "version", call).stdout.strip() if available else ""
        return available, version.partition("\n")[0]


def compare(runner, guest, variant, modes, attaches):
    """The row of a table, and differences by mode."""
    name = f"{guest.title}{', ' + variant if variant else ''}"
    missing = guest.missing()
    available, version = (False, "") if missing else runner.variant_facts(guest, variant)
    if not available:
        print(f"{name}: skipped: {missing or 'not here'}", flush=True)
        return [name, missing or "not here"] + [""] * len(modes), {}
    cells, differences = [], {}
    bare = runner.guest_run(guest, variant, None, attaches)
    for mode in modes:
        result = runner.guest_run(guest, variant, mode, attaches)
        count = max(1, round(attaches * MODES[mode][1]))
        same = result.text() == bare.text()
        cells.append((f"refused, {'same' if same else 'differs'}" if guest.fields["refused"] else
                      f"{'same' if same else 'differs'}, {count}"))
        if not same:
            differences[mode] = run.difference(bare, result)
        print(f"{name}: {mode}: {cells[-1]}", flush=True)
        for line in differences.get(mode, []):
            print("    " + line, flush=True)
    return [name, version] + cells, differences


def write_table(path, rows, differences, modes, seconds):
    own = run.read_parts(path)[0].rstrip("\n")
    with open(path, "w", encoding="utf-8") as file:
        file.write(own + "\n\n" + HEAD)
        file.write(f"Last run: {time.strftime('%Y-%m-%d', time.gmtime())}, {seconds / 60:.0f} minutes, Linux "
                   f"{os.uname().release.split('-')[0]}, {os.cpu_count()} CPUs. The number is how often.\n\n")
        file.write("| Program | Version | " + " | ".join(modes) + " |\n|---|---|" + "---|" * len(modes) + "\n")
        for row in rows:
            file.write("| " + " | ".join(row) + " |\n")
        for (name, mode), lines in differences.items():
            file.write(f"\n### {name}, {mode}\n\n")
            file.writelines(f"    {line}\n" for line in lines)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build")
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--attaches", type=int, default=50)
    parser.add_argument("--table")
    parser.add_argument("--list", choices=("packages",))
    parser.add_argument("guests", nargs="*", metavar="GUEST")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    guests = [run.Guest(path) for path in sorted(glob.glob(os.path.join(HERE, "*.sh")))]
    if arguments.list:
        print("\n".join(sorted(set(" ".join(guest.fields["packages"] for guest in guests).split()))))
        return 0
    unknown = set(arguments.guests) - {guest.name for guest in guests}
    if unknown:
        sys.exit(f"no guest is called {', '.join(sorted(unknown))}")
    run.prepare_this_process()
    begin, rows, differences = time.monotonic(), [], {}
    modes = arguments.modes.split(",")
    directory = tempfile.mkdtemp(prefix="attach.")
    try:
        runner = Runner(os.path.abspath(arguments.build), directory)
        for guest in guests:
            if arguments.guests and guest.name not in arguments.guests:
                continue
            for variant in guest.fields["variants"].split() or [""]:
                row, found = compare(runner, guest, variant, modes, arguments.attaches)
                rows.append(row)
                differences.update({(row[0], mode): lines for mode, lines in found.items()})
                if arguments.table:
                    write_table(arguments.table, rows, differences, modes, time.monotonic() - begin)
    finally:
        run.end_descendants(0)
        shutil.rmtree(directory, ignore_errors=True)
    if differences:
        return 1
    return 0 if any(row[2] for row in rows) else 77


if __name__ == "__main__":
    sys.exit(main())

"""Plays Dynolog's daemon by its published messages, and runs programs below libprof that ask it.

    with Daemon(directory) as daemon:            # the socket "dynolog" in that directory; None: the abstract one
        programs = [Program("steps slow 1000")]
        wait(lambda: daemon.knows(programs), "registration")
        daemon.request("ACTIVITIES_DURATION_MSECS=500")

Like the real one, it keeps one request for each set of numbers that a process sends, and forgets it when it is fetched.
A test may replace `daemon.answer(kind, payload, sender)`.
"""
import collections
import json
import os
import re
import socket
import struct
import subprocess
import sys
import threading
import time

HEAD = struct.Struct("=Q32s")
LIMIT_S = 600  # of every wait: a loaded machine is slow
BIN, LIB = os.environ.get("TEST_BIN", ""), os.environ.get("TEST_LIB", "")


def fail(what):
    sys.exit(f"FAILED: {what}")


def check(truth, what):
    if not truth:
        fail(what)


def wait(condition, what, limit_s=LIMIT_S):
    """Polls until the condition is true, and returns what it returned."""
    end = time.monotonic() + limit_s
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > end:
            fail(f"waited {limit_s} s in vain for: {what}")
        time.sleep(0.02)


def message(kind, payload, size=None):
    return HEAD.pack(len(payload) if size is None else size, kind) + payload


class Known:
    """A process as the daemon knows it."""

    def __init__(self, pids, job):
        self.pids, self.job, self.config, self.polls, self.types = pids, job, "", 0, collections.Counter()


class Daemon:
    def __init__(self, directory=None):
        self.known, self.contexts, self.senders = {}, {}, {}
        self.lock = threading.Lock()
        self.answer = self.answer_well
        self.address = "\0dynolog\0" if directory is None else os.path.join(directory, "dynolog")
        self.directory = directory
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        if directory is not None and os.path.exists(self.address):
            os.unlink(self.address)
        self.socket.bind(self.address)
        self.socket.settimeout(0.05)
        self.silent = self.ended = False
        self.thread = threading.Thread(target=self.loop)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended = True
        self.thread.join()
        self.socket.close()
        if self.directory is not None:
            os.unlink(self.address)

    def loop(self):
        while not self.ended:
            if self.silent:
                time.sleep(0.05)
                continue
            try:
                data, sender = self.socket.recvfrom(65536)
            except socket.timeout:
                continue
            size, kind = HEAD.unpack_from(data)
            check(size == len(data) - HEAD.size, f"the client's size is {size}, not {len(data) - HEAD.size}")
            with self.lock:
                self.take(kind.rstrip(b"\0"), data[HEAD.size:], sender)

    def take(self, kind, payload, sender):
        if kind == b"ctxt":
            device, pid, job = struct.unpack("=iiq", payload)
            self.contexts[pid] = (device, job)
            self.answer(kind, struct.pack("=i", len(self.contexts)), sender)
            return
        check(kind == b"req", f"a message of type {kind}")
        type_, count, job = struct.unpack_from("=iiq", payload)
        pids = struct.unpack_from(f"={count}i", payload, 16)
        check(len(payload) == 16 + 4 * count, f"{len(payload)} bytes for {count} pids")
        known = self.known.setdefault(frozenset(pids), Known(pids, job))
        known.polls += 1
        known.types[type_] += 1
        self.senders[pids[0]] = sender
        config = ""
        if type_ & 2:
            config, known.config = known.config, ""
        self.answer(kind, config.encode(), sender)

    def answer_well(self, kind, payload, sender):
        self.send(message(kind, payload), sender)

    def send(self, data, sender):
        try:
            self.socket.sendto(data, socket.MSG_DONTWAIT, sender)
        except OSError:
            pass  # the process has ended

    def of(self, pid):
        return [known for known in list(self.known.values()) if known.pids[0] == pid]

    def knows(self, programs):
        return all(self.of(program.pid) for program in programs)

    def polled(self, program, times=1):
        """A condition: the program asks so many times more."""
        begin = sum(known.polls for known in self.of(program.pid))
        return lambda: sum(known.polls for known in self.of(program.pid)) >= begin + times

    def request(self, config, pids=()):
        """What dyno gputrace does. Returns the processes that match, and how many are busy."""
        matched, busy = [], 0
        with self.lock:
            for known in self.known.values():
                if pids and not set(pids) & set(known.pids):
                    continue
                matched.append(known.pids[0])
                busy += known.config != ""
                known.config = known.config or f"\n    {config}\n    REQUEST_TRACE_ID=77{known.pids[0]}\n"
        return sorted(matched), busy


class Program:
    """A program below libprof, in the current directory. Its trace is NAME-PID.prof."""

    def __init__(self, command, name="run", **environment):
        variables = {"LD_PRELOAD": os.path.join(LIB, "libprof.so"), "PROF_OUTPUT": f"{name}-%p.prof", "PROF_TABLE": "0",
                     "PROF_START": "api", "KINETO_USE_DAEMON": "1", "KINETO_IPC_SOCKET_DIR": os.path.abspath("sockets"),
                     "KINETO_CONFIG": os.path.abspath("interval.conf"), "PROF_LOG": "2"}
        variables.update(environment)
        kept = {name: value for name, value in {**os.environ, **variables}.items() if value is not None}
        self.errors_path = f"errors-{name}-{time.monotonic_ns()}.txt"
        with open(self.errors_path, "w") as errors:
            self.process = subprocess.Popen(command if isinstance(command, list) else command.split(), env=kept,
                                            stdout=subprocess.PIPE, stderr=errors, text=True)
        self.pid = self.process.pid
        self.name = name

    def errors(self):
        with open(self.errors_path) as errors:
            return errors.read()

    def said(self, text):
        return lambda: text in self.errors()

    def end(self, status=0):
        output, _ = self.process.communicate(timeout=LIMIT_S)
        check(self.process.returncode == status, f"{self.name} ended with {self.process.returncode}: {self.errors()}")
        return output

    def kill(self):
        self.process.kill()
        self.process.communicate()

    @property
    def trace(self):
        return f"{self.name}-{self.pid}.prof"

    def comms(self):
        """The names of its threads."""
        names = []
        for task in os.listdir(f"/proc/{self.pid}/task"):
            try:
                with open(f"/proc/{self.pid}/task/{task}/comm") as comm:
                    names.append(comm.read().strip())
            except OSError:
                pass
        return names


def run_cases(cases):
    """Runs the functions at once, each in a process and a directory of its own: what they do is mostly to wait for programs
    that ask once a second."""
    if len(sys.argv) > 1:
        began = time.monotonic()
        {case.__name__: case for case in cases}[sys.argv[1]]()
        print(f"{sys.argv[1]}: {time.monotonic() - began:.1f} s", flush=True)
        return
    running = {}
    for case in cases:
        name = case.__name__
        os.makedirs(f"{name}/sockets")
        with open(f"{name}/interval.conf", "w") as file:
            file.write("ON_DEMAND_CONFIG_UPDATE_INTERVAL_SECS=1\n")
        os.chmod(f"{name}/interval.conf", 0o600)
        running[name] = subprocess.Popen([sys.executable, os.path.abspath(sys.argv[0]), name], cwd=name)
    failed = [name for name, process in running.items() if process.wait() != 0]
    check(not failed, ", ".join(failed))


def checked(path):
    return subprocess.run([os.path.join(BIN, "profdump"), "check", path], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)


def is_trace(path):
    return os.path.exists(path) and checked(path).returncode == 0


def facts(path):
    """What profdump says of the trace: its process, {name: count}."""
    result = checked(path)
    check(result.returncode == 0, f"profdump check {path}: {result.stdout}")
    text = subprocess.run([os.path.join(BIN, "profdump"), "--json", path], stdout=subprocess.PIPE, check=True).stdout
    tree = json.loads(text)
    count = collections.Counter()
    for row in tree["key_averages"]:
        count[row["name"]] += row["count"]
    return tree["processes"][0], count


def reasons(process):
    return [(window["start"], window["stop"]) for window in process["windows"]]


def steps_of(count):
    return sorted(int(name[5:]) for name in count if re.fullmatch(r"step \d+", name))


def realtimes_ms(process):
    """[(start, end)] of the windows, CLOCK_REALTIME in ms."""
    begin = process["start_realtime_ns"]
    return [((begin + window["start_ns"]) / 1e6, (begin + window["end_ns"]) / 1e6) for window in process["windows"]]

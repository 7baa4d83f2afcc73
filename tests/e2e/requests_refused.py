"""requests_refused.py: requests that are refused or ignored. Run by test_requests_refused.sh."""
import array
import glob
import os
import socket
import subprocess
import sys
import time

from dynolog_host import HEAD, Daemon, Program, check, facts, is_trace, message, run_cases, wait

SLOW = "../steps slow 60000"
BY = "trace request of Dynolog's daemon"


def descriptors(program):
    return sorted(os.listdir(f"/proc/{program.pid}/fd"), key=int)


def a_few(cases, programs):
    """The cases in groups, each with as many programs, which are asked at once."""
    for begin in range(0, len(cases), len(programs)):
        yield list(zip(cases[begin:], programs))


def contradictions():
    """Each gets one sentence, and nothing is recorded."""
    now_ms = int(time.time() * 1000)
    cases = [
        (f"PROFILE_START_TIME={now_ms - 60000}", "PROFILE_START_TIME is more than 10 s in the past"),
        (f"PROFILE_START_TIME={now_ms + 90000000}", "PROFILE_START_TIME is more than a day ahead"),
        ("PROFILE_START_TIME=9223372036854775807", "PROFILE_START_TIME is more than a day ahead"),
        ("PROFILE_START_TIME=9223372036854775808", "PROFILE_START_TIME=9223372036854775808 is not a number"),
        ("ACTIVITIES_DURATION_MSECS=0", "its duration is 0"),
        ("ACTIVITIES_DURATION_MSECS=-1", "ACTIVITIES_DURATION_MSECS=-1 is not a number from 0 to 2147483647"),
        ("ACTIVITIES_DURATION_MSECS=1\nACTIVITIES_DURATION_SECS=1", "are both given"),
        ("ACTIVITIES_DURATION_MSECS=1\nACTIVITIES_DURATION_MSECS=2", "ACTIVITIES_DURATION_MSECS is given twice"),
        ("PROFILE_START_ITERATION=5", "it has a start iteration, but no ACTIVITIES_ITERATIONS"),
        ("PROFILE_MEMORY=true\nACTIVITIES_DURATION_MSECS=1", "which libprof does not make"),
        ("ACTIVITIES_ENABLED=no\nACTIVITIES_DURATION_MSECS=1", "ACTIVITIES_ENABLED is false"),
        ("PROFILE_WITH_STACK=maybe", "PROFILE_WITH_STACK=maybe is neither true nor false"),
        ("hello", "the line 'hello' is not KEY=VALUE"),
        ("A=B=C", "the line 'A=B=C' is not KEY=VALUE"),
        ("VERBOSE_LOG_LEVEL=1", "it asks for no trace"),
        ("ACTIVITIES_DURATION_MSECS=1\n\x1b[31m=1=2", "the line '?[31m=1=2' is not KEY=VALUE"),
    ]
    with Daemon("sockets") as daemon:
        programs = [Program(SLOW, name=str(number)) for number in range(4)]
        wait(lambda: daemon.knows(programs), "registration")
        for group in a_few(cases, programs):
            for (config, _), program in group:
                daemon.request(config, pids=[program.pid])
            for (_, reason), program in group:
                known = daemon.of(program.pid)[0]
                wait(lambda: known.config == "" and reason in program.errors(), f"{reason!r}; said: {program.errors()}")
        for program in programs:
            check(program.errors().count(BY + " refused: ") == len(cases) / len(programs), program.errors())
            program.kill()
    check(glob.glob("*.prof") == [], f"recorded: {glob.glob('*.prof')}")


def paused():
    """The refusal is in the file, too: also one that came before there was a file."""
    with Daemon("sockets") as daemon:
        program = Program(SLOW, name="late", PROF_START="time:6s")
        wait(lambda: daemon.knows([program]), "registration")
        daemon.request("hello")
        wait(lambda: is_trace(program.trace) and "hello" in program.errors(), "a trace")
        program.kill()
    process, _ = facts(program.trace)
    check(process["request"] == BY + " refused: the line 'hello' is not KEY=VALUE", process["request"])


def paths():
    """Whatever the path, the copy is a new file beside the trace."""
    cases = [
        ("/etc/cron.d/evil.json", "evil_{}"), ("../../../up.json", "up_{}"), ("..", "_._{}"),
        ("/", "libkineto_activities_{}"), (".hidden", "_hidden_{}"), ("a\x01b c;$(touch run).json", "a_b_c___touch_run__{}"),
        ("victims/link.json", "link_{}-2"), ("dangling", "dangling_{}-2"), ("taken.pt.trace.json", "taken_{}-2"),
        ("n" * 4000, "n" * 127 + "_{}"),
    ]
    os.mkdir("victims")
    with open("victims/old.txt", "w") as victim:
        victim.write("old")
    with Daemon("sockets") as daemon:
        programs = [Program(SLOW) for _ in range(5)]
        wait(lambda: daemon.knows(programs), "registration")
        for program in programs:
            os.symlink(os.path.abspath("victims/old.txt"), f"link_{program.pid}.prof")
            os.symlink(os.path.abspath("victims/new.txt"), f"dangling_{program.pid}.prof")
            with open(f"taken_{program.pid}.prof", "w") as taken:
                taken.write("taken")
        for group in a_few(cases, programs):
            for (path, _), program in group:
                daemon.request(f"ACTIVITIES_LOG_FILE={path}\nACTIVITIES_DURATION_MSECS=500", pids=[program.pid])
            for (path, copy), program in group:
                known = daemon.of(program.pid)[0]
                expected = copy.format(program.pid) + ".prof"
                wait(lambda: known.config == "", f"the turn of {path[:40]}")
                wait(lambda: os.path.exists(expected),
                     f"{expected}; there are {sorted(os.listdir('.'))}; {program.errors()[-600:]}")
                facts(expected)
        check(os.listdir("victims") == ["old.txt"], os.listdir("victims"))
        for program in programs:
            with open("victims/old.txt") as old, open(f"taken_{program.pid}.prof") as taken:
                check((old.read(), taken.read()) == ("old", "taken"), "a file was written to")
            check(os.path.islink(f"link_{program.pid}.prof"), "the link was replaced")
            program.kill()


def unknown_keys():
    """As in Kineto, what is unknown is said, and the rest is done."""
    with Daemon("sockets") as daemon:
        program = Program(SLOW)
        wait(lambda: daemon.knows([program]), "registration")
        daemon.request("ACTIVITIES_LOG_FILE=unknown\nACTIVITIES_DURATION_MSECS=500\nFROM_THE_FUTURE=1\nPROFILE_WITH_STACK=true")
        wait(lambda: os.path.exists(f"unknown_{program.pid}.prof"), "a copy")
        check("no effect in libprof: FROM_THE_FUTURE, PROFILE_WITH_STACK\n" in program.errors(), program.errors())
        program.kill()


def nonsense():
    """Damaged answers are ignored, with a sentence for the first; then a good one is obeyed."""
    config = b"ACTIVITIES_LOG_FILE=never\nACTIVITIES_DURATION_MSECS=500"
    cases = {
        "empty": (b"", "it is shorter than a message's head"),
        "short": (message(b"req", b"")[:39], "it is shorter than a message's head"),
        "size": (message(b"req", config, 7), "its size differs from its header"),
        "huge": (HEAD.pack(2 ** 63, b"req") + config, "it is longer than 8 KiB"),
        "long": (message(b"req", b"#" * 60000), "it is longer than 8 KiB"),
        "endless": (HEAD.pack(len(config), b"r" * 32) + config, "its type does not end"),
        "type": (message(b"obey", config), "its type is unknown"),
        "random": (os.urandom(4096), "ignored: "),
    }
    with Daemon("sockets") as daemon:
        programs = {name: Program(SLOW, name=name) for name in cases}
        daemon.answer = lambda kind, payload, sender: None
        wait(lambda: daemon.knows(programs.values()), "registration")
        for name, (data, sentence) in cases.items():
            program = programs[name]
            before = descriptors(program)
            for _ in range(40):
                daemon.send(data, daemon.senders[program.pid])
            ignored = "an answer of Dynolog's daemon is ignored: "
            wait(lambda: ignored in program.errors(), f"{name}: {program.errors()}")
            check(sentence in program.errors() and program.errors().count(ignored) == 1, f"{name}: {program.errors()}")
            check(descriptors(program) == before, f"{name}: {descriptors(program)}")
        daemon.answer = daemon.answer_well
        daemon.request("ACTIVITIES_LOG_FILE=good\nACTIVITIES_DURATION_MSECS=500")
        for program in programs.values():
            wait(lambda: os.path.exists(f"good_{program.pid}.prof"), f"a good request: {program.errors()}")
            program.kill()
    check(glob.glob("never*") == [], "a damaged request was obeyed")


def others_sockets():
    """Only the daemon's own socket counts: the kernel lets no other one send. Descriptors that it sends are closed."""
    with Daemon("sockets") as daemon:
        program = Program(SLOW, name="stranger")
        wait(lambda: daemon.knows([program]), "registration")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
            other.bind(os.path.abspath("sockets/other"))
            try:
                other.sendto(message(b"req", b"ACTIVITIES_DURATION_MSECS=500"), daemon.senders[program.pid])
                sent = True
            except PermissionError:
                sent = False
            check(not sent, "another socket could send")
            os.unlink("sockets/other")
        wait(daemon.polled(program), "a poll")
        before = descriptors(program)
        gift = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))]
        with daemon.lock:
            daemon.socket.sendmsg([message(b"ctxt", b"\0\0\0\0")], gift, 0, daemon.senders[program.pid])
        wait(daemon.polled(program, 2), "more polls")
        check(descriptors(program) == before, f"{before} became {descriptors(program)}")
        program.kill()
    check(glob.glob("stranger*.prof") == [], "a stranger was obeyed")


def pretend():
    """In a process of its own: plays the daemon as another user."""
    daemon = Daemon("sockets")
    daemon.socket.settimeout(None)
    os.chmod("sockets/dynolog", 0o777)
    os.setgroups([])
    os.setgid(54321)
    os.setuid(54321)
    print("ready", flush=True)
    while True:
        _, sender = daemon.socket.recvfrom(65536)
        time.sleep(0.5)  # so long the test has for opening the client's socket to everybody
        daemon.send(message(b"req", b"ACTIVITIES_LOG_FILE=stolen\nACTIVITIES_DURATION_MSECS=500"), sender)


def other_users():
    """A daemon of another user is not obeyed, even where it may write to the program's socket."""
    def is_refused():
        for path in glob.glob("sockets/dynoconfigclient*"):
            try:
                os.chmod(path, 0o777)
            except FileNotFoundError:
                pass
        return "trace requests of user 54321 are refused" in program.errors()

    if os.geteuid() != 0:
        print("note: not root, without a daemon of another user")
        return
    os.chmod("sockets", 0o777)
    with subprocess.Popen([sys.executable, __file__, "pretend"], stdout=subprocess.PIPE, text=True) as pretender:
        check(pretender.stdout.readline() == "ready\n", "the pretender")
        program = Program(SLOW, name="pretended")
        try:
            wait(is_refused, "a refusal")
        finally:
            program.kill()
            pretender.kill()
    os.unlink("sockets/dynolog")
    check(glob.glob("stolen*") == [] and glob.glob("pretended*.prof") == [], "another user was obeyed")


def untouched():
    """Output and status of the program are its own, whatever the daemon sends. It may close every descriptor
    and put files of its own in their place."""
    with Daemon("sockets") as daemon:
        daemon.answer = lambda kind, payload, sender: [daemon.send(os.urandom(100), sender) for _ in range(50)]
        plain = subprocess.run(["../steps", "slow", "10"], stdout=subprocess.PIPE, text=True, check=True).stdout
        program = Program("../steps slow 2000", name="untouched")
        check(len(program.end().split()) == len(plain.split()) == 1, "the output")
        go = os.path.abspath("go")
        closes = Program(f"../steps closes {go}", name="closes")
        wait(lambda: daemon.knows([closes]), "registration")
        open(go, "w").close()
        wait(lambda: glob.glob("**/victim.txt", recursive=True), "the program to close its descriptors")
        os.remove(go)
        closes.end()
    for program in program, closes:
        left = glob.glob(f"sockets/*-{program.pid}-*")
        check(left == [], f"left behind by {program.name}: {left}")


os.chmod(".", 0o755)  # other_users: one of them reaches the sockets
if sys.argv[1:] == ["pretend"]:
    pretend()
run_cases((contradictions, paths, unknown_keys, paused, nonsense, others_sockets, other_users, untouched))

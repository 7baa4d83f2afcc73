"""requests_file.py: requests by Kineto's configuration file. Run by test_requests_file.sh, in an empty directory. There is
no daemon."""
import os
import time

from dynolog_host import Program, check, facts, reasons, wait

SLOW = "./steps slow 60000"
INTERVAL = "ON_DEMAND_CONFIG_UPDATE_INTERVAL_SECS=1\n"
FILE = "kineto.conf"


def write(text, mode=0o600, path=FILE):
    """All at once, as who writes a configuration file should."""
    with open(path + ".new", "w") as file:
        file.write(text)
    os.chmod(path + ".new", mode)
    os.rename(path + ".new", path)


def asks(name, rest=""):
    return f"{INTERVAL}# now\nACTIVITIES_LOG_FILE = /tmp/{name}.json\nACTIVITIES_DURATION_MSECS=500\n{rest}"


def copied(program, name):
    wait(lambda: os.path.exists(f"{name}_{program.pid}.prof"), f"a copy; said: {program.errors()}")


def changes(program):
    """What the file holds at the start is no request; each change is one, also if it was written little by little."""
    write(asks("first"))
    copied(program, "first")
    write(asks("second"))
    copied(program, "second")
    with open(FILE, "a") as file:
        for text in "\nPROFILE_START_TIME", "=0", "\nREQUEST_TRACE_ID", "=5\n":
            file.write(text)
            file.flush()
            time.sleep(0.05)
    wait(lambda: os.path.exists(f"second_{program.pid}-2.prof"), "a copy of the file that grew")
    os.unlink(FILE)
    write(asks("again"))
    copied(program, "again")


def refused(program):
    """What others can write to, and what is no file, is not read; what is wrong in it is said."""
    path = os.path.abspath(FILE)
    cases = [
        (lambda: write(asks("open"), 0o666), "others may write to it"),
        (lambda: write(asks("group"), 0o620), "others may write to it"),
        (lambda: write("# " + "x" * 9000), "File too large"),
        (lambda: (os.unlink(FILE), os.mkfifo(FILE, 0o600)), "it is not a regular file"),
        (lambda: write(asks("wrong", "ACTIVITIES_DURATION_SECS=1\n")), "are both given"),
        (lambda: write(asks("past", "PROFILE_START_TIME=1000\n")), "more than 10 s in the past"),
    ]
    for change, reason in cases:
        change()
        wait(lambda: f"trace request of {path} refused: " in program.errors() and reason in program.errors().splitlines()[-1],
             f"{reason!r}; said: {program.errors()}")
    os.symlink(os.path.abspath("target.conf"), FILE + ".link")
    write(asks("linked"), path="target.conf")
    os.rename(FILE + ".link", FILE)
    copied(program, "linked")
    if os.geteuid() == 0:
        write(asks("foreign"))
        os.chown(FILE, 54321, -1)
        wait(lambda: "does not belong to this user or root" in program.errors().splitlines()[-1], program.errors())


write(asks("never"))
program = Program(SLOW, KINETO_CONFIG=FILE, KINETO_IPC_SOCKET_DIR="/nonexistent")
other = Program(SLOW, name="other", KINETO_CONFIG=FILE, KINETO_USE_DAEMON=None)
wait(program.said("no trace requests: Dynolog's daemon at /nonexistent/dynolog: No such file or directory"), "a sentence")
changes(program)
refused(program)
check(other.comms() == ["steps"] and other.errors() == "", other.errors())
other.kill()
program.kill()
process, count = facts(program.trace)
check(set(reasons(process)) == {("request", "request")} and count["work"] > 0, reasons(process))
made = sorted({name.split("_")[0] for name in os.listdir(".") if name.endswith(".prof") and "_" in name})
check(made == ["again", "first", "linked", "second"], f"copies: {made}")

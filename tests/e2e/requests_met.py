"""requests_met.py: requests that a program below libprof meets. Run by test_requests_daemon.sh."""
import os
import signal
import time

from dynolog_host import (LIMIT_S, Daemon, Program, check, facts, realtimes_ms, reasons, run_cases, steps_of, wait)

SLOW = "../steps slow 60000"  # two minutes of steps of 2 ms: ended when there is no more to see
DURATION = "ACTIVITIES_LOG_FILE=/nowhere/trace.json\nACTIVITIES_DURATION_MSECS=1000"


def finish(*programs):
    """Ends them as a scheduler would."""
    for program in programs:
        program.process.send_signal(signal.SIGTERM)
        program.process.communicate(timeout=LIMIT_S)
        check(program.process.returncode == -signal.SIGTERM, f"ended with {program.process.returncode}")


def registered(daemon, *programs):
    wait(lambda: daemon.knows(programs), "registration: " + "".join(program.errors() for program in programs))


def copied(program, name="trace"):
    wait(program.said(f"copied to {os.getcwd()}/{name}_{program.pid}.prof"), f"a copy; said: {program.errors()}")
    return f"{name}_{program.pid}.prof"


def nobody_registers():
    """Without KINETO_USE_DAEMON there is no thread and no message; nor with PROF_DAEMON=never."""
    with Daemon("sockets") as daemon:
        asked = Program("../steps slow 2000")
        others = [Program(SLOW, KINETO_USE_DAEMON=None), Program(SLOW, KINETO_USE_DAEMON="0"),
                  Program(SLOW, PROF_DAEMON="never")]
        registered(daemon, asked)
        wait(daemon.polled(asked), "a second poll")
        check("prof-control" in asked.comms(), asked.comms())
        for other in others:
            check(not daemon.of(other.pid) and other.comms() == ["steps"], f"{other.comms()}: {other.errors()}")
        always = Program(SLOW, KINETO_USE_DAEMON=None, PROF_DAEMON="always")
        registered(daemon, always)
        finish(always, *others)
        asked.end()
    for path in os.listdir("sockets"):
        check(f"-{asked.pid}-" not in path, f"left in the directory of sockets: {os.listdir('sockets')}")


def aligned():
    """Four processes begin at the same time of day, whenever each fetched the request."""
    environment = {"SLURM_JOB_ID": "4242", "RANK": "3", "LOCAL_RANK": "1", "WORLD_SIZE": "4"}
    with Daemon("sockets") as daemon:
        programs = [Program(SLOW, name="aligned", **environment) for _ in range(4)]
        registered(daemon, *programs)
        for program in programs:
            check(daemon.contexts[program.pid] == (1, 4242), daemon.contexts)
            known, = daemon.of(program.pid)
            check(known.job == 4242 and known.pids[1] == os.getpid(), known.pids)
        start_ms = int(time.time() * 1000) + 4000
        matched, busy = daemon.request(f"PROFILE_START_TIME={start_ms}\n{DURATION}", pids=[os.getpid()])
        check((matched, busy) == (sorted(program.pid for program in programs), 0), (matched, busy))
        for program in programs:
            copied(program)
        finish(*programs)
    for program in programs:
        process, count = facts(program.trace)
        check(reasons(process) == [("request", "request")], reasons(process))
        check("copied to" in process["request"], process["request"])
        (on_ms, off_ms), = realtimes_ms(process)
        check(-1 < on_ms - start_ms < 3000, f"began {on_ms - start_ms} ms after its time")
        check(999 < off_ms - start_ms < 6000, f"ended {off_ms - start_ms} ms after its time")
        print(f"    began {on_ms - start_ms:.3f} ms after its time, ended after {off_ms - start_ms:.3f} ms")
        copy, in_copy = facts(f"trace_{program.pid}.prof")
        check(steps_of(in_copy) == steps_of(count) != [], f"{steps_of(in_copy)} in the copy, not {steps_of(count)}")


def iterations():
    """Just the steps that were asked for, from a multiple of 100 on."""
    with Daemon("sockets") as daemon:
        programs = [Program(SLOW, name="steps") for _ in range(2)]
        registered(daemon, *programs)
        daemon.request("PROFILE_START_ITERATION=0\nPROFILE_START_ITERATION_ROUNDUP=100\nACTIVITIES_ITERATIONS=7\n"
                       "ACTIVITIES_WARMUP_ITERATIONS=3\nPROFILE_REPORT_INPUT_SHAPES=false\nACTIVITIES_LOG_FILE=x/steps.json")
        for program in programs:
            copied(program, "steps")
        late = programs[0]
        daemon.request("PROFILE_START_ITERATION=1000000000\nACTIVITIES_ITERATIONS=1", pids=[late.pid])
        wait(lambda: daemon.of(late.pid)[0].types[0] > 1, "polls that say that the process is busy")
        finish(*programs)
    for program in programs:
        process, count = facts(program.trace)
        steps = steps_of(count)
        check(len(steps) == 7 and steps[0] % 100 == 0 and steps[-1] == steps[0] + 6, steps)
        check(reasons(process) == [("request", "request")], reasons(process))


def without_steps():
    """A program that counts no steps is recorded for a time instead, as Kineto does."""
    with Daemon("sockets") as daemon:
        program = Program("../steps flood 1000", name="flood")
        registered(daemon, program)
        daemon.request("PROFILE_START_ITERATION=0\nACTIVITIES_ITERATIONS=3\nACTIVITIES_LOG_FILE=flood.pt.trace.json")
        copied(program, "flood")
        check("counted no steps, so it is recorded for 500 ms" in program.errors(), program.errors())
        program.kill()


def already_on():
    """A recording that is on stays on; the request is a copy. The next one waits at the daemon meanwhile."""
    with Daemon("sockets") as daemon:
        program = Program(SLOW, name="on", PROF_START="now")
        registered(daemon, program)
        known, = daemon.of(program.pid)
        daemon.request(DURATION.replace("1000", "4000"))
        wait(lambda: known.config == "", "the first request's turn")
        check(daemon.request(DURATION.replace("trace", "next")) == ([program.pid], 0), "matched")
        check(daemon.request(DURATION) == ([program.pid], 1), "the daemon says that the process is busy")
        copied(program)
        copied(program, "next")
        check(known.types[0] > 0, known.types)
        finish(program)
    process, count = facts(program.trace)
    check(reasons(process) == [("start-up", None)] and not process["closed"], reasons(process))
    for name in "trace", "next":
        _, in_copy = facts(f"{name}_{program.pid}.prof")
        check(set(steps_of(in_copy)) < set(steps_of(count)), f"{name} has steps that the trace has not, or all")


def restarted():
    """The daemon may be absent at first, end, come back, and stand still. Each is said once."""
    program = Program(SLOW, name="again", PROF_START="now")
    wait(program.said("no trace requests: Dynolog's daemon at " + os.path.abspath("sockets") + "/dynolog: "), "a sentence")
    for _ in range(2):
        with Daemon("sockets") as daemon:
            registered(daemon, program)
            check(program.pid in daemon.contexts, "a daemon that is new gets the context, too")
            wait(program.said("Dynolog's daemon answers"), "another sentence")
        wait(lambda: program.errors().count("no trace requests") > program.errors().count("daemon answers"), "its end")
    with Daemon("sockets") as daemon:
        registered(daemon, program)
        daemon.silent = True
        wait(program.said("it does not answer"), "a sentence about a daemon that stands still")
        daemon.silent = False
        daemon.request(DURATION)
        copied(program)
    check(program.errors().count("no trace requests") in (4, 5), program.errors())
    finish(program)


def children():
    """A child asks for itself, and does not go on with what its parent was asked for."""
    def known_children():
        return [known for known in list(daemon.known.values()) if parent.pid in known.pids[1:]]

    with Daemon("sockets") as daemon:
        parent = Program("../steps children 2 4000000", name="family")
        registered(daemon, parent)
        daemon.request(DURATION.replace("1000", "100000"), pids=[parent.pid])
        wait(parent.said("accepted"), "the parent's turn")
        second = wait(lambda: known_children()[1:], "the second child")[0]
        parent.end()
    process, count = facts(parent.trace)
    check(reasons(process) == [("request", None)] and count["in parent"] > 0, f"{reasons(process)}, {count}")
    check(not os.path.exists(f"family-{second.pids[0]}.prof"), "a child records what its parent was asked for")


def abstract():
    """Without KINETO_IPC_SOCKET_DIR the socket is in the abstract namespace."""
    try:
        daemon = Daemon()
    except OSError as error:
        print(f"note: without the abstract socket: {error}")
        return
    with daemon:
        program = Program(SLOW, name="abstract", KINETO_IPC_SOCKET_DIR=None)
        registered(daemon, program)
        check(daemon.senders[program.pid].startswith(b"\0dynoconfigclient"), daemon.senders)
        daemon.request(DURATION)
        copied(program)
        finish(program)


def torch_answers():
    """Where PyTorch is loaded, its Kineto asks; with PROF_DAEMON=always libprof does, too, under numbers of its own."""
    code = ("import ctypes, os, time; print(os.getpid(), flush=True); time.sleep(2.5); "
            "ctypes.CDLL('../libtorch_cpu.so'); time.sleep({})")
    with Daemon("sockets") as daemon:
        program = Program(["python3", "-c", code.format(600)], name="torch")
        always = Program(["python3", "-c", code.format(600)], name="always", PROF_DAEMON="always")
        registered(daemon, program, always)
        wait(program.said("PyTorch's Kineto answers Dynolog's daemon"), "the sentence")
        wait(lambda: "prof-control" not in program.comms(), "the end of libprof's thread")
        wait(daemon.polled(always, 2), "more polls")
        known, = daemon.of(always.pid)
        check(str(known.pids[-1]) in os.listdir(f"/proc/{always.pid}/task"), f"{known.pids} sets nobody apart")
        program.kill()
        always.kill()


run_cases((nobody_registers, aligned, iterations, without_steps, already_on, restarted, children, abstract, torch_answers))

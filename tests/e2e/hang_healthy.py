"""Runs a healthy program under PROF_HANG for a long time: there must be no alarm. Then it hangs: that must be noticed.

    hang_healthy.py PROFDUMP LIBPROF SIM_LIB LIMIT_S SECONDS

One process does in turn, each within the limit: short steps, a long step, a kernel that runs long, a child that compiles, a
checkpoint, a step in which it is stopped or in gdb for longer than the limit, and nothing at all. The last line is a summary.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

PROFDUMP, LIBPROF, SIM_LIB = sys.argv[1:4]
LIMIT_S, SECONDS = float(sys.argv[4]), float(sys.argv[5])
KERNEL_S = 0.6 * LIMIT_S

GUEST = """
import ctypes, os, subprocess, sys, time
prof, cuda = ctypes.CDLL(None), ctypes.CDLL("libcuda.so.1")
device, context, module, kernel = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()

def check(result):
    if result:
        sys.exit(f"CUDA fails: {result}")

check(cuda.cuInit(0))
check(cuda.cuDeviceGet(ctypes.byref(device), 0))
check(cuda.cuCtxCreate_v2(ctypes.byref(context), 0, device))
check(cuda.cuModuleLoadData(ctypes.byref(module), b"image"))
check(cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"_Z4workPfi"))

def launch():
    check(cuda.cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, None, None, None))

def compile_in_child(seconds):
    code = "import time; end = time.monotonic() + %r\\nwhile time.monotonic() < end: compile('a = 1\\\\n' * 1000, 'a', 'exec'); time.sleep(0.1)"
    subprocess.run([sys.executable, "-c", code % seconds], check=True)

def save_checkpoint(seconds):
    end = time.monotonic() + seconds
    with open("checkpoint", "wb") as file:
        while time.monotonic() < end:
            file.write(bytes(1 << 20))
            os.fsync(file.fileno())
            time.sleep(0.2)

def wait_for_kernel(seconds):
    launch()
    check(cuda.cuCtxSynchronize())

WORK = {"sleep": time.sleep, "compile": compile_in_child, "checkpoint": save_checkpoint, "kernel": wait_for_kernel}
for line in sys.stdin:
    what, seconds = line.split()
    if what == "kernel-alone":     # outstanding without an open range
        launch()
        time.sleep(float(seconds))
        check(cuda.cuCtxSynchronize())
    else:
        prof.prof_step()
        prof.prof_range_push(what.encode())
        WORK[what](float(seconds))
        prof.prof_range_pop()
    print("done", flush=True)
"""


class Guest:
    def __init__(self):
        environment = dict(os.environ, LD_PRELOAD=LIBPROF, LD_LIBRARY_PATH=SIM_LIB, PROF_HANG=f"{int(LIMIT_S * 1000)}ms",
                           PROF_LOG="0", PROF_OUTPUT="guest.prof", SIM_KERNEL_NS=str(int(KERNEL_S * 1e9)))
        self.process = subprocess.Popen([sys.executable, "-c", GUEST], env=environment, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.pid = self.process.pid

    def begin(self, what, seconds):
        self.process.stdin.write(f"{what} {seconds}\n")
        self.process.stdin.flush()

    def await_end(self):
        if self.process.stdout.readline() != "done\n":
            sys.exit(f"the guest ended with {self.process.wait()}")

    def do(self, what, seconds):
        self.begin(what, seconds)
        self.await_end()

    def alarms(self):
        text = Path("guest.prof.hang.txt")
        return len(re.findall("^hang number=", text.read_text(), re.M)) if text.exists() else 0


def stop(guest):
    guest.process.send_signal(signal.SIGSTOP)
    time.sleep(1.5 * LIMIT_S)
    guest.process.send_signal(signal.SIGCONT)


def debug(guest):
    if not shutil.which("gdb"):
        return stop(guest)
    subprocess.run(["gdb", "-q", "-batch", "-p", str(guest.pid), "-ex", f"shell sleep {1.5 * LIMIT_S}"],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def in_a_step(interrupt):
    def run(guest):
        guest.begin("sleep", 0.8 * LIMIT_S)
        time.sleep(0.4 * LIMIT_S)
        interrupt(guest)
        guest.await_end()
    return run


def short_steps(guest):
    for _ in range(40):
        guest.do("sleep", 0.01 * LIMIT_S)


PHASES = {
    "short steps": short_steps,
    "long step": lambda guest: guest.do("sleep", 0.8 * LIMIT_S),
    "long kernel": lambda guest: guest.do("kernel", 0),
    "kernel outside ranges": lambda guest: guest.do("kernel-alone", 0.5 * LIMIT_S),
    "compiler": lambda guest: guest.do("compile", 0.6 * LIMIT_S),
    "checkpoint": lambda guest: guest.do("checkpoint", 0.6 * LIMIT_S),
    "stopped": in_a_step(stop),
    "debugger": in_a_step(debug),
    "nothing to do": lambda guest: time.sleep(0.9 * LIMIT_S),  # within the step of the phase before
}


def main():
    guest, begun, done = Guest(), time.monotonic(), 0
    try:
        while time.monotonic() - begun < SECONDS:
            for name, phase in PHASES.items():
                phase(guest)
                done += 1
                print(f"{time.monotonic() - begun:7.1f} s: {name}, {guest.alarms()} alarms", flush=True)
                if guest.alarms():
                    print(Path("guest.prof.hang.txt").read_text())
                    return 1
        healthy_s, hung = time.monotonic() - begun, time.monotonic()
        guest.begin("sleep", 10000)
        while not guest.alarms() and time.monotonic() - hung < 60 + 3 * LIMIT_S:
            time.sleep(0.05)
        took_s = time.monotonic() - hung
        report = subprocess.run([PROFDUMP, "hang", "guest.prof"], capture_output=True, text=True).stdout
    finally:
        guest.process.send_signal(signal.SIGCONT)
        guest.process.kill()
        guest.process.wait()
    named = guest.alarms() == 1 and re.search("> sleep$", report, re.M)
    print(f"0 alarms in {healthy_s:.0f} healthy seconds ({done} phases) at a limit of {LIMIT_S:g} s; a hang after that: "
          + (f"named after {took_s:.1f} s" if named else f"{guest.alarms()} alarms, and profdump says\n{report}"))
    return 0 if named else 1


sys.exit(main())

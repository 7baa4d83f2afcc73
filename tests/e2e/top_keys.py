"""top_keys.py PROFDUMP TRACE: presses the keys of `profdump top` on a terminal of 100 x 30, and looks at its screens."""
import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time


def main():
    pid, terminal = pty.fork()
    if pid == 0:
        os.read(0, 1)  # until the size is set
        os.execvp(sys.argv[1], [sys.argv[1], "top", "--interval", "300ms", sys.argv[2]])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    before = termios.tcgetattr(terminal)
    os.write(terminal, b"\n")
    shown = b""

    def read_until(pattern):
        """The screen that has it."""
        nonlocal shown
        until = time.time() + 600
        while time.time() < until:
            for screen in reversed(re.split(rb"\x1b\[H", shown)):
                if re.search(pattern, screen) and screen.endswith(b"\x1b[J"):
                    return re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", screen)
            if select.select([terminal], [], [], 0.1)[0]:
                shown += os.read(terminal, 65536)
        sys.exit(f"no {pattern!r} on any screen; the last: {shown[-3000:]!r}")

    def press(key):
        nonlocal shown
        shown = b""
        os.write(terminal, key)

    assert all(len(line) <= 100 for line in read_until(rb"forward.*ms").replace(b"\r", b"").split(b"\n"))
    first = shown[shown.index(b"\x1b[?1049h"):]
    press(b"t")
    read_until(rb"looping.*training > ProfilerStep#\d+ > forward|looping.*forward")
    if b"load" not in re.search(rb"\n> [^\r\n]*", read_until(rb"Open now")).group():  # whichever thread was first
        press(b"j")
    read_until(rb"\n> [^\r\n]*load")
    press(b"\n")
    assert b"forward" not in read_until(rb"a all threads[^J]* load ")
    press(b"a")
    read_until(rb"forward")
    press(b"-")
    read_until(rb"last 2\.\d*s of|last 1\.\d*s of")
    press(b" ")
    frozen = read_until(rb"frozen")
    press(b"x")
    assert re.findall(rb"last \S+ of \S+", read_until(rb"frozen")) == re.findall(rb"last \S+ of \S+", frozen)
    press(b"q")
    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        shown += data
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert first.startswith(b"\x1b[?1049h\x1b[?25l\x1b[?7l"), first[:100]
    assert shown.endswith(b"\x1b[?7h\x1b[?25h\x1b[?1049l"), shown[-100:]
    print("OK", before[3] != 0)


main()

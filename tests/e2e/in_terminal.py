"""in_terminal.py COLUMNS COMMAND...: runs COMMAND on a terminal of so many columns, prints what it shows, and ends as it did.

The environment variable ANSWER is typed, and the Enter key, when the command asks "[Y/n] "."""
import fcntl
import os
import pty
import struct
import sys
import termios


def main():
    columns, command = int(sys.argv[1]), sys.argv[2:]
    pid, terminal = pty.fork()
    if pid == 0:
        os.read(0, 1)  # until the size is set
        os.execvp(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 50, columns, 0, 0))
    attributes = termios.tcgetattr(terminal)
    attributes[1] &= ~termios.OPOST  # lines end as they were written
    attributes[3] &= ~(termios.ECHO | termios.ICANON)
    termios.tcsetattr(terminal, termios.TCSANOW, attributes)
    os.write(terminal, b'x')
    shown = b''
    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError:  # all have closed it
            break
        if not data:
            break
        shown += data
        if shown.endswith(b'[Y/n] '):
            os.write(terminal, os.environ['ANSWER'].encode() + b'\n')
    sys.stdout.buffer.write(shown)
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


main()

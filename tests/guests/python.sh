# python: subprocesses, threads, multiprocessing, asyncio, mmap, signals
# packages: python3
# commands: python3
# set: quick

version() { python3 --version; }

prepare() {
    cat >script.py <<'PYTHON'
import asyncio
import concurrent.futures
import ctypes
import mmap
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time


def square(number):
    return number * number


async def talk():
    async def answer(reader, writer):
        while line := await reader.readline():
            writer.write(line.upper())
            await writer.drain()
        writer.close()
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async def ask(number):
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(b"hello %d\n" % number)
        reply = await reader.readline()
        writer.close()
        return reply
    replies = await asyncio.gather(*(ask(number) for number in range(40)))
    process = await asyncio.create_subprocess_exec("cat", stdin=-1, stdout=-1)
    out, _ = await process.communicate(b"through cat")
    server.close()
    return sorted(replies)[:3], out


def is_open(descriptor):
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def descriptors():
    """Those that stay open: a profiler whose own thread gets no processor may open a file here for a moment."""
    found = set(range(256))
    for _ in range(20):
        found = {descriptor for descriptor in found if is_open(descriptor)}
        time.sleep(0.005)
    return found


def main():
    for method in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(3) as pool:
            print(method, sum(pool.map(square, range(2000))))
            pool.close()
            pool.join()
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        print(sum(pool.map(square, range(5000))))
    threads = [threading.Thread(target=square, args=(n,)) for n in range(300)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print([subprocess.run(["sh", "-c", f"echo {n}; exit {n}"], stdout=-1, close_fds=n % 2 == 0).returncode
           for n in range(20)])
    print(asyncio.run(talk()))
    with tempfile.TemporaryFile() as file:
        file.truncate(1 << 20)
        with mmap.mmap(file.fileno(), 0) as memory:
            memory[1000:1005] = b"bytes"
            print(memory.find(b"bytes"))
    seen = []
    signal.signal(signal.SIGUSR1, lambda number, frame: seen.append(number))
    os.kill(os.getpid(), signal.SIGUSR1)
    print(seen, signal.getsignal(signal.SIGINT) is signal.default_int_handler)
    signal.signal(signal.SIGALRM, lambda number, frame: None)
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    left, right = socket.socketpair()
    threading.Timer(0.2, lambda: right.send(b"x")).start()
    print(left.recv(1))
    signal.setitimer(signal.ITIMER_REAL, 0)
    before = descriptors()
    for _ in range(30):
        if os.fork() == 0:
            os.closerange(3, 4096)
            os._exit(17)
    print({os.waitstatus_to_exitcode(os.wait()[1]) for _ in range(30)})
    print(before == descriptors(), ctypes.CDLL(None).abs(-3))
    os.posix_spawn("/bin/sh", ["sh", "-c", "echo spawned >&7"], {}, file_actions=[(os.POSIX_SPAWN_DUP2, 1, 7)])
    os.wait()
    sys.stdout.flush()
    os.abort()


if __name__ == "__main__":
    main()
PYTHON
}

workload() {
    # the warning about fork() and threads, from Python 3.12 on, is true with PROF_CONTROL
    python3 -u -W 'ignore:This process:DeprecationWarning' script.py
    echo "status $?"
}

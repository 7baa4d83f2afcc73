# memcached: threads, eviction, connections of a crowd, a graceful end
# packages: memcached python3
# commands: memcached

version() { memcached --version; }

prepare() {
    cat >client.py <<'PYTHON'
import socket
import sys
import threading

port = int(sys.argv[1])


class Client:
    def __init__(self):
        self.file = socket.create_connection(("127.0.0.1", port)).makefile("rwb")

    def ask(self, line, until):
        self.file.write(line)
        self.file.flush()
        answer = b""
        while not answer.endswith(until):
            answer += self.file.readline()
        return answer


def crowd(number, wrong):
    client = Client()
    for i in range(150):
        value = b"%d" % (number * i)
        client.ask(b"set k%d.%d 0 0 %d\r\n%s\r\n" % (number, i, len(value), value), b"STORED\r\n")
        if value not in client.ask(b"get k%d.%d\r\n" % (number, i), b"END\r\n"):
            wrong.append((number, i))
    client.ask(b"incr total %d\r\n" % number, b"\r\n")


first = Client()
print(first.ask(b"set total 0 0 1\r\n0\r\n", b"\r\n"))
wrong = []
threads = [threading.Thread(target=crowd, args=(n, wrong)) for n in range(24)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(wrong, first.ask(b"get total\r\n", b"END\r\n"))
print(first.ask(b"set big 0 0 900000\r\n" + b"x" * 900000 + b"\r\n", b"\r\n"))
print(len(first.ask(b"get big\r\n", b"END\r\n")))
for i in range(30):
    first.ask(b"set fill%d 0 0 900000\r\n" % i + b"y" * 900000 + b"\r\n", b"\r\n")
stats = dict(line.split(b" ")[1:3] for line in first.ask(b"stats\r\n", b"END\r\n").split(b"\r\n")[:-2])
print(int(stats[b"evictions"]) > 0, stats[b"threads"], stats[b"cmd_touch"])
print(first.ask(b"flush_all\r\n", b"\r\n"), first.ask(b"get total\r\n", b"END\r\n"), first.ask(b"nonsense\r\n", b"\r\n"))
PYTHON
}

workload() {
    local port server signal
    for signal in USR1 INT; do
        port=$(free_port)
        as_user memcached -P "$GUEST_DATA/pid" -l 127.0.0.1 -p "$port" -U 0 -t 4 -m 16 -o modern 2>"$GUEST_DATA/err" &
        server=$!
        wait_for_port "$port"
        env -u LD_PRELOAD python3 client.py "$port"
        kill "-$signal" "$(cat "$GUEST_DATA/pid")"
        wait "$server"
        echo "ended with $?"
        cat "$GUEST_DATA/err"
    done
}

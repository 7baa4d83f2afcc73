# gunicorn, uwsgi and supervisor: workers of Python, threads, reloads, a worker that dies
# packages: gunicorn uwsgi-core uwsgi-plugin-python3 supervisor python3-uvloop curl apache2-utils
# commands: gunicorn uwsgi supervisord ab curl

version() { echo "$(gunicorn --version | tr -d '()' | cut -d' ' -f1,3), uwsgi $(uwsgi --version), supervisor $(supervisord --version)"; }

prepare() {
    cat >app.py <<'PYTHON'
import hashlib, os, subprocess, threading


def application(environ, start_response):
    path = environ["PATH_INFO"]
    if path == "/die":
        os.kill(os.getpid(), 9)
    body = hashlib.sha256(b"x" * 100000).hexdigest().encode()
    if path == "/command":
        body = subprocess.run(["sh", "-c", "echo from a shell"], stdout=-1).stdout
    if path == "/thread":
        seen = []
        thread = threading.Thread(target=seen.append, args=(b"from a thread\n",))
        thread.start()
        thread.join()
        body = seen[0]
    start_response("200 OK", [("Content-Length", str(len(body)))])
    return [body]
PYTHON
    cat >loop.py <<'PYTHON'
import asyncio, signal, uvloop


async def main():
    loop = asyncio.get_running_loop()
    print(type(loop).__module__)
    heard = asyncio.Event()
    loop.add_signal_handler(signal.SIGUSR1, heard.set)
    import os
    os.kill(os.getpid(), signal.SIGUSR1)
    await heard.wait()
    runs = [await asyncio.create_subprocess_exec("sh", "-c", f"cat; exit {n}", stdin=-1, stdout=-1) for n in range(8)]
    print([(await run.communicate(b"in"))[0] for run in runs], [run.returncode for run in runs])

    async def answer(reader, writer):
        writer.write((await reader.readline()).upper())
        writer.close()
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async def ask(n):
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(b"line %d\n" % n)
        return await reader.read()
    print(sorted(await asyncio.gather(*(ask(n) for n in range(50))))[:2])
    print(await loop.run_in_executor(None, sum, range(100000)))
uvloop.install()
asyncio.run(main())
PYTHON
}

ask() {
    ab -q -n 300 -c 6 -s 120 "http://127.0.0.1:$1/" 2>&1 | grep -E 'Document Length|Complete|Failed|Non-2xx'
    curl -s "http://127.0.0.1:$1/command" "http://127.0.0.1:$1/thread"
    curl -s -o /dev/null "http://127.0.0.1:$1/die"
    echo "died $?"
    curl -s --retry 20 --retry-all-errors "http://127.0.0.1:$1/thread"
}

workload() {
    local port server kind
    for kind in sync gthread; do
        port=$(free_port)
        gunicorn -b "127.0.0.1:$port" -w 2 -k "$kind" --threads 3 --log-file "$GUEST_DATA/log" --worker-tmp-dir "$GUEST_DATA" app 2>&1 &
        server=$!
        wait_for_port "$port"
        ask "$port"
        kill -HUP "$server"
        until [ "$(grep -c 'Booting worker' "$GUEST_DATA/log")" -ge 5 ]; do sleep 0.1; done
        curl -s --retry 20 --retry-all-errors "http://127.0.0.1:$port/thread"
        kill -TERM "$server"
        wait "$server"
        echo "$kind ended with $?"
        rm -f "$GUEST_DATA/log"
    done
    port=$(free_port)
    uwsgi --plugin python3 --http-socket "127.0.0.1:$port" --master --processes 2 --threads 2 --enable-threads --wsgi-file app.py \
        --die-on-term --disable-logging --logto2 "$GUEST_DATA/log" >"$GUEST_DATA/first" 2>&1 &
    server=$!
    wait_for_port "$port"
    ask "$port"
    kill -HUP "$server"
    until grep -q 'gracefully (RE)spawned' "$GUEST_DATA/log" && [ "$(grep -c 'spawned uWSGI worker' "$GUEST_DATA/log")" -ge 4 ]; do sleep 0.1; done
    curl -s --retry 20 --retry-all-errors "http://127.0.0.1:$port/thread"
    kill -TERM "$server"
    wait "$server"
    echo "uwsgi ended with $?"
    cat >"$GUEST_DATA/conf" <<CONF
[supervisord]
nodaemon=true
user=$(id -un)
logfile=$GUEST_DATA/supervisor.log
pidfile=$GUEST_DATA/pid
childlogdir=$GUEST_DATA
[unix_http_server]
file=$GUEST_DATA/sock
[rpcinterface:supervisor]
supervisor.rpcinterface_factory = supervisor.rpcinterface:make_main_rpcinterface
[supervisorctl]
serverurl=unix://$GUEST_DATA/sock
[program:sleeps]
command=sleep 600
numprocs=3
process_name=%(process_num)d
startsecs=0
[program:ends]
command=sh -c "exit 3"
autorestart=false
startsecs=0
exitcodes=3
CONF
    supervisord -c "$GUEST_DATA/conf" >/dev/null 2>&1 &
    server=$!
    until supervisorctl -c "$GUEST_DATA/conf" status 2>/dev/null | grep -q 'ends.*EXITED' &&
        [ "$(supervisorctl -c "$GUEST_DATA/conf" status | grep -c RUNNING)" -eq 3 ]; do sleep 0.1; done
    supervisorctl -c "$GUEST_DATA/conf" status | awk '{ print $1, $2 }'
    kill -KILL "$(supervisorctl -c "$GUEST_DATA/conf" pid sleeps:1)"
    until grep -q "exited: 1 (terminated by SIGKILL" "$GUEST_DATA/supervisor.log"; do sleep 0.1; done
    supervisorctl -c "$GUEST_DATA/conf" restart sleeps:2
    supervisorctl -c "$GUEST_DATA/conf" shutdown
    wait "$server"
    echo "supervisord ended with $?"
    /usr/bin/python3 loop.py
    echo "status $?"
    rm -rf __pycache__
}

# pypy and swi-prolog: generated code, threads, forks, a thread that collects atoms, signals
# packages: pypy3 swi-prolog-nox
# commands: pypy3 swipl

version() { echo "$(pypy3 --version | tail -n 1 | grep -oE 'PyPy [0-9.]+'), $(swipl --version | cut -d' ' -f1-3)"; }

prepare() {
    cat >script.py <<'PYTHON'
import os, signal, socket, subprocess, threading, multiprocessing, time, gc


def hot(n):
    total = 0
    for i in range(n):
        total = (total + i * i) % 1000003
    return total


print(hot(5_000_000))
out = []
threads = [threading.Thread(target=lambda n=n: out.append(hot(200_000 + n))) for n in range(12)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(sum(out))
print([subprocess.run(["sh", "-c", f"exit {n}"]).returncode for n in range(10)])
with multiprocessing.Pool(3) as pool:
    print(sum(pool.map(hot, range(200))))
seen = []
signal.signal(signal.SIGALRM, lambda number, frame: seen.append(number))
signal.setitimer(signal.ITIMER_REAL, 0.005, 0.005)
while len(seen) < 20: hot(1000)
signal.setitimer(signal.ITIMER_REAL, 0)
left, right = socket.socketpair()
threading.Timer(0.1, lambda: right.send(b"x")).start()
print(left.recv(1))
for n in range(8):
    if os.fork() == 0:
        gc.collect()
        os._exit(n)
print(sorted(os.waitstatus_to_exitcode(os.wait()[1]) for n in range(8)))
def deep(n): return deep(n + 1)
try: deep(0)
except RecursionError: print("too deep")
os.kill(os.getpid(), signal.SIGTERM)
PYTHON
    cat >script.pl <<'PROLOG'
:- use_module(library(process)).
:- use_module(library(thread)).
:- use_module(library(socket)).
main :-
    numlist(1, 200000, L), sum_list(L, S), writeln(S),
    numlist(1, 40, N), concurrent_maplist([X, Y]>>(Y is X * X), N, Q), sum_list(Q, T), writeln(T),
    findall(A, (between(1, 50000, I), atom_concat(atom_, I, A)), As), length(As, Len), writeln(Len), garbage_collect_atoms,
    process_create(path(sh), ['-c', 'cat; exit 3'], [stdin(pipe(In)), stdout(pipe(Out)), process(Pid)]),
    writeln(In, through), close(In), read_string(Out, _, Text), close(Out), process_wait(Pid, Status), writeln(Text-Status),
    shell('exit 4', Shell), writeln(Shell),
    catch((length(Big, 100), deep(Big)), error(Err, _), (functor(Err, F, _), writeln(F))),
    thread_self(Me), thread_create(forall(between(1, 1000, K), thread_send_message(Me, m(K))), Id),
    forall(between(1, 1000, K), thread_get_message(m(K))), thread_join(Id, R), writeln(R),
    fork(Child), ( Child == child -> exec(sh("-c", "exit 7")) ; wait(Child, W), writeln(W) ),
    halt(6).
deep(X) :- deep([X|X]), true.
:- use_module(library(unix)).
:- initialization(main).
PROLOG
}

workload() {
    pypy3 -u -B script.py
    echo "status $?"
    swipl -q --stack-limit=64m script.pl </dev/null 2>&1
    echo "status $?"
}

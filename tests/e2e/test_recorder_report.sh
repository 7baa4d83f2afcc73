#!/usr/bin/env bash
# The table at exit is for the user's eyes only: it changes neither the program's output nor its
# status, nor hangs it.
. "$(dirname "$0")/common.sh"

compile reported
export PROF_TABLE=1

same "status" 7 "$(record plain.prof ./reported plain >stdout.txt 2>stderr.txt || echo $?)"
same "output" output "$(cat stdout.txt)"
grep -q '^ *reported ' stderr.txt || fail "no table: $(cat stderr.txt)"
grep -q "^libprof: wrote $here/plain.prof" stderr.txt || fail "not said where: $(cat stderr.txt)"

same "status without a table" 7 "$(PROF_TABLE=0 record silent.prof ./reported plain 2>&1 >stdout.txt || echo $?)"

# The handler's thread may hold the allocator's lock.
for i in 1 2 3 4 5 6; do
    status=0
    timeout -s KILL 20 env LD_PRELOAD="$lib" PROF_OUTPUT=malloc$i.prof ./reported malloc 2>stderr.txt || status=$?
    same "status of exit() inside of malloc" 7 $status
    grep -q '^ *reported ' stderr.txt || fail "no table after exit() inside of malloc"
done

same "status of deep nesting" 7 "$(record deep.prof ./reported deep >stdout.txt 2>stderr.txt || echo $?)"
grep -Eq '^ *deep .* 100000$' stderr.txt || fail "no table of deep nesting: $(cat stderr.txt)"

# Nobody reads what we say: no SIGPIPE for that.
cat >unread.py <<'UNREAD'
import os, subprocess, sys
reader, writer = os.pipe()
os.close(reader)
for output in "unread.prof", "no/such/directory.prof":
    environment = dict(os.environ, LD_PRELOAD=sys.argv[1], PROF_OUTPUT=output)
    program = subprocess.run(["./reported", "plain"], env=environment, stdout=subprocess.DEVNULL, stderr=writer)
    print(program.returncode)
UNREAD
same "status when stderr is not read" "7 7" "$(python3 unread.py "$lib" | paste -sd' ')"
same "status without stderr" 7 "$(record closed.prof ./reported plain 2>&- >stdout.txt || echo $?)"

# A child of ours prints the table, and the program does not notice it.
record child.prof ./reported child >stdout.txt 2>stderr.txt || true
grep -q '^ *reported ' stderr.txt || fail "no table beside a SIGCHLD handler: $(cat stderr.txt)"
same "what a program with a SIGCHLD handler prints last" output "$(tail -n 1 stdout.txt)"

# Without profdump and libprofdump.so beside it, the library records, and says what is missing.
mkdir alone
cp "$PROF_LIB/libprof.so" alone
status=0
LD_PRELOAD=$here/alone/libprof.so PROF_OUTPUT=alone.prof ./reported child >stdout.txt 2>stderr.txt || status=$?
same "status without profdump" 7 $status
same "its output" "the trace file cannot be read or the output cannot be written" "$(head -n 1 stdout.txt)"
grep -q '^libprof: .* need libprofdump.so next to libprof.so' stderr.txt || fail "does not say what it needs: $(cat stderr.txt)"
grep -q "^libprof: wrote $here/alone.prof" stderr.txt || fail "not said where, without profdump: $(cat stderr.txt)"
found -q . < <(grep -v '^libprof: ' stderr.txt) && fail "a table without profdump: $(cat stderr.txt)"
expect alone.prof 'count["reported"] == 1' 'process["closed"]'

# Of a large trace, only its path is printed.
record large.prof ./reported many >stdout.txt 2>stderr.txt || true
same "what is said of a large trace" "libprof: wrote $here/large.prof" "$(cut -d';' -f1 stderr.txt)"

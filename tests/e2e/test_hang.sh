#!/usr/bin/env bash
# PROF_HANG and profdump hang: faults are injected, and the rank and the place are named. A program that goes on gives no
# alarm, or takes it back.
. "$(dirname "$0")/cuda_common.sh"
. "$e2e_directory/nvtx_common.sh"
need_nvtx

compile_nvtx hangs
export PROF_LOG=0

# In the background, until its text is complete or a minute has passed. The processes are in `started`.
started=()
end_all() {
    for process in "${started[@]}"; do
        kill -CONT "$process" 2>/dev/null || true
        kill -KILL "$process" 2>/dev/null || true
        wait "$process" 2>/dev/null || true
    done
    started=()
}
trap 'end_all; leave' EXIT

# On a loaded machine a rank may wait for a late one for longer than the limit: that hang ends again. The one that is judged is
# in the third collective, or where rank 2 stopped instead.
hang_lasts() {
    awk -v open="$2" '
        /^hang / { here = 0 }
        $0 ~ open { here = 1 }
        /^end$/ { lasts = here }
        /^resumed / { lasts = 0 }
        END { exit !lasts }' "$1" 2>/dev/null
}
await_last_hang() { await "a hang that lasts, with '$2', in $1" hang_lasts "$@"; }

await_line() { await "'$2' in $1" grep -qs "$2" "$1"; }

hang() {
    local name=$1
    shift
    env LD_PRELOAD="$lib" PROF_OUTPUT="$here/$name.prof" PROF_HANG="${limit:-500ms}" "$@" &
    started+=($!)
}

says() { "$PROF_BIN/profdump" hang "${@:2}" >said.txt || fail "profdump hang: $?"; grep -q -- "$1" said.txt || fail "'$1' is not said: $(cat said.txt)"; }

# ---- one process: where it stands, also while it lives and where signals are blocked ----
for how in mutex cross spin blocked deep; do
    hang "$how" ./hangs "$how"
done
for how in mutex cross spin blocked deep; do
    await_line "$how.prof.hang.txt" '^end$'
    grep -q 'name="train step"' "$how.prof.hang.txt" || fail "$how: the open range is not listed"
done
! grep -q 'name="inside"' deep.prof.hang.txt || fail "deep: a range that ended is listed"
for how in mutex blocked; do
    says ' is in train step' "$how.prof"
    grep -q 'take_lock (hangs)' said.txt || fail "$how: the stack lacks take_lock: $(cat said.txt)"
    grep -q ' main (hangs)' said.txt || fail "$how: the stack lacks main: $(cat said.txt)"
done
says 'it waits for a mutex that it holds itself' mutex.prof
main=$(sed -n 's/.* pid=\([0-9]*\) .*/\1/p' mutex.prof.hang.txt | head -1)
same "threads that wait for the main thread's mutex" 2 "$(grep -c "^thread .* mutex=0x[0-9a-f]* owner=$main$" mutex.prof.hang.txt)"
says 'cannot go on: thread [0-9]* (hangs) waits for mutex 0x[0-9a-f]*, which it holds itself$' mutex.prof
says 'compute_forever (hangs)' spin.prof
says '^Hang: .* cannot go on: thread [0-9]* (t[0-2]) holds mutex 0x[0-9a-f]* and waits for mutex 0x[0-9a-f]*, thread ' cross.prof
same "stacks of the threads in the deadlock" 3 "$(grep -A 1 'which is in a deadlock, is in' said.txt | grep -c 'take_two (hangs)')"
"$PROF_BIN/profdump" hang --format json cross.prof | python3 -c '
import json, sys
(deadlock, opened) = json.load(sys.stdin)["verdicts"]
threads = deadlock["threads"]
assert (deadlock["kind"], opened["kind"]) == ("deadlock", "open"), (deadlock, opened)
assert sorted(thread["name"] for thread in threads) == ["t0", "t1", "t2"] and len({thread["holds"] for thread in threads}) == 3, threads
for thread, following in zip(threads, threads[1:] + threads[:1]):
    assert thread["waits_for"] == following["holds"] and thread["owner"] == following["tid"], threads' || fail "JSON of a deadlock"
end_all
says 'take_lock (hangs)' mutex.prof # killed: everything is in the file

# ---- threads that sleep for moments: one may wake while its stack is read, which is then read again ----
hang naps ./hangs naps
await_line naps.prof.hang.txt '^end$'
end_all
awk '
    /^thread / { if (named && !frames) bare++; named = / name="hangs"/; frames = 0 }
    /^  .*\/hangs\+0x/ { frames++ }
    named && /^  .*\/hangs\+0x/ && frames == 1 { stacks++ }
    END { exit bare || stacks < 18 }' naps.prof.hang.txt || fail "a thread has no stack: $(cat naps.prof.hang.txt)"

# ---- a thread in a call that a signal would end: its stack comes from /proc alone, and is right as far as it goes ----
# functions TEXT: of the thread that waits in read(), outermost first
functions() {
    awk -v call=" call=$read_call " '/^thread / { here = index($0, call); next } here && /\/waits_deep\+0x/ { sub(/.*\+/, ""); print }' "$1" |
        while read -r address; do
            nm waits_deep | sort | awk -v at="$(printf '%016x' $((address - 1)))" 'tolower($2) == "t" && "x" $1 <= "x" at { name = $3 } END { print name }'
        done | tac | tr '\n' ' '
}
read_call=0 protection=-fcf-protection # what x86-64 calls them
[[ $(uname -m) == x86_64 ]] || read_call=63 protection=-mbranch-protection=standard
if command -v nm >/dev/null; then
    for flags in -O0 -O2 '-O2 -fno-omit-frame-pointer' "-O1 -fno-omit-frame-pointer $protection"; do
        compile waits_deep $flags -fno-optimize-sibling-calls
        for how in sort grow beside; do
            PROF_HANG=300ms record "deep-$how.prof" ./waits_deep $how
        done
        same "sort, $flags" "begin sort compare pass_registers pass_many fill wait " "$(functions deep-sort.prof.hang.txt)"
        same "grow, $flags" "begin grow sort compare pass_registers pass_many fill wait " "$(functions deep-grow.prof.hang.txt)"
        beside=$(functions deep-beside.prof.hang.txt)
        [[ $beside == "begin wait_beside " || $beside == "wait_beside " ]] || fail "beside, $flags: $beside"
        rm deep-*
    done
fi

# ---- no alarm: ranges that end in time; nothing open; PROF_HANG off ----
PROF_HANG=1500ms record slow.prof ./hangs slow 150
PROF_HANG=200ms record idle.prof ./hangs idle 1000
record off.prof ./hangs idle 100
for name in slow idle off; do
    [[ ! -e $name.prof.hang.txt ]] || fail "$name: a false alarm: $(cat $name.prof.hang.txt)"
    says 'No hang' $name.prof
done

# ---- a wait that any signal would end is left alone, although its stack is not complete ----
compile waits_timed -fno-asynchronous-unwind-tables -fno-unwind-tables
same "how the wait ended" "Connection timed out" "$(PROF_HANG=300ms record timed.prof ./waits_timed)"
grep -q '^  \.\.\.$' timed.prof.hang.txt || fail "the stack was complete, so nothing was tested: $(cat timed.prof.hang.txt)"

# ---- progress after all ends the hang ----
PROF_HANG=300ms record resume.prof ./hangs resume resume.prof.hang.txt
await_line resume.prof.hang.txt '^resumed number=1 '

# ---- actions ----
status=0
PROF_HANG=200ms PROF_HANG_ACTION=abort record abort.prof ./hangs mutex 2>/dev/null || status=$?
same "abort" $((128 + 6)) $status
status=0
PROF_HANG=200ms PROF_HANG_ACTION=signal:USR1 record usr1.prof ./hangs mutex 2>/dev/null || status=$?
same "signal" $((128 + 10)) $status

# ---- a job: one rank of four is odd ----
# Rank 2 is odd as $1 says; $2 is in what it records of its own hang, where that matters.
job() {
    local odd=$1 where=$2
    rm -rf job && mkdir job
    for rank in 0 1 2 3; do
        RANK=$rank WORLD_SIZE=4 hang "job/$rank" ./hangs collective job "$([[ $rank != 2 ]] || echo "$odd")"
    done
    for rank in 0 1 3; do
        await_last_hang "job/$rank.prof.hang.txt" '^open .* "Message size .*"=1048576$'
    done
    [[ -z $where ]] || await_last_hang job/2.prof.hang.txt "$where"
}
judge() {
    job "$1" "$2"
    says "^Hang: $3" job
    same "$1: one rank alone is named" 1 "$(grep -c '^Hang: \|^      rank' said.txt)"
    grep -q '^  rank 0-1, rank 3 ' said.txt || fail "$1: the others are no group: $(cat said.txt)"
}
third='ncclAllReduce #3 of communicator 0xabcdef'
judge sleep 'name="load batch"' "rank 2 has not entered $third"
grep -q '^open .* name="ncclAllReduce" "NCCL communicator ID"=11259375 "Message size \[bytes\]"=1048576$' job/0.prof.hang.txt ||
    fail "the open collective is not described: $(cat job/0.prof.hang.txt)"
grep -q 'train > load batch' said.txt || fail "the loader is not named: $(cat said.txt)"
"$PROF_BIN/profdump" hang --format json job | python3 -c '
import json, sys
found = json.load(sys.stdin)
assert [(v["kind"], v["rank"], v["expected"]["number"]) for v in found["verdicts"]] == [("missing", 2, 3)], found
assert [r["group"] for r in found["ranks"]] == [0, 0, 2, 0], found
assert found["ranks"][2]["open"] == ["train", "load batch"], found' || fail "JSON"
end_all
says "^Hang: rank 2 has not entered $third" job # of killed processes
rm job/2.prof
says '^Hang: rank 2 is lost: it has no file here' job

# ---- a launcher without a rank, and a worker of a rank, enter no collectives: nobody waits for them ----
job sleep 'name="load batch"'
hang job/launcher sleep 1000
RANK=1 WORLD_SIZE=4 hang job/worker sleep 1000
for name in launcher worker; do
    await_line job/$name.prof.hang.txt '^nothing-recorded$'
done
says "^Hang: rank 2 has not entered $third" job
same "ranks to blame" 1 "$(grep -c '^Hang: \|^      [rp]' said.txt)"
"$PROF_BIN/profdump" hang job 2>&1 >/dev/null | grep -q . && fail "a complaint about a launcher"
end_all
judge lock '^thread .* mutex=' "rank 2 has not entered $third"
grep -q 'take_lock (hangs)' said.txt || fail "the lock is not named: $(cat said.txt)"
end_all
judge spin "" "rank 2 has not entered $third"
end_all
judge other 'name="ncclBroadcast"' "rank 2 entered ncclBroadcast #3 of communicator 0xabcdef (64 B) instead of $third"
end_all
judge size '"Message size .*"=4096$' "rank 2 entered ncclAllReduce #3 of communicator 0xabcdef (4.00 KB) instead of $third"
end_all
judge exit "" "rank 2 has not entered $third (1.00 MB): it has ended"
end_all
job sleep 'name="load batch"'
kill -KILL "${started[2]}"
wait "${started[2]}" 2>/dev/null || true
says '^Hang: rank 2 is gone: its process ended without closing the file' job
"$PROF_BIN/profdump" hang job 2>&1 >/dev/null | grep -q . && fail "a complaint about one job"
cp job/1.prof job/again.prof
"$PROF_BIN/profdump" hang job 2>&1 >/dev/null | found 'of different jobs: two are of the same rank' || fail "two ranks 1"
end_all
job stop ""
await_line "/proc/${started[2]}/stat" ') T '
says '^Hang: rank 2 is stopped' job
end_all

# ---- a kernel that never ends, on the simulated CUDA ----
compile_cuda small
limit=2s LD_LIBRARY_PATH=$SIM_LIB SIM_KERNEL_NS=10000000000 hang kernel ./small 100 >/dev/null
await_line kernel.prof.hang.txt '^end$'
says 'has not seen cudaMemsetAsync end, launched .* on the stream of handle 0x.*; last completed: nothing' kernel.prof
end_all

# ---- the same without a range or a call open: what is outstanding is a hang, also beside nothing else; what has ended or
# failed is none ----
compile_cuda stuck
export SIM_KERNEL_NS=3600000000000
limit=2s LD_LIBRARY_PATH=$SIM_LIB hang stuck-kernel ./stuck kernel
limit=1s LD_LIBRARY_PATH=$SIM_LIB hang stuck-nothing ./stuck nothing
limit=1s LD_LIBRARY_PATH=$SIM_LIB SIM_FAIL='cudaMemsetAsync@4=2' hang stuck-failed ./stuck failed
await_line stuck-kernel.prof.hang.txt '^end$'
grep -q '^stream handle=0x[0-9a-f]* outstanding=1 first="_Z4workPfi" .* in="ncclAllReduce" "NCCL communicator ID"=11259375 .*completed="cudaMemcpyAsync"$' \
    stuck-kernel.prof.hang.txt || fail "the stream is not described: $(cat stuck-kernel.prof.hang.txt)"
same "streams with outstanding operations" 1 "$(grep -c '^stream ' stuck-kernel.prof.hang.txt)"
says 'has not seen work(float\*, int) end, .*; last completed: Memcpy HtoD' stuck-kernel.prof
grep -q 'memory: .* resident, 4.00 KB allocated on devices' said.txt || fail "memory: $(cat said.txt)"
for name in stuck-nothing stuck-failed; do
    [[ ! -e $name.prof.hang.txt ]] || fail "$name: a false alarm: $(cat $name.prof.hang.txt)"
done
unset SIM_KERNEL_NS
end_all

# ---- a job whose kernels do not end: names the rank that has not entered the collective, and what it waits for ----
"$CC" -std=gnu17 -O1 -g -Wall -Wextra -I"$include" -isystem "$nvtx_include" "$cuda_programs/late_rank.c" -o late_rank \
    -L"$SIM_LIB" -l:libcudart.so.13 -l:libcuda.so.1 -ldl
mkdir late
for rank in 0 1 2 3; do
    limit=2s RANK=$rank WORLD_SIZE=4 LD_LIBRARY_PATH=$SIM_LIB SIM_KERNEL_NS=3600000000000 \
        hang late/$rank ./late_rank $((rank == 2 ? 1 : 2))
done
for rank in 0 1 2 3; do
    await_line late/$rank.prof.hang.txt '^end$'
done
says '^Hang: rank 2 has not entered ncclAllReduce #2 .*, and has not seen work(float\*, int) end' late
same "late: one rank alone is named" 1 "$(grep -c '^Hang: \|^      rank' said.txt)"
grep -q '^    stream 0x[0-9a-f]*: 2 outstanding, first work(float\*, int) in ncclAllReduce, launched .*; last completed: ' said.txt ||
    fail "the stream is not described: $(cat said.txt)"
end_all

# ---- Python: two locks ----
find_pythons 3.9 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python3
for each in "${pythons[@]}"; do
    version=${each%%:*} python=${each#*:}
    hang "python-$version" "$python" "$e2e_directory/hang_locks.py"
    await_line "python-$version.prof.hang.txt" '^end$'
    says ' is in train' "python-$version.prof"
    grep -q 'line [0-9]* in wait_for_b' said.txt || fail "Python $version: $(cat said.txt)"
    grep -q 'line [0-9]* in other$' "python-$version.prof.hang.txt" || fail "Python $version lacks the other thread"
    ! grep -q ' owner=' "python-$version.prof.hang.txt" || fail "Python $version: a Lock has no owner"
    end_all
    # an RLock has an owner: its deadlock is named, with both threads' functions
    hang "rlock-$version" "$python" "$e2e_directory/hang_locks.py" RLock
    await_line "rlock-$version.prof.hang.txt" '^end$'
    says '^Hang: .* cannot go on: thread [0-9]* (.*) holds RLock 0x[0-9a-f]* and waits for RLock 0x[0-9a-f]*, thread ' "rlock-$version.prof"
    grep -A 3 'it waits for a Python RLock that thread ".*" holds, which is in' said.txt | grep -q 'line [0-9]* in other$' ||
        fail "Python $version: the owner of the RLock: $(cat said.txt)"
    "$PROF_BIN/profdump" hang --format json "rlock-$version.prof" | python3 -c '
import json, sys
threads = json.load(sys.stdin)["verdicts"][0]["threads"]
assert [thread["lock"] for thread in threads] == ["RLock", "RLock"], threads
assert threads[0]["waits_for"] == threads[1]["holds"] and threads[0]["owner"] == threads[1]["tid"], threads' ||
        fail "Python $version: JSON of a deadlock of RLocks"
    end_all
done

# ---- the loader's lock is held: neither the hang watch nor the sampler waits for it ----
compile holds_loader -rdynamic -ldl
"$CC" -DLIBRARY -shared -fPIC -O2 -I"$include" "$programs/holds_loader.c" -o libholds.so -ldl
PROF_SAMPLE=199 hang loader ./holds_loader ./libholds.so
await_line loader.prof.hang.txt '^end$'
grep -q 'name="stuck"' loader.prof.hang.txt || fail "another hang: $(cat loader.prof.hang.txt)"
"$PROF_BIN/profdump" stacks --cpu loader.prof | found 'compute_meanwhile' || fail "no samples while a library is loaded"
end_all

# ---- large thread-local variables, which glibc takes from each thread's stack: libprof's threads find room all the same ----
compile large_tls
PROF_SAMPLE=199 hang large ./large_tls 2>large.txt
await_line large.prof.hang.txt '^end$'
found 'cannot' <large.txt && fail "with large thread-local variables: $(cat large.txt)"
"$PROF_BIN/profdump" stacks --cpu large.prof | found 'compute' || fail "no samples with large thread-local variables"
end_all

# ---- a program that has used up its descriptors: no look of libprof's needs one of them, and its report none ----
compile uses_all_descriptors
PROF_SAMPLE=199 hang full ./uses_all_descriptors 2>full.txt
await_line full.prof.hang.txt '^end$'
grep -q 'name="full"' full.prof.hang.txt || fail "another hang: $(cat full.prof.hang.txt)"
says 'compute (uses_all_descriptors)' full.prof
has_samples() { "$PROF_BIN/profdump" stacks --cpu full.prof | found 'compute'; }
await "samples without a free descriptor" has_samples
end_all

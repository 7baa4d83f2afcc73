#!/usr/bin/env bash
# On a file system without shared mappings the chunks are anonymous memory, which is copied to the file.
. "$(dirname "$0")/common.sh"

compile no_shared_maps -shared -fPIC
compile numbered
compile ends
compile forks
lib=$here/no_shared_maps:$lib
limit=$((2 << 20))
meta=$((64 << 20)) # names and other facts may take this much beyond the limit

# Nothing is missing, whether it was copied while the program ran or at its end.
for threads in 1 8; do
    record whole$threads.prof ./numbered 400000 $threads >generated.txt
    expect whole$threads.prof "count['bulk'] == 399000 * $threads" "count['whole'] == $threads" 'process["closed"]' \
        'not any(raw.loss)' 'raw.gaps == 0' 'size < 64 << 20'
done
record names.prof ./numbered 20000 1 500 >generated.txt
expect names.prof 'count.total() == 20001' 'not any(raw.loss)' 'process["closed"]'

# Parts of chunks grow here and there.
record parts.prof ./numbered 1000 64 >generated.txt
expect parts.prof 'count["whole"] == 64' 'all(count[str(i)] == 64 for i in range(1, 1001))' 'process["closed"]' \
    'not any(raw.loss)' 'raw.gaps == 0' 'len(raw.logs) == 64' 'size < 64 * (12 << 10) + (2 << 20)'

# Limits hold.
generated=$(PROF_MAX_MB=2 record stop.prof ./numbered 400000 8)
expect stop.prof "count.total() + count['whole'] - loss['unclosed'] + loss['unopened'] + loss['full'] == $generated" \
    'loss["full"] > 0' "size <= $limit + $meta" 'process["closed"]'
PROF_MAX_MB=2 PROF_FULL=ring record ring.prof ./numbered 4000000 >generated.txt
expect ring.prof 'all(count[str(i)] == 1 for i in range(1, 1001))' "size <= $limit" 'process["ring"]' \
    'count["bulk"] > 100000' 'process["closed"]' 'loss["lost_host"] == 0'

# An exec that fails suspends the copies only; a child has a file of its own.
LD_PRELOAD=$lib PROF_OUTPUT=exec.prof ./ends exec_fails >ends.txt 2>&1 || true
expect exec.prof 'count["before"] == 2000' 'count["after"] == 1000' 'process["closed"]'
mkdir forks.d
LD_PRELOAD=$lib PROF_OUTPUT=forks.d/%p.prof ./forks generations
for file in forks.d/*.prof; do
    expect "$file" 'count.total() == 200' 'process["closed"]' 'not any(raw.loss)'
done

# What was copied survives kill -9, events with their names. Once enough of it has been copied, or the ring has turned.
has_copied() { (($(stat -c %s "$1" 2>/dev/null || echo 0) >= $2)) && (($(count_of bulk "$1") > 100000)); }
# kill_when FILE SIZE: under timeout, which makes a process group of it.
kill_when() {
    LD_PRELOAD=$lib PROF_OUTPUT=$1 timeout -s KILL 200 ./numbered 2000000000 >generated.txt &
    await "$1 of $2 bytes" has_copied "$1" "$2"
    for pid in $(pgrep -g $!); do
        ! found "^[0-9a-f-]* ...s .*/$1" "/proc/$pid/maps" || fail "$1 is mapped shared"
    done
    kill -KILL -- -$!
    wait $! 2>stderr.txt || true
}
PROF_MAX_MB=64 kill_when killed.prof $((4 << 20))
expect killed.prof 'not process["closed"]' 'count["bulk"] > 100000' 'loss["truncated"] == 1'
PROF_MAX_MB=2 PROF_FULL=ring kill_when killed_ring.prof $limit
expect killed_ring.prof 'not process["closed"]' 'process["ring"]' 'count["bulk"] > 100000'

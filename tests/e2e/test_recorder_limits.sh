#!/usr/bin/env bash
# At the size limit: what is lost is counted exactly, what is kept is whole.
. "$(dirname "$0")/common.sh"

compile numbered
limit=$((2 << 20))
meta=$((64 << 20)) # names and other facts may take this much beyond the limit

# Recorded pushes and marks are counts; pops are those that closed.
recorded='(count.total() + count["whole"] - loss["unclosed"] + loss["unopened"])'
export PROF_MAX_MB=2

export PROF_FULL=stop
for threads in 1 8; do
    generated=$(record stop$threads.prof ./numbered 400000 $threads)
    expect stop$threads.prof "$recorded + loss['full'] == $generated" 'loss["full"] > 0' \
        'loss["lost_host"] == loss["full"]' 'process["closed"]' 'raw.gaps == 0' "size <= $limit + $meta" \
        'not process["ring"]'
done
expect stop1.prof "size <= $limit + (1 << 16)"

export PROF_FULL=ring
record ring1.prof ./numbered 4000000 >generated.txt
expect ring1.prof 'all(count[str(i)] == 1 for i in range(1, 1001))' "size <= $limit" 'process["ring"]' \
    'loss["lost_host"] == 0' 'count["bulk"] > 100000' 'process["closed"]'
record ring8.prof ./numbered 400000 8 >generated.txt
expect ring8.prof "size <= $limit" 'loss["full"] == loss["lost_host"]' 'process["closed"]'
# More threads than chunks: who finds none is counted, and nothing that is there belongs to somebody
# else.
generated=$(record ring64.prof ./numbered 3000 64 2>stderr.txt)
found "ring of 2 MiB has no room for so many threads" <stderr.txt || fail "a full ring says nothing"
expect ring64.prof "size <= $limit" "$recorded + loss['full'] <= $generated" 'process["closed"]'

# Many names leave the log its half: the last part is there, not the first.
record many.prof ./numbered 60000 1 500 >generated.txt
expect many.prof 'count.total() == 60001' 'not any(raw.loss)' "size <= $limit + $meta"

# A ring that is killed is as readable as one that ended. Under timeout, which makes a process group
# of it: record() would leave $! a shell, and the program alive after it.
LD_PRELOAD=$lib PROF_OUTPUT=killed.prof timeout -s KILL 60 ./numbered 2000000000 >generated.txt &
has_many() { (($(count_of bulk killed.prof) > 100000)); }
await "100,000 ranges" has_many
kill -KILL -- -$!
wait $! 2>stderr.txt || true
expect killed.prof 'not process["closed"]' 'count["bulk"] > 100000'

# Names of their own kind fill the room for names; their events go on without them.
export PROF_FULL=stop
generated=$(record names.prof ./numbered 40000 1 4000)
expect names.prof "size <= $limit + $meta" 'loss["names"] > 0' 'process["closed"]' \
    "$recorded + loss['full'] == $generated"

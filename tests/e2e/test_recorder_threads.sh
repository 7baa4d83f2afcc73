#!/usr/bin/env bash
# Many threads, short threads, threads that leave in the middle.
. "$(dirname "$0")/common.sh"

compile threads

record many.prof ./threads many
expect many.prof 'count["shared"] == 640000' 'all(count[f"worker {i}"] == 10000 for i in range(64))' \
    'not any(raw.loss)' 'raw.gaps == 0' 'loss["unclosed"] == 0 and loss["unopened"] == 0' \
    '{f"worker {i}" for i in range(64)} <= {name for _, name, _ in raw.threads.values()}'

# A log is handed on to the next thread, so 100,000 threads need no more than their records: on each
# thread 48 bytes of beginning and end with its name, and 16 a range; and at most 5 MiB of chunks in use.
growth_kib=$(record short.prof ./threads short)
expect short.prof 'count["short"] == 200000' 'not any(raw.loss)' 'len(raw.threads) == 100001 or len(raw.threads) == 100000' \
    'size < 100000 * (48 + 2 * 16) + (5 << 20)' 'len(raw.logs) <= 4' 'loss["unopened"] == 0'
((growth_kib < 4096)) || fail "memory grew by $growth_kib KiB in 99,000 threads"

# A ring of 2 MiB has no more than that of them.
PROF_FULL=ring PROF_MAX_MB=2 record ring.prof ./threads short >/dev/null
expect ring.prof 'count["short"] > 10000' 'not any(raw.loss)' 'size <= 2 << 20' \
    'all(name == "threads" for _, name, _ in raw.threads.values())'

# Threads that live at once and record little share chunks, and their names are there.
record live.prof ./threads live
expect live.prof 'count["live"] == 1000' 'not any(raw.loss)' 'len(raw.logs) == 1000' 'size < 1000 * 4096 + (2 << 20)' \
    '{f"live {i}" for i in range(1000)} == {name for _, name, _ in raw.threads.values()}'

record unbalanced.prof ./threads unbalanced
expect unbalanced.prof 'count["inside"] == 100' 'count["left open"] == 20' \
    'loss["unclosed"] == 20' 'loss["unopened"] == 30'

record specific.prof ./threads specific
expect specific.prof 'count["body"] == 1' 'count["destructor"] == 3' 'not any(raw.loss)'

# Each of 50 threads records a range before it asks whether it was cancelled; recording never asks.
record cancelled.prof ./threads cancelled
expect cancelled.prof 'count["until cancelled"] >= 50' 'count["after"] == 1' 'loss["unopened"] == 0'

# Nor does taking call stacks, with libunwind and without: a push that is cancelled leaves a range open.
for method in tables frames; do
    PROF_STACKS=range PROF_STACK_METHOD=$method record $method.prof timeout 600 ./threads cancelled
    expect $method.prof 'count["until cancelled"] >= 50' 'count["after"] == 1' \
        'loss["unopened"] == 0 and loss["unclosed"] == 0'
done

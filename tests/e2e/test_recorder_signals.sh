#!/usr/bin/env bash
# Handlers that record interrupt the recorder anywhere, every 100 microseconds.
. "$(dirname "$0")/common.sh"

compile interrupted

interrupt() {
    read -r generated handled jumped < <(record "$1.prof" timeout -s KILL 60 ./interrupted "$1") || fail "$1"
    ((handled > 50)) || fail "$1: only $handled interruptions"
}

# Whatever a handler interrupts, its events and the interrupted one are all recorded, each once.
main_pairs='sum(n for name, n in count.items() if name.startswith("main"))'
whole='not any(loss[cause] for cause in ("lost_host", "torn", "missing_chunks", "unclosed", "unopened", "unknown_ends"))'
interrupt ranges
expect ranges.prof "$main_pairs == $generated" "count['handler'] == count['handler mark'] == $handled" "$whole"

interrupt ids
expect ids.prof "count['main'] == $generated" "count['handler'] == $handled" "$whole" \
    '(lambda ids: len(ids) == len(set(ids)))([e.words[1] for _, e in raw.events() if e.kind == 16 + 5])'

# Names are looked up and made in handlers too, and never confused.
interrupt stack
expect stack.prof "$main_pairs == $generated" "count['main'] == $generated * 3 // 4" \
    "all(count[f'main {i}'] == len(range(i, $generated, 300)) for i in range(0, 300, 4))" \
    "sum(n for name, n in count.items() if name.startswith('new')) == $handled" "$whole"

# A jump out of the middle of an event loses that event and the one after it at most.
interrupt jump
expect jump.prof "2 * $generated - 2 * $jumped <= count['main'] <= 2 * $generated" \
    "count['handler mark'] == $handled" "loss['torn'] <= $jumped" 'loss["lost_host"] == 0'

# Stops end the ranges that are open, so pairs are lost on purpose; nothing hangs.
interrupt control
expect control.prof "0 < count['main'] <= $generated"

#!/usr/bin/env bash
# Another library may stand before open(), close() and pthread_create(), and record: what libprof itself calls is not recorded,
# and no thread waits for itself. Also where there can be no new process, and below an emulator, where there is no vfork().
. "$(dirname "$0")/common.sh"

compile without
compile opens
compile opens_are_ranges -shared -fPIC -ldl
lib=$here/opens_are_ranges.so:$lib
mv opens_are_ranges opens_are_ranges.so

# check FILE: all that the program did, and only that.
check() {
    expect "$1" 'count["first"] == 1' 'count["range"] == 2000000' 'count["open"] == 10' 'count["close"] == 10' \
        'count["thread"] == 1' 'not any(raw.loss)' 'process["closed"]'
}

same "output" "done" "$(record run.prof ./opens)"
check run.prof
if ./without processes true; then
    same "output without new processes" "done" "$(PROF_OUTPUT=alone.prof timeout 600 ./without processes env LD_PRELOAD="$lib" ./opens)"
    check alone.prof
fi

# The first event may come while the loader is at work, whose lock such a library takes.
cat >loaded.c <<'C'
#include <prof/prof.h>
__attribute__((constructor)) static void load(void)
{
    prof_range_push("loaded");
    prof_range_pop();
}
C
"$CC" -shared -fPIC -I"$include" loaded.c -o loaded.so
same "output of one that loads a library" "done" "$(record loads.prof timeout 600 ./opens ./loaded.so)"
expect loads.prof 'count["loaded"] == 1' 'count["range"] == 2000000'

[[ $(uname -m) == x86_64 ]] && command -v qemu-x86_64 >/dev/null || skip "no qemu-x86_64 (Debian: qemu-user); the rest passed"
same "output below an emulator" "done" "$(PROF_OUTPUT=emulated.prof timeout 300 qemu-x86_64 -E LD_PRELOAD="$lib" ./opens)"
check emulated.prof

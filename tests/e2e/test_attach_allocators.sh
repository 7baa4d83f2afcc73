#!/usr/bin/env bash
# profrun --attach and allocators that keep data for each thread: they see threads of libc's only. A thread that libc does
# not know would leave its data behind, and the program would end with one of the next threads.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/attach_common.sh"

# attach_often HOW: attaches to ./attach_threads, as HOW runs it, one at a time and two at once
attach_often() {
    local first second status
    begin "$@" ./attach_threads
    for ((i = 0; i < ${ATTACH_ROUNDS:-5}; i++)); do
        attach -o "often$i.prof" --for 10ms --no-table
        "$PROF_BIN/profrun" --attach "$guest" --for 10ms --no-table 2>first.txt 9>&- &
        first=$!
        "$PROF_BIN/profrun" --attach "$guest" --for 10ms --no-table 2>second.txt 9>&- &
        second=$!
        for attacher in "$first" "$second"; do
            status=0
            wait "$attacher" || status=$?
            ((status == 0)) || fail "$*: two at once: status $status, $(cat first.txt second.txt)"
        done
    done
    end 7 ended
    rm -f ./*.prof
}

compile attach_threads -pthread
attach_often env
compile attach_threads -pthread -fno-pie -no-pie
attach_often env
"$CC" -O1 -shared -fPIC "$programs/attach_allocator.c" -o attach_allocator.so -pthread
attach_often env LD_PRELOAD="$here/attach_allocator.so"
present=
for allocator in libjemalloc.so.2 libtcmalloc.so.4 libtcmalloc_minimal.so.4 libmimalloc.so.2 libmimalloc.so.3; do
    [[ -z $(LD_PRELOAD=$allocator ./attach_threads </dev/null 2>&1 >/dev/null) ]] || continue # it is not installed
    attach_often env LD_PRELOAD="$allocator"
    present+=" $allocator"
done

# With one thread, libc leaves out locks until there are two.
compile attach_guest -lrt
for allocator in $present; do
    for mode in malloc sleep signals; do
        begin env LD_PRELOAD="$allocator" ./attach_guest "$mode"
        for ((i = 0; i < 3; i++)); do
            attach -o "alone$i.prof" --for 10ms --no-table
        done
        end 7 ended
        rm -f ./*.prof
    done
done
[[ -n $present ]] || echo "no other allocator is installed here (Debian: libjemalloc2, libtcmalloc-minimal4, libmimalloc2.0)"

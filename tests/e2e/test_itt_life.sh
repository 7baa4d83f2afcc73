#!/usr/bin/env bash
# How ITT is picked up, and what becomes of it in threads, forked children, killed processes and children of others.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/nvtx_common.sh"

compile itt_life
cp itt_life other # what runs must not know the name

record threads.prof ./itt_life threads >/dev/null
nvtx threads.prof 'sum(raw.loss) == 0 and unopened == 0 and len({each.thread for each in ranges}) == 8' \
    'count["life", "same"] == 160000 and all(count["life", f"task {i}"] == 800 for i in range(100))'

# A forked child's file says again what its numbers mean, and knows of nothing that is open.
LD_PRELOAD=$lib PROF_OUTPUT=fork-%p.prof ./itt_life fork >/dev/null
mapfile -t files < <(ls fork-*.prof)
((${#files[@]} == 2)) || fail "${#files[@]} files of parent and child"
for file in "${files[@]}"; do
    if grep -qa child "$file"; then
        nvtx "$file" 'count["life", "same"] == 1 and count["life", "child"] == 1 and sum(raw.loss) == 0 and unopened == 0'
    else
        nvtx "$file" 'count["life", "same"] == 1 and count["life", "parent"] == 1 and unopened == 0' \
            'count["life", "open in the parent"] == 1 and sum(raw.loss) == 0'
    fi
done

same "kill -9" 137 "$(status_of record killed.prof ./itt_life killed | tail -n 1)"
nvtx killed.prof 'count["life", "same"] == 20000 and not raw.closed and sum(raw.loss) == 0'

# Making handles makes no file.
record nothing.prof ./itt_life >out.txt 2>err.txt
[[ ! -e nothing.prof && ! -s err.txt ]] || fail "handles made a file or said something: $(cat err.txt)"
same "the collector where preloaded" "$lib" "$(cat out.txt)"

PROF_ITT=0 record off.prof ./itt_life threads >out.txt
[[ ! -e off.prof ]] || fail "PROF_ITT=0 recorded"
same "the collector with PROF_ITT=0" "not set" "$(cat out.txt)"
PROF_ITT=0 INTEL_LIBITTNOTIFY64=$lib record off.prof ./itt_life threads >/dev/null
[[ ! -e off.prof ]] || fail "PROF_ITT=0 recorded where it was injected"
PROF_START=api record api.prof ./itt_life threads >/dev/null
[[ ! -e api.prof ]] || fail "recorded before prof_start()"

# The user's own collector is kept.
echo 'void __itt_api_init(void *global, int groups) { (void)global, (void)groups; }' |
    "$CC" -shared -fPIC -x c - -o libmine.so
INTEL_LIBITTNOTIFY64=$here/libmine.so record mine.prof ./itt_life threads >out.txt
same "the user's collector" "$here/libmine.so" "$(cat out.txt)"
[[ ! -e mine.prof ]] || fail "recorded although ITT has another collector"

# Injected through ITT alone, by the library's own path or a link to it.
ln -s "$lib" link.so
for path in "$lib" "$here/link.so"; do
    INTEL_LIBITTNOTIFY64=$path PROF_OUTPUT=injected.prof ./itt_life fork >/dev/null
    nvtx injected.prof 'count["life", "same"] == 1 and count["life", "parent"] == 1 and raw.closed'
    rm -f injected*.prof
done

# A copy beside a preloaded library hands its calls to it: one file.
cp "$lib" libcopy.so
INTEL_LIBITTNOTIFY64=$here/libcopy.so record copy-%n.prof ./itt_life threads >/dev/null
nvtx copy-1.prof 'count["life", "same"] == 160000'
[[ ! -e copy-2.prof ]] || fail "a copy recorded too"

# Linked only: the program is recorded from prof_start() on, its children are not.
"$CC" -O2 -DWITH_PROF -DPROF_LINKED -I"$include" "$programs/itt_life.c" -o linked \
    -L"$PROF_LIB" -lprof -Wl,-rpath,"$PROF_LIB" -pthread -ldl
PROF_OUTPUT=linked-%n.prof ./linked linked './itt_life threads; ./other fork' >/dev/null
nvtx linked-1.prof 'count["life", "before"] == 0 and count["life", "linked"] == 1'
[[ ! -e linked-2.prof ]] || fail "children of a linked program were recorded"
PROF_OUTPUT=quiet.prof ./linked threads >/dev/null
[[ ! -e quiet.prof ]] || fail "a linked program was recorded that did not ask for it"

#!/usr/bin/env bash
# How NVTX is picked up, and what becomes of it in threads, forked children and other shared objects.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/nvtx_common.sh"

need_nvtx
compile_nvtx nvtx_life
compile_nvtx nvtx_scopes
cp nvtx_life other # what runs must not know the name
"$CC" -O2 -fPIC -shared -DAS_LIBRARY -isystem "$nvtx_include" "$programs/nvtx_life.c" -o liblater.so
"$CC" -O2 -fPIC -shared -DAS_LIBRARY -DWITH_CONSTRUCTOR -isystem "$nvtx_include" "$programs/nvtx_life.c" -o libearly.so

record scopes.prof ./nvtx_scopes
nvtx scopes.prof 'sum(raw.loss) == 0 and unopened == 0' \
    'count["cpp", "registered in C++"] == 10 and count["", "inner"] == 10 and count["cpp", "function"] == 10' \
    'of("registered in C++").category == "io" and of("registered in C++").color == 0xff010203' \
    '[each.attributes["payload"] for each in ranges if each.name == "registered in C++"] == list(range(10))' \
    'count["", "unique"] == 1 and of("mark").attributes == {"payload": 2.5}'

record threads.prof ./nvtx_life threads >/dev/null
nvtx threads.prof 'sum(raw.loss) == 0 and unopened == 0 and len({each.thread for each in ranges}) == 8' \
    'count["life", "registered"] == 160000 and all(count["", f"range {i}"] == 1600 for i in range(100))' \
    'len([name for name in raw.names.values() if name.startswith(b"range ")]) >= 100'

# A forked child's file says again what its numbers mean.
LD_PRELOAD=$lib PROF_OUTPUT=fork-%p.prof ./nvtx_life fork >/dev/null
mapfile -t files < <(ls fork-*.prof)
((${#files[@]} == 2)) || fail "${#files[@]} files of parent and child"
for file in "${files[@]}"; do
    if grep -qa child "$file"; then
        nvtx "$file" 'count["life", "registered"] == 1 and count["", "child"] == 1 and unopened == 1' \
            'of("registered").category == "category" and sum(raw.loss) == 0' \
            'sorted(raw.names.values()) == [b"category", b"child", b"life", b"registered"]'
    else
        nvtx "$file" 'count["life", "registered"] == 1 and count["", "parent"] == 1 and unopened == 0' \
            'count["", "open in the parent"] == 1 and sum(raw.loss) == 0'
    fi
done

# It says so before the event that needs it: the child may be killed next.
LD_PRELOAD=$lib PROF_OUTPUT=killed-%n.prof ./nvtx_life killed >/dev/null
nvtx killed-2.prof 'of("registered").domain == "life" and of("registered").category == "category"'

# Two shared objects with NVTX functions of their own; one that uses NVTX before anybody's main().
record two.prof ./nvtx_life library ./liblater.so >/dev/null
nvtx two.prof 'count["", "in the library"] == 1 and count["", "program"] == 1'
env LD_PRELOAD="./libearly.so $lib" PROF_OUTPUT=early.prof ./nvtx_life none >/dev/null
nvtx early.prof 'count["early", "constructor"] == 1'

# Called before our own constructor (the loader initialises the last preloaded library first).
env LD_PRELOAD="$lib ./libearly.so" NVTX_INJECTION64_PATH="$lib" PROF_OUTPUT=before.prof \
    ./nvtx_life library ./liblater.so >/dev/null
nvtx before.prof 'count["", "in the library"] == 1 and count["", "program"] == 1 and sum(raw.loss) == 0' \
    'count["early", "constructor"] == 1'

# Registering alone makes no file; nor does a program that is not to be recorded.
record nothing.prof ./nvtx_life >out.txt 2>err.txt
[[ ! -e nothing.prof && ! -s err.txt ]] || fail "registering made a file or said something: $(cat err.txt)"
same "the injection where preloaded" "$lib" "$(cat out.txt)"

PROF_NVTX=0 record off.prof ./nvtx_life threads >out.txt
[[ ! -e off.prof ]] || fail "PROF_NVTX=0 recorded"
same "the injection with PROF_NVTX=0" "not set" "$(cat out.txt)"
PROF_NVTX=0 NVTX_INJECTION64_PATH=$lib record off.prof ./nvtx_life threads >/dev/null
[[ ! -e off.prof ]] || fail "PROF_NVTX=0 recorded where it was injected"

# Depths are kept while nothing is recorded.
PROF_START=api record depths.prof ./nvtx_life depths >/dev/null
[[ ! -e depths.prof ]] || fail "recorded before prof_start()"
record depths.prof ./nvtx_life depths >/dev/null
nvtx depths.prof 'count["", "a"] == 1 and count["", "b"] == 1 and unopened == 1'

# The user's own tool is kept.
echo 'int InitializeInjectionNvtx2(void *get) { return get != 0; }' | "$CC" -shared -fPIC -x c - -o libmine.so
NVTX_INJECTION64_PATH=$here/libmine.so record mine.prof ./nvtx_life threads >out.txt
same "the user's tool" "$here/libmine.so" "$(cat out.txt)"
[[ ! -e mine.prof ]] || fail "recorded although another tool has NVTX"

# Injected through NVTX alone, by the library's own path or a link to it.
ln -s "$lib" link.so
for path in "$lib" "$here/link.so"; do
    NVTX_INJECTION64_PATH=$path PROF_OUTPUT=injected.prof ./nvtx_life fork >/dev/null
    nvtx injected.prof 'count["life", "registered"] == 1 and count["", "parent"] == 1 and raw.closed'
    rm -f injected*.prof
done

# A copy beside a preloaded library hands its calls to it: one file.
cp "$lib" libcopy.so
NVTX_INJECTION64_PATH=$here/libcopy.so record copy-%n.prof ./nvtx_life library ./liblater.so >/dev/null
nvtx copy-1.prof 'count["", "in the library"] == 1 and count["", "program"] == 1'
[[ ! -e copy-2.prof ]] || fail "a copy recorded too"

# Linked only: the program is recorded from prof_start() on, its children are not.
"$CC" -O2 -DWITH_PROF -DPROF_LINKED -I"$include" -isystem "$nvtx_include" "$programs/nvtx_life.c" -o linked \
    -L"$PROF_LIB" -lprof -Wl,-rpath,"$PROF_LIB" -pthread -ldl
PROF_OUTPUT=linked-%n.prof ./linked linked then './nvtx_life threads; ./other fork' >/dev/null
nvtx linked-1.prof 'count["life", "registered"] == 1 and count["", "linked"] == 1'
[[ ! -e linked-2.prof ]] || fail "children of a linked program were recorded"
PROF_OUTPUT=quiet.prof ./linked threads >/dev/null
[[ ! -e quiet.prof ]] || fail "a linked program was recorded that did not ask for it"

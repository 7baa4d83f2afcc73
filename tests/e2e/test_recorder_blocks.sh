#!/usr/bin/env bash
# Profiling blocks and the prof buffers of ExecuTorch that are written from them. The numbers are
# those of the defects of ExecuTorch's own profiler that must not be here.
. "$(dirname "$0")/common.sh"

etprof() {
    python3 "$e2e_directory/etprof_file.py" "$@"
}

# run MODE: in a directory of its own, recorded; what it says must be "as documented". The same dump comes of the file.
run() {
    mkdir "$here/$1" && cd "$here/$1"
    same "what blocks $1 says" "as documented" "$(record run.prof ../blocks "$1")"
    "$PROF_BIN/profdump" check run.prof >check.txt || fail "$(cat check.txt)"
    if [[ -e out.etprof ]]; then
        "$PROF_BIN/profdump" -o again.etprof run.prof 2>again.txt
        cmp out.etprof again.etprof || fail "profdump -o again.etprof differs from the program's own dump"
    fi
}

compile blocks

run dump_create_dump # 1
etprof first.etprof 'names == {"default": ["a"]}'
etprof second.etprof 'names == {"default": ["a"], "B": ["b"]}'
etprof third.etprof 'names == {"default": ["a"], "B": ["c"]}'
cmp third.etprof fourth.etprof

run dump_more_dump # 2
etprof first.etprof 'names == {"default": ["a"]}'
etprof second.etprof 'names == {"default": ["a", "b"]}'

run allocators # 3
etprof out.etprof '[b.allocations for b in blocks] == [[("alloc_of_A", 100)],
    [("alloc_of_B", 1000), ("alloc_of_A", 10), ("alloc_of_A", 0)]]'

run iterations # 4, 7
etprof out.etprof '[(b.name, len(b.events)) for b in blocks] == [("A", 1), ("A", 2), ("A", 3), ("B", 1)]'

run empty # 5
etprof out.etprof 'names == {"A": ["a"]}'
[[ ! -e none.etprof ]] || fail "a dump of nothing left a file"

run crossing # 6
etprof out.etprof 'names == {"A": ["crosses"], "B": ["of B"]}'
grep -q 'unfinished events left out: 1' again.txt || fail "the unfinished event is not mentioned: $(cat again.txt)"

run nested # 8, 9, 13: own times for each, whole nanoseconds, nested as they were
etprof out.etprof '[(e.name, e.chain, e.instruction) for e in blocks[0].events] == [
    ("Method::execute", -1, 0), ("native_call_outer", 0, 7), ("native_call_inner", 0, 8),
    ("Method::execute", -1, 0), ("native_call_outer", 1, 7), ("native_call_inner", 1, 8), ("outside", -1, 0)]' \
    'all(a.start <= b.start <= b.end <= a.end for i in (0, 3) for a, b in zip(blocks[0].events[i:i + 2],
        blocks[0].events[i + 1:i + 3]))' 'blocks[0].events[0].end <= blocks[0].events[3].start'

run limits # 10 (the sizes are exact), 11
etprof out.etprof 'len(blocks[0].events) == 100000' \
    '[e.name for e in blocks[0].events] == ["event %d" % (i % 100) for i in range(100000)]' \
    'names["names"] == ["0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef",
        "0123456789abcdef0123456789abcd\u00e9", "0123456789abcdef0123456789abcde", "\u4e2d\u6587 \ufffd", ""]' \
    'blocks[1].allocations == [("pool", 2**32 - 1), ("pool", 2**32 - 1), ("pool", (5 << 30) - 2**32 + 1)]' \
    'size == 3 * 64 - 64 + (100000 + 6) * 56 + 40 + 3 * 8'

run before_blocks # 12
etprof out.etprof 'names == {"default": ["early"], "A": ["a"]}'

run threads
etprof out.etprof '[b.name for b in blocks] == ["threads", "afterwards"]' 'names["threads"].count("step") == 20000' \
    'all([e.instruction for e in blocks[0].events if e.chain == chain] == list(range(5000)) for chain in range(4))' \
    '[(e.chain, e.instruction) for e in blocks[0].events if e.name != "step"] == [(100, 100)] * 4'

run forks
etprof out.etprof 'names == {"parent'"'"'s": ["parent"]}' 'blocks[0].allocations == [("pool", 1)]'
etprof child.etprof 'names == {"default": ["child"], "child'"'"'s": ["child"]}' \
    'blocks[0].allocations == [("pool", 2)]' '[e.chain for b in blocks for e in b.events] == [1, 1]'

mkdir "$here/switched" && cd "$here/switched"
same "what is said while recording goes on and off" "as documented" \
    "$(PROF_START=api record run.prof ../blocks switched)"
etprof out.etprof '[(e.name, e.chain, e.instruction) for e in blocks[0].events] == [("kept", 3, 4)]' \
    'blocks[0].allocations == [("pool", 5)]' 'len(blocks) == 1'

mkdir "$here/life" && cd "$here/life"
same "what is said from constructor to destructor" "as documented" "$(EARLY_BLOCK=1 record run.prof ../blocks life)"
etprof out.etprof 'names == {"default": ["constructor", "main", "destructor"]}'

mkdir "$here/absent" && cd "$here/absent"
same "what is said without the library" "as documented" "$(../blocks absent)"
same "files without the library" "" "$(ls)"

# A killed program's blocks are in its trace.
mkdir "$here/killed" && cd "$here/killed"
cat >killed.c <<'KILLED'
#include <prof/block.h>
#include <signal.h>
int main(void)
{
    PROF_CREATE_BLOCK("killed");
    PROF_BEGIN("open");
    { PROF_SCOPE("done"); }
    return raise(SIGKILL);
}
KILLED
"$CC" -I"$include" killed.c -o killed
status_of record run.prof ./killed >/dev/null
"$PROF_BIN/profdump" -o out.etprof run.prof 2>/dev/null
etprof out.etprof 'names == {"killed": ["done"]}'
cd "$here"

# The example that docs/blocks.md names.
mkdir "$here/example" && cd "$here/example"
"$CC" -std=c17 -Wall -Werror -I"$include" "$e2e_directory/../../examples/blocks.c" -o example
same "what the example prints" "result 2.25"$'\n'"blocks.etprof: done" "$(record run.prof ./example)"
etprof blocks.etprof '[b.name for b in blocks] == ["inference"] * 3' \
    'all([(e.name, e.chain, e.instruction) for e in b.events] == [("Method::execute", -1, 0),
        ("native_call_add.out", 0, 0), ("native_call_mul.out", 0, 1), ("native_call_add.out", 0, 2),
        ("native_call_mul.out", 0, 3)] for b in blocks)' \
    'all(b.allocations == [("planned memory", 4 << 16)] for b in blocks)'
cd "$here"

# The reader of these tests agrees with ExecuTorch's parser about ExecuTorch's own dumps.
data=${SHARED_DIR:-$e2e_directory/../../../shared}/data/executorch
if [[ ! -d $data ]]; then
    echo "not compared with ExecuTorch's own dumps: $data is not here"
    exit 0
fi
for dump in "$data"/case[0134569]_small.prof.bin; do
    etprof --golden "$dump" "${dump%.prof.bin}.golden.json"
done

#!/usr/bin/env bash
# Call stacks at launches and ranges: the right functions from every kind of program, and never a crash.
. "$(dirname "$0")/cuda_common.sh"

has_libunwind() { python3 -c 'import ctypes; ctypes.CDLL("libunwind.so.8")' 2>/dev/null; }
[[ $(uname -m) == x86_64 ]] || skip "the test programs have machine code of x86-64 in them"
methods=(frames)
if has_libunwind; then methods=(tables frames); else echo "libunwind.so.8 is missing (Debian: libunwind8): frame pointers only"; fi

# take WAY...: records `stacks WAY`, into run.prof; METHOD, WHERE and PROGRAM steer it.
take() {
    rm -f run.prof run-*.prof
    PROF_STACKS=${WHERE:-launch} PROF_STACK_METHOD=${METHOD:-auto} simulate run.prof timeout 600 ./"${PROGRAM:-stacks}" "$@" \
        >out.txt 2>&1 || fail "$*: $? $(cat out.txt)"
    no_violations "$*"
    "$PROF_BIN/profdump" check ./run*.prof >check.txt || fail "$*: $(cat check.txt)"
}

# folded: the stacks of run.prof from main on, without weights and calls.
# Through a file: grep -q leaves a pipe before it is empty.
folded() { "$PROF_BIN/profdump" stacks --folded --perf-map . run.prof 2>complaints.txt | sed 's/.*;main/main/; s/ [0-9]*$//; s/;cuda[A-Za-z]*$//'; }

# shows WHAT STACK: one of the stacks is exactly that; inlined functions count only where profdump tells them.
shows() {
    local wanted=$2
    ((lines)) || wanted=$(sed 's/[^;]*_\[i\];\?//g; s/;$//' <<<"$wanted")
    folded >folded.txt
    grep -Fxq "$wanted" folded.txt || fail "$1: no stack $wanted in"$'\n'"$(cat folded.txt)"
}

# prints PATTERN [FILE]: `profdump stacks FILE` has such a line, or a complaint.
prints() {
    "$PROF_BIN/profdump" stacks "${2:-run.prof}" >stacks.txt 2>&1
    grep -q "$1" stacks.txt
}

json_has() {
    "$PROF_BIN/profdump" --json "$2" >facts.json
    grep -q "$1" facts.json
}

facts() { "$PROF_BIN/profdump" --json run.prof | python3 -c "import json, sys
stacks = json.load(sys.stdin)['stacks']
assert $1, stacks"; }

work="launch_work_[i];launch_shaped_[i]"

compile_cuda stacks -O2 -rdynamic
cp stacks with_tables
compile_cuda stacks -O2 -rdynamic -fno-omit-frame-pointer
cp stacks with_frames
take plain
lines=1
if prints 'no source lines'; then
    lines=0
    echo "profdump was built without libdw: functions only"
fi

# A stack names its call and begins with the program; libc's start is hidden. Missing debug information is stated once.
"$PROF_BIN/profdump" stacks run.prof >stacks.txt 2>&1
grep -q '^Stack 1: [0-9]* calls\? of cudaLaunchKernel, ' stacks.txt || fail "a stack does not name its call: $(cat stacks.txt)"
! grep -E '^    (_start|__libc_start|start_thread|clone|\?\? \(libc)' stacks.txt || fail "stacks begin in libc"
! grep 'no debug information' stacks.txt || fail "it has debug information"
"$PROF_BIN/profdump" stacks --folded run.prof | grep -q '^main;.*;cudaLaunchKernel [0-9]*$' || fail "no folded stack ends with the call"
"$PROF_BIN/profdump" stacks -o flame.svg run.prof
for name in all main cudaLaunchKernel; do grep -q "<title>$name, [0-9.]*[mun]*s (" flame.svg || fail "$name is not in the flame graph"; done
"$PROF_BIN/profdump" stacks -o flame.png run.prof 2>refused.txt && fail "a flame graph is no PNG file"
grep -q 'end OUT in .svg' refused.txt || fail "$(cat refused.txt)"
if ((lines)); then
    strip --strip-debug -o bare stacks
    PROGRAM=bare take plain
    prints '^bare has no debug information: compile with -g for source lines$' || fail "$(cat stacks.txt)"
    (($(grep -c 'no debug information' stacks.txt) == 1)) || fail "it is said more than once"
    take plain
fi

# Every way under every method: no crash, no violation, nothing lost; the kernel's caller is there.
for PROGRAM in with_tables with_frames; do
    for METHOD in auto "${methods[@]}"; do
        for way in plain "deep 10000" handler altstack context tiny jit broken errno; do
            # shellcheck disable=SC2086 # a way and its argument
            WHERE=range take $way
            json_has '"names":0' run.prof || fail "$way: stacks were lost"
        done
    done
done

for METHOD in "${methods[@]}"; do
    PROGRAM=with_frames
    [[ $METHOD == frames ]] || PROGRAM=with_tables
    take plain
    shows "a plain program by $METHOD" "main;outer;middle_[i];inner;$work"
    facts "stacks['method'] == '$METHOD' and stacks['count'] == 1 and stacks['cut'] == stacks['untaken'] == 0"
    take deep 10000
    facts "stacks['count'] == stacks['cut'] == 1"
    PROF_STACK_DEPTH=127 take deep 50
    folded >folded.txt
    grep -q "^main;\(deep;\)\{50\}inner" folded.txt || fail "recursion by $METHOD: $(cat folded.txt)"
    take jit
    shows "code made at run time by $METHOD" "main;use_jit_[i];made_at_run_time;outer;middle_[i];inner;$work"
    take handler
    wanted='on_signal;inner' # libc, which raised the signal, keeps no frame pointers
    [[ $METHOD == frames ]] || wanted='^main;.*on_signal;inner'
    folded >folded.txt
    grep -q "$wanted" folded.txt || fail "a signal handler by $METHOD: $(cat folded.txt)"
done

# On a stack of unknown size libunwind is not let loose; frame pointers find what there is.
PROGRAM=with_frames METHOD=auto
take altstack
folded >folded.txt
grep -q 'on_signal;inner' folded.txt || fail "a handler on a stack of its own: $(cat folded.txt)"
take context
folded >folded.txt
grep -q 'coroutine;inner' folded.txt || fail "a coroutine: $(cat folded.txt)"
facts "stacks['method'] == 'frames' and stacks['untaken'] == 0"

# Stripped: what is exported has a name, the rest has a place.
PROGRAM=stripped
strip -o stripped with_tables
take plain
"$PROF_BIN/profdump" stacks run.prof >stacks.txt
grep -q '^    inner  in stripped$' stacks.txt && grep -q '^    ?? (stripped+0x\|^    main  in stripped$' stacks.txt ||
    fail "a stripped program: $(cat stacks.txt)"

# Stacks that read the same are one: those of two lines are two where lines are known, one where only functions are.
PROGRAM=with_tables
take twice
if ((lines)); then prints '^2 call stacks ' || fail "launches of two lines: $(cat stacks.txt)"; fi
same "lines of folded stacks that differ in addresses" 1 "$("$PROF_BIN/profdump" stacks --folded run.prof 2>complaints.txt | wc -l)"
PROGRAM=without_lines
strip -g -o without_lines with_tables
take twice
prints '^1 call stack ' && grep -q '^Stack 1: 2 calls' stacks.txt || fail "stacks that read the same: $(cat stacks.txt)"
same "rows that read the same" 1 "$("$PROF_BIN/profdump" stacks --format csv run.prof | tail -n +2 | wc -l)"

# Another build in the program's place: its names are not used, and that is said.
PROGRAM=rebuilt
cp with_tables rebuilt
take plain
compile_cuda stacks -O0 -rdynamic
mv stacks rebuilt
"$PROF_BIN/profdump" stacks run.prof >stacks.txt 2>complaints.txt
grep -q 'rebuilt is another build now' complaints.txt || fail "a program built anew: $(cat complaints.txt)"
grep -q '?? (rebuilt+0x' stacks.txt && ! grep -q inner stacks.txt || fail "names of another build: $(cat stacks.txt)"
rm rebuilt
prints 'rebuilt cannot be read' || fail "a deleted program"

# Libraries that come and go, perhaps at one address: each address means what it meant then.
PROGRAM=with_tables METHOD=${methods[0]}
[[ $METHOD == tables ]] || PROGRAM=with_frames
for name in first second; do
    "$CC" -std=gnu17 -O2 -g -fno-omit-frame-pointer -shared -fPIC -I"$include" -DPLUGIN=${name}_plugin \
        "$cuda_programs/stacks_plugin.c" -o $name.so
done
WHERE=range take plugins ./first.so ./second.so
for name in first second; do
    folded >folded.txt
    grep -q "^main;use_plugin;plugin_enter;${name}_plugin;inner" folded.txt || fail "closed libraries: $(cat folded.txt)"
done
prints '; 1 range' || fail "ranges have no stacks"
prints '^    plugin_load  ' || fail "a constructor under the loader's lock"

# Source lines, and the Chrome trace.
if ((lines)); then
    take plain
    prints '^    outer  at .*/stacks.c:[0-9]*$' || fail "no source line"
    prints '^    middle  at .*/stacks.c:[0-9]* (inlined)$' || fail "no inlined function"
    expect_cuda run.prof -- "all('stacks.c(' in e['args']['Call stack'] for e in x('cuda_runtime', 'cudaLaunchKernel'))" \
        "len(x('cuda_runtime', 'cudaLaunchKernel')) == 1" \
        "all(': inner;' in e['args']['Call stack'] for e in x('cuda_runtime', 'cudaLaunchKernel'))"
fi

# Forked children of a program whose other threads are walking: they record, and nothing of theirs hangs.
for METHOD in auto "${methods[@]}"; do
    rm -f run*.prof fork-*.prof
    PROF_STACKS=range PROF_STACK_METHOD=$METHOD simulate 'fork-%p.prof' timeout 600 ./with_frames fork >out.txt 2>&1 ||
        fail "fork by $METHOD: $? $(cat out.txt)"
    same "files of children and parent" 21 "$(find . -name 'fork-*.prof' | wc -l)"
    for file in fork-*.prof; do
        "$PROF_BIN/profdump" check "$file" >check.txt || fail "$file: $(cat check.txt)"
        # none where a walk of the parent's lasted longer than fork waits (0.1 s): on a loaded machine; then that is counted
        prints '^    main\|launch_on' "$file" || json_has '"untaken":[1-9]' "$file" || fail "$file: no stacks"
    done
done

# Off means off; no stack at all where libunwind is asked for and missing.
PROGRAM=with_tables
rm -f run.prof
simulate run.prof ./with_tables plain 2>out.txt
json_has '"stacks":' run.prof && fail "stacks that nobody asked for"
prints 'there are no call stacks' || fail "a recording without stacks"
"$PROF_BIN/profrun" --sim -q --stacks -o profrun.prof ./with_tables plain
json_has '"stacks":{"count":1' profrun.prof || fail "profrun --stacks"
"$PROF_BIN/profrun" --sim -q --stacks=range -o profrun2.prof ./with_tables plain
json_has '"stacks":{"count":2' profrun2.prof || fail "profrun --stacks=range"

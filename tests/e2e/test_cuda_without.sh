#!/usr/bin/env bash
# Less than everything: a program without CUDA on the simulated one, CUDA switched off, variables set by the user.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda small
compile ranges
run() { "$@" >/dev/null || (($? == 3)); }

# A program without CUDA.
"$PROF_BIN/profrun" --sim -q -o ranges.prof -- ./ranges
expect_cuda ranges.prof -- "count['outer'] == 1 and facts['mode'] == 'none' and not ops and not calls and not devices" \
    "not facts['simulated']"
no_violations "a program without CUDA"
mkdir nothing && cd nothing
same "a program that records nothing" hello "$("$PROF_BIN/profrun" --sim -q -o x.prof -- echo hello 2>&1)"
same "its files" "" "$(ls)"
cd ..

# CUDA switched off: ranges only, CUPTI is not touched.
PROF_CUDA=0 SIM_FAIL='cuptiSubscribe=39' run simulate off.prof ./small 5 2>stderr.txt
same "what PROF_CUDA=0 says" "" "$(cat stderr.txt)"
expect_cuda off.prof -- "facts['mode'] == 'none' and not ops and not calls and count['work'] == 1 and process['closed']"

# Variables of the user: kept, in their place.
cat >show.c <<'C'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    const char *preload = getenv("LD_PRELOAD"), *injection = getenv("CUDA_INJECTION64_PATH");
    printf("%s\n%s\n", preload ? preload : "-", injection ? injection : "-");
    return 0;
}
C
cat >mine.c <<'C'
#include <stdio.h>
int InitializeInjection(void)
{
    puts("injected by the user");
    return 1;
}
C
"$CC" show.c -o show
"$CC" -shared -fPIC mine.c -o mine.so
mine=$PWD/mine.so
same "both variables under profrun" "$mine:$lib"$'\n'"$mine" \
    "$(LD_PRELOAD=$mine CUDA_INJECTION64_PATH=$mine "$PROF_BIN/profrun" -q -- ./show)"
same "the injection when preloaded" "$lib"$'\n'"$mine" "$(LD_PRELOAD=$lib CUDA_INJECTION64_PATH=$mine ./show)"
same "the injection when libprof asks for it" "$lib"$'\n'"$lib" "$(LD_PRELOAD=$lib ./show)"
# The user's injection runs; libprof then has the ranges, and says that it has no more.
out=$(CUDA_INJECTION64_PATH=$mine simulate kept.prof ./small 5) || (($? == 3))
same "the user's injection" 1 "$(grep -c 'injected by the user' <<<"$out")"
expect_cuda kept.prof -- "count['work'] == 1 and process['closed'] and not ops" \
    "facts['mode'] in ('unavailable', 'events') and 'CUDA called another tool instead of libprof' in facts['mode_reason']"

# Children that a program linked to libprof starts before it uses CUDA are not recorded, unless the user asks for that.
cat >starts.c <<'C'
#include <prof/prof.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    (void)argc;
    return prof_version() ? WEXITSTATUS(system(argv[1])) : 1;
}
C
"$CC" -DPROF_LINKED -I"$include" starts.c -o starts -L"$PROF_LIB" -lprof -Wl,-rpath,"$PROF_LIB"
mkdir started
PROF_TABLE=1 PROF_OUTPUT=started/%p.prof bare ./starts './small 5' >out.txt 2>&1 || (($? == 3))
same "what a started program says" "$(bare ./small 5)" "$(cat out.txt)"
same "what a started program leaves" "" "$(ls started)"
PROF_OUTPUT=started/run.prof bare ./starts "env LD_PRELOAD=$lib ./small 5" >out.txt || (($? == 3))
expect_cuda started/run.prof -- "facts['mode'] == 'cupti' and ops and count['work'] == 1"

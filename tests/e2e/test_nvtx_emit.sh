#!/usr/bin/env bash
# prof.h's ranges are forwarded to another NVTX tool, and never to libprof itself.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/nvtx_common.sh"

need_nvtx
compile nvtx_emits
compile_nvtx nvtx_life
"$CC" -O2 -fPIC -shared -fvisibility=hidden -isystem "$nvtx_include" "$programs/nvtx_fake_tool.c" -o libtool.so
export FAKE_TOOL_LOG=$here/told.txt
tool=(NVTX_INJECTION64_PATH="$here/libtool.so")

site=$'push site\npush named\npush sized\npop\npop\npop\n'
wanted="attached
$site${site}push aten::mm, seq = 12
pop
push aten::add, seq = 13
pop
push MmBackward, stashed seq = -1
pop
push written out, seq = 7
pop
mark mark
start any thread
end
push open at the stop
pop
push after
pop"

record sent.prof env "${tool[@]}" PROF_EMIT_NVTX=1 ./nvtx_emits 2>err.txt
same "what the tool was told" "$wanted" "$(<told.txt)"
same "messages" "" "$(<err.txt)"
expect sent.prof 'count["site"] == 2 and count["aten::mm"] == 1 and count["mark"] == 1'

rm told.txt
record options.prof env "${tool[@]}" ./nvtx_emits options 2>err.txt
same "as prof_options want it" "$wanted" "$(<told.txt)"

# A tool that takes pushes and pops only.
rm told.txt
record few.prof env "${tool[@]}" FAKE_TOOL_FEW=1 PROF_EMIT_NVTX=1 ./nvtx_emits
same "pushes" 12 "$(grep -c ^push told.txt)"
same "pops" 12 "$(grep -c ^pop told.txt)"
same "calls in all" 24 "$(wc -l <told.txt)"

# Nobody asked.
rm told.txt
record unasked.prof env "${tool[@]}" ./nvtx_emits
[[ ! -e told.txt ]] || fail "forwarded although nobody asked"

# No tool, or none but ourselves: said once, recorded as ever, never sent round in a circle.
refused() {
    local what=$1 reason=$2
    shift 2
    rm -f refused.prof
    record refused.prof env PROF_EMIT_NVTX=1 "$@" ./nvtx_emits 2>err.txt
    same "$what" "libprof: ranges are not forwarded to NVTX: $reason" "$(<err.txt)"
    expect refused.prof 'count["site"] == 2 and count["after"] == 1'
    nvtx refused.prof '[each.name for each in ranges] == ["any thread"] and unopened == 0'
}
cp "$lib" libcopy.so
ln -s "$lib" link.so
echo 'int nothing;' | "$CC" -shared -fPIC -x c - -o libnothing.so
echo 'int InitializeInjectionNvtx2(void *get) { return get == 0; }' | "$CC" -shared -fPIC -x c - -o libunwilling.so
refused "no variable" "NVTX_INJECTION64_PATH names libprof itself"
refused "ourselves" "NVTX_INJECTION64_PATH names libprof itself" NVTX_INJECTION64_PATH="$lib"
refused "a link to us" "NVTX_INJECTION64_PATH names libprof itself" NVTX_INJECTION64_PATH="$here/link.so"
refused "a copy of us" "NVTX_INJECTION64_PATH names a copy of libprof" NVTX_INJECTION64_PATH="$here/libcopy.so"
refused "nothing there" "the tool that NVTX_INJECTION64_PATH names cannot be loaded" NVTX_INJECTION64_PATH=/nowhere.so
refused "no tool" "NVTX_INJECTION64_PATH does not name an NVTX tool" NVTX_INJECTION64_PATH="$here/libnothing.so"
refused "unwilling" "the NVTX tool refused to attach" NVTX_INJECTION64_PATH="$here/libunwilling.so"
PROF_NVTX=0 refused "no variable, no NVTX" "NVTX_INJECTION64_PATH names no tool"

# Both at once: the program's own NVTX calls are recorded and not sent back to anybody.
PROF_EMIT_NVTX=1 record both.prof ./nvtx_life threads >/dev/null 2>err.txt
nvtx both.prof 'count["life", "registered"] == 160000 and sum(raw.loss) == 0'

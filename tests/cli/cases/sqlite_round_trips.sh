# What is read back of a trace that was written: the same tables, for each kind of thing and each format that can
# be read. Chrome traces among the inputs would be copied: --window makes them anew.
event() { printf '{"ph":"X","cat":"%s","name":"%s","pid":%s,"tid":%s,"ts":%s,"dur":%s,"args":{%s}},' "$@"; }
gpu() { event "$1" "$2" 0 7 "$3" 9 "\"correlation\":$4,\"device\":0,\"stream\":7,\"context\":1,\"bytes\":64"; }
trace() { printf '{"traceEvents":[%s{"ph":"i","s":"t","name":"end","pid":1,"tid":1,"ts":900}]}' "$2" >"$1.json"; }
memory() { printf '{"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,"ts":%s,"args":{"Bytes":%s,"Addr":%s,"Device Id":-1,"Device Type":0,"%s":"%s"}},' "$@"; }

trace crossing "$(event user_annotation A 1 1 0 30 '')$(event user_annotation B 1 1 20 30 '')$(
    event cuda_runtime cudaLaunchKernel 1 1 45 20 '"correlation":1'
    event cuda_runtime cudaMemcpyAsync 1 1 55 20 '"correlation":2'
    event user_annotation A 1 1 70 10 ''
    gpu kernel k 100 1
)"
trace copies "$(for way in 'HtoD (Pageable -> Device)' 'HtoD (Pinned -> Device)' 'DtoH (Device -> Managed)' \
    'DtoD (Device -> Array)' 'DtoH (Device -> Host)' 'HtoH (Pinned -> Pageable)' 'PtoP (Device Static -> Managed Static)'; do
    gpu gpu_memcpy "Memcpy $way" $((at += 10)) 0
done)"
trace heaps "$(memory 10 64 1 kind pageable)$(memory 20 64 2 kind pinned)$(memory 30 64 3 kind managed)$(
    memory 40 64 4 allocator arena
    memory 50 -64 2 kind pinned
    memory 60 -64 4 allocator arena
)"
trace overhead "$(event overhead 'Buffer Flush' 1 1 10 5 '')$(event overhead Instrumentation 1 1 20 5 '')$(
    event user_annotation A 1 1 0 30 ''
)"
trace ambiguous "$(event cuda_runtime cudaLaunchKernel 1 1 10 5 '"correlation":1')$(
    event cuda_runtime cudaLaunchKernel 2 2 10 5 '"correlation":1'
    gpu kernel k 20 1
)"
trace orphans "$(event user_annotation A 1 1 0 30 '')$(gpu kernel k 20 1)"
trace arrows "$(event cuda_runtime cudaLaunchKernel 1 1 10 5 '"correlation":1')$(
    event cuda_runtime cudaLaunchKernel 2 2 10 5 '"correlation":1'
    gpu kernel k 20 1
)"'{"ph":"s","cat":"ac2g","id":7,"pid":2,"tid":2,"ts":10},{"ph":"f","cat":"ac2g","id":7,"pid":0,"tid":7,"ts":20},'

# What is printed of it, for a comparison.
tables() {
    profdump --group-by name,thread,process --columns p50,cold,warm,bytes --format tsv "$1"
    profdump --tree --format tsv "$1"
    profdump memory "$1"
    profdump "$1" | sed -n '/^Events/p; /^Ledger/,/^libprof/p' | sed 's/ ([0-9]* of them NVTX or ITT)//'
    profdump --chrome - --window 0us.. "$1" | grep -o '"cat":"overhead","name":"[^"]*"' | sort
}

printf '%-12s %-8s %-8s\n' '' chrome sqlite
for input in crossing.json copies.json heaps.json overhead.json ambiguous.json orphans.json arrows.json nvtx.prof demo.prof cpu.prof; do
    tables "$input" >wanted.txt 2>&1
    result=()
    for format in chrome sqlite; do
        profdump --window 0us.. --to $format -o "out.$format" "$input" >write.txt
        tables "out.$format" >got.txt 2>&1
        profdump check "out.$format" >check.txt || result+=("check:")
        cmp -s wanted.txt got.txt && result+=(same) || result+=(DIFFERS)
    done
    printf '%-12s %-8s %-8s\n' "${input%.*}" "${result[@]}"
done

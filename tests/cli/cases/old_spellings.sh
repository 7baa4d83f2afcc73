# Old spellings print what the new ones print, and a note on standard error.
cp "$TRACES"/*.et* "$TRACES"/*.bin "$TRACES"/diff/*.prof . 
cp "$CASES/inputs/kineto.json" a.json
same() {
    diff <(profdump $1 2>/dev/null) <(profdump $2 2>/dev/null) >differs.txt || echo "'$1' is not '$2'"
    profdump $1 2>&1 >unused.txt | grep '^profdump: note'
}
same "analyze $CASES/inputs/analyze.json" "roofline $CASES/inputs/analyze.json"
same "analyze --by op --name-limit 9 $CASES/inputs/analyze.json" "roofline --group-by op $CASES/inputs/analyze.json"
same "analyze --compat --type fp16 --name-limit 8 $CASES/inputs/analyze.json" "pytorch roofline --type fp16 --name-limit 8 $CASES/inputs/analyze.json"
same "folded nvtx.prof" "-o - --to folded nvtx.prof"
same "folded --stacks --metric self_cuda demo.prof" "export -o - --to=folded --stacks --metric self_cuda demo.prof"
same "blocks --event native_call_ execute.etprof" "executorch blocks --event native_call_ execute.etprof"
same "tax --compat execute.etprof" "executorch tax --compat execute.etprof"
same "memory --compat execute.etprof" "executorch memory execute.etprof"
same "ledger --rows 2 lossy.prof" "check --ledger --rows 2 lossy.prof"
same "augment a.json -" "pytorch augment a.json -"
same "combine a.json a.json -" "-o - --to chrome a.json a.json"
same "combine --compat a.json a.json -" "pytorch combine a.json a.json -"
same "diff --compat a.json a.json" "pytorch diff a.json a.json"
same "diff --by op base.prof slow.prof" "diff --group-by op base.prof slow.prof"
same "--memory memory.prof" "--columns memory memory.prof"
for kind in kernels memcpy memset api projected; do same "--$kind demo.prof" "--kind $kind demo.prof"; done
same "--from 100us --to 700us demo.prof" "--window 100us..700us demo.prof"
same "--window 1 demo.prof" "--window on:1 demo.prof"
same "--steps 1-2 demo.prof" "--window step:1-2 demo.prof"
for format in html perfetto speedscope pprof prometheus svg arrow; do same "--$format - demo.prof" "-o - --to $format demo.prof"; done
same "--etprof - blocks.prof" "-o - --to etprof blocks.prof"
same "diff --html - base.prof slow.prof" "diff -o - --to html base.prof slow.prof"
# --chrome stays
same "--chrome - demo.prof" "-o - --to chrome demo.prof"
true

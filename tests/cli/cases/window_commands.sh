# Every command and output takes a window.
for command in check "check --ledger" memory graphs stacks "executorch blocks" "executorch tax" breakdown explain roofline; do
    profdump $command --window 100us..700us demo.prof >shown.txt 2>&1
    echo "$command $? $(wc -l <shown.txt)"
done
for output in chrome perfetto pprof prometheus speedscope svg html sqlite folded; do
    profdump -o out.$output --to $output --window 100us..700us demo.prof >$output.txt 2>&1
    echo "$output $? $(test -s out.$output && echo written)"
done
profdump check --ledger --window ..110us lossy.prof
profdump check --window ..110us lossy.prof
profdump --chrome - --window ..150us demo.prof | grep -c '"ph":"X"'
# The two sides of a diff are cut alike, each from its own first event.
profdump diff --window ..200us --format csv rank0.prof rank1.prof | head -3

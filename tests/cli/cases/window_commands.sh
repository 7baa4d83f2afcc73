# Every command and output takes a window.
for command in check ledger memory graphs stacks folded blocks tax breakdown explain analyze; do
    profdump $command --from 100us --to 700us demo.prof >$command.txt 2>&1
    echo "$command $? $(wc -l <$command.txt)"
done
for output in chrome perfetto pprof prometheus speedscope svg html sqlite; do
    profdump --$output out.$output --from 100us --to 700us demo.prof >$output.txt 2>&1
    echo "$output $? $(test -s out.$output && echo written)"
done
profdump ledger --to 110us lossy.prof
profdump check --to 110us lossy.prof
profdump --chrome - --to 150us demo.prof | grep -c '"ph":"X"'
# The two sides of a diff are cut alike, each from its own first event.
profdump diff --to 200us --format csv rank0.prof rank1.prof | head -3

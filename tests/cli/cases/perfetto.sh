# Into a file, through a pipe and packed: the same bytes, each time. What cannot be written leaves nothing.
profdump -o out.pftrace demo.prof
profdump -o again.pftrace demo.prof && cmp out.pftrace again.pftrace
profdump -o - --to perfetto demo.prof | cmp - out.pftrace
if profdump -o out.pftrace.gz demo.prof 2>error.txt; then
    gzip -dc out.pftrace.gz | cmp - out.pftrace
else
    grep -q 'not supported' error.txt
fi
profdump -o no/such/file --to perfetto demo.prof; echo "exit $?"
profdump -o /dev/full --to perfetto demo.prof; echo "exit $?"
profdump -o . --to perfetto demo.prof; echo "exit $?"
(trap '' PIPE; sleep 0.3; profdump -o - --to perfetto demo.prof; echo "closed pipe: exit $?" >&2) | true
profdump graphs -o no.pftrace demo.prof; echo "exit $?"
rm -f out.pftrace.gz error.txt
ls -A | grep -v '\.\(prof\|etprof\|bin\|etdp\)$'

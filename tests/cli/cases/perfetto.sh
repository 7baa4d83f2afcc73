# Into a file, through a pipe and packed: the same bytes, each time. What cannot be written leaves nothing.
profdump --perfetto out.pftrace demo.prof
profdump --perfetto again.pftrace demo.prof && cmp out.pftrace again.pftrace
profdump --perfetto - demo.prof | cmp - out.pftrace
if profdump --perfetto out.pftrace.gz demo.prof 2>error.txt; then
    gzip -dc out.pftrace.gz | cmp - out.pftrace
else
    grep -q 'not supported' error.txt
fi
profdump --perfetto no/such/file demo.prof; echo "exit $?"
profdump --perfetto /dev/full demo.prof; echo "exit $?"
profdump --perfetto . demo.prof; echo "exit $?"
(trap '' PIPE; sleep 0.3; profdump --perfetto - demo.prof; echo "closed pipe: exit $?" >&2) | true
profdump graphs --perfetto no.pftrace demo.prof; echo "exit $?"
rm -f out.pftrace.gz error.txt
ls -A | grep -v '\.\(prof\|etprof\|bin\|etdp\)$'

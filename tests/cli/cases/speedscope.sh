# The same bytes each time; what cannot be written leaves nothing.
profdump --speedscope out.json demo.prof && sed -E 's/libprof [0-9][^"]*/libprof VERSION/' out.json
profdump --speedscope - demo.prof | cmp - out.json
profdump --speedscope /dev/full demo.prof; echo "exit $?"
profdump --speedscope no/such/file demo.prof; echo "exit $?"
ls -A | grep -v '\.\(prof\|etprof\|bin\|etdp\)$'

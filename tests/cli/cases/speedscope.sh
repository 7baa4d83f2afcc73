# The same bytes each time; what cannot be written leaves nothing.
profdump -o out.json --to speedscope demo.prof && sed -E 's/libprof [0-9][^"]*/libprof VERSION/' out.json
profdump -o - --to speedscope demo.prof | cmp - out.json
profdump -o /dev/full --to speedscope demo.prof; echo "exit $?"
profdump -o no/such/file --to speedscope demo.prof; echo "exit $?"
ls -A | grep -v '\.\(prof\|etprof\|bin\|etdp\)$'

# The same bytes each time; a directory gets all tables; what cannot be written leaves nothing.
mkdir all one
profdump -o all --to arrow demo.prof && ls all
profdump -o one --to arrow --arrow-table kernels demo.prof && ls one && cmp all/kernels.arrow one/kernels.arrow
profdump -o - --to arrow demo.prof | cmp - all/events.arrow
profdump -o out.arrow.gz demo.prof && gzip -dc out.arrow.gz | cmp - all/events.arrow; rm out.arrow.gz
profdump -o out --to arrow --arrow-table tables demo.prof; echo "exit $?"
profdump -o /dev/full --to arrow demo.prof; echo "exit $?"
profdump -o no/such/file --to arrow demo.prof; echo "exit $?"
profdump check -o out --to arrow demo.prof; echo "exit $?"
ls -A | grep -v '\.\(prof\|etprof\|bin\|etdp\)$'

# The same bytes each time; a directory gets all tables; what cannot be written leaves nothing.
mkdir all one
profdump --arrow all demo.prof && ls all
profdump --arrow one --arrow-table kernels demo.prof && ls one && cmp all/kernels.arrow one/kernels.arrow
profdump --arrow - demo.prof | cmp - all/events.arrow
profdump --arrow out.arrow.gz demo.prof && gzip -dc out.arrow.gz | cmp - all/events.arrow; rm out.arrow.gz
profdump --arrow out --arrow-table tables demo.prof; echo "exit $?"
profdump --arrow /dev/full demo.prof; echo "exit $?"
profdump --arrow no/such/file demo.prof; echo "exit $?"
profdump check --arrow out demo.prof; echo "exit $?"
ls -A | grep -v '\.\(prof\|etprof\|bin\|etdp\)$'

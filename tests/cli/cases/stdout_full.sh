profdump demo.prof >/dev/full; echo "exit $?"
profdump --json demo.prof >/dev/full; echo "exit $?"
profdump --help >/dev/full; echo "exit $?"
profdump check demo.prof >/dev/full; echo "exit $?"

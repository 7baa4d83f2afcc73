profdump --chrome no/such/out.json demo.prof; echo "exit $?"
profdump --chrome . demo.prof; echo "exit $?"
profdump --chrome '' demo.prof; echo "exit $?"
profdump --chrome /dev/full demo.prof; echo "exit $?"
ls -A | grep -v '\.prof$'

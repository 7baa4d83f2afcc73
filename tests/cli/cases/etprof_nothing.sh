echo old >out.etprof
profdump -o out.etprof demo.prof; echo "exit $?"
cat out.etprof
profdump -o no/such/out.etprof blocks.prof; echo "exit $?"
profdump -o '' --to etprof blocks.prof; echo "exit $?"
ls -A | grep -v '\.prof$'

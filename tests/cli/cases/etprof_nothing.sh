echo old >out.etprof
profdump --etprof out.etprof demo.prof; echo "exit $?"
cat out.etprof
profdump --etprof no/such/out.etprof blocks.prof; echo "exit $?"
profdump --etprof '' blocks.prof; echo "exit $?"
ls -A | grep -v '\.prof$'

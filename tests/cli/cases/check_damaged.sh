head -c 70000 demo.prof >cut.prof
profdump check cut.prof; echo "exit $?"
profdump check lossy.prof; echo "exit $?"

profdump expalin demo.prof; echo "exit $?"
profdump missing.prof; echo "exit $?"
profdump ./missing; echo "exit $?"

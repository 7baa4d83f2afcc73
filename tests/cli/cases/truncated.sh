head -c 70000 demo.prof >cut.prof
profdump cut.prof; echo "exit $?"
profdump --partial cut.prof | tail -4; echo "exit $?"

profdump -o out.etprof --chrome out.json --json blocks.prof >facts.json 2>/dev/null; echo "exit $?"
stat -c %s out.etprof
grep -c '"ph":"b"' out.json
head -c 1 facts.json; echo
profdump --fail-on-loss -o lossy.etprof blocks.prof lossy.prof 2>/dev/null; echo "exit $?"

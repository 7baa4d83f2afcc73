profdump -o out.etprof blocks.prof; echo "exit $?"
stat -c '%a %s' out.etprof
od -A d -c -v out.etprof
profdump -o - --to etprof blocks.prof 2>/dev/null | cmp - out.etprof && echo same

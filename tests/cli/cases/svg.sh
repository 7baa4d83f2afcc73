profdump -o out.svg demo.prof; echo "exit $?"
grep -c '<rect' out.svg
grep -o '<text class="h"[^<]*' out.svg
profdump -o - --to svg --width 400 demo.prof | head -c 60; echo
profdump -o part.svg --window 1us..2us demo.prof; echo "exit $?"
profdump -o no.svg --window 2us..1us demo.prof; echo "exit $?"
profdump -o no.svg --window 2h.. demo.prof; echo "exit $?"
profdump -o no.svg --width 3 demo.prof; echo "exit $?"
profdump -o /dev/full --to svg demo.prof; echo "exit $?"
profdump stacks -o no.svg demo.prof; echo "exit $?"
ls no.svg 2>/dev/null

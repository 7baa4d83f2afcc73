profdump --svg out.svg demo.prof; echo "exit $?"
grep -c '<rect' out.svg
grep -o '<text class="h"[^<]*' out.svg
profdump --svg - --width 400 demo.prof | head -c 60; echo
profdump --svg part.svg --from 1us --to 2us demo.prof; echo "exit $?"
profdump --svg no.svg --from 2us --to 1us demo.prof; echo "exit $?"
profdump --svg no.svg --from 2h demo.prof; echo "exit $?"
profdump --svg no.svg --width 3 demo.prof; echo "exit $?"
profdump --svg /dev/full demo.prof; echo "exit $?"
profdump stacks --svg no.svg demo.prof; echo "exit $?"
ls no.svg 2>/dev/null

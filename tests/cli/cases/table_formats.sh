# One list of formats for all commands; a target that fails is a failure; a reader that goes away is no news.
profdump --format yaml demo.prof; echo "exit $?"
profdump memory --format yaml demo.prof; echo "exit $?"
profdump check --format csv demo.prof; echo "exit $?"
profdump stacks --folded --format csv demo.prof; echo "exit $?"
profdump --json --format csv demo.prof; echo "exit $?"
profdump executorch tax --compat --format markdown demo.prof; echo "exit $?"
cmp <(profdump --json demo.prof) <(profdump --format json demo.prof) && echo "json is --json"
profdump --format csv --kind kernels demo.prof
profdump --format tsv --chrome out.json demo.prof | head -2
profdump --format markdown --tree --header 'a | b' demo.prof
for format in text tsv csv json markdown; do
    profdump --format $format demo.prof >/dev/full; echo "$format exit $?"
    profdump memory --format $format demo.prof >/dev/full; echo "$format exit $?"
    (trap '' PIPE; sleep 0.2; profdump --format $format demo.prof; echo "$format exit $?" >&2) | true
    (sleep 0.2; profdump check --ledger --format $format demo.prof; [ $? != 0 ] && echo "$format ended" >&2) | true
done

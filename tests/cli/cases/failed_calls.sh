# The calls that failed, under the table and in the Chrome trace; cudaEventQuery was not ready, which is an answer.
profdump failing.prof | sed -n '/^Ledger/,$p'
profdump --chrome out.json failing.prof && python3 "$CASES/../write/check_trace.py" --summary out.json
grep -o '"name":"cuda[A-Za-z]*".*"result".*' out.json | sed 's/"pid":[0-9]*/"pid":N/'

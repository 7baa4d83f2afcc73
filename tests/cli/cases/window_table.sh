# What is left of a recording is what began in the window; operations go with their calls.
profdump demo.prof --window 150us.. | sed -n '/^Shown/,$p'
echo "exit $?"
profdump --json --window 100us..300us demo.prof | grep -o '"duration_ns":[0-9]*\|"window":{[^}]*}' | head -2
# The same window by the clock: @ and times since the first event agree with each other.
profdump --window ..200us demo.prof >relative.txt
profdump --window "@1700000000000000000..@$(profdump --json --window ..200us demo.prof | grep -o '"to_realtime_ns":[0-9]*' | cut -d: -f2)" \
    demo.prof >absolute.txt
cmp relative.txt absolute.txt; echo "the same: $?"
# From step 1 to the end of step 1; each is also shown when both are.
profdump --window step:1 demo.prof | sed -n '/^Shown/p;/ProfilerStep/p'
profdump --window step:1-2 demo.prof | sed -n '/^Shown/p;/ProfilerStep/p'
# Nothing began here, though it is of the recording: an empty table.
profdump --window 500us..600us --format csv demo.prof; echo "exit $?"

# What is left of a recording is what began in the window; operations go with their calls.
profdump demo.prof --from 150us | sed -n '/^Shown/,$p'
echo "exit $?"
profdump --json --from 100us --to 300us demo.prof | grep -o '"duration_ns":[0-9]*\|"window":{[^}]*}' | head -2
# The same window by the clock: @ and times since the first event agree with each other.
profdump --to 200us demo.prof >relative.txt
profdump --from @1700000000000000000 --to "@$(profdump --json --to 200us demo.prof | grep -o '"to_realtime_ns":[0-9]*' | cut -d: -f2)" \
    demo.prof >absolute.txt
cmp relative.txt absolute.txt; echo "the same: $?"
# From step 1 to the end of step 1; each is also shown when both are.
profdump --steps 1 demo.prof | sed -n '/^Shown/p;/ProfilerStep/p'
profdump --steps 1-2 demo.prof | sed -n '/^Shown/p;/ProfilerStep/p'
# Nothing began here, though it is of the recording: an empty table.
profdump --from 500us --to 600us --format csv demo.prof; echo "exit $?"

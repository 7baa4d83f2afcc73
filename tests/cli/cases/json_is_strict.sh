# Whatever the file, --json is one strict JSON value of integers.
for trace in *.prof; do
    profdump --json "$trace" | python3 -c '
import json, sys
def no(word): sys.exit("not an integer: " + word)
facts = json.load(sys.stdin, parse_float=no, parse_constant=no)
print(len(facts["key_averages"]), len(facts["kernels"]), facts["mode"], facts["simulated"])'
done

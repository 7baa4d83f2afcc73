# Nothing is left of an output that cannot be made.
echo 'no JSON' >text
printf '{"traceEvents": [{"ph": "X", "cat": "kernel", "na' >cut.json
printf '{"traceEvents": [{"ph": "X", "cat": "kernel"; }]}' >wrong.json
for mode in "" --compat; do
    for file in text cut.json wrong.json missing.json rank0.prof .; do
        profdump pytorch augment $mode "$file" out.json
        echo "$file: $?"
    done
done
echo '{"traceEvents": []}' >empty.json
profdump pytorch augment empty.json /nowhere/out.json
echo "$?"
profdump pytorch augment empty.json /dev/full
echo "$?"
profdump pytorch augment empty.json .
echo "$?"
profdump pytorch augment empty.json
echo "$?"
profdump pytorch augment empty.json a b
echo "$?"
ls out.json a b
profdump pytorch augment --partial cut.json out.json && cat out.json

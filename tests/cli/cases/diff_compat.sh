# Two tables of PyTorch's own analysis beside each other: names of the first, then those that only the second has.
cat >a.json <<'END'
{"deviceProperties": [{"id": 0, "name": "A"}], "traceEvents": [
  {"cat": "kernel", "name": "both", "dur": 2, "args": {"device": 0}},
  {"cat": "kernel", "name": "left", "dur": 3, "args": {"device": 0}}]}
END
sed 's/left/right/; s/"dur": 2/"dur": 5/' a.json >b.json
profdump pytorch diff --names old,new a.json b.json
# other devices: that program stops, diff alone does not
sed 's/"id": 0/"id": 1/' b.json >c.json
profdump pytorch diff a.json c.json
echo $?

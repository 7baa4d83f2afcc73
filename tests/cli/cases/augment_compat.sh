# As PyTorch's program has it: every kernel all of its operator's work, convolutions without padding.
cat >in.json <<'END'
{"deviceProperties": [{"id": 0, "name": "NVIDIA H100"}],
 "traceEvents": [
  {"ph": "X", "cat": "kernel", "name": "first", "ts": 1, "dur": 1, "args": {"External id": 7}},
  {"ph": "X", "cat": "kernel", "name": "second", "ts": 2, "dur": 1, "args": {"kernel_num_gb": 5, "External id": 7}},
  {"ph": "X", "cat": "kernel", "name": "nobody's", "ts": 2, "dur": 1, "args": {}},
  {"ph": "X", "cat": "cpu_op", "name": "aten::convolution", "ts": 1, "dur": 1, "args": {"External id": 7, "Input Dims": [[1, 3, 224, 224], [64, 3, 7, 7], [], [], [], [], [], [], []], "Input type": ["float", "float", "", "", "", "", "", "", ""], "Concrete Inputs": ["", "", "", "[2, 2]", "[3, 3]", "[1, 1]", "False", "[0, 0]", "1"]}},
  {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 5, "dur": 1, "args": {"External id": 8}}
 ]}
END
profdump pytorch augment --compat in.json - | grep -o '"name.*"kernel_.*\|"name.*"args": {}\|"name": "aten::mm.*'
# where it stops, this does
sed 's/"External id": 8/"External id": 7/' in.json >twice.json
profdump pytorch augment --compat twice.json out.json
sed 's/, "args": {}//' in.json >no_args.json
profdump pytorch augment --compat no_args.json out.json
sed '0,/id": 7/s//id": 9/' in.json >no_op.json
profdump pytorch augment --compat no_op.json out.json
sed 's/deviceProperties/devices/' in.json >no_devices.json
profdump pytorch augment --compat no_devices.json out.json
sed '/mm/!s/"cat": "cpu_op", //' in.json >no_cat.json
profdump pytorch augment --compat no_cat.json out.json
sed 's/"name": "aten::convolution", //' in.json >no_name.json
profdump pytorch augment --compat no_name.json out.json
echo '[{"ph": "X", "name": "x", "ts": 1}]' >array.json
profdump pytorch augment --compat array.json out.json
ls out.json

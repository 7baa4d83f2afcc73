# The tables of PyTorch's own analysis: equal runs count once, unknown devices have 0 %.
cat >in.json <<'END'
{"deviceProperties": [{"id": 0, "name": "NVIDIA A100"}, {"id": 3, "name": "NVIDIA A100-SXM4-80GB"}],
 "traceEvents": [
  {"cat": "cpu_op", "name": "aten::mm", "args": {"External id": 1, "Input Dims": [[64, 64], [64, 64]], "Input type": ["float", "float"], "Concrete Inputs": ["", ""]}},
  {"cat": "kernel", "name": "a kernel with a name that is longer than forty characters", "dur": 2, "args": {"External id": 1, "device": 0}},
  {"cat": "kernel", "name": "a kernel with a name that is longer than forty characters", "dur": 2.0, "args": {"External id": 1, "device": 0}},
  {"cat": "kernel", "name": "a kernel with a name that is longer than forty characters", "dur": 4, "args": {"External id": 1, "device": 0}},
  {"cat": "kernel", "name": "copy \u00e9\u001b[2J", "dur": 0, "args": {"device": 3}},
  {"cat": "kernel", "name": "elsewhere", "dur": 1, "args": {"device": 9}}
 ]}
END
profdump pytorch roofline --type float32 in.json
profdump pytorch roofline --type fp16 --name-limit 8 in.json | grep "a kernel"
# where that program stops
profdump pytorch roofline in.json
profdump pytorch roofline --type int32 in.json
sed 's/"dur": 4/"dur": 0/' in.json >zero.json
profdump pytorch roofline --type float32 zero.json
profdump pytorch roofline --type float32 in.json in.json
echo $?
profdump pytorch roofline --name-limit many in.json

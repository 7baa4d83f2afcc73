profdump analyze cpu.prof
echo "no kernels: $?"
profdump analyze --json cpu.prof
echo "no kernels, JSON: $?"
printf '[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2,"args":{"stream":7}}]' >array.json
profdump analyze array.json
echo "nothing but a kernel: $?"
echo hello >text.prof
profdump analyze text.prof
echo "no trace: $?"
